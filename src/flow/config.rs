//! The configuration, from JSON and the environment.

pub mod keys;
mod proxy;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use crate::json::{self, Members};
use crate::request;
use crate::request::encryption::EncryptionKey;
use crate::request::settings::Choices;
use crate::request::url::BaseUrl;
use crate::request::validate;
use crate::util::memory::MAX_LINE;
use crate::util::process::critical_section;
use crate::util::secret::Secret;
use crate::util::validation_error::ValidationError;
use crate::wire;
use crate::wire::config::{ClientCert, Proxy, Reuse};
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Default, Field};
use paysvc_spec::settings;
use paysvc_spec::status::Status;

pub struct Config {
    pub base_url: Option<BaseUrl>,
    pub mode: Option<keys::Mode>,
    pub public_key: Option<Secret>,
    pub secret_key: Option<Secret>,
    pub encryption_key: Option<Secret>,
    pub timeout: Duration,
    pub connect_timeout: Duration,
    pub max_attempts: u32,
    pub proxy: Option<Proxy>,
    pub no_proxy: Vec<String>,
    pub ca_file: Option<PathBuf>,
    pub client_cert: Option<ClientCert>,
    pub user_agent: String,
    pub max_idle_connections: usize,
    pub reuse: Reuse,
    pub allow_http: bool,
    pub journal: Option<PathBuf>,
    pub journal_create: bool,
    pub journal_keep_days: u32,
    pub merchant: String,
    /// What is changed in rows, by the names of the settings.
    row_keys: Vec<(&'static str, ApiKey)>,
    rows_without_headers: Vec<&'static str>,
    /// The members that came from the environment.
    from_environment: Vec<&'static str>,
}

impl Config {
    /// Reads `json`, and the environment for members that are left out.
    pub fn parse(json: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<Config, ValidationError> {
        let text = json.unwrap_or("{}");
        let members = validate::object(text, settings::CONFIG, validate::Rules::CLOSED, WHAT, Status::Config)?;
        let given = |field: &&Field| json::member(&members, field.name).is_none();
        let from_environment = settings::CONFIG.iter().filter(given).filter_map(|field| {
            let text = env(&settings::variable(field.name)).filter(|text| !text.trim().is_empty())?;
            Some((field.name, Secret::new(&text)))
        });
        let reader = Reader { members: &members, from_environment: from_environment.collect() };
        reader.config().map_err(|error| name_variable(error, &reader.names()))
    }

    /// What requests take from the configuration. Parses the encryption key.
    pub fn for_requests(&self) -> Result<request::settings::Settings, ValidationError> {
        let encryption_key =
            self.encryption_key.as_ref().map(|text| critical_section(|| EncryptionKey::parse(text.expose())));
        Ok(request::settings::Settings {
            base_url: self.base_url.clone(),
            has_public_key: self.public_key.is_some(),
            has_secret_key: self.secret_key.is_some(),
            encryption_key: encryption_key.transpose().map_err(|error| self.name_variable(error))?,
            choices: Choices { keys: self.row_keys.clone(), without_headers: self.rows_without_headers.clone() },
        })
    }

    /// What the transport takes from the configuration; `None` without a base URL.
    pub fn for_transport(&self) -> Option<wire::config::TransportConfig> {
        let base_url = self.base_url.as_ref()?;
        Some(wire::config::TransportConfig {
            https: base_url.https,
            host: base_url.host.clone(),
            port: base_url.port,
            allow_http: self.allow_http,
            connect_timeout: self.connect_timeout,
            proxy: self.proxy.clone(),
            no_proxy: self.no_proxy.clone(),
            ca_file: self.ca_file.clone(),
            client_cert: self.client_cert.clone(),
            max_idle_connections: self.max_idle_connections,
            reuse: self.reuse,
        })
    }

    /// Makes an error about a member that came from the environment name its variable instead.
    pub fn name_variable(&self, error: ValidationError) -> ValidationError {
        name_variable(error, &self.from_environment)
    }

    pub fn key(&self, key: ApiKey) -> Option<&Secret> {
        match key {
            ApiKey::Public => self.public_key.as_ref(),
            ApiKey::Secret => self.secret_key.as_ref(),
        }
    }

    /// Whether money moves, as the keys show it; if their form does not, as it is configured.
    pub fn mode_of_keys(&self) -> Option<keys::Mode> {
        let modes = [ApiKey::Public, ApiKey::Secret].map(|key| keys::mode_of_key(self.key(key)?.expose()));
        match modes {
            [Some(public), Some(secret)] if public != secret => None,
            [Some(mode), _] | [None, Some(mode)] => Some(mode),
            [None, None] => self.mode,
        }
    }
}

/// The name of the configuration in errors.
const WHAT: &str = "the configuration";

fn name_variable(error: ValidationError, from_environment: &[&'static str]) -> ValidationError {
    match &error.errors[..] {
        [(member, reason)] if from_environment.contains(&member.as_str()) => {
            ValidationError::of_member(error.status, "the environment", &settings::variable(member), reason.as_str())
        }
        _ => error,
    }
}

struct Reader<'a> {
    members: &'a Members<'a>,
    /// Members that were left out, with their variables' text.
    from_environment: Vec<(&'static str, Secret)>,
}

impl Reader<'_> {
    fn config(&self) -> Result<Config, ValidationError> {
        let allow_http = self.flag("allow_http")?;
        let timeout = self.number("timeout_ms")?;
        let connect_timeout = self.number("connect_timeout_ms")?;
        let mode = self.parsed("mode", keys::mode)?;
        Ok(Config {
            base_url: self.parsed("base_url", |text| BaseUrl::parse(text, allow_http))?,
            mode,
            public_key: self.parsed("public_key", |text| keys::api_key(text, ApiKey::Public, mode))?,
            secret_key: self.parsed("secret_key", |text| keys::api_key(text, ApiKey::Secret, mode))?,
            encryption_key: self.text("encryption_key").map(|text| Secret::new(&text)),
            timeout: Duration::from_millis(timeout),
            connect_timeout: Duration::from_millis(connect_timeout),
            max_attempts: self.number("max_attempts")? as u32,
            proxy: self.parsed("proxy", proxy::proxy)?,
            no_proxy: self.text("no_proxy").map(|text| proxy::host_list(&text)).unwrap_or_default(),
            ca_file: self.text("ca_file").map(|text| PathBuf::from(&*text)),
            client_cert: self.client_cert()?,
            user_agent: self
                .parsed("user_agent", header_text)?
                .unwrap_or_else(|| concat!("libpaysvc/", env!("CARGO_PKG_VERSION")).to_owned()),
            max_idle_connections: self.number("max_idle_connections")? as usize,
            reuse: if self.word("connection_reuse")? == "all" { Reuse::All } else { Reuse::Reads },
            allow_http,
            journal: self.text("journal").map(|text| PathBuf::from(text.trim())),
            journal_create: self.flag("journal_create")?,
            journal_keep_days: self.number("journal_keep_days")? as u32,
            merchant: self.parsed("merchant", merchant)?.unwrap_or_default(),
            row_keys: self.row_keys()?,
            rows_without_headers: self.rows_without_headers()?,
            from_environment: self.names(),
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

    /// One of the words of the setting.
    fn word(&self, name: &str) -> Result<&'static str, ValidationError> {
        let Default::Word(words) = settings::setting(name).default else {
            return Err(invalid(name, "has no words to choose from: a bug in the library"));
        };
        let Some(text) = self.text(name) else { return Ok(words[0]) };
        let word = words.iter().find(|word| **word == text.trim());
        word.copied().ok_or_else(|| invalid(name, format!("must be {}", words.join(" or "))))
    }

    fn names(&self) -> Vec<&'static str> {
        self.from_environment.iter().map(|(name, _)| *name).collect()
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.from_environment.iter().find(|(known, _)| *known == name).map(|(_, text)| text.expose())
    }

    /// The member's text, or the environment's.
    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        match json::member(self.members, name) {
            Some(value) => json::text(value),
            None => self.variable(name).map(Cow::Borrowed),
        }
    }

    fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, ValidationError> {
        let checked = |text: Cow<'_, str>| match text.len() {
            0..=MAX_LINE => parse(text.trim()),
            length => Err(format!("is {length} bytes; at most {MAX_LINE} can be sent")),
        };
        let parsed = self.text(name).map(checked).transpose();
        parsed.map_err(|reason| invalid(name, reason))
    }

    fn number(&self, name: &str) -> Result<u64, ValidationError> {
        let Default::Number { value: default, least, most } = settings::setting(name).default else {
            return Err(invalid(name, "has no number as its default: a bug in the library"));
        };
        let text = match json::member(self.members, name) {
            Some(value) => value,
            None => match self.variable(name) {
                Some(text) => text.trim(),
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
        match (json::member(self.members, name), self.variable(name).map(str::trim)) {
            (Some(value), _) => Ok(value == "true"),
            (None, None) => Ok(settings::setting(name).default == Default::Flag(true)),
            (None, Some("false" | "0")) => Ok(false),
            (None, Some("true" | "1")) => Ok(true),
            (None, Some(_)) => Err(invalid(name, "must be true, false, 1 or 0")),
        }
    }

    fn client_cert(&self) -> Result<Option<ClientCert>, ValidationError> {
        let needs = |missing: &str, given: &str| {
            let given = match self.variable(given) {
                Some(_) => settings::variable(given),
                None => given.to_owned(),
            };
            let variable = settings::variable(missing);
            Err(invalid(missing, format!("is required with {given}: set it in the configuration or as {variable}")))
        };
        match (self.text("client_cert_file"), self.text("client_key_file")) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => {
                Ok(Some(ClientCert { cert_file: PathBuf::from(&*cert), key_file: PathBuf::from(&*key) }))
            }
            (Some(_), None) => needs("client_key_file", "client_cert_file"),
            (None, Some(_)) => needs("client_cert_file", "client_key_file"),
        }
    }
}

fn invalid(member: &str, reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Config, WHAT, member, reason)
}

fn header_text(text: &str) -> Result<String, String> {
    match text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("holds a control character or a character outside ASCII".into()),
    }
}

fn merchant(text: &str) -> Result<String, String> {
    const MAX: usize = 200;
    match text.len() <= MAX && !text.contains(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!("is longer than {MAX} bytes or holds a control character")),
    }
}

#[cfg(test)]
mod tests;
