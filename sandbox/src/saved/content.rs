//! What is saved: the keys, the data of the service, and what a restart would otherwise repeat. The request log, the
//! deliveries and the fault rules are not.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::crypto::keys::EncryptionKey;
use crate::faults::Faults;
use crate::service::sandbox::{Sandbox, Shared};
use crate::state::State;
use crate::util::json::Json;
use crate::util::seed::Seed;
use crate::webhook::behaviour::Behaviour;

#[derive(Serialize)]
struct View<'a> {
    encryption_key: String,
    is_published: bool,
    last_request_id: u64,
    state: &'a State,
    faults: &'a Faults,
    webhooks: Box<RawValue>,
}

#[derive(Deserialize)]
pub struct Saved {
    encryption_key: String,
    is_published: bool,
    last_request_id: u64,
    pub state: State,
    faults: Faults,
    webhooks: Box<RawValue>,
}

pub fn render(sandbox: &Sandbox, shared: &Shared) -> Result<Vec<u8>, String> {
    let problem = |error: serde_json::Error| format!("could not render the state: {error}");
    let view = View {
        encryption_key: STANDARD.encode(&sandbox.encryption.pkcs8),
        is_published: sandbox.encryption.is_published,
        last_request_id: sandbox.last_request_id(),
        state: &shared.state,
        faults: &shared.faults,
        webhooks: RawValue::from_string(shared.webhooks.behaviour.json().to_string()).map_err(problem)?,
    };
    serde_json::to_vec(&view).map_err(problem)
}

impl Saved {
    /// The key; flags that ask for another one are refused.
    pub fn encryption(&self, bits: Option<usize>, fresh: bool, seed: Option<u64>) -> Result<EncryptionKey, String> {
        let other =
            |flag: String| format!("it has the keys of a start without {flag}: leave that out, or name another file");
        if let Some(number) = seed.filter(|number| Seed::from_number(*number) != self.state.seed) {
            return Err(other(format!("--seed {number}")));
        }
        if fresh && self.is_published {
            return Err(other("--fresh-key".to_string()));
        }
        let der = STANDARD.decode(&self.encryption_key).map_err(|error| format!("its key cannot be read: {error}"))?;
        let key = EncryptionKey::from_pkcs8(&der, self.is_published)?;
        match bits.filter(|bits| *bits != key.bits()) {
            Some(bits) => Err(other(format!("--key-bits {bits}"))),
            None => Ok(key),
        }
    }

    pub fn behaviour(&self) -> Result<Behaviour, String> {
        let problem = |why: String| format!("its settings of webhooks cannot be read: {why}");
        let json = Json::parse(self.webhooks.get().as_bytes()).map_err(problem)?;
        Behaviour::default().changed(&json).map_err(|error| problem(error.message))
    }

    pub fn restore(self, sandbox: &mut Sandbox, behaviour: Behaviour) {
        sandbox.restore(self.state, self.faults, behaviour, self.last_request_id);
    }
}
