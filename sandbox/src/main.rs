//! `paysvc-sandbox`: a simulated payments service for development and tests.
//!
//! A request passes `server -> service -> endpoints -> state`; `server` sends its response, as `faults` alter it.
//!
//! - `server`: connections, TLS, one exchange of a request and its response.
//! - `service`: the endpoint of a request, its key and body, its handler, the log.
//! - `endpoints`: the handlers; `canned`: endpoints that have none.
//! - `state`: the data of the simulated service and its business rules.
//! - `faults`: what breaks on purpose, and when.
//! - `webhook`: events and their deliveries.
//! - `saved`: the state in a file. `session`: requests and answers in a file.
//! - `admin`: the calls below `/sandbox/`. `browser`: what browsers load, and which pages may call.
//! - `certify`: scenarios for a client, and what it did wrong.
//! - `crypto`: API keys and encrypted bodies. `http`: messages. `util`: JSON, amounts, time.

#![forbid(unsafe_code)]

mod admin;
mod browser;
mod canned;
mod certify;
mod cli;
mod crypto;
mod endpoints;
mod faults;
mod http;
mod saved;
mod server;
mod service;
mod session;
mod start_line;
mod state;
mod util;
mod webhook;

use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::time::Duration;

use clap::Parser;
use tokio::sync::oneshot;

use cli::Cli;
use crypto::keys::ApiKeys;
use http::hosts::{HostName, Hosts};
use saved::Store;
use server::accept;
use server::tls::Tls;
use service::sandbox::{Address, Sandbox};
use start_line::StartLine;
use state::State;
use util::seed::Seed;
use webhook::Webhooks;
use webhook::behaviour::Behaviour;

fn main() -> ExitCode {
    let cli = Cli::parse();
    // A panic is answered 500. Only its location is printed: its message might contain a payload.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!(
            "paysvc-sandbox: a bug of the sandbox at {}",
            panic.location().map(ToString::to_string).unwrap_or_default()
        );
    }));
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("could not start: {error}")),
    };
    let result = runtime.block_on(run(&cli));
    // Open connections must not delay the exit.
    runtime.shutdown_background();
    result.map_or_else(|error| failed(&error), |()| ExitCode::SUCCESS)
}

fn failed(error: &str) -> ExitCode {
    eprintln!("paysvc-sandbox: {error}");
    ExitCode::FAILURE
}

async fn run(cli: &Cli) -> Result<(), String> {
    let router = cli.router()?;
    let rules = cli.fault_rules(&router)?;
    let stop = stop_signals(cli.exit_with_parent)?;
    let (store, saved) = cli.state.as_deref().map(Store::open).transpose()?.unzip();
    let saved = saved.flatten();
    let seed = match (&saved, cli.seed) {
        (Some(saved), _) => saved.state.seed.clone(),
        (None, Some(number)) => Seed::from_number(number),
        (None, None) => Seed::random()?,
    };
    let encryption = cli.encryption(&seed, saved.as_ref())?;
    let bound = cli.listen.bind(cli.allow_remote).await?;
    let hosts: Vec<HostName> = cli.host.iter().cloned().chain(bound.name()).collect();
    let tls = if cli.tls { Some(Tls::new(cli.authority()?, bound.address.ip(), &hosts)?) } else { None };
    let (webhooks, queue) = Webhooks::new(cli.webhooks(Behaviour::default()));
    let mut sandbox = Sandbox::new(
        Address { base_url: bound.base_url(cli.tls), hosts: Hosts(hosts) },
        router,
        ApiKeys::new(&seed),
        encryption,
        webhooks,
        cli.log,
        State::new(seed.clone(), cli.settings()),
    );
    if let Some(saved) = saved {
        let behaviour = cli.webhooks(saved.behaviour()?);
        saved.restore(&mut sandbox, behaviour);
    }
    sandbox.session = cli.session(&sandbox)?;
    sandbox.head_timeout = Duration::from_millis(cli.head_timeout_ms);
    let sandbox = Arc::new(sandbox);
    rules.into_iter().for_each(|rule| {
        sandbox.lock().faults.add(rule);
    });
    // Weak references, so that the tasks end with the sandbox.
    tokio::spawn(webhook::outbox::run(Arc::downgrade(&sandbox), queue));
    tokio::spawn(settle(Arc::downgrade(&sandbox), cli.settings().settle.unwrap_or(Duration::MAX)));
    let store = store.map(Arc::new);
    if let Some(store) = &store {
        store.save(&sandbox)?;
        tokio::spawn(saved::run(Arc::clone(store), Arc::downgrade(&sandbox), sandbox.changes.subscribe()));
    }

    let start_line = StartLine { sandbox: &sandbox, ca_file: tls.as_ref().map(|tls| tls.ca_file.path.as_path()) };
    if let Some(path) = &cli.env_file {
        start_line.write_env_file(path)?;
    }
    let certified = async {
        match cli.certify() {
            // A command gets it in its environment.
            Some(options) if options.has_command() => {
                certify::run::run(&sandbox, options, &start_line.variables(), || Ok(())).await
            }
            Some(options) => certify::run::run(&sandbox, options, &[], || start_line.print()).await,
            None => std::future::pending().await,
        }
    };
    if cli.certify().is_none() {
        start_line.print()?;
    }
    let acceptors = tls.as_ref().map(|tls| Arc::clone(&tls.acceptors));
    tokio::select! {
        () = accept::serve(bound.listener, acceptors, Arc::clone(&sandbox)) => {}
        () = stop => {}
        result = certified => return result,
    }
    if let Some(replay) = sandbox.session.replay() {
        return replay.end();
    }
    store.map_or(Ok(()), |store| store.close(&sandbox))
}

/// Ends what is pending when its time has come, so that their events are sent without a request.
async fn settle(sandbox: Weak<Sandbox>, delay: Duration) {
    let pause = delay.clamp(Duration::from_millis(5), Duration::from_millis(100));
    loop {
        tokio::time::sleep(pause).await;
        let Some(sandbox) = sandbox.upgrade() else { return };
        sandbox.settle_due();
    }
}

/// Completes on SIGTERM, SIGINT or the end of standard input.
fn stop_signals(exit_with_parent: bool) -> Result<impl Future<Output = ()>, String> {
    let (parent_left, parent) = oneshot::channel::<()>();
    let parent_stays = if exit_with_parent {
        // On a separate thread, because a read of standard input cannot be cancelled.
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            let _ = parent_left.send(());
        });
        None
    } else {
        // Kept alive: dropping the sender would look like the end of standard input.
        Some(parent_left)
    };
    let asked = asked_to_stop()?;
    Ok(async move {
        let _parent_stays = parent_stays;
        tokio::select! {
            () = asked => {}
            _ = parent => {}
        }
    })
}

#[cfg(unix)]
fn asked_to_stop() -> Result<impl Future<Output = ()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let problem = |error: std::io::Error| format!("could not listen for signals: {error}");
    let mut terminate = signal(SignalKind::terminate()).map_err(problem)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(problem)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_stop() -> Result<impl Future<Output = ()>, String> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
