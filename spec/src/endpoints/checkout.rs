//! Hosted checkout: the customer pays on a page of the service.

use super::envelope::MESSAGE;
use super::orders::look_ups;
use super::orders::requests::{CUSTOMER, ORDER_ALONE, PAYMENT, PAYMENT_META};
use crate::schema::{Answer, Certainty, Endpoint, Envelope, Field, Kind, Member, Safety};

pub const ROWS: &[Endpoint] = &[Endpoint {
    name: "checkout_create",
    path: "/payment/create",
    encrypted: true,
    fields: &[
        Field::required("order", Kind::Object(ORDER_ALONE), "the order and its price").integrated(),
        Field::optional("customer", Kind::Object(CUSTOMER), "the customer").integrated(),
        Field::optional("payment", Kind::Object(PAYMENT), "settings of the payment").integrated(),
        Field::optional("paymentMeta", Kind::Object(PAYMENT_META), "data about the payment").integrated(),
    ],
    allows_extra: true,
    safety: Safety::Repeatable,
    answer: Answer {
        envelope: Envelope::IsSuccess,
        certainty: Certainty::Integrated,
        members: &[
            Member::flag("isSuccess", "whether the request succeeded").integrated(),
            MESSAGE.integrated(),
            Member::text("redirectUrl", "the page on which the customer pays").integrated(),
            Member::integer("orderId", "the service's number for the order").integrated(),
        ],
        ..Endpoint::ANSWER
    },
    looked_up_by: Some(look_ups::OF_CHECKOUT),
    certainty: Certainty::Integrated,
    key_certainty: Certainty::Integrated,
    body_certainty: Certainty::Integrated,
    doc: "Creates an order that the customer pays on a page of the service; the answer has its address.",
    ..Endpoint::ROW
}];
