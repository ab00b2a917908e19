//! The configuration of a client, parsed once from JSON and the environment, and shared: requests and connections take
//! from it what they need.
//!
//! Imports `util` and `json`.

pub mod address;
pub mod encryption_key;
pub mod keys;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::json::{Fields, Value};
use crate::util::memory::MAX_LINE;
use crate::util::secret::Secret;
use crate::util::text::visible;
use crate::util::validation_error::ValidationError;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Default as Preset, Endpoint};
use paysvc_spec::settings;
use paysvc_spec::status::Status;

use address::{BaseUrl, Proxy, is_exempt, is_loopback_name};
use encryption_key::EncryptionKey;

/// The name of the configuration in errors.
pub const WHAT: &str = "the configuration";
/// A time limit below it was probably meant in seconds.
const SECONDS_BELOW: u64 = 200;

#[derive(Default)]
pub struct Config {
    pub base_url: Option<Arc<BaseUrl>>,
    pub mode: Option<keys::Mode>,
    /// The public and the secret API key.
    pub keys: [Option<Secret>; 2],
    pub encryption_key: Option<EncryptionKey>,
    pub timeout: Duration,
    /// For DNS lookup, connect and TLS.
    pub connect_timeout: Duration,
    pub max_attempts: u32,
    /// The proxy through which the service is reached.
    pub proxy: Option<Proxy>,
    /// The way to the service, for people.
    pub route: String,
    pub ca_file: Option<PathBuf>,
    pub client_cert: Option<ClientCert>,
    pub user_agent: String,
    pub max_idle_connections: usize,
    pub reuse: Reuse,
    /// Plain http to other than loopback addresses.
    pub allow_http: bool,
    pub journal: Option<PathBuf>,
    pub journal_create: bool,
    pub journal_accept_lost_log: Option<String>,
    pub journal_keep_days: u32,
    pub former_public_keys: Vec<String>,
    pub webhook_at_once: u32,
    pub webhook_per_minute: u32,
    /// Changes of rows about which integrations in production differ, by the names of the settings.
    pub row_keys: Vec<(&'static str, ApiKey)>,
    pub rows_without_headers: Vec<&'static str>,
    /// Values that are accepted and probably not meant, for the log.
    pub warnings: Vec<String>,
    /// The fields that came from the environment, with their variables.
    pub from_environment: Vec<(&'static str, String)>,
}

/// The requests that a connection may serve after another request.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// Requests that only read. All others are the first on their connection.
    #[default]
    Reads,
    All,
}

pub struct ClientCert {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

impl Config {
    /// Reads the fields of [`settings::CONFIG`], which have been checked, and the environment for those that are left
    /// out.
    pub fn parse(given: Fields<'_>, env: Env<'_>) -> Result<Config, ValidationError> {
        let mut reader = Reader { given, env, from_environment: Vec::new() };
        for field in settings::CONFIG.iter().filter(|field| given.get(field.name).is_none()) {
            reader.read_variable(field.name, &settings::variable(field.name));
        }
        reader.config().map_err(|error| name_variable(error, &reader.names()))
    }

    /// Makes an error about a field that came from the environment name its variable instead.
    pub fn name_variable(&self, error: ValidationError) -> ValidationError {
        name_variable(error, &self.from_environment)
    }

    pub fn key(&self, key: ApiKey) -> Option<&Secret> {
        self.keys[key as usize].as_ref()
    }

    /// Returns the mode, as the keys show it; if their form does not, as it is configured.
    pub fn mode_of_keys(&self) -> Option<keys::Mode> {
        match self.modes() {
            [Some(public), Some(secret)] if public != secret => None,
            [Some(mode), _] | [None, Some(mode)] => Some(mode),
            [None, None] => self.mode,
        }
    }

    /// The mode of each API key; `None` if its form does not show it.
    pub fn modes(&self) -> [Option<keys::Mode>; 2] {
        [ApiKey::Public, ApiKey::Secret].map(|key| keys::mode_of_key(self.key(key)?.expose()))
    }

    /// The key that the row's requests carry.
    pub fn key_of(&self, row: &Endpoint) -> ApiKey {
        let chosen = self.row_keys.iter().find(|(name, _)| row.key_setting == Some(*name));
        chosen.map_or(row.key, |(_, key)| *key)
    }

    /// The headers that the row's requests carry.
    pub fn headers_of(&self, row: &Endpoint) -> &'static [(&'static str, &'static str)] {
        match row.headers_setting {
            Some(name) if self.rows_without_headers.contains(&name) => &[],
            _ => row.headers,
        }
    }

    /// The address of the service. Fails unless everything is configured that a request needs; the error names
    /// everything that is missing.
    pub fn require(&self, what: &str, key: ApiKey, encrypted: bool) -> Result<&BaseUrl, ValidationError> {
        let needs = [
            (self.base_url.is_some(), "base_url"),
            (self.key(key).is_some(), key.setting()),
            (!encrypted || self.encryption_key.is_some(), "encryption_key"),
        ];
        match &self.base_url {
            Some(base_url) if needs.iter().all(|(present, _)| *present) => Ok(base_url),
            _ => {
                let missing = needs.iter().filter(|(present, _)| !present);
                let missing = missing.map(|(_, name)| ((*name).to_owned(), settings::not_configured(name)));
                Err(ValidationError::of_members(Status::Config, what, missing.collect()))
            }
        }
    }

    /// Returns the encryption key, or an error of `what` that describes how to configure it.
    pub fn require_encryption_key(&self, what: &str) -> Result<&EncryptionKey, ValidationError> {
        self.encryption_key.as_ref().ok_or_else(|| {
            let reason = settings::not_configured("encryption_key");
            ValidationError::of_member(Status::Config, what, "encryption_key", reason)
        })
    }
}

fn name_variable(error: ValidationError, from_environment: &[(&'static str, String)]) -> ValidationError {
    let variable = |member: &str| from_environment.iter().find(|(known, _)| *known == member).map(|(_, text)| text);
    match &error.errors[..] {
        [(member, reason)] => match variable(member) {
            Some(variable) => ValidationError::of_member(error.status, "the environment", variable, reason.as_str()),
            None => error,
        },
        _ => error,
    }
}

/// The text without the quotes and blanks that copying, shells and environment files leave around it.
pub fn pasted(text: &str) -> &str {
    let quote = |c| matches!(c, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}');
    text.trim_matches(|c: char| c.is_whitespace() || quote(c) || visible(c).is_none())
}

/// Names a character of the text that no key and no address has, if there is one.
pub fn unusual(text: &str) -> Option<String> {
    let c = text.chars().find(|c| !c.is_ascii_graphic() && !c.is_alphanumeric() || *c == '"')?;
    Some(match c {
        ' ' => "holds a space".into(),
        '"' => "holds a quotation mark".into(),
        '\n' => "holds a line break".into(),
        '\r' => "holds a carriage return".into(),
        '\t' => "holds a tab".into(),
        '\u{a0}' => "holds a no-break space".into(),
        _ if c.is_control() => format!("holds a control character, U+{:04X}", u32::from(c)),
        _ if visible(c).is_none() => format!("holds an invisible character, U+{:04X}", u32::from(c)),
        _ => "holds a character outside ASCII".into(),
    })
}

/// Reads a variable of the environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

struct Reader<'a> {
    given: Fields<'a>,
    env: Env<'a>,
    /// Settings that were left out, with the names and texts of their variables.
    from_environment: Vec<(&'static str, String, Secret)>,
}

impl Reader<'_> {
    /// Takes the field from the variable; false if that is not set, or empty. A blank path of a journal is an error, or
    /// there would be none.
    fn read_variable(&mut self, name: &'static str, variable: &str) -> bool {
        let text =
            (self.env)(variable).filter(|text| !pasted(text).is_empty() || name == "journal" && !text.is_empty());
        let text = text.map(|text| Secret::new(pasted(&text)));
        let found = text.map(|text| self.from_environment.push((name, variable.to_owned(), text)));
        found.is_some()
    }

    fn config(&mut self) -> Result<Config, ValidationError> {
        let allow_http = self.flag("allow_http")?;
        let mode = self.parsed("mode", keys::mode)?;
        let base_url = self.parsed("base_url", |text| BaseUrl::parse(text, allow_http))?;
        let (proxy, route) = self.proxy(base_url.as_ref())?;
        let (journal, journal_create) = (self.parsed("journal", path)?, self.flag("journal_create")?);
        if journal_create && journal.is_none() {
            return Err(invalid(
                "journal_create",
                "needs journal, the path of the file: without it there is no journal",
            ));
        }
        let mut warnings = Vec::new();
        let [timeout, connect_timeout] = ["timeout_ms", "connect_timeout_ms"].map(|name| {
            let ms = self.number(name)?;
            if ms < SECONDS_BELOW {
                warnings.push(format!("{name} is {ms} ms: if you mean seconds, write {}", ms * 1000));
            }
            Ok(Duration::from_millis(ms))
        });
        Ok(Config {
            base_url: base_url.map(Arc::new),
            mode,
            keys: [
                self.parsed("public_key", |text| keys::api_key(text, ApiKey::Public, mode))?,
                self.parsed("secret_key", |text| keys::api_key(text, ApiKey::Secret, mode))?,
            ],
            // It is longer than a line, and has a limit of its own.
            encryption_key: self
                .text("encryption_key")?
                .map(|text| EncryptionKey::parse(text.expose()))
                .transpose()
                .map_err(|reason| invalid("encryption_key", reason))?,
            timeout: timeout?,
            connect_timeout: connect_timeout?,
            max_attempts: self.number("max_attempts")? as u32,
            proxy,
            route,
            ca_file: self.parsed("ca_file", path)?,
            client_cert: self.client_cert()?,
            user_agent: self
                .parsed("user_agent", header_text)?
                .unwrap_or_else(|| concat!("libpaysvc/", env!("CARGO_PKG_VERSION")).to_owned()),
            max_idle_connections: self.number("max_idle_connections")? as usize,
            reuse: if self.word("connection_reuse")? == "all" { Reuse::All } else { Reuse::Reads },
            allow_http,
            journal,
            journal_create,
            journal_accept_lost_log: self.parsed("journal_accept_lost_log", |text| Ok(text.to_owned()))?,
            journal_keep_days: self.number("journal_keep_days")? as u32,
            former_public_keys: self
                .parsed("former_public_keys", |text| {
                    let keys = text.split(',').map(|key| keys::api_key(key.trim(), ApiKey::Public, mode));
                    keys.map(|key| Ok(key?.expose().to_owned())).collect()
                })?
                .unwrap_or_default(),
            webhook_at_once: self.number("webhook_at_once")? as u32,
            webhook_per_minute: self.number("webhook_per_minute")? as u32,
            row_keys: self.row_keys()?,
            rows_without_headers: self.rows_without_headers()?,
            warnings,
            from_environment: self.names(),
        })
    }

    /// Returns the proxy for the service, if one is used, and the way to the service for people. Other programs' variables
    /// in the environment count where `proxy` is not set, for https and not for this machine.
    fn proxy(&mut self, base_url: Option<&BaseUrl>) -> Result<(Option<Proxy>, String), ValidationError> {
        let common = base_url.is_some_and(|url| url.https && !is_loopback_name(&url.host));
        if common && self.text("proxy")?.is_none() {
            let found = ["https_proxy", "HTTPS_PROXY"].iter().any(|name| self.read_variable("proxy", name));
            if found && self.text("no_proxy")?.is_none() {
                let _ = ["no_proxy", "NO_PROXY"].iter().any(|name| self.read_variable("no_proxy", name));
            }
        }
        let proxy = self.parsed("proxy", Proxy::parse)?;
        let (host, port) = base_url.map_or(("", 0), |url| (&*url.host, url.port));
        let exempt = self.parsed("no_proxy", |list| is_exempt(list, host, port))?;
        let [source, list] =
            ["proxy", "no_proxy"].map(|name| self.variable(name).map_or(name, |(variable, _)| variable));
        Ok(match proxy {
            Some(_) if exempt == Some(true) => (None, format!("without the proxy of {source}, because of {list}")),
            Some(proxy) => {
                let route = format!("through the proxy {} port {} of {source}", proxy.host, proxy.port);
                (Some(proxy), route)
            }
            None => (None, "without a proxy".into()),
        })
    }

    /// The API keys that settings choose.
    fn row_keys(&self) -> Result<Vec<(&'static str, ApiKey)>, ValidationError> {
        let chosen = |name| {
            let word = self.word(name)?;
            let key = ApiKey::ALL.iter().find(|key| key.name() == word);
            key.map(|key| (name, *key)).ok_or_else(|| invalid(name, "names no key: a bug in the library"))
        };
        ENDPOINTS.iter().filter_map(|row| row.key_setting).map(chosen).collect()
    }

    /// The settings that leave headers out.
    fn rows_without_headers(&self) -> Result<Vec<&'static str>, ValidationError> {
        let off = |name| self.flag(name).map(|on| if on { None } else { Some(name) });
        ENDPOINTS.iter().filter_map(|row| row.headers_setting).filter_map(|name| off(name).transpose()).collect()
    }

    fn word(&self, name: &str) -> Result<&'static str, ValidationError> {
        let Preset::Word(words) = settings::setting(name).default else {
            return Err(invalid(name, "has no words to choose from: a bug in the library"));
        };
        let Some(text) = self.text(name)? else { return Ok(words[0]) };
        let word = words.iter().find(|word| **word == text.expose());
        word.copied().ok_or_else(|| invalid(name, format!("must be {}", words.join(" or "))))
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        self.from_environment.iter().map(|(name, variable, _)| (*name, variable.clone())).collect()
    }

    /// The name and text of the field's variable, if it came from there.
    fn variable(&self, name: &str) -> Option<(&str, &str)> {
        let found = self.from_environment.iter().find(|(known, ..)| *known == name);
        found.map(|(_, variable, text)| (&**variable, text.expose()))
    }

    /// The field's text, or the environment's.
    fn text(&self, name: &str) -> Result<Option<Secret>, ValidationError> {
        let given = self.given.text(name);
        let text = given.as_deref().or(self.variable(name).map(|(_, text)| text)).map(pasted);
        match text {
            Some("") => Err(invalid(name, "must not be empty")),
            _ => Ok(text.map(Secret::new)),
        }
    }

    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, ValidationError> {
        let checked = |text: Secret| match text.expose().len() {
            0..=MAX_LINE => parse(text.expose()),
            length => Err(format!("is {length} bytes; at most {MAX_LINE} can be sent")),
        };
        self.text(name)?.map(checked).transpose().map_err(|reason| invalid(name, reason))
    }

    fn number(&self, name: &str) -> Result<u64, ValidationError> {
        let Preset::Number { value: default, least, most } = settings::setting(name).default else {
            return Err(invalid(name, "has no number as its default: a bug in the library"));
        };
        let text = match self.given.get(name).map(Value::raw) {
            Some(value) => value,
            None => match self.variable(name) {
                Some((_, text)) => text,
                None => return Ok(default),
            },
        };
        // Only digits: Rust would accept a plus sign.
        match text.parse::<u64>() {
            Ok(number) if text.starts_with(|c: char| c.is_ascii_digit()) && (least..=most).contains(&number) => {
                Ok(number)
            }
            _ => Err(invalid(name, format!("must be a whole number between {least} and {most}"))),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, ValidationError> {
        match (self.given.flag(name), self.variable(name).map(|(_, text)| text)) {
            (Some(value), _) => Ok(value),
            (None, None) => Ok(settings::setting(name).default == Preset::Flag(true)),
            (None, Some("false" | "0")) => Ok(false),
            (None, Some("true" | "1")) => Ok(true),
            (None, Some(_)) => Err(invalid(name, "must be true, false, 1 or 0")),
        }
    }

    fn client_cert(&self) -> Result<Option<ClientCert>, ValidationError> {
        let needs = |missing: &str, given: &str| {
            let given = self.variable(given).map_or(given, |(variable, _)| variable);
            let variable = settings::variable(missing);
            Err(invalid(missing, format!("is required with {given}: set it in the configuration or as {variable}")))
        };
        match (self.parsed("client_cert_file", path)?, self.parsed("client_key_file", path)?) {
            (None, None) => Ok(None),
            (Some(cert_file), Some(key_file)) => Ok(Some(ClientCert { cert_file, key_file })),
            (Some(_), None) => needs("client_key_file", "client_cert_file"),
            (None, Some(_)) => needs("client_cert_file", "client_key_file"),
        }
    }
}

pub fn invalid(member: &str, reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Config, WHAT, member, reason)
}

fn path(text: &str) -> Result<PathBuf, String> {
    match text.chars().find(|c| c.is_control()) {
        Some('\n' | '\r') => Err("holds a line break: give one path".into()),
        Some(_) => Err("holds a control character".into()),
        None => Ok(PathBuf::from(text)),
    }
}

fn header_text(text: &str) -> Result<String, String> {
    match text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("holds a control character or a character outside ASCII".into()),
    }
}
