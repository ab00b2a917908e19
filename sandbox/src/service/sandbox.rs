//! The running sandbox: its keys and settings, all mutable data behind one lock, and what of it has changed.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::request_log::RequestLog;
use super::router::Router;
use crate::certify::Desk;
use crate::crypto::keys::{ApiKeys, EncryptionKey};
use crate::faults::Faults;
use crate::http::hosts::Hosts;
use crate::session::Session;
use crate::state::State;
use crate::util::clock;
use crate::util::json::Json;
use crate::webhook::Webhooks;
use crate::webhook::behaviour::Behaviour;

/// Where clients find the sandbox.
pub struct Address {
    pub base_url: String,
    pub hosts: Hosts,
}

pub struct Sandbox {
    pub base_url: String,
    pub hosts: Hosts,
    pub router: Router,
    pub keys: ApiKeys,
    pub encryption: EncryptionKey,
    /// Its public part, as in the dashboard.
    pub encryption_key: Arc<str>,
    /// True if a line about each request is written on standard error.
    pub is_logging: bool,
    /// Max time that a client may take for the head of a request that it has begun.
    pub head_timeout: Duration,
    /// For `certify`.
    pub desk: Desk,
    pub session: Session,
    shared: Mutex<Shared>,
    requests: AtomicU64,
    pub changes: watch::Sender<Changes>,
}

impl Sandbox {
    pub fn new(
        address: Address,
        router: Router,
        keys: ApiKeys,
        encryption: EncryptionKey,
        webhooks: Webhooks,
        is_logging: bool,
        state: State,
    ) -> Sandbox {
        let shared = Shared { state, requests: RequestLog::default(), webhooks, faults: Faults::default(), calls: 0 };
        Sandbox {
            base_url: address.base_url,
            hosts: address.hosts,
            router,
            keys,
            encryption_key: encryption.dashboard_form().into(),
            encryption,
            is_logging,
            head_timeout: Duration::from_secs(30),
            desk: Desk::default(),
            session: Session::default(),
            shared: Mutex::new(shared),
            requests: AtomicU64::new(0),
            changes: watch::Sender::default(),
        }
    }

    /// Ignores poisoning: a panic in a handler must not stop the service.
    pub fn lock(&self) -> Locked<'_> {
        Locked::new(self.shared.lock().unwrap_or_else(PoisonError::into_inner), &self.changes)
    }

    pub fn next_request_id(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn last_request_id(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Continues what was saved.
    pub fn restore(&mut self, state: State, faults: Faults, behaviour: Behaviour, last_request_id: u64) {
        let mut shared = self.lock();
        // The settings are those of the command line.
        let settings = shared.state.settings;
        shared.state = state;
        shared.state.settings = settings;
        shared.faults = faults;
        shared.webhooks.behaviour = behaviour;
        drop(shared);
        self.requests = AtomicU64::new(last_request_id);
    }

    pub fn speaks_tls(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    pub fn reset(&self) {
        let mut shared = self.lock();
        shared.state.reset();
        clock::reset();
        shared.requests.clear();
        shared.webhooks.reset();
        shared.faults.reset();
        shared.calls += 1;
        self.requests.store(0, Ordering::Relaxed);
        drop(shared);
        if let Some(replay) = self.session.replay() {
            replay.rewind();
        }
    }

    /// Ends what is pending and whose time has come; the effects have no request id.
    pub fn settle_due(&self) {
        let mut shared = self.lock();
        shared.state.settle_due();
        shared.state.ledger.end();
        self.send_events(&mut shared);
    }

    /// Logs the new events and queues them for the webhook, in order.
    pub fn send_events(&self, shared: &mut Shared) {
        let events = std::mem::take(&mut shared.state.events);
        let Shared { state, webhooks, .. } = &mut *shared;
        events.iter().for_each(|event| webhooks.send(event, state));
    }
}

/// All mutable data. A request holds the lock from the choice of its fault to its log entry.
pub struct Shared {
    pub state: State,
    pub requests: RequestLog,
    pub webhooks: Webhooks,
    pub faults: Faults,
    /// Number of calls that may have changed the state.
    pub calls: u64,
}

/// The version grows with every change; the others are the sizes of the lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes([(&'static str, u64); 9]);

impl Changes {
    pub fn of(shared: &Shared) -> Changes {
        let Shared { state, requests, webhooks, faults, calls } = shared;
        let payouts = state.batches.values().map(|batch| batch.payouts.len()).sum::<usize>();
        Changes([
            ("version", calls + requests.version + webhooks.deliveries.version + faults.version),
            ("orders", state.orders.len() as u64),
            ("requests", requests.last_id()),
            ("ledger", state.ledger.entries.len() as u64),
            ("mandates", state.mandates.len() as u64),
            ("accounts", state.accounts.len() as u64),
            ("payouts", payouts as u64),
            ("webhooks", webhooks.deliveries.count() as u64),
            ("faults", faults.rules() as u64),
        ])
    }

    pub fn json(&self) -> Json {
        Json::Object(self.0.iter().map(|(name, number)| (name.to_string(), Json::from(*number))).collect())
    }
}

/// The shared data; notifies the watchers when it is released.
pub struct Locked<'a> {
    shared: MutexGuard<'a, Shared>,
    changes: &'a watch::Sender<Changes>,
}

impl<'a> Locked<'a> {
    pub fn new(shared: MutexGuard<'a, Shared>, changes: &'a watch::Sender<Changes>) -> Locked<'a> {
        Locked { shared, changes }
    }
}

impl Deref for Locked<'_> {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let now = Changes::of(&self.shared);
        self.changes.send_if_modified(|known| std::mem::replace(known, now) != now);
    }
}
