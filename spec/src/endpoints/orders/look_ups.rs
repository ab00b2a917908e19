//! How to find out what became of a request about an order.

use crate::schema::{Keep, LookUp, Settles};

/// A payment, by the reference of its order.
pub const OF_PAYMENT: LookUp = LookUp {
    endpoint: "order_status",
    members: &[("reference", &["/reference"])],
    keep: &[Keep::Value("/reference"), Keep::Added("/order/currency")],
    settles: Settles::Charge,
    amount: None,
    currency: Some("/order/currency"),
    currency_by: Some("order_verify"),
    charges_with: &[],
    limits: "",
};

pub const OF_CREATE: LookUp = LookUp {
    members: &[("reference", &["/reference", "/order/reference"])],
    keep: &[
        Keep::Value("/reference"),
        Keep::Value("/order/reference"),
        Keep::Value("/order/amount"),
        Keep::Value("/order/currency"),
        Keep::Value("/paymentoption"),
        Keep::Presence("/card"),
    ],
    settles: Settles::ChargeOrOrder,
    amount: Some("/order/amount"),
    charges_with: &["/card", "/paymentoption"],
    limits: "It is taken for a charge. With `\"charged\": false`, for an order without a card or another payment option, it moves no money and may be sent again if the service does not know it.",
    ..OF_PAYMENT
};

pub const OF_REFUND: LookUp = LookUp {
    keep: &[Keep::Value("/reference"), Keep::Value("/amount"), Keep::Added("/order/currency")],
    settles: Settles::Refund,
    amount: Some("/amount"),
    limits: "Only a full refund can be looked up, and only that it was done: the order is then REVERSED. A refund of a part, and one that failed, leave the order SUCCESSFUL.",
    ..OF_PAYMENT
};

pub const OF_CHECKOUT: LookUp = LookUp {
    members: &[("reference", &["/order/reference"])],
    keep: ORDER_AND_PRICE,
    settles: Settles::Order,
    amount: Some("/order/amount"),
    limits: "It moves no money and may be sent again; the address of the page is in no look-up.",
    ..OF_PAYMENT
};

pub const OF_CARD_CHARGE: LookUp = LookUp {
    members: &[("reference", &["/order/reference"])],
    keep: ORDER_AND_PRICE,
    amount: Some("/order/amount"),
    ..OF_PAYMENT
};

const ORDER_AND_PRICE: &[Keep] =
    &[Keep::Value("/order/reference"), Keep::Value("/order/amount"), Keep::Value("/order/currency")];

/// The order's reference is no member of the request.
pub const OF_AUTHORIZATION: LookUp = LookUp {
    keep: &[Keep::Value("/orderPaymentReference"), Keep::Added("/reference"), Keep::Added("/order/currency")],
    settles: Settles::Attempt,
    limits: "The request does not name its order: whoever asks must know its reference.",
    ..OF_PAYMENT
};
