//! The functions that choose their requests themselves: what became of a request, waiting for a payment, webhooks, payouts
//! in bulk. The endpoints are in [`crate::endpoints`].

use crate::schema::{Default, Field, Kind};

/// A function that sends any number of requests to endpoints of the table.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The exported function is `paysvc_<name>`.
    pub name: &'static str,
    pub members: &'static [Field],
    /// It tells what became of an earlier request. The outcome is that request's, so it is never NOT_SENT.
    pub about_earlier: bool,
    pub doc: &'static str,
    /// What it returns, for the documentation.
    pub returns: &'static str,
}

/// The price that a payment must have.
const PRICE: &[Field] = &[
    Field::optional("amount", Kind::Text, "price in major currency units, without the fee, e.g. \"100.10\""),
    Field::optional("currency", Kind::Text, "currency code"),
];

/// What an event must speak of.
const EVENT: &[Field] = &[
    Field::optional("reference", Kind::Text, "reference of the order"),
    Field::optional("amount", Kind::Text, "price in major currency units, without the fee, e.g. \"100.10\""),
    Field::optional("currency", Kind::Text, "currency code"),
    Field::optional(
        "accountReference",
        Kind::Text,
        "the Reference that was given when the virtual account was generated",
    ),
];

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "resolve",
        members: &[
            Field::required("endpoint", Kind::Text, "the function that was called, without its prefix, e.g. order_pay"),
            Field::required(
                "request",
                Kind::Any,
                "its request: the members that its documentation names for a look-up; others are ignored, so no card number has to be kept",
            ),
            Field::optional(
                "attempts",
                Kind::Integer,
                "how many requests for this order have been sent, by every call, this one included; without it the outcome is never REJECTED",
            ),
            Field::optional("expect", Kind::Object(PRICE), "the price that was asked for"),
            Field::optional("wait", Kind::Flag, "asks again until the outcome is known or the call's time is over")
                .default(Default::Flag(false)),
        ],
        about_earlier: true,
        doc: "Finds out what became of a request whose outcome is UNKNOWN. It asks the read-only endpoint that knows, and moves no money.",
        returns: "PAYSVC_OK: CONFIRMED, check the state. PAYSVC_E_REJECTED: REJECTED, the request was not executed. Any other status: the outcome is still UNKNOWN. \
                  It is never NOT_SENT. The body is the look-up's answer.",
    },
    Operation {
        name: "order_wait",
        members: &[
            Field::required("reference", Kind::Text, "reference of the order"),
            Field::optional("expect", Kind::Object(PRICE), "the price that was asked for"),
        ],
        about_earlier: true,
        doc: "Asks for the state of an order until it is final, or until the call's time is over. A failed payment may be followed by another attempt: call again.",
        returns: "PAYSVC_OK: the state is final, check it. PAYSVC_E_TIMEOUT: it is not final yet; the outcome is UNKNOWN and the state is the last one. \
                  The outcome is never NOT_SENT. The body is the last answer.",
    },
    Operation {
        name: "webhook_verify",
        members: &[
            Field::required(
                "body",
                Kind::Any,
                "the body of the webhook: its text as it was received, or a JSON object",
            ),
            Field::optional("expect", Kind::Object(EVENT), "what the event must speak of"),
        ],
        about_earlier: false,
        doc: "Checks a webhook, which nobody signs: reads the event in every form that the service uses, and asks the service whether it is true.",
        returns: "as the read-only endpoint that was asked. The body is its answer with authentic (event and service agree), match (the service's answer is what \
                  expect says; absent without expect), differences (a list) and key (the same for each delivery of an event) in front. Act on the answer only if \
                  authentic and match are true.",
    },
    Operation {
        name: "payout_bulk",
        members: &[
            Field::optional(
                "payoutDetails",
                Kind::Any,
                "the recipients, a list: as for paysvc_payout_initiate(), each with a clientReference that is unique in the list",
            ),
            Field::optional(
                "earlier",
                Kind::Any,
                "the body of an earlier reply to the same list: only what was provably not executed is sent",
            ),
            Field::optional("continue_after_unknown", Kind::Flag, "goes on after a batch whose outcome is UNKNOWN")
                .default(Default::Flag(false)),
            Field::optional(
                "status_of",
                Kind::Any,
                "instead of a list: the body of an earlier reply, whose batches are looked up",
            ),
        ],
        about_earlier: false,
        doc: "Pays any number of recipients, in the largest batches that the encryption key can encrypt, one after the other. The client's timeout_ms bounds a batch, the call's timeout the list.",
        returns: "PAYSVC_OK: the service accepted all; accepted is not paid. The body reports the outcome of each recipient, also when the call fails: ACCEPTED, REJECTED, NOT_SENT or UNKNOWN. \
                  The outcome of the call is the one that all recipients have, otherwise UNKNOWN.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn names_are_given_once_and_everything_is_documented() {
        for (index, operation) in OPERATIONS.iter().enumerate() {
            assert!(!operation.doc.is_empty() && operation.returns.ends_with('.'), "{}", operation.name);
            assert!(operation.members.iter().all(|member| !member.doc.is_empty()), "{}", operation.name);
            let others = OPERATIONS[..index].iter().map(|other| other.name);
            assert!(!others.chain(ENDPOINTS.iter().map(|row| row.name)).any(|name| name == operation.name));
        }
    }
}
