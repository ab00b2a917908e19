//! Request handlers: they validate fields and shape responses. The rules are in `state`.

pub mod accounts;
pub mod answers;
pub mod direct_debit;
pub mod input;
pub mod order_pay;
pub mod orders;
pub mod payouts;

use std::cell::RefCell;
use std::sync::Arc;

use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::http::path_pattern::Values;
use crate::state::error::{Broken, RuleError};
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

    /// The text of a field of the body, for an endpoint that needs no other.
    pub fn required(&self, name: &str) -> Result<String, ApiError> {
        let mut fields = Fields::of(&self.input);
        let text = fields.required(name);
        fields.finish().map(|()| text)
    }

    /// A scalar field of the body, the path or the query, as text; `order.reference` is nested. Blank counts as absent.
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

impl From<RuleError> for ApiError {
    fn from(error: RuleError) -> ApiError {
        let (broken, field, text) = error.words();
        match broken {
            Broken::Missing => ApiError::not_found(&field, &text),
            Broken::Refused => ApiError::field(&field, text),
        }
    }
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

    #[test]
    fn what_is_not_there_is_404_and_what_is_not_allowed_is_400() {
        let answer = |error: RuleError| {
            let answer = ApiError::from(error).into_answer();
            (answer.status, String::from_utf8(answer.body).unwrap(), answer.assumed)
        };
        let (status, body, assumed) = answer(RuleError::PayoutAccountNotFound { index: 3 });
        assert_eq!((status, assumed), (404, true));
        assert!(body.contains(r#""errors":{"payoutDetails.3.accountNumber":"Account not found at the moment."}"#));
        let (status, body, assumed) = answer(RuleError::OtpUsed);
        assert_eq!((status, assumed), (400, true));
        assert!(body.contains(r#""errors":{"directDebitPaymentRequest.otp":"The one-time code was used before."}"#));
    }
}
