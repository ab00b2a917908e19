//! The fields around the data of a response, which many responses have, and the responses about orders.

use crate::schema::{Member, Reference, Role};

pub const STATUS_WORD: Member = Member::text("status", "success, or what became of the request instead");
pub const STATUS_FLAG: Member = Member::flag("status", "whether the request succeeded");
pub const STATUS_CODE: Member = Member::text("statusCode", "code, e.g. 00").number_or_text();
pub const CODE: Member = Member::text("code", "code, e.g. 00").number_or_text();
pub const MESSAGE: Member = Member::text("message", "what became of the request, for a person");

pub const CREATE: &[Member] = &[
    STATUS_WORD.reported(),
    STATUS_CODE.reported(),
    MESSAGE.reported(),
    Member::object("data", CREATED, "the order and what belongs to it").reported(),
];

const CREATED: &[Member] = &[
    Member::object(
        "order",
        &[
            Member::text("reference", "reference of the order").reported(),
            // Models of public programs fail without this, feeRate and narration.
            Member::text("processorReference", "the service's reference of the order").integrated(),
            Member::amount("amount", "price of the order, without the fee").role(Role::Price).reported(),
            Member::amount("fee", "fee; 0 until it is known").nullable().reported(),
            Member::decimal("feeRate", "rate of the fee").nullable().integrated(),
            Member::integer("statusId", "state of the order").reported(),
            Member::text("status", "state of the order, as a word").reported(),
            Member::text("currency", "currency code").reported(),
            Member::text("narration", "narration").nullable().integrated(),
        ],
        "the order",
    )
    .reported(),
    Member::object(
        "subsidiary",
        &[
            Member::text("country", "country code of the merchant").nullable().integrated(),
            Member::text("supportEmail", "where the merchant's customers find help").nullable().integrated(),
            Member::any("customization", "how the merchant's payment page looks").nullable().integrated(),
        ],
        "the merchant",
    )
    .nullable()
    .reported(),
    Member::any("customer", "the customer; null, an object or an array of objects").nullable().reported(),
    Member::object(
        "payment",
        &[Member::text("source", "what the payment came from").nullable().integrated()],
        "the payment's settings",
    )
    .nullable()
    .reported(),
    Member::list(
        "otherPaymentOptions",
        &[
            Member::text("code", "code of the option, for order_pay").reported(),
            Member::text("name", "name of the option").reported(),
            Member::text("currency", "currency code").reported(),
        ],
        "further payment options",
    )
    .nullable()
    .reported(),
    Member::any("savedCards", "the customer's saved cards").nullable().reported(),
    Member::object(
        "subsidiaryOrderSummary",
        &[
            Member::text("orderName", "name of the order").nullable().integrated(),
            Member::any("orderItems", "what was ordered").nullable().integrated(),
        ],
        "the order as the merchant sees it",
    )
    .nullable()
    .integrated(),
    PAYMENT_DETAIL.of_card(),
    BANK_TRANSFER_DETAILS.of_card(),
    ORDER_PAYMENT.of_card(),
];

const PAYMENT_DETAIL: Member = Member::object(
    "paymentDetail",
    &[
        Member::text("redirectUrl", "where the customer must go to consent").nullable(),
        Member::text("recipientAccount", "account that receives the payment").nullable(),
        Member::text("paymentReference", "the service's reference of the payment").nullable(),
        Member::text("cardToken", "token of the card").nullable(),
    ],
    "details of the payment",
);

const BANK_TRANSFER_DETAILS: Member = Member::object(
    "bankTransferDetails",
    &[
        Member::text("bankAccount", "account to transfer to").reported(),
        Member::text("bankName", "bank of that account").reported(),
        Member::text("bankCode", "code of that bank").nullable().integrated(),
        Member::text("accountName", "name of that account").nullable().integrated(),
    ],
    "for bank transfers",
);

const ORDER_PAYMENT: Member = Member::object(
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
);

pub const PAY: &[Member] = &[
    STATUS_WORD,
    STATUS_CODE,
    MESSAGE,
    Member::object(
        "data",
        &[PAYMENT_DETAIL.nullable(), BANK_TRANSFER_DETAILS.nullable(), ORDER_PAYMENT],
        "the payment",
    ),
];

/// Not shown anywhere; what other responses about payments have.
pub const CHARGE: &[Member] = &[
    STATUS_WORD.guessed(),
    STATUS_CODE.guessed(),
    MESSAGE.guessed(),
    Member::object(
        "data",
        &[PAYMENT_DETAIL.of_card(), BANK_TRANSFER_DETAILS.of_card(), ORDER_PAYMENT.of_card()],
        "the payment",
    )
    .of_card(),
];

pub const CAPTURE: &[Member] = &[STATUS_WORD.guessed(), STATUS_CODE.guessed(), MESSAGE.guessed()];

pub const FEE: &[Member] = &[
    STATUS_WORD,
    STATUS_CODE,
    MESSAGE,
    Member::object(
        "data",
        &[
            Member::amount("amount", "price, without the fee"),
            Member::amount("fee", "fee"),
            Member::amount("total", "what would be charged, the fee included").nullable(),
            Member::amount("subsidiaryFee", "the merchant's part of the fee").nullable().integrated(),
            Member::text("paymentOption", "payment option").nullable().integrated(),
            // Both from a service of the same house.
            Member::amount("totalChargedAmount", "what would be charged, in the place of total").nullable().guessed(),
            Member::amount("customerFee", "the customer's part of the fee").nullable().guessed(),
        ],
        "the fee",
    ),
];

/// Where no `orderReference` stands beside it.
const OF_ORDER: Role = Role::ReferenceAlone(Reference::Order);

pub const REFUND: &[Member] = &[
    STATUS_FLAG,
    // Not shown for refunds; the other responses of this form have it.
    CODE.guessed(),
    MESSAGE,
    Member::object(
        "data",
        &[
            Member::text("reference", "reference of the order").role(OF_ORDER),
            Member::amount("amount_refunded", "what is refunded"),
            Member::text("status", "state of the refund, as a word, e.g. pending"),
        ],
        "the refund",
    ),
];

pub const STATUS: &[Member] = &[
    Member::text("status", "state of the order, as a word").reported(),
    STATUS_CODE.reported(),
    MESSAGE.guessed(),
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
];

pub const VERIFY: &[Member] = &[
    STATUS_WORD,
    STATUS_CODE,
    MESSAGE,
    Member::object(
        "data",
        &[
            Member::amount("orderAmount", "price of the order, without the fee: compare it with what was ordered")
                .integrated(),
            Member::amount("totalChargedAmount", "what was charged, the fee included"),
            Member::amount("fee", "fee").nullable(),
            Member::integer("statusId", "state of the payment"),
            Member::text("status", "state of the payment, as a word"),
            Member::text("paymentReference", "the service's reference of the payment").nullable(),
            Member::any("customer", "the customer; null, an object or an array of objects").nullable(),
            Member::any("cardDetails", "the card; null, an object or an array of objects").nullable(),
            Member::integer("paymentOptionId", "the service's number for the payment option").nullable().integrated(),
            Member::text("paymentMethod", "payment option, in words").nullable().integrated(),
            Member::integer("currencyId", "the service's number for the currency").nullable().integrated(),
            Member::text("productName", "the service's product").nullable().integrated(),
            Member::list(
                "orderPayments",
                &[Member::text("status", "state of this attempt, as a word")],
                "the attempts to pay",
            ),
            // The object is nearly the one of transaction_details, which has these.
            Member::text("orderReference", "reference of the order").nullable().guessed(),
            Member::text("reference", "reference of the order").nullable().role(OF_ORDER).guessed(),
            Member::text("currencyName", "currency code").guessed(),
        ],
        "the payment",
    ),
];

const SUMMARY: &[Member] = &[
    Member::integer("id", "the service's number for the order").reported(),
    Member::text("reference", "reference of the order").reported(),
    Member::text("orderReference", "reference of the order, again").nullable(),
    Member::text("paymentReference", "the service's reference of the payment").nullable().reported(),
    Member::text("paymentType", "payment option").nullable().reported(),
    Member::integer("currencyId", "the service's number for the currency").reported(),
    Member::text("paymentResponseCode", "code of the payment").nullable().number_or_text().reported(),
    Member::text("paymentResponseMessage", "message of the payment").nullable().reported(),
    Member::text("narration", "narration").nullable().reported(),
    Member::text("remarks", "remarks").nullable().reported(),
    Member::amount("totalChargedAmount", "what was charged, the fee included"),
    Member::amount("fee", "fee").nullable(),
    Member::integer("statusId", "state of the order"),
    Member::text("status", "state of the order, as a word"),
    Member::time("dateCreated", "when it was created").reported(),
];

const ATTEMPTS: &[Member] = &[
    Member::text("orderPaymentReference", "reference of this attempt").nullable().reported(),
    Member::text("orderPaymentResponseCode", "code of this attempt").nullable().number_or_text().reported(),
    Member::text("orderPaymentResponseMessage", "message of this attempt").nullable().reported(),
    Member::text("remarks", "remarks").nullable().reported(),
    Member::text("providerReference", "the provider's reference of this attempt").nullable(),
    Member::text("providerResponseCode", "the provider's code").nullable().number_or_text(),
    Member::text("externalReference", "a further reference of this attempt").nullable(),
    Member::text("paymentUrl", "where the customer pays").nullable(),
    Member::integer("statusId", "state of this attempt").reported(),
    Member::text("status", "state of this attempt, as a word").reported(),
];
