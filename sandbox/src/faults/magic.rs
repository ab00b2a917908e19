//! Magic inputs that select a fault: `sbx-<fault>-…` in a field whose value the client chooses.

use super::fault::{Acts, Fault};
use super::table;
use crate::http::answer::ApiError;
use crate::state::magic::FAULT as PREFIX;
use crate::util::json::Json;

/// After the name of the fault, before a `-` or the end.
const ONLY: [(&str, Kind); 2] = [("@lookup", Kind::LookUp), ("@pay", Kind::Payment)];
/// In addition to every field whose name ends in `reference`.
const MEMBERS: [&str; 4] = ["mandateCode", "alias", "sessionId", "emailAddress"];

/// A fault and the value that named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub fault: &'static Fault,
    pub value: String,
    /// The only kind of request that it acts on, by `sbx-<fault>@lookup-…` or `sbx-<fault>@pay-…`.
    pub only: Option<Kind>,
}

/// The effect of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    LookUp,
    /// It changes something, but moves no money.
    Change,
    Payment,
}

/// Searches the values in the path, then the payload, including nested objects.
pub fn find(input: &Json, path: &[(String, String)]) -> Result<Option<Named>, ApiError> {
    if let Some((_, value)) = path.iter().find(|(_, value)| value.starts_with(PREFIX)) {
        return named("path", value);
    }
    match input {
        Json::Object(members) => {
            for (name, value) in members {
                let found = match value {
                    Json::Text(text) if text.starts_with(PREFIX) && is_magic(name) => named(name, text)?,
                    value => find(value, &[])?,
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        }
        Json::Array(items) => {
            items.iter().map(|item| find(item, &[])).find(|found| !matches!(found, Ok(None))).unwrap_or(Ok(None))
        }
        _ => Ok(None),
    }
}

fn is_magic(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("reference") || MEMBERS.iter().any(|member| member.eq_ignore_ascii_case(name))
}

fn named(member: &str, value: &str) -> Result<Option<Named>, ApiError> {
    let rest = value.strip_prefix(PREFIX).unwrap_or_default();
    let name = rest.split(['-', '@']).next().unwrap_or_default();
    let Some(fault) = table::named(name) else {
        return Err(ApiError::field(member, table::unknown(name)));
    };
    if fault.acts == Acts::Connection {
        let text = format!(
            "The fault {name} acts on new connections, so no request can name it: \
             POST /sandbox/faults {{\"fault\":\"{name}\"}} and connect again."
        );
        return Err(ApiError::field(member, text));
    }
    let suffix = rest[name.len()..].split('-').next();
    let only = ONLY.iter().find(|(word, _)| suffix == Some(word)).map(|(_, kind)| *kind);
    Ok(Some(Named { fault, value: value.to_string(), only }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Result<Option<&'static str>, String> {
        let found = find(&Json::parse(text.as_bytes()).unwrap(), &[]);
        found.map(|found| found.map(|named| named.fault.name)).map_err(|error| error.message)
    }

    #[test]
    fn the_members_that_count() {
        assert_eq!(fault(r#"{"reference":"sbx-drip-1"}"#), Ok(Some("drip")));
        assert_eq!(fault(r#"{"Alias":"sbx-commit_then_502-till-1"}"#), Ok(Some("commit_then_502")));
        assert_eq!(fault(r#"{"emailAddress":"sbx-drip@example.com"}"#), Ok(Some("drip")));
        assert_eq!(fault(r#"{"emailAddress":"sbx-drip-7@example.com"}"#), Ok(Some("drip")));
        assert_eq!(fault(r#"{"a":{"mandateCode":"sbx-truncate-1"}}"#), Ok(Some("truncate")));
        assert_eq!(fault(r#"{"a":[{"b":"x"},{"clientReference":"sbx-truncate-1"}]}"#), Ok(Some("truncate")));
        assert_eq!(fault(r#"{"transferReference":"sbx-drip-1"}"#), Ok(Some("drip")));
        assert_eq!(fault(r#"{"description":"sbx-drip-1","reference":"A-sbx-drip-1"}"#), Ok(None));
        assert_eq!(
            find(&Json::Null, &[("a".into(), "b".into()), ("c".into(), "sbx-drip-1".into())]).unwrap().unwrap().value,
            "sbx-drip-1"
        );
    }

    #[test]
    fn the_kind_of_request_can_be_chosen() {
        let only = |value: &str| named("reference", value).unwrap().unwrap().only;
        assert_eq!((only("sbx-drip@lookup-1"), only("sbx-drip@lookup")), (Some(Kind::LookUp), Some(Kind::LookUp)));
        assert_eq!(only("sbx-drip@pay-1"), Some(Kind::Payment));
        assert_eq!([only("sbx-drip-1"), only("sbx-drip-@pay"), only("sbx-drip@lookup.example")], [None; 3]);
    }

    #[test]
    fn names_that_cannot_act_are_refused() {
        assert!(
            fault(r#"{"reference":"sbx-drop-1"}"#).unwrap_err().contains("no fault drop; there are reset_before_read,")
        );
        assert!(fault(r#"{"reference":"sbx-"}"#).is_err());
        assert!(fault(r#"{"reference":"sbx-tls_expired-1"}"#).unwrap_err().contains("POST /sandbox/faults"));
        assert!(fault(r#"{"a":[{"reference":"sbx-drop-1"}]}"#).is_err());
    }
}
