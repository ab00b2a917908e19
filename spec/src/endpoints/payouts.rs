//! Payouts to bank accounts, and the balance that they are paid from.

use super::answers::{MESSAGE, STATUS_CODE, STATUS_WORD};
use crate::schema::{
    Answer, ApiKey, Certainty, Doubt, Endpoint, Envelope, Field, Keep, Kind, LookUp, Member, Method, Reference, Safety,
    Settles, Wire,
};

/// Fields that a bulk payout reads and writes: of the request and of its response.
pub mod names {
    pub const LIST: &str = "payoutDetails";
    pub const CLIENT_REFERENCE: &str = "clientReference";
    pub const ACCOUNT: &str = "accountNumber";
    pub const BANK: &str = "bankCode";
    pub const AMOUNT: &str = "amount";
    pub const PAYOUTS: &str = "data";
    pub const PAYOUT_REFERENCE: &str = "payoutReference";
    pub const BATCH_REFERENCE: &str = "batchReference";
    pub const BATCH_ID: &str = "batchId";
}

/// The row that pays.
pub const INITIATE: &Endpoint = super::endpoint("payout_initiate");

pub const ROWS: &[Endpoint] = &[
    Endpoint {
        name: "payout_name_enquiry",
        path: "/payout/name-enquiry",
        encrypted: true,
        headers: ENCRYPTION,
        fields: &[
            Field::required("bankCode", Kind::Text, "code of the recipient's bank, 6 digits, e.g. 000014"),
            Field::required("accountNumber", Kind::Text, "the recipient's bank account").secret(),
        ],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::Bare,
            members: &[
                Member::text("bankCode", "code of the bank"),
                Member::text("accountNumber", "the bank account"),
                Member::text("accountName", "name of the account's holder: compare it with the recipient's"),
            ],
            ..Endpoint::ANSWER
        },
        doc: "Returns the name of a bank account's holder.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "payout_initiate",
        path: "/payout/initiate",
        // One integration in production sends the secret key and the header, another the public key and no header.
        key: ApiKey::Secret,
        key_setting: Some("payout_key"),
        key_certainty: Certainty::Integrated,
        encrypted: true,
        headers: ENCRYPTION,
        headers_setting: Some("payout_encryption_header"),
        body_certainty: Certainty::Integrated,
        fields: &[Field::required(names::LIST, Kind::List(DETAILS), "the payouts of the batch")],
        doubt: Doubt::Payout,
        answer: Answer { success_is_state: true, members: ACCEPTED, ..Endpoint::ANSWER },
        looked_up_by: Some(LookUp {
            endpoint: "payout_status",
            members: &[(names::BATCH_REFERENCE, &["/batchReference"])],
            keep: &[Keep::Added("/batchReference")],
            settles: Settles::Batch,
            amount: None,
            currency: None,
            currency_by: None,
            charges_with: &[],
            limits: "The reference is in the response alone: without a response only a person can find out.",
        }),
        doc: "Pays out to bank accounts, as one batch. Success means accepted, not paid: ask payout_status.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "payout_status",
        method: Method::Get,
        path: "/payout/{batchReference}/status",
        key: ApiKey::Secret,
        key_certainty: Certainty::Guessed,
        fields: &[Field::path(names::BATCH_REFERENCE, "reference of the batch, from the response of payout_initiate")
            .names(Reference::Batch)],
        safety: Safety::ReadOnly,
        // The response is not documented, so no field of it is taken for the state of a payout.
        answer: Answer { certainty: Certainty::Guessed, members: STATUS, ..Endpoint::ANSWER },
        doc: "Returns the payouts of a batch and their states. The form of the response is not documented.",
        ..Endpoint::ROW
    },
    Endpoint {
        name: "payout_balance",
        method: Method::Get,
        path: "/payout/balance-enquiry",
        key: ApiKey::Secret,
        fields: &[Field::query("currency", "currency code, e.g. NGN").integrated()],
        safety: Safety::ReadOnly,
        answer: Answer {
            envelope: Envelope::Bare,
            certainty: Certainty::Integrated,
            members: &[
                Member::text("currency", "currency code").integrated(),
                Member::amount("availableBalance", "what can be paid out").integrated(),
            ],
            ..Endpoint::ANSWER
        },
        certainty: Certainty::Integrated,
        key_certainty: Certainty::Integrated,
        doc: "Returns the balance in a currency from which payouts are made.",
        ..Endpoint::ROW
    },
];

const ENCRYPTION: &[(&str, &str)] = &[("encryption", "RSA")];

/// A recipient.
pub const DETAILS: &[Field] = &[
    Field::optional(names::CLIENT_REFERENCE, Kind::Text, "your own reference; the response does not repeat it")
        .names(Reference::Recipient),
    Field::required(names::ACCOUNT, Kind::Text, "the recipient's bank account").secret().identifies(),
    Field::required(names::BANK, Kind::Text, "code of the recipient's bank, 6 digits, e.g. 000014").identifies(),
    // The response has a number; the request is not shown.
    Field::required(names::AMOUNT, Kind::Amount(Wire::Number), "what the recipient receives"),
    Field::required("description", Kind::Text, "description of the payout"),
    Field::required("accountName", Kind::Text, "name of the account's holder, see payout_name_enquiry"),
    Field::required("creditCurrency", Kind::Text, "currency code of the recipient's account, e.g. NGN").identifies(),
    Field::required("debitCurrency", Kind::Text, "currency code of the balance that is debited, e.g. NGN").identifies(),
];

/// A payout in the order of the request.
const PAYOUTS: &[Member] = &[
    Member::text("accountName", "name of the account's holder"),
    Member::text(names::ACCOUNT, "the recipient's bank account"),
    Member::text(names::BANK, "code of the recipient's bank"),
    Member::text("bankId", "the service's number for the bank").nullable().number_or_text(),
    Member::amount(names::AMOUNT, "what the recipient receives"),
    Member::text("description", "description of the payout").nullable(),
    Member::text("category", "category of the payout").nullable(),
    Member::text(names::PAYOUT_REFERENCE, "the service's reference of the payout"),
    Member::text("creditCurrency", "currency code of the recipient's account"),
    Member::text("debitCurrency", "currency code of the balance that is debited"),
    // The service spells it so.
    Member::text("beneficiayAddress", "address of the recipient").nullable(),
];

const ACCEPTED: &[Member] = &[
    STATUS_WORD,
    STATUS_CODE,
    MESSAGE,
    Member::text(names::BATCH_REFERENCE, "reference of the batch: store it, payout_status needs it"),
    Member::text(names::BATCH_ID, "the service's number for the batch").number_or_text(),
    Member::list(names::PAYOUTS, PAYOUTS, "the payouts, in the order of the request"),
];

const STATUS: &[Member] = &[
    STATUS_WORD.guessed(),
    STATUS_CODE.guessed(),
    MESSAGE.guessed(),
    Member::text(names::BATCH_REFERENCE, "reference of the batch").guessed(),
    Member::list(
        names::PAYOUTS,
        &[
            Member::text(names::ACCOUNT, "the recipient's bank account").guessed(),
            Member::text(names::BANK, "code of the recipient's bank").guessed(),
            Member::amount(names::AMOUNT, "what the recipient receives").guessed(),
            Member::text(names::PAYOUT_REFERENCE, "the service's reference of the payout").guessed(),
            Member::integer("statusId", "state of the payout").guessed(),
            Member::text("status", "state of the payout, as a word").guessed(),
        ],
        "the payouts of the batch",
    )
    .guessed(),
];
