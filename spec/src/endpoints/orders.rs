//! Orders: create, pay, refund, and their state.

pub(super) mod answers;
pub(super) mod look_ups;
mod options;
pub(super) mod requests;

use crate::schema::{Answer, ApiKey, Certainty, Doubt, Endpoint, Envelope, Field, Kind, Reference, Safety, Wire};
use options::OPTIONS;
use requests::{CARD, CUSTOMER, ORDER, PAYMENT, PAYMENT_META};

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "order_create",
        path: "/payment/order/create",
        encrypted: true,
        // The plaintext: a card payload, or an order with customer and payment, or both; the interface leaves it open.
        fields: &[
            Field::optional(
                "reference",
                Kind::Text,
                "reference of the order, the same as order.reference; give it with a card",
            )
            .names(Reference::Order),
            Field::optional("paymentoption", Kind::Text, "C for card; give it with a card").any_case(),
            Field::optional("country", Kind::Text, "two-letter country code"),
            Field::optional("card", Kind::Object(CARD), "the card"),
            Field::optional(
                "order",
                Kind::Object(ORDER),
                "the order and its price; without it the service charges what an order that exists has",
            )
            .has_price()
            .integrated(),
            Field::optional("customer", Kind::Object(CUSTOMER), "the customer").integrated(),
            Field::optional("payment", Kind::Object(PAYMENT), "settings of the payment").integrated(),
            Field::optional("paymentMeta", Kind::Object(PAYMENT_META), "data about the payment").integrated(),
        ],
        allows_extra: true,
        answer: Answer {
            certainty: Certainty::Reported,
            is_of_payment: true,
            members: answers::CREATE,
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(look_ups::OF_CREATE),
        doc: "Creates an order payment from the plaintext payload, for example a card charge; the library encrypts it.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_pay",
        path: "/payment/order/pay",
        encrypted: true,
        fields: &[
            Field::required("paymentOption", Kind::Text, "payment option in any case, e.g. C, NDD or bank-transfer")
                .any_case()
                .options(OPTIONS),
            Field::required("reference", Kind::Text, "reference of the order").names(Reference::Order),
            Field::optional("country", Kind::Text, "two-letter country code"),
            Field::optional("card", Kind::Object(CARD), "the card"),
            Field::optional(
                "directDebitPaymentRequest",
                Kind::Object(&[
                    Field::required("otp", Kind::Text, "the one-time code received by e-mail").secret(),
                    Field::required("mandateCode", Kind::Text, "the code returned at mandate creation")
                        .names(Reference::Mandate),
                    Field::optional(
                        "accountName",
                        Kind::Text,
                        "name of the customer's account; the service may refuse a request without it",
                    ),
                    Field::optional(
                        "bankCode",
                        Kind::Text,
                        "code of the customer's bank; the service may refuse a request without it",
                    ),
                ]),
                "the debit, for the payment option NDD",
            ),
            Field::optional(
                "BankTransfer",
                Kind::Object(&[Field::optional("bankcode", Kind::Text, "code of the customer's bank")
                    .certainty(Certainty::Reported)]),
                "the transfer, for the payment option bank-transfer; may be empty",
            )
            .certainty(Certainty::Reported),
        ],
        allows_extra: true,
        answer: Answer { is_of_payment: true, members: answers::PAY, ..Endpoint::ANSWER },
        looked_up_by: Some(look_ups::OF_PAYMENT),
        body_certainty: Certainty::Integrated,
        doc: "Pays an order: by card, bank transfer, direct debit, or another payment option.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_pay_authorize",
        path: "/payment/order/pay/authorize",
        encrypted: true,
        fields: &[
            Field::required("orderPaymentReference", Kind::Text, "reference of the attempt to pay, from its answer")
                .names(Reference::Payment),
            Field::required("otp", Kind::Text, "the code that the card's holder received").secret(),
            Field::optional("message", Kind::Text, "message"),
        ],
        answer: Answer { is_of_payment: true, members: answers::PAY, ..Endpoint::ANSWER },
        looked_up_by: Some(look_ups::OF_AUTHORIZATION),
        key_certainty: Certainty::Guessed,
        body_certainty: Certainty::Guessed,
        doc: "Completes a card payment that waits for a code from the card's holder.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_pay_capture",
        path: "/payment/order/pay/capture",
        key: ApiKey::Secret,
        fields: &[
            Field::required("reference", Kind::Text, "reference of the order").names(Reference::Order).integrated(),
            Field::required("Amount", Kind::Amount(Wire::Number), "what is to be charged").integrated(),
        ],
        answer: Answer {
            certainty: Certainty::Guessed,
            is_of_payment: true,
            members: answers::CAPTURE,
            ..Endpoint::ANSWER
        },
        certainty: Certainty::Integrated,
        key_certainty: Certainty::Integrated,
        body_certainty: Certainty::Integrated,
        doc: "Charges a card payment that was only authorized before.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_refund",
        path: "/payment/order/refund",
        key: ApiKey::Secret,
        fields: &[
            Field::required("reference", Kind::Text, "reference of the original order").names(Reference::Order),
            Field::optional("reason", Kind::Text, "why; recommended"),
            Field::optional(
                "amount",
                Kind::Amount(Wire::Text),
                "amount of a partial refund; without it the full amount is refunded",
            )
            .names(Reference::Refunded),
        ],
        doubt: Doubt::Refund,
        answer: Answer {
            envelope: Envelope::Flag,
            success_is_state: true,
            members: answers::REFUND,
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(look_ups::OF_REFUND),
        doc: "Starts a refund of an order, in full or in part. If it is only accepted, nothing tells how it ends.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_status",
        path: "/payment/order/status",
        encrypted: true,
        fields: &[Field::required("reference", Kind::Text, "reference of the order").names(Reference::Order)],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::PaymentState,
            subject: Some("/data/orderSummary"),
            is_of_payment: true,
            members: answers::STATUS,
            ..Endpoint::ANSWER
        },
        body_certainty: Certainty::Integrated,
        doc: "Returns the state of an order and of each attempt to pay it. It tells what became of a payment.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_verify",
        path: "/payment/order/verify",
        key: ApiKey::Secret,
        fields: &[Field::required("reference", Kind::Text, "reference of the order").names(Reference::Order)],
        safety: Safety::ReadOnly,
        answer: Answer {
            subject: Some("/data/statusId"),
            is_of_payment: true,
            members: answers::VERIFY,
            ..Endpoint::ANSWER
        },
        doc: "Verifies the payment of an order. Only the state tells whether it is paid: code 00 means found.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_fee",
        path: "/payment/order/fee",
        encrypted: true,
        fields: &[
            Field::required("amount", Kind::Amount(Wire::Number), "price, without the fee"),
            Field::optional("currency", Kind::Text, "currency code, e.g. NGN"),
            Field::optional("paymentoption", Kind::Text, "payment option, e.g. C for card").any_case(),
        ],
        safety: Safety::ReadOnly,
        answer: Answer { members: answers::FEE, ..Endpoint::ANSWER },
        key_certainty: Certainty::Integrated,
        body_certainty: Certainty::Integrated,
        doc: "Returns the fee that a payment would have. It creates nothing.",
        ..Endpoint::ROW
    },
];
