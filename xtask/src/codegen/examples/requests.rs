//! The requests of `tests/scenarios.json`, by the members of the rows.

use std::collections::BTreeMap;
use std::path::Path;

use paysvc_spec::schema::{Endpoint, Field, Kind};
use serde_json::value::RawValue;

pub const SCENARIOS: &str = "tests/scenarios.json";

/// The good calls of all endpoints.
pub struct Requests(BTreeMap<String, Entry>);

#[derive(serde::Deserialize)]
struct Manifest {
    endpoints: BTreeMap<String, Entry>,
}

#[derive(serde::Deserialize)]
struct Entry {
    request: Box<RawValue>,
    answer: serde_json::Value,
}

/// A member of a request, in the order of the row.
pub struct Given {
    pub field: &'static Field,
    /// As JSON; numbers as they are written.
    pub json: String,
    /// The members of an object, or of each element of a list.
    pub within: Vec<Vec<Given>>,
}

impl Given {
    /// The text of a string, and any other value as JSON.
    pub fn text(&self) -> String {
        serde_json::from_str(&self.json).unwrap_or_else(|_| self.json.clone())
    }
}

impl Requests {
    pub fn read(root: &Path) -> Result<Requests, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{SCENARIOS}: {error}");
        let text = std::fs::read_to_string(root.join(SCENARIOS)).map_err(|error| wrong(&error))?;
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        Ok(Requests(manifest.endpoints))
    }

    fn entry(&self, row: &Endpoint) -> Result<&Entry, String> {
        self.0.get(row.name).ok_or_else(|| format!("{SCENARIOS} has no endpoint {}", row.name))
    }

    /// The canned answer.
    pub fn answer(&self, row: &Endpoint) -> Result<serde_json::Value, String> {
        Ok(self.entry(row)?.answer.clone())
    }

    pub fn of(&self, row: &Endpoint) -> Result<Vec<Given>, String> {
        given(row.fields, self.entry(row)?.request.get())
            .map_err(|error| format!("{SCENARIOS}: the request of {}: {error}", row.name))
    }
}

fn given(fields: &'static [Field], json: &str) -> Result<Vec<Given>, String> {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    for field in fields {
        let Some(value) = members.remove(field.name) else { continue };
        let within = match field.kind {
            Kind::Object(inner) => vec![given(inner, value.get())?],
            Kind::List(inner) => {
                let elements: Vec<Box<RawValue>> =
                    serde_json::from_str(value.get()).map_err(|error| error.to_string())?;
                elements.iter().map(|element| given(inner, element.get())).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        out.push(Given { field, json: value.get().to_owned(), within });
    }
    // The methods of the languages have no argument for it.
    match members.keys().next() {
        Some(name) => Err(format!("the row has no member {name}")),
        None => Ok(out),
    }
}

/// A text in quotes, as C, C++, Go and Python take it.
///
/// # Panics
/// For what the four write differently.
pub fn literal(text: &str) -> String {
    let plain = text.chars().all(|c| !c.is_control()) && !text.contains("??");
    assert!(plain, "{SCENARIOS}: {text:?} cannot be shown in all languages");
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field::optional("b", Kind::Text, ""),
        Field::optional("o", Kind::Object(&[Field::optional("n", Kind::Integer, "")]), ""),
        Field::optional("l", Kind::List(&[Field::optional("n", Kind::Integer, "")]), ""),
        Field::optional("a", Kind::Any, ""),
    ];

    #[test]
    fn members_come_in_the_order_of_the_row_and_as_they_are_written() {
        let all = given(FIELDS, r#"{"a": [1.50], "o": {"n": 7}, "b": "x\"é"}"#).unwrap();
        let names: Vec<_> = all.iter().map(|it| it.field.name).collect();
        assert_eq!(names, ["b", "o", "a"]);
        assert_eq!(
            (all[0].text().as_str(), all[1].within[0][0].json.as_str(), all[2].json.as_str()),
            ("x\"é", "7", "[1.50]")
        );
        assert!(given(FIELDS, r#"{"c": 1}"#).is_err_and(|error| error.contains("no member c")));
        let all = given(FIELDS, r#"{"l": [{"n": 7}, {}, {"n": 8}]}"#).unwrap();
        let numbers: Vec<Vec<_>> =
            all[0].within.iter().map(|element| element.iter().map(|it| it.json.as_str()).collect()).collect();
        assert_eq!(numbers, [vec!["7"], vec![], vec!["8"]]);
        assert!(given(FIELDS, r#"{"o": 1}"#).is_err());
        assert!(given(FIELDS, r#"{"l": {"n": 1}}"#).is_err());
    }

    #[test]
    fn a_literal_is_the_same_in_every_language() {
        assert_eq!(literal(r#"a"\é"#), r#""a\"\\é""#);
        assert!(std::panic::catch_unwind(|| literal("a\nb")).is_err());
    }
}
