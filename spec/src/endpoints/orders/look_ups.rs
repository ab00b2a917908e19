//! How to find out what became of a request about an order.

use crate::schema::{Keep, LookUp, Settles};

/// A payment, by the reference of its order.
pub const OF_PAYMENT: LookUp = LookUp {
    endpoint: "order_status",
    members: &[("reference", &["/reference"])],
    keep: &[Keep::Value("/reference")],
    settles: Settles::Charge,
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
    limits: "An order without a card may be sent again: it moves no money.",
    ..OF_PAYMENT
};

pub const OF_REFUND: LookUp = LookUp {
    keep: &[Keep::Value("/reference"), Keep::Value("/amount")],
    settles: Settles::Refund,
    limits: "Only a full refund can be looked up.",
    ..OF_PAYMENT
};

pub const OF_CHECKOUT: LookUp = LookUp {
    members: &[("reference", &["/order/reference"])],
    keep: ORDER_AND_PRICE,
    settles: Settles::Order,
    limits: "It moves no money and may be sent again; the address of the page is in no look-up.",
    ..OF_PAYMENT
};

pub const OF_CARD_CHARGE: LookUp =
    LookUp { members: &[("reference", &["/order/reference"])], keep: ORDER_AND_PRICE, ..OF_PAYMENT };

const ORDER_AND_PRICE: &[Keep] =
    &[Keep::Value("/order/reference"), Keep::Value("/order/amount"), Keep::Value("/order/currency")];

/// The order's reference is no member of the request.
pub const OF_AUTHORIZATION: LookUp = LookUp {
    keep: &[Keep::Value("/orderPaymentReference"), Keep::Added("/reference")],
    settles: Settles::Attempt,
    limits: "The request does not name its order: whoever asks must know its reference.",
    ..OF_PAYMENT
};
