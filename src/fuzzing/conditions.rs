//! Conditions that every verdict meets: a few consequences of docs/verdicts.md, stated over `serde_json::Value` and
//! without the library's own reader. They are necessary, not sufficient: an answer may meet them and still be UNKNOWN.

use paysvc_spec::schema::{Answer, Envelope, Safety};
use paysvc_spec::status::{Outcome, State};
use serde_json::Value;

/// A verdict, and what it was made of.
pub struct Verdict<'a> {
    pub safety: Safety,
    pub expected: &'a Answer,
    pub http_status: u16,
    /// The whole body; `None` where `serde_json` cannot hold it.
    pub body: Option<&'a Value>,
    /// Number of the C interface.
    pub outcome: i32,
    /// Number of the C interface.
    pub state: i32,
}

impl Verdict<'_> {
    pub fn check(&self) {
        const CONFIRMED: i32 = Outcome::Confirmed as i32;
        const REJECTED: i32 = Outcome::Rejected as i32;
        match self.outcome {
            CONFIRMED => self.check_confirmed(),
            REJECTED => self.check_rejected(),
            _ => {}
        }
        let reads = self.safety == Safety::ReadOnly;
        assert!(!reads || self.outcome == CONFIRMED || self.state == State::NONE.0, "a state that was not read");
        if let Some(body) = self.body.filter(|_| self.state == State::SUCCESSFUL.0) {
            let success = |name: &str, value: &Value| {
                ["statusId", "status", "paymentStatus"].contains(&name)
                    && (is_id(value, 5) || is_word(value, &["successful", "success"]))
            };
            assert!(any_member(body, &success), "nothing in the answer is successful: {body}");
            assert!(self.outcome != REJECTED, "rejected, and its state is SUCCESSFUL: {body}");
        }
    }

    fn check_confirmed(&self) {
        assert!((200..=299).contains(&self.http_status), "confirmed by HTTP {}", self.http_status);
        let Some(body) = self.body else { return };
        let reads = self.safety == Safety::ReadOnly;
        // The answer of a reading is about its subject, whatever the words beside it say.
        let subject = self.expected.subject.and_then(|pointer| body.pointer(pointer));
        if reads && subject.is_some_and(|subject| !subject.is_null()) {
            return;
        }
        let own = |name: &str| self.expected.members.iter().any(|member| member.name == name);
        let bare = self.expected.envelope == Envelope::Bare
            && body.as_object().is_some_and(|members| members.keys().any(|name| own(name)));
        let success = reports_success(body);
        assert!(success || (reads && bare), "confirmed without a report of success: {body}");
        let failure = reports_failure(body) || (success && hints_at_failure(body));
        assert!(!failure, "confirmed beside a failure: {body}");
    }

    fn check_rejected(&self) {
        let status = self.http_status;
        assert!(matches!(status, 200..=299 | 400..=499) && status != 408, "rejected by HTTP {status}");
        let Some(body) = self.body else { return };
        let failure = |name: &str, value: &Value| {
            let error = name.eq_ignore_ascii_case("error") || name.eq_ignore_ascii_case("errors");
            is_no(value) || is_word(value, FAILURE_WORDS) || is_id(value, 4) || (error && is_filled_object(value))
        };
        assert!(status / 100 == 4 || any_member(body, &failure), "rejected by HTTP {status} without a failure: {body}");
        let not_failed = |name: &str, value: &Value| {
            name.eq_ignore_ascii_case("statusId") && value.as_u64().is_some_and(|id| id != 4)
        };
        let excused = self.safety == Safety::ReadOnly || reports_success(body);
        assert!(excused || !any_member(body, &not_failed), "rejected, but a payment has not failed: {body}");
    }
}

const FAILURE_WORDS: &[&str] = &["failed", "failure", "error", "declined", "rejected"];
const SUCCESS_WORDS: &[&str] = &["success", "successful", "pending", "initiated", "processing"];

fn reports_success(body: &Value) -> bool {
    let status = &body["status"];
    *status == true
        || body["isSuccess"] == true
        || is_word(status, SUCCESS_WORDS)
        || word(status).is_some_and(|word| word.starts_with("awaiting"))
}

/// A failure that is a vote of its own.
fn reports_failure(body: &Value) -> bool {
    let data = &body["data"];
    let flags = [&body["status"], &body["isSuccess"], &data["isSuccess"], &data["success"], &data["status"]];
    flags.into_iter().any(is_no)
        || is_word(&body["status"], FAILURE_WORDS)
        || [&body["error"], &body["errors"]].into_iter().any(is_filled_object)
}

/// A failure that is not a vote by itself, but contradicts success.
fn hints_at_failure(body: &Value) -> bool {
    is_no(&body["success"])
        || [&body["error"], &body["errors"]].into_iter().any(|error| match error {
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            other => *other == true,
        })
}

fn word(value: &Value) -> Option<String> {
    value.as_str().map(|text| text.trim().to_ascii_lowercase())
}

fn is_word(value: &Value, words: &[&str]) -> bool {
    word(value).is_some_and(|word| words.contains(&word.as_str()))
}

fn is_no(value: &Value) -> bool {
    *value == false || is_word(value, &["false", "no"])
}

/// A number, or digits as text.
fn is_id(value: &Value, id: u64) -> bool {
    value.as_u64() == Some(id) || value.as_str().is_some_and(|text| text.trim().parse() == Ok(id))
}

fn is_filled_object(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

/// Whether a member at any depth fits.
fn any_member(value: &Value, fits: &dyn Fn(&str, &Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| fits(name, value) || any_member(value, fits)),
        Value::Array(items) => items.iter().any(|item| any_member(item, fits)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of these verdicts is wrong, and the conditions find it; UNKNOWN passes for the same answer.
    #[test]
    fn the_conditions_find_wrong_verdicts() {
        const CONFIRMED: i32 = Outcome::Confirmed as i32;
        const REJECTED: i32 = Outcome::Rejected as i32;
        let (none, successful) = (State::NONE.0, State::SUCCESSFUL.0);
        let refund = paysvc_spec::endpoint("order_refund");
        let details = paysvc_spec::endpoint("transaction_details");
        for (row, http_status, body, outcome, state) in [
            (refund, 302, r#"{"status":true}"#, CONFIRMED, none),
            (refund, 200, r#"{"message":"done"}"#, CONFIRMED, none),
            (refund, 200, r#"{"status":true,"errors":{"a":"b"}}"#, CONFIRMED, none),
            (refund, 200, r#"{"status":true,"error":" x "}"#, CONFIRMED, none),
            (refund, 200, r#"{"status":true,"success":false}"#, CONFIRMED, none),
            (refund, 200, r#"{"isSuccess":true,"status":"Declined "}"#, CONFIRMED, none),
            (refund, 200, r#"{"status":true,"data":{"isSuccess":"no"}}"#, CONFIRMED, none),
            (refund, 200, r#"{"status":true,"data":{"statusId":2}}"#, CONFIRMED, successful),
            (refund, 408, r#"{"status":false}"#, REJECTED, none),
            (refund, 503, r#"{"status":false}"#, REJECTED, none),
            (refund, 200, r#"{"status":true}"#, REJECTED, none),
            (refund, 400, r#"{"status":false,"data":[{"statusId":2}]}"#, REJECTED, none),
            (refund, 400, r#"{"status":true,"data":{"statusId":5}}"#, REJECTED, successful),
            (details, 200, r#"{"message":"done"}"#, CONFIRMED, none),
            (details, 200, r#"{"status":true,"data":{"statusId":5}}"#, Outcome::Unknown as i32, successful),
        ] {
            let value: Value = serde_json::from_str(body).unwrap();
            let verdict = |outcome, state| Verdict {
                safety: row.safety,
                expected: &row.answer,
                http_status,
                body: Some(&value),
                outcome,
                state,
            };
            verdict(Outcome::Unknown as i32, none).check();
            let wrong = std::panic::catch_unwind(|| verdict(outcome, state).check());
            assert!(wrong.is_err(), "HTTP {http_status} {body}: outcome {outcome}, state {state} passes");
        }
    }
}
