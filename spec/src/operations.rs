//! The functions that choose their requests themselves: what became of a request, waiting for a payment, webhooks,
//! payouts in bulk. The endpoints are in [`crate::endpoints`].

use crate::endpoints::{payouts, same};
use crate::schema::{Answer, Default, Field, Kind, Member, ShapeField, Wire};

/// A function that sends any number of requests to endpoints of the table.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The exported function is `paysvc_<name>`.
    pub name: &'static str,
    pub members: &'static [Field],
    /// It finds the outcome of an earlier request. The outcome is that request's, so it is never NOT_SENT.
    pub about_earlier: bool,
    /// It calls the callback of `paysvc_call_set_progress()`.
    pub reports_progress: bool,
    /// The client's timeout bounds a step, and not the whole call.
    pub timeout_of_step: bool,
    pub answer: Body,
    pub doc: &'static str,
    /// Its return value, for the documentation.
    pub returns: &'static str,
}

impl Operation {
    /// The rows of the fields that are the operation's own.
    pub fn shape(&self) -> Vec<ShapeField> {
        match self.answer {
            Body::Own(members) => Answer { members, ..*Answer::UNKNOWN }.shape(),
            Body::Of(_) | Body::OfLookUp => Vec::new(),
        }
    }
}

/// The body of the reply.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// The response of that endpoint.
    Of(&'static str),
    /// The response of the endpoint that is asked about the earlier request.
    OfLookUp,
    /// An object with these fields, perhaps before those of a response.
    Own(&'static [Member]),
}

/// The price that a payment must have.
const PRICE: &[Field] = &[
    Field::optional("amount", Kind::Amount(Wire::Text), "price without the fee"),
    Field::optional(
        "currency",
        Kind::Text,
        "currency code. A response or the request must name it, else the outcome stays UNKNOWN",
    ),
];

const EXPECT: Field = Field::optional(
    "expect",
    Kind::Object(PRICE),
    "the price that was asked for; if the service names another one, the outcome stays UNKNOWN",
);

/// The polling interval.
pub const INTERVAL: Field = Field::optional(
    "interval_ms",
    Kind::Integer,
    "the first wait between two status queries, in ms; each further wait is half as long again, up to ten times the first, and varies by up to a quarter",
)
.default(Default::Number { value: 1000, least: 10, most: 60_000 });

/// The expected contents of an event.
const EVENT: &[Field] = &[
    Field::optional("reference", Kind::Text, "reference of the order"),
    Field::optional("amount", Kind::Amount(Wire::Text), "price without the fee"),
    Field::optional("currency", Kind::Text, "currency code"),
    Field::optional(
        "accountReference",
        Kind::Text,
        "the Reference that was given when the virtual account was generated",
    ),
];

/// Fields that `webhook_verify` puts in front of the service's response.
const WEBHOOK: &[Member] = &[
    Member::flag("authentic", "whether the service says the same as the event"),
    Member::flag("match", "whether the service says what was expected; absent if nothing was"),
    Member::list(
        "differences",
        &[
            Member::text("member", "what differs"),
            Member::text("event", "its value in the event").nullable().number_or_text(),
            Member::text("service", "its value in the service's response").nullable().number_or_text(),
            Member::text("expected", "the value that was expected, if the service says something else"),
        ],
        "where the event, the service and the expectation differ",
    ),
    Member::text("event", "what the event is about: order, session, payout or unknown"),
    Member::text("about", "the reference, session or batch that the service was asked for; absent if it was not asked"),
    Member::text("key", "the same for every delivery of the event; absent unless it is authentic"),
    Member::integer(
        "respond",
        "the HTTP status for the sender: 200, of an authentic event once it is handled; 400 if it is no event; 503 if nothing is decided, so that it must be sent again",
    ),
    Member::integer("retry_after", "seconds for the header Retry-After; absent unless respond is 503"),
];

/// The report of `payout_bulk`.
const REPORT: &[Member] = &[
    Member::text("status", "success if the service accepted all, otherwise failed"),
    Member::text("message", "one line for people"),
    Member::integer("total", "how many recipients the list has"),
    Member::integer("accepted", "how many are ACCEPTED"),
    Member::integer("rejected", "how many are REJECTED"),
    Member::integer("not_sent", "how many are NOT_SENT"),
    Member::integer("unknown", "how many are UNKNOWN"),
    Member::list(
        "batches",
        &[
            Member::integer("index", "place of the batch, from 0"),
            Member::text("batchReference", "the service's reference, by which the batch is looked up"),
            Member::text("batchId", "the service's number for the batch"),
            Member::text("outcome", "what became of the request"),
            Member::text("status", "why its call ended as it did"),
            Member::integer("recipients", "how many recipients it has"),
            Member::text("message", "one line for people"),
        ],
        "the batches that were tried, also by earlier calls",
    ),
    Member::list(
        "payouts",
        &[
            Member::text("clientReference", "the reference that was given"),
            Member::text("outcome", "ACCEPTED, REJECTED, NOT_SENT or UNKNOWN"),
            Member::text("payoutReference", "the service's reference of the payout"),
            Member::text("batchReference", "the service's reference of the batch"),
            Member::flag("settled", "a person settled it as done, in the journal; it has no references"),
            Member::flag("replayed", "an earlier call paid it, and this one sent nothing for it"),
            Member::text("date", "the day on which the journal recorded that, in UTC, e.g. 2026-01-31"),
            Member::integer("batch", "index of the batch"),
            Member::text("accountNumber", "the recipient's account"),
            Member::text("bankCode", "code of the recipient's bank"),
            Member::amount("amount", "what the recipient gets"),
            Member::text("message", "why it is UNKNOWN, although its batch may be ACCEPTED"),
        ],
        "the recipients, in the order of the list",
    ),
];

pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "resolve",
        members: &[
            Field::required("endpoint", Kind::Text, "the function that was called, without the prefix paysvc_, e.g. order_pay"),
            Field::required(
                "request",
                Kind::Any,
                "the fields of that request by which it is looked up; the page of the endpoint names them. Others are ignored, so no card number has to be kept",
            ),
            Field::optional(
                "attempts",
                Kind::Integer,
                "how many requests that may charge this order were begun, by anyone: the sum of the attempts of the replies to all calls with its reference. It may be too large, never too small. Only with 1 can the outcome be REJECTED; leave it out if you are not sure",
            ),
            Field::optional(
                "charged",
                Kind::Flag,
                "whether the request may have charged somebody. Give false only for an order that was created without a card or another payment option: it may be sent again if the service does not know it",
            )
            .default(Default::Flag(true)),
            EXPECT,
            Field::optional(
                "wait",
                Kind::Flag,
                "asks again until the outcome is known or the call's deadline is exceeded; otherwise asks once",
            )
                .default(Default::Flag(false)),
            INTERVAL,
        ],
        about_earlier: true,
        reports_progress: false,
        timeout_of_step: false,
        answer: Body::OfLookUp,
        doc: "Finds out what became of a request whose outcome is UNKNOWN. It asks the read-only endpoint that knows, and moves no money. \
              As long as the outcome is UNKNOWN: do not charge again, keep the reference, resolve it again later, and in the end ask a person.",
        returns: "PAYSVC_OK: CONFIRMED, check the state. PAYSVC_E_REJECTED: REJECTED, the request was not executed. PAYSVC_E_UNRESOLVED: the service was asked, and it is still UNKNOWN. \
                  Any other status: the status query failed, and the outcome is still UNKNOWN. \
                  The outcome is that of the earlier request, so it is never NOT_SENT. The body is the status query's response.",
    },
    Operation {
        name: "order_wait",
        members: &[
            Field::required("reference", Kind::Text, "reference of the order"),
            Field::optional("attempts", Kind::Integer, "how many requests that may charge this order were begun, as for resolve; leave it out if you are not sure"),
            Field::optional("request", Kind::Any, "the request that made the order: order.currency is used"),
            EXPECT,
            INTERVAL,
        ],
        about_earlier: true,
        reports_progress: true,
        timeout_of_step: false,
        answer: Body::Of("order_status"),
        doc: "Asks for the state of an order until it is SUCCESSFUL or REVERSED and final, or until the call's deadline. FAILED ends it only with attempts 1, because no other attempt to pay can then be under way. \
              It reports the state of the order, not that of a refund. For a transfer into a virtual account there is no such wait.",
        returns: "PAYSVC_OK: CONFIRMED, the state is SUCCESSFUL or REVERSED. PAYSVC_E_REJECTED: REJECTED, the only attempt to pay has failed. PAYSVC_E_UNRESOLVED: the deadline is exceeded and it is still UNKNOWN; the state is the last one. \
                  PAYSVC_E_TIMEOUT: the deadline is exceeded, and no status query was answered. The outcome is never NOT_SENT. The body is the last response.",
    },
    Operation {
        name: "webhook_verify",
        members: &[
            Field::required(
                "body",
                Kind::Any,
                "the body of the webhook: its text as it was received, or a JSON object",
            ),
            Field::optional("expect", Kind::Object(EVENT), "what the event must be about"),
            Field::optional(
                "ask",
                Kind::Flag,
                "asks the service; otherwise only reads the event and reports what it is about: OK and NOT_SENT, never authentic",
            )
            .default(Default::Flag(true)),
        ],
        about_earlier: false,
        reports_progress: false,
        timeout_of_step: false,
        answer: Body::Own(WEBHOOK),
        doc: "Checks a webhook. Webhooks are not signed, so it reads the event in any form that the service uses, and asks the service whether it is true.",
        returns: "as the read-only endpoint that was asked, but PAYSVC_E_UNRESOLVED, UNKNOWN, if the event is ahead of the service: it does not know the payment, or is not as far yet. Such an event is not forged: \
                  verify it again later. PAYSVC_E_RATE_LIMITED, NOT_SENT, if the client's limits leave no request for it: the same. PAYSVC_OK, NOT_SENT, not authentic, if the service has contradicted the same body less than a minute ago. The body is the endpoint's response with authentic (event and service agree), match (the service's response is what \
                  expect says; absent without expect), differences (a list), key (the same for each delivery of an event) and respond (the HTTP status for the sender: 200, 400, or 503 with retry_after in seconds) in front. Act on the response only if \
                  authentic and match are true.",
    },
    Operation {
        name: "journal_settle",
        members: &[
            Field::required("id", Kind::Text, "the claim, as the journal and the messages about it name it"),
            Field::required(
                "outcome",
                Kind::Text,
                "CONFIRMED: it was done. REJECTED: it was not done, and may be done again",
            ),
            Field::required("who", Kind::Text, "who decides: at most 1,000 bytes"),
            Field::required("why", Kind::Text, "why, for those who read the journal later: at most 1,000 bytes"),
            Field::optional(
                "key",
                Kind::Text,
                "the key of the claim, as journal_next and the field journal of a reply name it, e.g. \"key refund-7\". It finds the claim also when its key is not open; without it, only open keys are searched",
            ),
            Field::optional(
                "sender_ended",
                Kind::Flag,
                "the program that sent the request has ended, so the claim may be settled although its call's time is not over. The journal records that",
            )
            .default(Default::Flag(false)),
        ],
        about_earlier: true,
        reports_progress: false,
        timeout_of_step: false,
        answer: Body::Own(&[]),
        doc: "Records a person's decision about a request that stays open in the journal. It is refused while the request's call may still be under way, unless sender_ended is true. A refund, capture or payout that the service accepted, and that failed later, can be settled as REJECTED: give its key. Look at the service's own records first: a request that is settled as REJECTED may be charged again.",
        returns: "PAYSVC_OK: settled as CONFIRMED. PAYSVC_E_REJECTED: settled as REJECTED. PAYSVC_E_UNRESOLVED: its call may still be under way. PAYSVC_E_ARGUMENT: no such claim is open; of one that a person has settled, the message names who did, when and as what. The outcome is never NOT_SENT.",
    },
    Operation {
        name: "journal_backup",
        members: &[Field::required("path", Kind::Text, "of a new file on a local disk")],
        about_earlier: false,
        reports_progress: false,
        timeout_of_step: false,
        answer: Body::Own(&[]),
        doc: "Copies the journal's file while programs use it: a copy made by other means lacks what is in its -wal file. The copy has everything that was written before the call. \
              A client that opens it, or that file once it was put back, looks up every charge first, because requests may have been sent since.",
        returns: "PAYSVC_OK: the copy is complete and on the disk. PAYSVC_E_JOURNAL: it could not be made, and there is no such file; or there was one already. PAYSVC_E_CONFIG without a journal. A store of the program's own is backed up with its database: PAYSVC_E_JOURNAL. The outcome is NOT_SENT.",
    },
    Operation {
        name: "payout_bulk",
        members: &[
            Field::required(
                "payoutDetails",
                Kind::List(payouts::DETAILS),
                "the recipients, any number; each needs a clientReference of its own that is used for no other payout, in this list or another one",
            ),
            Field::optional(
                "continue",
                Kind::Flag,
                "the list goes on with one that was paid in part, and is corrected or longer: who was paid by that one is reported as replayed, with the date. \
                 Otherwise, if another list has paid one of the recipients, the call is PAYSVC_E_KEY_REUSED, and nothing is sent",
            )
            .default(Default::Flag(false)),
            Field::optional("continue_after_unknown", Kind::Flag, "continues after a batch whose outcome is UNKNOWN")
                .default(Default::Flag(false)),
        ],
        about_earlier: false,
        reports_progress: true,
        timeout_of_step: true,
        answer: Body::Own(REPORT),
        doc: "Pays any number of recipients, in the largest batches that the encryption key can encrypt, one after the other. The client's timeout_ms limits each batch, and the call's timeout limits \
              the whole list: no batch starts with less than timeout_ms left. It needs a journal or a store, where each clientReference is an idempotency key, across lists: \
              after a crash, or when a call has stopped, give the same list again. See docs/payouts.md.",
        returns: "PAYSVC_OK: the service accepted all; accepted does not mean paid. The body reports the outcome of each recipient, also when the call fails: ACCEPTED, REJECTED, NOT_SENT or UNKNOWN. \
                  PAYSVC_E_KEY_REUSED: another list has paid some of them; the message names them and the date. PAYSVC_E_CONFIG: there is no journal. \
                  The outcome of the call is the one that all recipients have, otherwise UNKNOWN.",
    },
];

/// A function that only `paysvc_invoke` calls with JSON: it has another shape in C, or only languages need it.
pub struct InvokeFunction {
    pub name: &'static str,
    pub members: &'static [Field],
    /// As of an [`Operation`].
    pub about_earlier: bool,
    pub doc: &'static str,
}

pub const CLIENT_CHECK: InvokeFunction =
    InvokeFunction { name: "client_check", members: &[], about_earlier: false, doc: "as paysvc_client_check()" };
pub const CLIENT_WARM: InvokeFunction =
    InvokeFunction { name: "client_warm", members: &[], about_earlier: false, doc: "as paysvc_client_warm()" };
pub const ENCRYPT: InvokeFunction = InvokeFunction {
    name: "encrypt",
    members: &[],
    about_earlier: false,
    doc: "as paysvc_encrypt(); the object is the payload",
};
pub const JOURNAL_NEXT: InvokeFunction = InvokeFunction {
    name: "journal_next",
    members: &[Field::optional("after", Kind::Any, "the key to go on after, as text; \"\" or left out for the first")],
    about_earlier: true,
    doc: "as paysvc_journal_next(). The body has key: the next open key, \"\" if none is left; that of after again if the journal cannot be read",
};
pub const LOOK_UP: InvokeFunction = InvokeFunction {
    name: "look_up",
    members: &[
        Field::required(
            "endpoint",
            Kind::Text,
            "the function that will be called, e.g. order_create; or resolve, for what its request is about",
        ),
        Field::required("request", Kind::Any, "its request"),
    ],
    about_earlier: false,
    doc: "sends nothing, and client may be NULL. The body is the request of paysvc_resolve() for that request, without card data and codes: store it with the order before the first request",
};

pub const INVOKED: &[InvokeFunction] = &[CLIENT_CHECK, CLIENT_WARM, ENCRYPT, JOURNAL_NEXT, LOOK_UP];

/// The names of those whose outcome is that of an earlier request.
pub fn about_earlier() -> impl Iterator<Item = &'static str> {
    let operations = OPERATIONS.iter().filter(|it| it.about_earlier).map(|it| it.name);
    operations.chain(INVOKED.iter().filter(|it| it.about_earlier).map(|it| it.name))
}

/// The operation of that name. In a constant, an unknown name does not compile.
pub const fn operation(name: &str) -> &'static Operation {
    let mut index = 0;
    while index < OPERATIONS.len() {
        if same(OPERATIONS[index].name, name) {
            return &OPERATIONS[index];
        }
        index += 1;
    }
    panic!("no operation has this name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn names_are_given_once_and_everything_is_documented() {
        for (index, operation) in OPERATIONS.iter().enumerate() {
            assert!(!operation.doc.is_empty() && operation.returns.ends_with('.'), "{}", operation.name);
            assert!(operation.members.iter().all(|member| !member.doc.is_empty()), "{}", operation.name);
            if let Body::Of(name) = operation.answer {
                assert!(ENDPOINTS.iter().any(|row| row.name == name), "{}: {name}", operation.name);
            }
            let others = OPERATIONS[..index].iter().map(|other| other.name).chain(INVOKED.iter().map(|it| it.name));
            assert!(!others.chain(ENDPOINTS.iter().map(|row| row.name)).any(|name| name == operation.name));
        }
    }
}
