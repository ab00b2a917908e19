//! Saved cards.

use super::envelope::{MESSAGE, STATUS_CODE};
use super::orders::requests::{CUSTOMER, ORDER_ALONE, PAYMENT, PAYMENT_META};
use super::orders::{answers, look_ups};
use crate::schema::{Answer, ApiKey, Certainty, Endpoint, Envelope, Field, Kind, Member, Reference, Safety};

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "card_charge",
        path: "/payment/tokenize/charge",
        key: ApiKey::Secret,
        fields: &[
            Field::required("order", Kind::Object(ORDER_ALONE), "the order and its price"),
            Field::optional("customer", Kind::Object(CUSTOMER), "the customer"),
            Field::optional("payment", Kind::Object(PAYMENT), "settings of the payment"),
            Field::optional("paymentMeta", Kind::Object(PAYMENT_META), "data about the payment"),
            Field::required(
                "authorization",
                Kind::Object(&[Field::required("cardToken", Kind::Text, "token of the saved card").secret()]),
                "the saved card",
            ),
        ],
        allows_extra: true,
        // Nothing shows it; it may be the one of order_pay.
        answer: Answer {
            certainty: Certainty::Guessed,
            is_of_payment: true,
            members: answers::CHARGE,
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(look_ups::OF_CARD_CHARGE),
        doc: "Charges a card that was saved before.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "card_save",
        path: "/payment/order/save-card",
        key: ApiKey::Secret,
        encrypted: true,
        fields: &[Field::required("reference", Kind::Text, "reference of the order that was paid with the card")
            .names(Reference::Order)],
        safety: Safety::Repeatable,
        answer: Answer {
            envelope: Envelope::PaymentState,
            // The state is the order's: that it was paid says nothing of the card.
            reports_state: false,
            members: &[Member::text("status", "state of the order, as a word"), STATUS_CODE, MESSAGE.guessed()],
            ..Endpoint::ANSWER
        },
        doc: "Saves the card with which an order was paid, for card_charge.",
        ..Endpoint::ROW
    },
];
