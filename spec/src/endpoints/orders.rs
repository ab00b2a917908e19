//! Orders: create, pay, refund, and their state.

use crate::schema::{Answer, ApiKey, Certainty, Endpoint, Envelope, Field, Kind, LookUp, Member, Safety, Wire};

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "order_create",
        path: "/payment/order/create",
        encrypted: true,
        // The plaintext: a card payload, or an order with customer and payment, or both; the interface leaves it open.
        fields: &[
            Field::optional("reference", Kind::Text, "reference of the order"),
            Field::optional("paymentoption", Kind::Text, "C for card"),
            Field::optional("country", Kind::Text, "two-letter country code"),
            Field::optional(
                "card",
                Kind::Object(&[
                    Field::required("cardnumber", Kind::Text, "card number").secret(),
                    Field::required("expirymonth", Kind::Text, "two digits"),
                    Field::required("expiryyear", Kind::Text, "two digits"),
                    Field::required("cvv", Kind::Text, "card security code").secret(),
                ]),
                "the card",
            ),
            Field::optional("order", Kind::Object(ORDER), "the order and its price").certainty(Certainty::Integrated),
            Field::optional("customer", Kind::Object(CUSTOMER), "the customer").certainty(Certainty::Integrated),
            Field::optional("payment", Kind::Object(PAYMENT), "settings of the payment")
                .certainty(Certainty::Integrated),
            Field::optional("paymentMeta", Kind::Object(PAYMENT_META), "data about the payment")
                .certainty(Certainty::Integrated),
        ],
        allows_extra: true,
        answer: Answer {
            certainty: Certainty::Reported,
            state: Some("/data/order/statusId"),
            members: &[Member::object(
                "data",
                &[
                    Member::object(
                        "order",
                        &[
                            Member::text("reference", "reference of the order").certainty(Certainty::Reported),
                            Member::text("processorReference", "the service's reference of the payment")
                                .certainty(Certainty::Reported),
                            Member::amount("amount", "price of the order, without the fee")
                                .certainty(Certainty::Reported),
                            Member::amount("fee", "fee; 0 until it is known").nullable().certainty(Certainty::Reported),
                            Member::integer("statusId", "state of the order").certainty(Certainty::Reported),
                            Member::text("status", "state of the order, as a word").certainty(Certainty::Reported),
                            Member::text("currency", "currency code").certainty(Certainty::Reported),
                            Member::text("narration", "narration").nullable().certainty(Certainty::Reported),
                        ],
                        "the order",
                    )
                    .certainty(Certainty::Reported),
                    Member::any("subsidiary", "the merchant").nullable().certainty(Certainty::Reported),
                    Member::any("customer", "the customer; null, an object or an array of objects")
                        .nullable()
                        .certainty(Certainty::Reported),
                    Member::any("payment", "the payment's settings").nullable().certainty(Certainty::Reported),
                    Member::list(
                        "otherPaymentOptions",
                        &[
                            Member::text("code", "code of the option, for order_pay").certainty(Certainty::Reported),
                            Member::text("name", "name of the option").certainty(Certainty::Reported),
                            Member::text("currency", "currency code").certainty(Certainty::Reported),
                        ],
                        "further payment options",
                    )
                    .nullable()
                    .certainty(Certainty::Reported),
                    Member::any("savedCards", "the customer's saved cards").nullable().certainty(Certainty::Reported),
                ],
                "the order and what belongs to it",
            )
            .certainty(Certainty::Reported)],
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(LookUp {
            limits: "An order without a card may be sent again: it moves no money.",
            ..BY_STATUS
        }),
        doc: "Creates an order payment from the plaintext payload, for example a card charge; the library encrypts it.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_pay",
        path: "/payment/order/pay",
        encrypted: true,
        fields: &[
            Field::required("paymentOption", Kind::Text, "NDD for direct debit"),
            Field::required("reference", Kind::Text, "reference of the order"),
            Field::optional(
                "directDebitPaymentRequest",
                Kind::Object(&[
                    Field::required("otp", Kind::Text, "the one-time code received by e-mail").secret(),
                    Field::required("mandateCode", Kind::Text, "the code returned at mandate creation"),
                    Field::optional("accountName", Kind::Text, "name of the customer's account"),
                    Field::optional("bankCode", Kind::Text, "code of the customer's bank"),
                ]),
                "the debit, for the payment option NDD",
            ),
        ],
        allows_extra: true,
        answer: Answer {
            state: Some("/data/orderPayment/statusId"),
            members: &[Member::object(
                "data",
                &[
                    Member::object(
                        "paymentDetail",
                        &[
                            Member::text("redirectUrl", "where the customer must go to consent").nullable(),
                            Member::text("recipientAccount", "account that receives the payment").nullable(),
                            Member::text("paymentReference", "the service's reference of the payment").nullable(),
                            Member::text("cardToken", "token of the card").nullable(),
                        ],
                        "details of the payment",
                    )
                    .nullable(),
                    Member::object(
                        "bankTransferDetails",
                        &[
                            Member::text("bankAccount", "account to transfer to").certainty(Certainty::Reported),
                            Member::text("bankName", "bank of that account").certainty(Certainty::Reported),
                        ],
                        "for bank transfers",
                    )
                    .nullable(),
                    Member::object(
                        "orderPayment",
                        &[
                            Member::integer("orderId", "the service's number for the order"),
                            Member::text("orderPaymentReference", "reference of this attempt to pay"),
                            Member::text("currency", "currency code"),
                            Member::integer("statusId", "state of the payment"),
                            Member::text("orderPaymentResponseCode", "code of the payment").number_or_text(),
                            Member::text("orderPaymentResponseMessage", "message of the payment"),
                            Member::text("orderPaymentInstrument", "the account or card").nullable(),
                            Member::text("remarks", "remarks"),
                            Member::amount("totalAmount", "what is charged, the fee included"),
                            Member::amount("fee", "fee"),
                        ],
                        "this attempt to pay",
                    ),
                ],
                "the payment",
            )],
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(BY_STATUS),
        doc: "Charges the customer, for example under an approved mandate.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_refund",
        path: "/payment/order/refund",
        key: ApiKey::Secret,
        fields: &[
            Field::required("reference", Kind::Text, "reference of the original order"),
            Field::optional("reason", Kind::Text, "why; recommended"),
            Field::optional(
                "amount",
                Kind::Amount(Wire::Text),
                "amount of a partial refund; without it the full amount is refunded",
            ),
        ],
        answer: Answer {
            envelope: Envelope::Flag,
            success_is_state: true,
            members: &[Member::object(
                "data",
                &[
                    Member::text("reference", "reference of the order"),
                    Member::amount("amount_refunded", "what is refunded"),
                    Member::text("status", "state of the refund, as a word, e.g. pending"),
                ],
                "the refund",
            )],
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(LookUp { limits: "Only a full refund can be looked up.", ..BY_STATUS }),
        doc: "Starts a refund of an order, in full or in part.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_status",
        path: "/payment/order/status",
        encrypted: true,
        fields: &[Field::required("reference", Kind::Text, "reference of the order")],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::PaymentState,
            state: Some("/data/orderSummary/statusId"),
            subject: Some("/data/orderSummary"),
            members: &[
                Member::text("status", "state of the order, as a word").certainty(Certainty::Reported),
                Member::object(
                    "data",
                    &[
                        Member::flag("isFinalStatus", "whether the state can no longer change"),
                        Member::flag("requeryNeeded", "whether to ask again"),
                        Member::object("orderSummary", SUMMARY, "the order"),
                        Member::list("orderPayments", ATTEMPTS, "the attempts to pay"),
                    ],
                    "the order and its history",
                ),
            ],
            ..Endpoint::ANSWER
        },
        doc: "Returns the state of an order and of each attempt to pay it. It tells what became of a payment.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "order_verify",
        path: "/payment/order/verify",
        key: ApiKey::Secret,
        fields: &[Field::required("reference", Kind::Text, "reference of the order")],
        safety: Safety::ReadOnly,
        answer: Answer {
            state: Some("/data/statusId"),
            subject: Some("/data/statusId"),
            members: &[Member::object(
                "data",
                &[
                    Member::amount(
                        "orderAmount",
                        "price of the order, without the fee: compare it with what was ordered",
                    )
                    .certainty(Certainty::Integrated),
                    Member::amount("totalChargedAmount", "what was charged, the fee included"),
                    Member::amount("fee", "fee").nullable(),
                    Member::integer("statusId", "state of the payment"),
                    Member::text("status", "state of the payment, as a word"),
                    Member::text("paymentReference", "the service's reference of the payment").nullable(),
                    Member::any("customer", "the customer; null, an object or an array of objects").nullable(),
                    Member::any("cardDetails", "the card; null, an object or an array of objects").nullable(),
                    Member::list(
                        "orderPayments",
                        &[Member::text("status", "state of this attempt, as a word")],
                        "the attempts to pay",
                    ),
                ],
                "the payment",
            )],
            ..Endpoint::ANSWER
        },
        doc: "Verifies the payment of an order. Only the state tells whether it is paid: code 00 means found.",
        ..Endpoint::ROW
    },
];

const ORDER: &[Field] = &[
    Field::required("reference", Kind::Text, "reference of the order; equal to reference, if both are given")
        .same_as("/reference")
        .certainty(Certainty::Integrated),
    // Integrations send a number.
    Field::required("amount", Kind::Amount(Wire::Number), "price, without the fee").certainty(Certainty::Integrated),
    Field::optional("description", Kind::Text, "description of the order").certainty(Certainty::Integrated),
    Field::optional("currency", Kind::Text, "currency code, e.g. NGN").certainty(Certainty::Integrated),
];

const CUSTOMER: &[Field] = &[
    Field::optional("firstname", Kind::Text, "first name").certainty(Certainty::Integrated),
    Field::optional("lastname", Kind::Text, "last name").certainty(Certainty::Integrated),
    Field::optional("mobile", Kind::Text, "telephone number").secret().certainty(Certainty::Integrated),
    Field::optional("country", Kind::Text, "two-letter country code").certainty(Certainty::Integrated),
    Field::optional("email", Kind::Text, "e-mail address").secret().certainty(Certainty::Integrated),
];

const PAYMENT: &[Field] =
    &[Field::optional("RedirectUrl", Kind::Text, "where the customer's browser goes after the payment")
        .secret()
        .certainty(Certainty::Integrated)];

const PAYMENT_META: &[Field] = &[Field::optional("ipAddress", Kind::Text, "address of the customer's browser")
    .secret()
    .certainty(Certainty::Integrated)];

/// What became of a payment, by the reference of its order.
const BY_STATUS: LookUp =
    LookUp { endpoint: "order_status", members: &[("reference", &["/reference", "/order/reference"])], limits: "" };

const SUMMARY: &[Member] = &[
    Member::integer("id", "the service's number for the order").certainty(Certainty::Reported),
    Member::text("reference", "reference of the order").certainty(Certainty::Reported),
    Member::text("paymentReference", "the service's reference of the payment")
        .nullable()
        .certainty(Certainty::Reported),
    Member::text("paymentType", "payment option").nullable().certainty(Certainty::Reported),
    Member::integer("currencyId", "the service's number for the currency").certainty(Certainty::Reported),
    Member::text("paymentResponseCode", "code of the payment")
        .nullable()
        .number_or_text()
        .certainty(Certainty::Reported),
    Member::text("paymentResponseMessage", "message of the payment").nullable().certainty(Certainty::Reported),
    Member::text("narration", "narration").nullable().certainty(Certainty::Reported),
    Member::text("remarks", "remarks").nullable().certainty(Certainty::Reported),
    Member::amount("totalChargedAmount", "what was charged, the fee included"),
    Member::amount("fee", "fee").nullable(),
    Member::integer("statusId", "state of the order"),
    Member::text("status", "state of the order, as a word"),
    Member::time("dateCreated", "when it was created").certainty(Certainty::Reported),
];

const ATTEMPTS: &[Member] = &[
    Member::text("orderPaymentReference", "reference of this attempt").nullable().certainty(Certainty::Reported),
    Member::text("orderPaymentResponseCode", "code of this attempt")
        .nullable()
        .number_or_text()
        .certainty(Certainty::Reported),
    Member::text("orderPaymentResponseMessage", "message of this attempt").nullable().certainty(Certainty::Reported),
    Member::text("remarks", "remarks").nullable().certainty(Certainty::Reported),
    Member::integer("statusId", "state of this attempt").certainty(Certainty::Reported),
    Member::text("status", "state of this attempt, as a word").certainty(Certainty::Reported),
];
