//! The client: prepares a request, sends it, reads the response, and retries where the verdict allows it.

mod bulk;
mod check;
#[cfg(test)]
mod config_tests;
mod engine;
pub mod invoked;
mod journal;
mod patience;
mod resolve;
#[cfg(test)]
mod secrecy_tests;
pub mod webhook;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::answer::redact::Redactor;
use crate::answer::reply::Reply;
use crate::call::log::{Level, Log};
use crate::call::{Call, CallRecord, CallToken};
use crate::config::{self, Config, Env, keys};
use crate::flow::journal::JournalCell;
use crate::flow::webhook::{Gate, Rates};
use crate::json::object::object_text;
use crate::json::{Fields, Given};
use crate::ledger::Journal;
use crate::ledger::key::Accounts;
use crate::ledger::store::Store;
use crate::request::secrets::Secrets;
use crate::request::{self, body, raw, validate};
use crate::util::validation_error::ValidationError;
use crate::wire::Transport;
use paysvc_spec::schema::{ApiKey, Doubt, Endpoint, Safety};
use paysvc_spec::settings;
use paysvc_spec::status::{self, Outcome, Status};

const JSON: &str = "application/json";
/// The reply of [`Client::warm`].
const WARM: &str = r#"{"status":true,"message":"a connection is ready for the next request that moves money"}"#;

/// Configuration and connections, shared by threads.
pub struct Client {
    config: Arc<Config>,
    /// The configuration's warnings, and that the journal is new, have been logged, or there is nothing to log.
    has_warned: AtomicBool,
    /// The file of the journal was missing.
    has_made_journal: bool,
    /// `None` without a base URL.
    transport: Option<Transport>,
    /// The headers that all requests have in common, by API key. `None` without the key.
    headers: [Option<HeaderMap>; 2],
    journal: JournalCell,
    gate: Gate,
    pub log: Log,
}

impl Client {
    /// With `json` `None`, everything comes from the environment.
    pub fn new(json: Option<&str>, env: Env<'_>) -> Result<Client, ValidationError> {
        let config = Arc::new(configuration(json, env)?);
        let transport = Transport::new(&config).map_err(|error| config.name_variable(error))?;
        let headers = [ApiKey::Public, ApiKey::Secret].map(|key| common_headers(&config, key));
        let has_made_journal = config.journal.as_ref().is_some_and(|path| !path.exists());
        let has_warned = AtomicBool::new(config.warnings.is_empty() && !has_made_journal);
        let (journal, log) = (JournalCell::default(), Log::default());
        let gate = Gate::new(Rates { at_once: config.webhook_at_once, per_minute: config.webhook_per_minute });
        let client = Client { config, has_warned, has_made_journal, transport, headers, journal, gate, log };
        client.open_journal()?;
        Ok(client)
    }

    /// The body of the reply with which it was made: the part of the configuration that a binding needs.
    pub fn described(&self) -> String {
        object_text(|body| {
            body.literal("status", true);
            body.text("message", "the client is ready");
            body.literal("timeout_ms", self.config.timeout.as_millis());
            body.literal("has_secret_key", self.config.key(ApiKey::Secret).is_some());
        })
    }

    pub fn begin<'a>(&'a self, token: Option<Arc<CallToken>>, record: &'a CallRecord) -> Call<'a> {
        // A store that is set from now on would miss this call.
        self.journal.get();
        let call = Call::new(&self.log, token, record, self.config.timeout);
        if !self.has_warned.load(Ordering::Relaxed) && !self.has_warned.swap(true, Ordering::Relaxed) {
            for warning in &self.config.warnings {
                call.log(Level::Warn, || format!("{}: {warning}", config::WHAT));
            }
            if let (true, Some(path)) = (self.has_made_journal, &self.config.journal) {
                call.log(Level::Warn, || {
                    format!("the journal {} was missing and has been made: it knows no earlier request", path.display())
                });
            }
        }
        call
    }

    /// Keeps the journal in the program's own database.
    pub fn set_store(&self, store: Box<dyn Store>) -> Result<(), ValidationError> {
        let set = match self.config.journal {
            Some(_) => Err("journal is configured, and a client has one journal"),
            None => self.journal.set(self.new_journal(store)),
        };
        set.map_err(|reason| ValidationError::new(Status::Config, format!("client_set_store: {reason}")))
    }

    fn new_journal(&self, store: Box<dyn Store>) -> Journal {
        let origin = self.config.base_url.as_ref().map_or(String::new(), |url| url.origin());
        // Not the setting alone: one that is made later would hide earlier rows.
        let mode = self.config.mode_of_keys().map_or("", keys::Mode::name);
        let key = self.config.key(ApiKey::Public).map(|key| key.expose());
        let accounts = Accounts::new(mode, &origin, key, &self.config.former_public_keys);
        Journal::new(store, accounts, Duration::from_secs(u64::from(self.config.journal_keep_days) * 86_400))
    }

    /// Calls an endpoint of the table with one flat JSON object.
    pub fn call(&self, context: &Call<'_>, row: &'static Endpoint, json: &str) -> Reply {
        context.record.set_doubt(row.in_doubt());
        let given = Given::read(json);
        let request = request::prepare(row, &given, &self.config, &|| context.bounds.is_over());
        invoked::with_look_up(self.send_or_replay(context, request), row, &given)
    }

    /// Calls an endpoint with values from another request, whose secrets are masked as well.
    fn look_up(
        &self,
        context: &Call<'_>,
        row: &'static Endpoint,
        given: Fields<'_>,
        secrets: Option<&Secrets>,
    ) -> Reply {
        let mut request = request::prepare_fields(row, given, &self.config, &|| context.bounds.is_over());
        if let (Ok(request), Some(secrets)) = (&mut request, secrets) {
            request.secrets.extend(secrets);
        }
        self.send(context, request, None)
    }

    /// Masks the secrets of a request in a text of the service, as in a message; `None` if the call ends before that.
    fn redact(&self, context: &Call<'_>, row: &'static Endpoint, json: &str, text: &str) -> Option<String> {
        let is_over = || context.bounds.is_over();
        let secrets = Secrets::of_row(Given::read(json).fields().ok()?, row.fields, &is_over);
        let key = self.config.key(self.config.key_of(row));
        Redactor { secrets: &secrets, key, stop: &is_over }.redact(text)
    }

    /// Sends a request that JSON describes.
    pub fn request(&self, context: &Call<'_>, json: &str) -> Reply {
        let given = Given::read(json);
        let request = raw::prepare(&given, &self.config, &|| context.bounds.is_over());
        if let Ok(request) = &request {
            context.record.set_doubt(match request.safety {
                Safety::Moves => request.row.map_or(Doubt::Money, Endpoint::in_doubt),
                Safety::ReadOnly | Safety::Repeatable => Doubt::None,
            });
        }
        self.send_or_replay(context, request)
    }

    /// Encrypts a payload without sending anything.
    pub fn encrypt(&self, json: &str) -> Reply {
        let encrypted = || {
            let (key, payload) = (self.config.require_encryption_key("encrypt")?, body::payload(json)?);
            key.encrypt(&payload).map_err(|error| body::with_longest(error, &payload))
        };
        encrypted().map_or_else(Reply::invalid, Reply::local)
    }

    /// Connects, for the next request that does more than read.
    pub fn warm(&self, context: &Call<'_>) -> Reply {
        let transport = match self.transport("client_warm") {
            Ok(transport) if self.config.max_idle_connections > 0 => transport,
            Ok(_) => {
                let reason = "is 0: no connection can be kept for the next request";
                return Reply::invalid(ValidationError::of_member(
                    Status::Config,
                    "client_warm",
                    "max_idle_connections",
                    reason,
                ));
            }
            Err(error) => return Reply::invalid(error),
        };
        let result = transport.warm(context);
        let (level, status) = match &result {
            Ok(()) => (Level::Info, Status::Ok),
            Err(error) => (Level::Warn, error.status),
        };
        context.log(level, || format!("client_warm: {}, nothing was sent", status::name_of(status)));
        match result {
            Ok(()) => Reply::local(WARM.to_owned()),
            Err(error) => Reply::failed(
                error.status,
                Outcome::NotSent,
                format!("no connection was made in advance, so the next request makes its own: {}", error.message),
            ),
        }
    }

    fn transport(&self, asked_by: &str) -> Result<&Transport, ValidationError> {
        self.transport.as_ref().ok_or_else(|| {
            ValidationError::of_member(Status::Config, asked_by, "base_url", settings::not_configured("base_url"))
        })
    }
}

/// Refuses variables that look like settings and are none: they would be ignored. `variables`: those that are not empty.
pub fn check_variables(variables: impl Iterator<Item = String>) -> Result<(), ValidationError> {
    let fault = |variable: String| {
        let name = if cfg!(windows) { variable.to_ascii_uppercase() } else { variable.clone() };
        // First, because most variables are of others: to compare them with all settings took most of paysvc_client_new.
        let given = name.strip_prefix(settings::PREFIX)?.to_ascii_lowercase();
        if settings::is_known_variable(&name) {
            return None;
        }
        let near = validate::nearest(&given, &mut settings::CONFIG.iter().map(|field| field.name));
        let near = near.map(|near| format!("; did you mean {}?", settings::variable(near))).unwrap_or_default();
        Some((variable, format!("is no setting of the library{near}")))
    };
    let mut wrong: Vec<_> = variables.filter_map(fault).collect();
    wrong.sort();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(ValidationError::of_members(Status::Config, "the environment", wrong)),
    }
}

/// Reads `json`, and the environment for fields that are left out.
pub fn configuration(json: Option<&str>, env: Env<'_>) -> Result<Config, ValidationError> {
    let (given, rules) = (Given::read(json.unwrap_or("{}")), validate::Rules::CLOSED);
    Config::parse(validate::object(&given, settings::CONFIG, rules, config::WHAT, Status::Config)?, env)
}

/// Made once: ureq would make each of these again for every request. `None` without the key.
fn common_headers(config: &Config, key: ApiKey) -> Option<HeaderMap> {
    let mut headers = HeaderMap::with_capacity(8);
    let mut value = HeaderValue::from_str(config.key(key)?.expose()).ok()?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static("api-key"), value);
    headers.insert(header::HOST, HeaderValue::from_str(&config.base_url.as_ref()?.host_header()).ok()?);
    headers.insert(header::USER_AGENT, HeaderValue::from_str(&config.user_agent).ok()?);
    headers.insert(header::ACCEPT, HeaderValue::from_static(JSON));
    // Without it, a server may choose any coding (RFC 9110, 12.5.3), and none is decoded.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    // The last, so that the order of the others stays if a request without content leaves it out.
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    Some(headers)
}
