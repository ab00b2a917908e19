//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::canned::{EMBEDDED, endpoints};
use crate::certify::run;
use crate::crypto::keys::EncryptionKey;
use crate::faults::rules::{self, Rule};
use crate::http::hosts::HostName;
use crate::saved::Saved;
use crate::server::address::ListenAddress;
use crate::server::tls::Authority;
use crate::service::router::Router;
use crate::service::sandbox::Sandbox;
use crate::session::Session;
use crate::session::exchange::Places;
use crate::session::record::Recorder;
use crate::session::replay::Replay;
use crate::state::currency::Currencies;
use crate::state::method::Fee;
use crate::state::{Activation, Settings};
use crate::util::json::{Json, object};
use crate::util::seed::Seed;
use crate::webhook::behaviour::{Behaviour, Target};
use crate::webhook::message::Form;

/// A simulated payments service for development and tests.
///
/// Prints one line of JSON with its address and keys when it is ready, and serves until it is stopped.
#[derive(Debug, Parser)]
#[command(name = "paysvc-sandbox", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub act: Option<Act>,

    /// Address or host name to listen on, with a port; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: ListenAddress,

    /// Allow --listen to name an address that other machines can reach
    #[arg(long)]
    pub allow_remote: bool,

    /// Serve https with a certificate of the sandbox's own CA
    #[arg(long)]
    pub tls: bool,

    /// Keep the CA between starts: its certificate in DIR/ca.pem, its key in DIR/ca-key.pem
    #[arg(long, value_name = "DIR", requires = "tls")]
    pub ca_dir: Option<PathBuf>,

    /// Keep the CA between starts: its certificate in FILE, its key beside it (ca.pem and ca-key.pem)
    #[arg(long, value_name = "FILE", requires = "tls", conflicts_with = "ca_dir")]
    pub ca_file: Option<PathBuf>,

    /// Another host name that clients use for the sandbox; with --tls it is also in the certificate
    #[arg(long, value_name = "NAME")]
    pub host: Vec<HostName>,

    /// Size of the encryption key: 2048, 3072 or 4096 (default)
    #[arg(long, value_name = "BITS")]
    pub key_bits: Option<usize>,

    /// Decrypt every payload with a second implementation as well, which is slow, and answer 500 if the two differ
    #[arg(long)]
    pub check_decryption: bool,

    /// Make keys, one-time codes and references repeatable
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Generate a new encryption key (takes seconds) instead of using a published one
    #[arg(long, conflicts_with = "seed")]
    pub fresh_key: bool,

    /// When mandates become active: immediately, or by the admin call
    #[arg(long, value_enum, default_value_t = Activation::Auto)]
    pub activation: Activation,

    /// Accept a second payment of a paid order and a repeated refund, to test that a client never sends one
    #[arg(long)]
    pub pay_twice: bool,

    /// Let a payment name an order that nothing has created; it is then created with 100.00 NGN
    #[arg(long)]
    pub any_reference: bool,

    /// The currencies that the merchant has
    #[arg(long, value_name = "CODES", default_value_t = Currencies::default())]
    pub currencies: Currencies,

    /// The fee of all options but bank transfers, which cost 20: in percent and rounded to whole units, or one amount
    #[arg(long, value_name = "FEE", default_value_t = Fee::default())]
    pub fee: Fee,

    /// End payouts and refunds this many milliseconds after they were accepted, not with the first status call
    #[arg(long, value_name = "MS")]
    pub settle_ms: Option<u64>,

    /// Close a connection whose request has begun and whose headers do not end within this many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30_000)]
    pub head_timeout_ms: u64,

    /// Keep keys and data in FILE, so that they survive a restart
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Write the requests with their responses to FILE, masked; the file must not exist
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Respond from a FILE of --record, to each request as to the same request there
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "state", "fault", "webhook"])]
    pub replay: Option<PathBuf>,

    /// Also write the address and keys to FILE as PAYSVC_…= lines
    #[arg(long, value_name = "FILE")]
    pub env_file: Option<PathBuf>,

    /// Send webhook events to this URL (plain http, this machine)
    #[arg(long, value_name = "URL")]
    pub webhook: Option<Target>,

    /// The form of webhook bodies; without it: status
    #[arg(long, value_enum)]
    pub webhook_form: Option<Form>,

    /// Start with a fault rule: the JSON of POST /sandbox/faults, or the name of a fault that acts on new connections
    #[arg(long, value_name = "RULE")]
    pub fault: Vec<String>,

    /// Read the endpoints with canned responses from FILE instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub scenarios: Option<PathBuf>,

    /// Write a line about each request on standard error
    #[arg(long)]
    pub log: bool,

    /// Exit when standard input ends, so that a crashed test leaves no sandbox running
    #[arg(long)]
    pub exit_with_parent: bool,
}

#[derive(Debug, Subcommand)]
pub enum Act {
    /// Run a client through scenarios and report its mistakes; flags of the sandbox come before this word
    Certify(run::Options),
}

impl Cli {
    pub fn certify(&self) -> Option<&run::Options> {
        self.act.as_ref().map(|Act::Certify(options)| options)
    }

    pub fn fault_rules(&self, router: &Router) -> Result<Vec<Rule>, String> {
        let rule = |text: &String| {
            let problem = |reason: String| format!("--fault {text}: {reason}");
            let json = match text.starts_with('{') {
                true => Json::parse(text.as_bytes()).map_err(problem)?,
                false => object! { "fault": text },
            };
            rules::parse(&json, self.tls, &router.paths()).map_err(|error| problem(error.message))
        };
        self.fault.iter().map(rule).collect()
    }

    pub fn authority(&self) -> Result<Authority, String> {
        if let Some(folder) = &self.ca_dir {
            return Authority::kept(&folder.join("ca.pem")).map_err(|problem| format!("--ca-dir: {problem}"));
        }
        match &self.ca_file {
            Some(path) => Authority::kept(path).map_err(|problem| format!("--ca-file: {problem}")),
            None => Authority::temporary(),
        }
    }

    /// The behaviour with the command line's settings.
    pub fn webhooks(&self, behaviour: Behaviour) -> Behaviour {
        let url = self.webhook.clone().or(behaviour.url);
        Behaviour { url, form: self.webhook_form.unwrap_or(behaviour.form), ..behaviour }
    }

    /// The key that was saved, or another.
    pub fn encryption(&self, seed: &Seed, saved: Option<&Saved>) -> Result<EncryptionKey, String> {
        let bits = self.key_bits.unwrap_or(4096);
        let key = match saved {
            Some(saved) => saved
                .encryption(self.key_bits, self.fresh_key, self.seed)
                .map_err(|why| format!("--state {}: {why}", self.state.clone().unwrap_or_default().display()))?,
            None if self.fresh_key => EncryptionKey::fresh(bits)?,
            None => EncryptionKey::published(self.seed.unwrap_or_else(|| seed.number("encryption key")), bits)?,
        };
        if self.check_decryption { key.checked() } else { Ok(key) }
    }

    pub fn session(&self, sandbox: &Sandbox) -> Result<Session, String> {
        let places = Places::new(&sandbox.base_url, &sandbox.encryption_key, &sandbox.keys);
        Ok(match (&self.record, &self.replay) {
            (_, Some(path)) => Session::Replayed(Replay::open(path, &places)?),
            (Some(path), None) => Session::Recorded(Recorder::start(path, places)?),
            (None, None) => Session::NotKept,
        })
    }

    pub fn settings(&self) -> Settings {
        let settle = self.settle_ms.map(Duration::from_millis);
        Settings {
            activation: self.activation,
            pay_twice: self.pay_twice || self.act.is_some(),
            any_reference: self.any_reference,
            currencies: self.currencies,
            fee: self.fee,
            settle,
        }
    }

    pub fn router(&self) -> Result<Router, String> {
        let Some(path) = &self.scenarios else {
            return router_of(EMBEDDED.as_bytes());
        };
        let problem = |problem: String| format!("--scenarios {}: {problem}", path.display());
        let bytes = std::fs::read(path).map_err(|error| problem(error.to_string()))?;
        router_of(&bytes).map_err(problem)
    }
}

fn router_of(scenarios: &[u8]) -> Result<Router, String> {
    let file = Json::parse(scenarios).map_err(|problem| format!("not JSON: {problem}"))?;
    Router::new(endpoints(&file)?)
}
