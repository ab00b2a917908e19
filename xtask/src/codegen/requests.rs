//! The good calls of `tests/scenarios.json`, which the tests make in every language: the examples of the documentation.

use std::collections::BTreeMap;
use std::path::Path;

use paysvc_spec::schema::{Endpoint, Location};
use serde_json::value::RawValue;

pub const SCENARIOS: &str = "tests/scenarios.json";

/// The good calls of all endpoints.
pub struct Requests(BTreeMap<String, Entry>);

#[derive(serde::Deserialize)]
struct Manifest {
    endpoints: BTreeMap<String, Entry>,
}

/// As they are written there.
#[derive(serde::Deserialize)]
pub struct Entry {
    pub request: Box<RawValue>,
    pub answer: Box<RawValue>,
}

impl Requests {
    pub fn read(root: &Path) -> Result<Requests, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{SCENARIOS}: {error}");
        let text = std::fs::read_to_string(root.join(SCENARIOS)).map_err(|error| wrong(&error))?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        Ok(Requests(manifest.endpoints))
    }

    pub fn of(&self, row: &Endpoint) -> Result<&Entry, String> {
        self.0.get(row.name).ok_or_else(|| format!("{SCENARIOS} has no endpoint {}", row.name))
    }

    /// The length of the body's fields in bytes as compact JSON, as the library encrypts them.
    pub fn payload(&self, row: &Endpoint) -> Result<usize, String> {
        let request: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(self.of(row)?.request.get()).map_err(|error| format!("{}: {error}", row.name))?;
        let elsewhere =
            |name: &String| row.fields.iter().any(|field| field.name == name && field.location != Location::Body);
        let body: serde_json::Map<_, _> = request.into_iter().filter(|(name, _)| !elsewhere(name)).collect();
        Ok(serde_json::Value::Object(body).to_string().len())
    }
}
