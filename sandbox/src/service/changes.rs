//! What has changed, for those who watch: only the newest numbers are kept, so that a slow watcher misses some of them and
//! costs no memory.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;

use tokio::sync::watch;

use super::shared::Shared;
use crate::util::json::{Json, object};

/// The version grows with every change; the others are the sizes of the lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    version: u64,
    orders: usize,
    requests: u64,
    ledger: usize,
    mandates: usize,
    accounts: usize,
    payouts: usize,
    webhooks: usize,
    faults: usize,
}

impl Changes {
    pub fn of(shared: &Shared) -> Changes {
        let Shared { state, requests, webhooks, faults, calls } = shared;
        Changes {
            version: calls + requests.version + webhooks.deliveries.version + faults.version,
            orders: state.orders.len(),
            requests: requests.last_id(),
            ledger: state.ledger.entries.len(),
            mandates: state.mandates.len(),
            accounts: state.accounts.len(),
            payouts: state.batches.values().map(|batch| batch.payouts.len()).sum(),
            webhooks: webhooks.deliveries.count(),
            faults: faults.rules(),
        }
    }

    pub fn json(&self) -> Json {
        object! {
            "version": self.version,
            "orders": self.orders,
            "requests": self.requests,
            "ledger": self.ledger,
            "mandates": self.mandates,
            "accounts": self.accounts,
            "payouts": self.payouts,
            "webhooks": self.webhooks,
            "faults": self.faults,
        }
    }
}

/// The shared data; tells the watchers when it is released.
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
