//! Request handlers: they validate members and shape answers. The rules are in `state`.

pub mod authorize_capture;
pub mod banks;
mod card_input;
pub mod cards;
pub mod checkout;
pub mod direct_debit;
mod new_order;
pub mod order_create;
pub mod order_pay;
pub mod orders;
mod payment_answer;
pub mod payouts;
pub mod refunds;
mod rule_errors;
pub mod transactions;
pub mod virtual_accounts;

use std::cell::RefCell;
use std::sync::Arc;

use crate::http::path_pattern::Values;
use crate::util::json::{Json, object};

/// A request as passed to a handler: the body is parsed, its fields are not validated.
#[derive(Debug, Default)]
pub struct Call {
    /// The fields of the parsed body, or of the query if the endpoint takes no body.
    pub input: Json,
    pub query: Json,
    /// The values in the path, with their names.
    pub path: Values,
    pub base_url: String,
    /// As in the dashboard.
    pub encryption_key: Arc<str>,
    /// Remarks for the request log.
    pub notes: RefCell<Vec<String>>,
}

impl Call {
    /// A remark for the request log: something was accepted that the service might refuse.
    pub fn note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().push(text.into());
    }

    pub fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }

    pub fn path_value(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// A scalar member of the body, the path or the query, as text; `order.reference` is nested. Blank counts as absent.
    pub fn text(&self, member: &str) -> Option<String> {
        let of = |json: &Json| match json.at(member)? {
            Json::Text(text) | Json::Number(text) => Some(text.clone()),
            Json::Bool(value) => Some(value.to_string()),
            Json::Null | Json::Array(_) | Json::Object(_) => None,
        };
        let path = Some(self.path_value(member).to_string());
        let found = of(&self.input).into_iter().chain(path).chain(of(&self.query));
        found.into_iter().find(|text| !text.trim().is_empty())
    }
}

/// `{"data":…,"status":"success","statusCode":"00","message":"…"}`, the general success envelope.
fn success(status_code: &str, message: &str, data: Json) -> Json {
    object! { "data": data, "status": "success", "statusCode": status_code, "message": message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_from_body_path_and_query() {
        let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
        let call = Call {
            input: json(r#"{"Order":{"reference":"A"},"list":[{"amount":5.00}],"blank":" ","yes":true,"no":null}"#),
            query: json(r#"{"alias":"till","reference":"Q"}"#),
            path: vec![("blank".into(), "B".into())],
            ..Call::default()
        };
        let texts =
            ["order.reference", "list.0.amount", "blank", "alias", "reference", "yes", "no", "order", "list.1.amount"]
                .map(|name| call.text(name).unwrap_or_default());
        assert_eq!(texts, ["A", "5.00", "B", "till", "Q", "true", "", "", ""]);
    }
}
