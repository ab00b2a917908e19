//! The running sandbox: its keys and settings, and all mutable data behind one lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::request_log::RequestLog;
use super::router::Router;
use crate::certify::desk::Desk;
use crate::crypto::keys::{ApiKeys, EncryptionKey};
use crate::faults::Faults;
use crate::state::State;
use crate::webhook::Webhooks;

pub struct Sandbox {
    pub base_url: String,
    pub router: Router,
    pub keys: ApiKeys,
    pub encryption: EncryptionKey,
    /// Whether a line about each request is written on standard error.
    pub is_logging: bool,
    /// For `certify`.
    pub desk: Desk,
    shared: Mutex<Shared>,
    requests: AtomicU64,
}

/// All mutable data. A request holds the lock from the choice of its fault to its log entry.
pub struct Shared {
    pub state: State,
    pub requests: RequestLog,
    pub webhooks: Webhooks,
    pub faults: Faults,
}

impl Sandbox {
    pub fn new(
        base_url: String,
        router: Router,
        keys: ApiKeys,
        encryption: EncryptionKey,
        webhooks: Webhooks,
        is_logging: bool,
        state: State,
    ) -> Sandbox {
        let shared = Shared { state, requests: RequestLog::default(), webhooks, faults: Faults::default() };
        Sandbox {
            base_url,
            router,
            keys,
            encryption,
            is_logging,
            desk: Desk::default(),
            shared: Mutex::new(shared),
            requests: AtomicU64::new(0),
        }
    }

    /// Ignores poisoning: a panic in a handler must not stop the service.
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn next_request_id(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub fn speaks_tls(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    pub fn reset(&self) {
        let mut shared = self.lock();
        shared.state.reset();
        shared.requests.clear();
        shared.webhooks.reset();
        shared.faults.reset();
        self.requests.store(0, Ordering::Relaxed);
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
        let Shared { state, webhooks, .. } = shared;
        events.iter().for_each(|event| webhooks.send(event, state));
    }
}
