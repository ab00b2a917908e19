//! Whether an element of a list says that it was refused.

use super::names::{Name, known};
use super::words::{NamedState, flag, state_of_id, state_of_word};
use crate::response::document::Value;
use crate::util::json::Type;

/// Read leniently, in names of any case: what is not known to be refused may be taken for done.
pub fn is_refused(element: Value<'_>) -> bool {
    element.children().any(|member| match known(member) {
        Some((Name::Status | Name::PaymentStatus, _)) => {
            flag(member) == Some(false) || state_of_word(member) == Some(NamedState::Failed)
        }
        Some((Name::IsSuccess | Name::Success, _)) => flag(member) == Some(false),
        Some((Name::StatusId, _)) => state_of_id(member) == Some(NamedState::Failed),
        // `false` is no error.
        Some((Name::Error | Name::Errors, _)) => {
            !(member.is_empty() || member.kind() == Type::Bool && member.raw() == "false")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::document::Document;

    #[test]
    fn every_form_of_a_refusal_is_one() {
        let refused = |element: &str| {
            let document = Document::scan(element, &|| false).unwrap();
            is_refused(document.root(element))
        };
        for element in [
            r#"{"statusId":4}"#,
            r#"{"statusId":"04"}"#,
            r#"{"status":" Failed "}"#,
            r#"{"paymentStatus":"declined"}"#,
            r#"{"status":false}"#,
            r#"{"status":"No"}"#,
            r#"{"isSuccess":false}"#,
            r#"{"IsSuccess":"False"}"#,
            r#"{"success":"no"}"#,
            r#"{"error":"invalid account"}"#,
            r#"{"error":{"code":"14"}}"#,
            r#"{"error":true}"#,
            r#"{"ERRORS":["x"]}"#,
            r#"{"a":1,"error":0}"#,
        ] {
            assert!(refused(element), "{element}");
        }
        for element in [
            "{}",
            r#"{"statusId":2,"status":"Pending","isSuccess":true,"success":"true","error":null,"errors":[]}"#,
            r#"{"error":"","errors":{}}"#,
            r#"{"error":false}"#,
            r#"{"status":"unsuccessfully tried","statusId":14}"#,
            r#"{"message":"failed"}"#,
            "[false]",
        ] {
            assert!(!refused(element), "{element}");
        }
    }
}
