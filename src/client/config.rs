//! The configuration, from JSON and the environment. Pure but for the environment it is handed.

use std::borrow::Cow;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ureq::http::Uri;

use crate::request::validate;
use crate::util::json::{self, Members};
use crate::util::secret::Secret;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{ApiKey, Default, Field};
use paysvc_spec::settings;
use paysvc_spec::status::Status;

/// Longest URL and longest header: what every server must take (RFC 9110, 4.1), and what fits the transport's buffer.
pub const MAX_LINE: usize = 8000;

pub struct Config {
    pub base_url: Option<BaseUrl>,
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
    pub allow_http: bool,
    /// Members that the environment gave.
    from_environment: Vec<&'static str>,
}

/// Where the service is.
#[derive(Clone)]
pub struct BaseUrl {
    pub https: bool,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// `scheme://authority/path` without a slash at the end.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProxyKind {
    /// HTTP CONNECT.
    Http,
    /// SOCKS5; the proxy looks the name up.
    Socks5,
}

pub struct Proxy {
    pub kind: ProxyKind,
    pub host: String,
    pub port: u16,
    pub user: Option<(Secret, Secret)>,
}

pub struct ClientCert {
    pub cert_file: PathBuf,
    pub key_file: PathBuf,
}

impl Config {
    /// Reads `json` (NULL in C: nothing) and, for members left out, the environment.
    pub fn parse(json: Option<&str>, env: &dyn Fn(&str) -> Option<String>) -> Result<Config, ValidationError> {
        let text = json.unwrap_or("{}");
        let members = validate::read(text, settings::CONFIG, false, WHAT, Status::Config)?;
        let given = |field: &&Field| json::member(&members, field.name).is_none();
        let from_environment = settings::CONFIG.iter().filter(given).filter_map(|field| {
            let text = env(&settings::variable(field.name)).filter(|text| !text.trim().is_empty())?;
            Some((field.name, Secret::new(&text)))
        });
        let reader = Reader { members: &members, from_environment: from_environment.collect() };
        reader.config().map_err(|refusal| blame(refusal, &reader.names()))
    }

    /// A refusal of a member that the environment gave names the variable instead.
    pub fn blame(&self, refusal: ValidationError) -> ValidationError {
        blame(refusal, &self.from_environment)
    }

    pub fn key(&self, key: ApiKey) -> Option<&Secret> {
        match key {
            ApiKey::Public => self.public_key.as_ref(),
            ApiKey::Secret => self.secret_key.as_ref(),
        }
    }
}

/// What refusals call it.
const WHAT: &str = "the configuration";

fn blame(refusal: ValidationError, from_environment: &[&'static str]) -> ValidationError {
    match &refusal.errors[..] {
        [(member, why)] if from_environment.contains(&member.as_str()) => {
            ValidationError::of_member(refusal.status, "the environment", &settings::variable(member), why.as_str())
        }
        _ => refusal,
    }
}

struct Reader<'a> {
    members: &'a Members<'a>,
    /// The variables of members that were left out.
    from_environment: Vec<(&'static str, Secret)>,
}

impl Reader<'_> {
    fn config(&self) -> Result<Config, ValidationError> {
        let allow_http = self.flag("allow_http")?;
        let timeout = self.number("timeout_ms")?;
        let connect_timeout = self.number("connect_timeout_ms")?;
        Ok(Config {
            base_url: self.parsed("base_url", |text| BaseUrl::parse(text, allow_http))?,
            public_key: self.parsed("public_key", |text| api_key(text, "SECRETKEY", "secret_key"))?,
            secret_key: self.parsed("secret_key", |text| api_key(text, "PUBLICKEY", "public_key"))?,
            encryption_key: self.text("encryption_key").map(|text| Secret::new(&text)),
            timeout: Duration::from_millis(timeout),
            connect_timeout: Duration::from_millis(connect_timeout),
            max_attempts: self.number("max_attempts")? as u32,
            proxy: self.parsed("proxy", Proxy::parse)?,
            no_proxy: self.text("no_proxy").map(|text| host_list(&text)).unwrap_or_default(),
            ca_file: self.text("ca_file").map(|text| PathBuf::from(&*text)),
            client_cert: self.client_cert()?,
            user_agent: self
                .parsed("user_agent", header_text)?
                .unwrap_or_else(|| concat!("libpaysvc/", env!("CARGO_PKG_VERSION")).to_owned()),
            max_idle_connections: self.number("max_idle_connections")? as usize,
            allow_http,
            from_environment: self.names(),
        })
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
        let fitting = |text: Cow<'_, str>| match text.len() {
            0..=MAX_LINE => parse(text.trim()),
            length => Err(format!("is {length} bytes; at most {MAX_LINE} can be sent")),
        };
        let parsed = self.text(name).map(fitting).transpose();
        parsed.map_err(|why| refuse(name, why))
    }

    fn number(&self, name: &str) -> Result<u64, ValidationError> {
        let Default::Number { value: default, least, most } = settings::setting(name).default else {
            return Err(refuse(name, "has no number as its default: a bug in the library"));
        };
        let text = match json::member(self.members, name) {
            Some(value) => value.get(),
            None => match self.variable(name) {
                Some(text) => text.trim(),
                None => return Ok(default),
            },
        };
        // Digits alone: Rust would take a plus sign, too.
        match text.parse::<u64>() {
            Ok(number) if text.starts_with(|c: char| c.is_ascii_digit()) && (least..=most).contains(&number) => {
                Ok(number)
            }
            _ => Err(refuse(name, format!("must be a whole number between {least} and {most}"))),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, ValidationError> {
        match (json::member(self.members, name), self.variable(name).map(str::trim)) {
            (Some(value), _) => Ok(value.get() == "true"),
            (None, None) => Ok(settings::setting(name).default == Default::Flag(true)),
            (None, Some("false" | "0")) => Ok(false),
            (None, Some("true" | "1")) => Ok(true),
            (None, Some(_)) => Err(refuse(name, "must be true, false, 1 or 0")),
        }
    }

    fn client_cert(&self) -> Result<Option<ClientCert>, ValidationError> {
        let needs = |missing: &str, given: &str| {
            let given = match self.variable(given) {
                Some(_) => settings::variable(given),
                None => given.to_owned(),
            };
            let variable = settings::variable(missing);
            Err(refuse(missing, format!("is required with {given}: set it in the configuration or as {variable}")))
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

fn refuse(member: &str, why: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Config, WHAT, member, why)
}

impl BaseUrl {
    /// The path that every endpoint's path is appended to.
    pub fn path(&self) -> &str {
        self.text.splitn(4, '/').nth(3).unwrap_or_default()
    }

    /// With the port only where it is not the scheme's own.
    pub fn host_header(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match (self.https, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    fn parse(text: &str, allow_http: bool) -> Result<BaseUrl, String> {
        let uri: Uri = text.parse().map_err(|_| "is not a URL like https://host/path")?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must start with https://".into()),
        };
        let authority = uri.authority().ok_or("names no host")?.as_str();
        if authority.contains('@') {
            return Err("must not hold a user or password; the API keys have members of their own".into());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("must not hold a query or fragment".into());
        }
        let host = bare_host(uri.host().unwrap_or_default());
        if host.is_empty() {
            return Err("names no host".into());
        }
        if !https && !allow_http && !is_loopback_name(&host) {
            return Err(format!(
                "uses plain http to {host}, where anyone on the way can read and change payments; use https \
                 (or set allow_http, for a test network only)"
            ));
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("holds a character that must be percent-encoded".into());
        }
        let port = port_of(authority)?.unwrap_or(if https { 443 } else { 80 });
        let path = uri.path().trim_end_matches('/');
        let scheme = if https { "https" } else { "http" };
        Ok(BaseUrl { https, host, port, text: format!("{scheme}://{authority}{path}") })
    }
}

/// The port behind the host. The http crate reads one that it cannot make out as none at all.
fn port_of(authority: &str) -> Result<Option<u16>, String> {
    let host_and_port = authority.rsplit('@').next().unwrap_or_default();
    let host_ends = host_and_port.find(']').map(|bracket| bracket + 1).or(host_and_port.find(':'));
    let after_host = host_ends.map_or("", |end| &host_and_port[end..]);
    let Some(digits) = after_host.strip_prefix(':') else {
        return if after_host.is_empty() { Ok(None) } else { Err("holds more than a port behind the host".into()) };
    };
    match digits.parse::<u16>() {
        Ok(0) => Err("names port 0".into()),
        Ok(port) if digits.bytes().all(|b| b.is_ascii_digit()) => Ok(Some(port)),
        _ => Err("names a port that does not exist".into()),
    }
}

fn bare_host(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// Whether plain http may go there; what the name resolves to is checked again when connecting.
fn is_loopback_name(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Proxy {
    fn parse(text: &str) -> Result<Proxy, String> {
        // The value may hold a password, so no message repeats it.
        let uri: Uri = text.parse().map_err(|_| "is not a URL like http://host:port or socks5://host:port")?;
        let (kind, default_port) = match uri.scheme_str() {
            Some("http") => (ProxyKind::Http, 8080),
            Some("socks5" | "socks5h") => (ProxyKind::Socks5, 1080),
            _ => return Err("must start with http:// or socks5://".into()),
        };
        let authority = uri.authority().ok_or("names no host")?;
        let user = match authority.as_str().rsplit_once('@') {
            None => None,
            Some((userinfo, _)) => {
                let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
                Some((decoded(user)?, decoded(password)?))
            }
        };
        let host = bare_host(authority.host());
        if host.is_empty() {
            return Err("names no host".into());
        }
        Ok(Proxy { kind, host, port: port_of(authority.as_str())?.unwrap_or(default_port), user })
    }
}

fn decoded(text: &str) -> Result<Secret, String> {
    let text = percent_encoding::percent_decode_str(text).decode_utf8();
    text.map(|text| Secret::new(&text)).map_err(|_| "holds a user or password that is not UTF-8".into())
}

fn host_list(text: &str) -> Vec<String> {
    text.split(',').map(|host| bare_host(host.trim())).filter(|host| !host.is_empty()).collect()
}

/// An API key goes into a header as it stands; one of the other kind is the most common mix-up, so it is told apart.
fn api_key(text: &str, other_mark: &str, other_member: &str) -> Result<Secret, String> {
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("holds a space, a control character or a character outside ASCII".into());
    }
    if text.starts_with(&format!("PGW-{other_mark}-")) {
        return Err(format!("holds the key that belongs in {other_member}"));
    }
    Ok(Secret::new(text))
}

fn header_text(text: &str) -> Result<String, String> {
    match text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("holds a control character or a character outside ASCII".into()),
    }
}

#[cfg(test)]
mod tests;
