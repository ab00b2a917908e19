//! How an admin call changes the data.

use crate::http::answer::ApiError;
use crate::service::sandbox::{Sandbox, Shared};

/// Runs a call that may commit effects; they have no request id.
pub fn change<T>(sandbox: &Sandbox, act: impl FnOnce(&mut Shared) -> Result<T, ApiError>) -> Result<T, ApiError> {
    let mut shared = sandbox.lock();
    shared.calls += 1;
    shared.state.ledger.begin(None);
    let result = act(&mut shared);
    shared.state.ledger.end();
    sandbox.send_events(&mut shared);
    result
}
