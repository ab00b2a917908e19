//! Direct debit mandates. The debit itself is a payment of an order: see the orders.

use super::answers::{CODE, MESSAGE, STATUS_FLAG};
use crate::schema::{Answer, Certainty, Endpoint, Envelope, Field, Kind, Member, Method, Reference, Safety, Wording};

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "direct_debit_history",
        method: Method::Get,
        path: "/payment/order/direct-debit/history",
        fields: &[Field::query("emailAddress", "e-mail address of the customer")],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::Bare,
            members: &[
                Member::text("customerName", "name of the customer"),
                Member::flag("hasExistingDebitMandate", "whether there is a mandate"),
                Member::list("directDebitMandates", MANDATES, "the mandates"),
            ],
            ..Endpoint::ANSWER
        },
        doc: "Lists a customer's existing mandates.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "direct_debit_create",
        path: "/payment/order/direct-debit/create",
        encrypted: true,
        // The documentation does not state which of these are required, so the library requires none.
        fields: &[
            Field::optional("recurringPaymentId", Kind::Integer, "the recurring payment that the mandate serves"),
            Field::optional(
                "orderReference",
                Kind::Text,
                "reference of the order; the service may refuse a request without it",
            )
            .names(Reference::Order),
            Field::optional("bankName", Kind::Text, "name of the customer's bank"),
            Field::optional(
                "accountNumber",
                Kind::Text,
                "the customer's bank account; the service may refuse a request without it",
            )
            .secret(),
            Field::optional(
                "bankCode",
                Kind::Text,
                "code of the customer's bank; the service may refuse a request without it",
            ),
            Field::optional("address", Kind::Text, "the customer's address"),
        ],
        safety: Safety::Repeatable,
        answer: Answer {
            envelope: Envelope::Flag,
            members: &[
                STATUS_FLAG,
                CODE,
                MESSAGE,
                Member::object(
                    "data",
                    &[
                        Member::text("message", "what was done"),
                        MANDATE_CODE,
                        Member::text("bankName", "name of the customer's bank"),
                        Member::text("accountNumber", "the customer's bank account"),
                        Member::amount("amount", "amount of the order"),
                        Member::integer("directDebitId", "the service's number for the mandate"),
                    ],
                    "the mandate",
                ),
            ],
            ..Endpoint::ANSWER
        },
        // Stated to be encrypted; in which form is not shown.
        body_certainty: Certainty::Guessed,
        doc: "Creates a direct debit mandate. Store the response's /data/mandateCode safely.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "direct_debit_status",
        method: Method::Get,
        path: "/payment/order/direct-debit/status",
        fields: &[Field::query("mandateCode", "the code returned at mandate creation").names(Reference::Mandate)],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::Flag,
            active: Some(ACTIVE),
            members: &[
                STATUS_FLAG,
                CODE,
                Member::text("message", "describes the state of the mandate, e.g. Mandate is active"),
                Member::object("data", &[MANDATE_CODE], "the mandate"),
            ],
            ..Endpoint::ANSWER
        },
        doc: "Checks a mandate. It must be active before it is debited: ask is_active of the reply.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "direct_debit_otp",
        path: "/payment/order/direct-debit/otp",
        encrypted: true,
        fields: &[Field::required("mandateCode", Kind::Text, "the code returned at mandate creation")
            .names(Reference::Mandate)],
        safety: Safety::Repeatable,
        answer: Answer {
            envelope: Envelope::Flag,
            members: &[STATUS_FLAG, CODE, MESSAGE, Member::text("data", "a confirmation text")],
            ..Endpoint::ANSWER
        },
        body_certainty: Certainty::Guessed,
        doc: "Triggers the e-mail with the one-time code that a debit needs.",
        ..Endpoint::ROW
    },
];

/// The documentation gives this message, and shows no other state.
const ACTIVE: Wording = Wording {
    words: &["mandate", "is", "active"],
    fillers: &["the", "this", "your", "customer's", "direct", "debit", "now", "currently"],
};

const MANDATE_CODE: Member = Member::text("mandateCode", "code of the mandate: debits and status checks need it");

const MANDATES: &[Member] = &[
    Member::text("accountNumber", "the customer's bank account"),
    Member::text("bankName", "name of the customer's bank"),
    Member::integer("directDebitId", "the service's number for the mandate"),
    Member::time("dateCreated", "when the mandate was created, UTC"),
    Member::text("bankCode", "code of the customer's bank"),
];

#[cfg(test)]
mod tests {
    use super::ACTIVE;

    #[test]
    fn only_the_sentence_itself_says_that_a_mandate_is_active() {
        for text in ["Mandate is active", " THE MANDATE IS ACTIVE. ", "Your direct debit mandate is now active!"] {
            assert!(ACTIVE.is_said_by(text), "{text}");
        }
        for text in [
            "Mandate is inactive",
            "Mandate is not active",
            "Mandate isn't active",
            "No mandate is active",
            "Mandate will be active",
            "Mandate is active soon",
            "Mandate activated",
            "Mandate is active?",
            "Mandate is pending approval",
            "active",
            "",
        ] {
            assert!(!ACTIVE.is_said_by(text), "{text}");
        }
    }
}
