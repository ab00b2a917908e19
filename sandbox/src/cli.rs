//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::canned::parse::{EMBEDDED, endpoints};
use crate::certify::run;
use crate::faults::parse;
use crate::faults::rules::Rule;
use crate::server::address::ListenAddress;
use crate::service::router::Router;
use crate::state::{Activation, Settings};
use crate::util::json::{Json, object};
use crate::webhook::behaviour::Behaviour;
use crate::webhook::message::Form;
use crate::webhook::target::Target;

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

    /// Size of the encryption key: 2048, 3072 or 4096
    #[arg(long, value_name = "BITS", default_value_t = 4096)]
    pub key_bits: usize,

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

    /// End payouts and refunds this many milliseconds after they were accepted, not after the first status call
    #[arg(long, value_name = "MS")]
    pub settle_ms: Option<u64>,

    /// Also write the address and keys to FILE as PAYSVC_…= lines
    #[arg(long, value_name = "FILE")]
    pub env_file: Option<PathBuf>,

    /// Send webhook events to this URL (plain http, this machine)
    #[arg(long, value_name = "URL")]
    pub webhook: Option<Target>,

    /// The form of webhook bodies
    #[arg(long, value_enum, default_value_t = Form::Data)]
    pub webhook_form: Form,

    /// Start with a fault rule: the JSON of POST /sandbox/faults, or the name of a fault that acts on new connections
    #[arg(long, value_name = "RULE")]
    pub fault: Vec<String>,

    /// Read the endpoints with canned answers from FILE instead of using the built-in ones
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
    /// Watch a client go through scenarios and say what it does wrong; the flags of the sandbox stand before this word
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
            parse::rule(&json, self.tls, &router.paths()).map_err(|error| problem(error.message))
        };
        self.fault.iter().map(rule).collect()
    }

    pub fn webhooks(&self) -> Behaviour {
        Behaviour { url: self.webhook.clone(), form: self.webhook_form, ..Behaviour::default() }
    }

    pub fn settings(&self) -> Settings {
        let settle = self.settle_ms.map(Duration::from_millis);
        Settings { activation: self.activation, pay_twice: self.pay_twice || self.act.is_some(), settle }
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
