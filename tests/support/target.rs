//! One good call of every endpoint, from `tests/scenarios.json`, for tests that go through all endpoints.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use paysvc_spec::schema::Endpoint;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::root;
use super::sandbox::Sandbox;

/// The parts of `tests/scenarios.json` that are about single endpoints.
#[derive(Deserialize)]
pub struct Calls {
    /// A unique value for each secret field of the table.
    pub canaries: BTreeMap<String, String>,
    pub endpoints: BTreeMap<String, Good>,
}

/// A good call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Good {
    pub setup: Vec<Setup>,
    pub request: Map<String, Value>,
    /// Method, path, API key, envelope and, where it is sent, the `encryption` header.
    pub wire: Vec<String>,
    /// The effect and its key in the ledger; `{member}` stands for a field of the request.
    pub effect: Option<(String, String)>,
    /// The amount that the ledger shows.
    #[serde(default)]
    pub amount: Option<String>,
    /// A possible response of the service.
    pub answer: Map<String, Value>,
    /// Its other possible responses.
    #[serde(default)]
    pub other_answers: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    admin: String,
    pub with: Value,
}

pub fn calls() -> &'static Calls {
    static CALLS: OnceLock<Calls> = OnceLock::new();
    CALLS.get_or_init(|| {
        let text = std::fs::read_to_string(root().join("tests/scenarios.json")).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("tests/scenarios.json: {error}"))
    })
}

pub fn good(row: &Endpoint) -> &'static Good {
    calls().endpoints.get(row.name).unwrap_or_else(|| panic!("tests/scenarios.json has no endpoint {}", row.name))
}

/// The text with `{member}` replaced by the request's field, `{outer.inner}` by a nested one.
pub fn filled(text: &str, request: &Map<String, Value>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').unwrap_or_else(|| panic!("{text:?} lacks a closing brace"));
        let pointer = format!("/{}", name.replace('.', "/"));
        let value = Value::Object(request.clone());
        out += before;
        match value.pointer(&pointer) {
            Some(Value::String(value)) => out += value,
            Some(Value::Number(value)) => out += &value.to_string(),
            other => panic!("{text:?}: {name} is {other:?}"),
        }
        rest = behind;
    }
    out + rest
}

/// A call prepared at the service: its request, and the effect and key that it has in the ledger.
pub struct Target {
    pub row: &'static Endpoint,
    pub request: Value,
    pub effect: Option<(String, String)>,
    /// The path of the request, without the query.
    pub path: String,
}

impl Target {
    /// The key by which the service identifies the request: two requests with it are one payment twice. The key of the effect
    /// may be longer.
    pub fn business_key(&self) -> Option<&str> {
        let (_, key) = self.effect.as_ref()?;
        Some(key.split_once('/').map_or(key.as_str(), |(reference, _)| reference))
    }
}

/// Empties the sandbox and prepares it for the call.
pub fn target(row: &'static Endpoint, sandbox: &Sandbox) -> Target {
    let good = good(row);
    let set_up = || {
        sandbox.post("/sandbox/reset", &Value::Null);
        good.setup.iter().try_for_each(|setup| {
            let path = setup.admin.strip_prefix("POST ").unwrap_or_else(|| panic!("{}: not a POST", row.name));
            sandbox.try_send("POST", path, &setup.with.to_string()).map(|_| ())
        })
    };
    // On a slow machine a request whose caller gave up is executed between the two, and its order is there already.
    if set_up().is_err() {
        set_up().unwrap_or_else(|failure| panic!("{failure}"));
    }
    Target {
        row,
        request: Value::Object(good.request.clone()),
        effect: good.effect.as_ref().map(|(effect, key)| (effect.clone(), filled(key, &good.request))),
        path: filled(&good.wire[1], &good.request),
    }
}
