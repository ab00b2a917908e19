//! Virtual bank accounts and the payments into them.

use super::answers::{CODE, MESSAGE, STATUS_FLAG};
use crate::schema::{
    Answer, Certainty, Endpoint, Envelope, Field, Keep, Kind, LookUp, Member, Method, Reference, Safety, Settles,
};

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "virtual_account_generate",
        path: "/payment/virtual-account/generate",
        encrypted: true,
        headers: &[("encryption", "RSA")],
        fields: &[
            Field::required("Alias", Kind::Text, "label of the account, e.g. a customer's number")
                .names(Reference::Alias),
            Field::optional("Narration", Kind::Text, "narration"),
            Field::optional("Reference", Kind::Text, "returned as accountReference on callbacks")
                .names(Reference::Account),
        ],
        safety: Safety::Repeatable,
        answer: Answer {
            envelope: Envelope::Flat,
            members: &[
                STATUS_FLAG,
                MESSAGE,
                Member::text("accountNumber", "the account; not always digits"),
                Member::text("accountName", "name of the account"),
                Member::text("bank", "name of the bank"),
                Member::text("bankCode", "code of the bank").nullable(),
                Member::object(
                    "data",
                    &[
                        Member::text("account_number", "the account").reported(),
                        Member::text("account_name", "name of the account").reported(),
                        Member::text("bank_name", "name of the bank").field("bank").reported(),
                        Member::text("reference", "the Reference given").nullable().reported(),
                    ],
                    "the account, in an older form of this response, which lacks the fields above",
                )
                .nullable()
                .reported(),
            ],
            ..Endpoint::ANSWER
        },
        looked_up_by: Some(LookUp {
            endpoint: "virtual_account_details",
            members: &[("alias", &["/Alias"])],
            keep: &[Keep::Value("/Alias"), Keep::Value("/Reference")],
            settles: Settles::Account,
            amount: None,
            currency: None,
            currency_by: None,
            charges_with: &[],
            limits: "The same alias may be sent again: it has one account.",
        }),
        doc: "Creates a reserved virtual bank account: persistent, one per alias. Only a webhook tells of a transfer.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "virtual_account_details",
        method: Method::Get,
        path: "/payment/account-details",
        fields: &[Field::query("alias", "label of the account, as it was generated")
            .names(Reference::Alias)
            .integrated()],
        safety: Safety::ReadOnly,
        // Integrations look for the account under `data` and at the top; the names are those of the account's creation.
        answer: Answer {
            envelope: Envelope::Bare,
            certainty: Certainty::Guessed,
            members: &[
                Member::text("accountNumber", "the account; not always digits").guessed(),
                Member::text("accountName", "name of the account").guessed(),
                Member::text("bank", "name of the bank").guessed(),
                Member::text("bankCode", "code of the bank").nullable().guessed(),
                Member::text("alias", "label of the account").nullable().guessed(),
                Member::text("accountReference", "the Reference given when the account was generated")
                    .nullable()
                    .guessed(),
                Member::object(
                    "data",
                    &[
                        Member::text("accountNumber", "the account").guessed(),
                        Member::text("accountName", "name of the account").guessed(),
                        Member::text("bank", "name of the bank").guessed(),
                        Member::text("bankCode", "code of the bank").nullable().guessed(),
                    ],
                    "the account, in another form of this response, which lacks the fields above",
                )
                .nullable()
                .guessed(),
            ],
            ..Endpoint::ANSWER
        },
        certainty: Certainty::Integrated,
        key_certainty: Certainty::Integrated,
        doc: "Returns the virtual account of an alias.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "transaction_details",
        method: Method::Get,
        path: "/payment/transaction-details/{sessionId}",
        fields: &[Field::path("sessionId", "identifier of the transaction session. Only a webhook has it: without one, no function can wait for a transfer").names(Reference::Session)],
        safety: Safety::ReadOnly,
        answer: Answer {
            is_of_payment: true,
            envelope: Envelope::Flag,
            subject: Some("/data/statusId"),
            members: &[STATUS_FLAG, CODE.nullable(), MESSAGE, Member::object("data", FUNDING, "the funding event")],
            ..Endpoint::ANSWER
        },
        doc: "Returns the details of a funding event on a virtual account.",
        ..Endpoint::ROW
    },
];

const FUNDING: &[Member] = &[
    Member::text("statusCode", "code, e.g. 00").number_or_text(),
    Member::text("status", "state, as a word, e.g. Successful"),
    Member::text("orderReference", "reference of the order").nullable(),
    Member::text("paymentReference", "the service's reference of the payment"),
    Member::text("productName", "product").nullable(),
    Member::amount("totalAmountCharged", "what was paid, the fee included"),
    Member::integer("statusId", "state of the payment"),
    Member::text("paymentMethod", "payment method").nullable(),
    Member::text("paymentResponseCode", "code of the payment").nullable().number_or_text(),
    Member::text("paymentResponseMessage", "message of the payment").nullable(),
    Member::text("narration", "narration").nullable(),
    Member::text("remarks", "remarks").nullable(),
    Member::integer("currencyId", "the service's number for the currency"),
    Member::text("currencyName", "currency code"),
    Member::amount("fee", "fee").nullable(),
    Member::decimal("feeRate", "rate of the fee").nullable(),
    Member::amount("subsidiaryFee", "the merchant's part of the fee").nullable(),
    Member::amount("customerFee", "the customer's part of the fee").nullable(),
    Member::time("dateCreated", "when it was created"),
    Member::time("dateUpdated", "when it was last changed"),
    Member::time("datePaymentConfirmed", "when the payment was confirmed"),
    Member::text("sessionId", "identifier of the transaction session"),
    Member::text("sourceAccountName", "name of the sender"),
    Member::text("sourceAccountNumber", "account of the sender").nullable(),
    Member::list("orderPayments", PAYMENTS, "the attempts to pay"),
    Member::any("customer", "the customer; null, an object or an array of objects").nullable(),
    Member::any("cardDetails", "the card; null, an object or an array of objects").nullable(),
    Member::text("paymentLink", "payment link").nullable(),
    Member::text("bank", "name of the sender's bank"),
    Member::text("accountReference", "the Reference given when the account was generated").nullable(),
    // Seen at order verify and in webhooks, whose objects are nearly this one.
    Member::amount("orderAmount", "price of the order, without the fee").nullable().guessed(),
];

const PAYMENTS: &[Member] = &[
    Member::integer("orderId", "the service's number for the order"),
    Member::text("orderPaymentReference", "reference of this attempt to pay").nullable(),
    Member::integer("paymentOptionId", "the service's number for the payment option"),
    Member::text("paymentOption", "payment option").nullable(),
    Member::integer("statusId", "state of this attempt"),
    Member::text("paymentStatus", "state of this attempt, as a word").nullable(),
    Member::text("responseCode", "code of this attempt").nullable().number_or_text(),
    Member::text("responseMessage", "message of this attempt").nullable(),
    Member::text("orderPaymentInstrument", "the account or card"),
    Member::text("remarks", "remarks").nullable(),
    Member::time("dateCreated", "when it was created"),
    Member::time("dateUpdated", "when it was last changed").nullable(),
];
