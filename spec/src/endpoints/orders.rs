//! Orders: create, pay, refund, and their state; saved cards; the page on which a customer pays.

use super::answers::{self, MESSAGE, STATUS_CODE};
use crate::schema::{
    Answer, ApiKey, Certainty, Doubt, Endpoint, Envelope, Field, Keep, Kind, LookUp, Member, PayOption, Reference,
    Safety, Settles, Wire,
};

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
        looked_up_by: Some(BY_CREATE),
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
        looked_up_by: Some(BY_PAYMENT),
        body_certainty: Certainty::Integrated,
        doc: "Pays an order: by card, bank transfer, direct debit, or another payment option.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_pay_authorize",
        path: "/payment/order/pay/authorize",
        encrypted: true,
        fields: &[
            Field::required("orderPaymentReference", Kind::Text, "reference of the attempt to pay, from its response")
                .names(Reference::Payment),
            Field::required("otp", Kind::Text, "the code that the card's holder received").secret(),
            Field::optional("message", Kind::Text, "message"),
        ],
        answer: Answer { is_of_payment: true, members: answers::PAY, ..Endpoint::ANSWER },
        looked_up_by: Some(BY_AUTHORIZATION),
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
        looked_up_by: Some(BY_REFUND),
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
        looked_up_by: Some(BY_CARD_CHARGE),
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
            // The state is the order's: an order being paid is no evidence about the card.
            reports_state: false,
            members: &[Member::text("status", "state of the order, as a word"), STATUS_CODE, MESSAGE.guessed()],
            ..Endpoint::ANSWER
        },
        doc: "Saves the card with which an order was paid, for card_charge.",
        ..Endpoint::ROW
    },
    Endpoint {
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
        looked_up_by: Some(BY_CHECKOUT),
        certainty: Certainty::Integrated,
        key_certainty: Certainty::Integrated,
        body_certainty: Certainty::Integrated,
        doc: "Creates an order that the customer pays on a page of the service; the response has its address.",
        ..Endpoint::ROW
    },
];

// Objects within the requests.

const CARD: &[Field] = &[
    Field::required("cardnumber", Kind::Text, "card number, digits only").secret().digits(),
    Field::required("expirymonth", Kind::Text, "two digits"),
    Field::required("expiryyear", Kind::Text, "two or four digits"),
    Field::required("cvv", Kind::Text, "card security code").secret(),
    Field::optional("authOption", Kind::Text, "how the holder consents, e.g. PIN").any_case().integrated(),
    Field::optional("pin", Kind::Text, "the card's PIN").secret().any_case().guessed(),
];

/// Beside a `reference` of the request itself.
const ORDER: &[Field] = &[ORDER_REFERENCE.same_as("/reference"), AMOUNT, DESCRIPTION, CURRENCY];
/// In a request that has no other reference.
const ORDER_ALONE: &[Field] = &[ORDER_REFERENCE, AMOUNT, DESCRIPTION, CURRENCY];

const ORDER_REFERENCE: Field =
    Field::required("reference", Kind::Text, "reference of the order, unique: a second order with it is refused")
        .names(Reference::Order)
        .integrated();
// Integrations send a number.
const AMOUNT: Field = Field::required("amount", Kind::Amount(Wire::Number), "price, without the fee").integrated();
const DESCRIPTION: Field = Field::optional("description", Kind::Text, "description of the order").integrated();
const CURRENCY: Field = Field::optional("currency", Kind::Text, "currency code, e.g. NGN").identifies().integrated();

const CUSTOMER: &[Field] = &[
    Field::optional("firstname", Kind::Text, "first name").integrated(),
    Field::optional("lastname", Kind::Text, "last name").integrated(),
    Field::optional("mobile", Kind::Text, "telephone number").secret().integrated(),
    Field::optional("country", Kind::Text, "two-letter country code").integrated(),
    Field::optional("email", Kind::Text, "e-mail address").secret().integrated(),
];

const PAYMENT: &[Field] =
    &[Field::optional("RedirectUrl", Kind::Text, "where the customer's browser goes after the payment")
        .secret()
        .integrated()];

const PAYMENT_META: &[Field] =
    &[Field::optional("ipAddress", Kind::Text, "address of the customer's browser").secret().integrated()];

// The payment options of `order_pay`.

const OPTIONS: &[PayOption] = &[
    PayOption { needs: &["card"], ..option(&["C"], CARD_SPELLING, Certainty::Documented, "card") },
    PayOption {
        needs: &["directDebitPaymentRequest"],
        ..option(&["NDD"], DEBIT_SPELLING, Certainty::Documented, "direct debit under a mandate")
    },
    PayOption {
        needs: &["BankTransfer"],
        ..option(
            &["bank-transfer", "BT"],
            CARD_SPELLING,
            Certainty::Reported,
            "bank transfer: the response has the account, which lives for 10 to 30 minutes",
        )
    },
    option(&["Opay"], DEBIT_SPELLING, Certainty::Integrated, "OPay wallet"),
    option(&["momo"], DEBIT_SPELLING, Certainty::Integrated, "mobile money; what it needs is not known"),
    option(&["USSD"], DEBIT_SPELLING, Certainty::Integrated, "USSD code; what it needs is not known"),
    option(&["NQR"], DEBIT_SPELLING, Certainty::Integrated, "QR code; what it needs is not known"),
    option(&["BA"], DEBIT_SPELLING, Certainty::Integrated, "bank account; what it needs is not known"),
];

/// As the service documents the payload of a card, and as transfers were seen.
const CARD_SPELLING: &str = "paymentoption";
/// As the service documents `order_pay`, for direct debits.
const DEBIT_SPELLING: &str = "paymentOption";

const fn option(
    words: &'static [&'static str],
    sent_as: &'static str,
    certainty: Certainty,
    doc: &'static str,
) -> PayOption {
    PayOption { words, sent_as, needs: &[], certainty, doc }
}

// How to find the outcome of a request.

/// A payment, by the reference of its order.
const BY_PAYMENT: LookUp = LookUp {
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

const BY_CREATE: LookUp = LookUp {
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
    ..BY_PAYMENT
};

const BY_REFUND: LookUp = LookUp {
    keep: &[Keep::Value("/reference"), Keep::Value("/amount"), Keep::Added("/order/currency")],
    settles: Settles::Refund,
    amount: Some("/amount"),
    limits: "Only a full refund can be looked up, and only that it was done: the order is then REVERSED. A refund of a part, and one that failed, leave the order SUCCESSFUL.",
    ..BY_PAYMENT
};

const BY_CHECKOUT: LookUp = LookUp {
    members: &[("reference", &["/order/reference"])],
    keep: ORDER_AND_PRICE,
    settles: Settles::Order,
    amount: Some("/order/amount"),
    limits: "It moves no money and may be sent again; the address of the page is in no status query.",
    ..BY_PAYMENT
};

const BY_CARD_CHARGE: LookUp = LookUp {
    members: &[("reference", &["/order/reference"])],
    keep: ORDER_AND_PRICE,
    amount: Some("/order/amount"),
    ..BY_PAYMENT
};

const ORDER_AND_PRICE: &[Keep] =
    &[Keep::Value("/order/reference"), Keep::Value("/order/amount"), Keep::Value("/order/currency")];

/// The order's reference is no field of the request.
const BY_AUTHORIZATION: LookUp = LookUp {
    keep: &[Keep::Value("/orderPaymentReference"), Keep::Added("/reference"), Keep::Added("/order/currency")],
    settles: Settles::Attempt,
    limits: "The request does not name its order: whoever asks must know its reference.",
    ..BY_PAYMENT
};
