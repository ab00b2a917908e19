//! All data that requests change.

use super::request_log::RequestLog;
use crate::faults::Faults;
use crate::state::State;
use crate::webhook::Webhooks;

/// All mutable data. A request holds the lock from the choice of its fault to its log entry.
pub struct Shared {
    pub state: State,
    pub requests: RequestLog,
    pub webhooks: Webhooks,
    pub faults: Faults,
    /// How many calls may have changed the state.
    pub calls: u64,
}
