//! THE TABLE: one row per endpoint of the payments service, and all that is known of it.
//!
//! A new endpoint is a row here and a scenario in `tests/scenarios.json`; everything else is rendered from the row.
//! Plain data without dependencies, because `build.rs` reads it too. `§` names a section of the service's interface.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    pub const ALL: &[Method] = &[Method::Get, Method::Post, Method::Put, Method::Delete];

    pub const fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }
}

/// Which of the merchant's API keys the `api-key` header carries (§5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApiKey {
    Public,
    Secret,
}

impl ApiKey {
    /// The configuration member that holds it.
    pub const fn member(self) -> &'static str {
        match self {
            ApiKey::Public => "public_key",
            ApiKey::Secret => "secret_key",
        }
    }
}

/// Where a member of the request goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Path,
    Query,
    Body,
}

/// What a member of the request may hold.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A JSON string, not empty.
    Text,
    /// A JSON number without fraction or exponent.
    Integer,
    /// A JSON string holding a decimal amount above zero in major currency units, e.g. `"100.10"`.
    Amount,
    /// `true` or `false`.
    Flag,
    /// Any JSON value.
    Any,
    /// A JSON object with members of its own.
    Object(&'static [Field]),
}

#[derive(Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub place: Place,
    /// No message may repeat it.
    pub secret: bool,
    pub doc: &'static str,
}

/// What a request does at the service, and so what may be done when its outcome is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Safety {
    /// Changes nothing: the library repeats it by itself.
    ReadOnly,
    /// Changes something but moves no money: a caller may repeat it; the library does not.
    Repeatable,
    /// Moves money: repeated only when it provably was not done.
    Moves,
}

/// What is known of an answer beyond the members that all families share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnswerShape {
    /// JSON pointer of the member, an object or a number, that makes the answer of a reading row one about a payment,
    /// whatever the words beside it say.
    pub subject: Option<&'static str>,
    /// Members of an answer without an envelope: one of them is enough for success.
    pub bare: &'static [&'static str],
    /// The top-level `status` word is the payment's state, not the request's.
    pub word_is_state: bool,
    /// "success" in `data.status` is the state of what was asked for: of a refund or a payout.
    pub success_is_state: bool,
}

impl AnswerShape {
    pub const PLAIN: AnswerShape =
        AnswerShape { subject: None, bare: &[], word_is_state: false, success_is_state: false };
}

pub struct Endpoint {
    /// The exported function is `paysvc_<name>`.
    pub name: &'static str,
    pub method: Method,
    /// `{member}` stands for a member placed in the path.
    pub path: &'static str,
    pub key: ApiKey,
    /// The body is RSA-encrypted and sent as `{"data":"<base64>"}`.
    pub encrypted: bool,
    /// Headers beyond `api-key`, `accept` and `content-type`.
    pub headers: &'static [(&'static str, &'static str)],
    pub fields: &'static [Field],
    /// Members that the row does not name pass through: where the interface leaves the payload open.
    pub open: bool,
    pub safety: Safety,
    pub answer: AnswerShape,
    pub section: &'static str,
    pub doc: &'static str,
}

impl Endpoint {
    /// Changes nothing at the service, so that it is repeated.
    pub const fn read_only(&self) -> bool {
        matches!(self.safety, Safety::ReadOnly)
    }
}

const fn field(name: &'static str, kind: Kind, place: Place, required: bool, doc: &'static str) -> Field {
    Field { name, kind, required, place, secret: false, doc }
}
const fn secret(field: Field) -> Field {
    Field { secret: true, ..field }
}
const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    field(name, kind, Place::Body, true, doc)
}
const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    field(name, kind, Place::Body, false, doc)
}
const fn query(name: &'static str, doc: &'static str) -> Field {
    field(name, Kind::Text, Place::Query, true, doc)
}
const fn path(name: &'static str, doc: &'static str) -> Field {
    field(name, Kind::Text, Place::Path, true, doc)
}

/// What most rows share; a row states how it differs.
const ROW: Endpoint = Endpoint {
    name: "",
    method: Method::Post,
    path: "",
    key: ApiKey::Public,
    encrypted: false,
    headers: &[],
    fields: &[],
    open: false,
    safety: Safety::Moves,
    answer: AnswerShape::PLAIN,
    section: "",
    doc: "",
};

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        name: "direct_debit_history",
        method: Method::Get,
        path: "/payment/order/direct-debit/history",
        fields: &[query("emailAddress", "e-mail address of the customer")],
        safety: Safety::ReadOnly,
        answer: AnswerShape {
            bare: &["customerName", "hasExistingDebitMandate", "directDebitMandates"],
            ..AnswerShape::PLAIN
        },
        section: "4.1",
        doc: "Lists a customer's existing mandates.",
        ..ROW
    },
    Endpoint {
        name: "direct_debit_create",
        path: "/payment/order/direct-debit/create",
        encrypted: true,
        // Which of these are required is not shown, so none is.
        fields: &[
            optional("recurringPaymentId", Kind::Integer, "the recurring payment that the mandate serves"),
            optional("orderReference", Kind::Text, "reference of the order"),
            optional("bankName", Kind::Text, "name of the customer's bank"),
            secret(optional("accountNumber", Kind::Text, "the customer's bank account")),
            optional("bankCode", Kind::Text, "code of the customer's bank"),
            optional("address", Kind::Text, "the customer's address"),
        ],
        safety: Safety::Repeatable,
        section: "4.2",
        doc: "Creates a direct debit mandate. Store the answer's /data/mandateCode safely.",
        ..ROW
    },
    Endpoint {
        name: "direct_debit_status",
        method: Method::Get,
        path: "/payment/order/direct-debit/status",
        fields: &[query("mandateCode", "the code returned at mandate creation")],
        safety: Safety::ReadOnly,
        section: "4.3",
        doc: "Checks a mandate; it should be active before a debit is made with it.",
        ..ROW
    },
    Endpoint {
        name: "direct_debit_otp",
        path: "/payment/order/direct-debit/otp",
        encrypted: true,
        fields: &[required("mandateCode", Kind::Text, "the code returned at mandate creation")],
        safety: Safety::Repeatable,
        section: "4.4",
        doc: "Triggers the e-mail with the one-time code that a debit needs.",
        ..ROW
    },
    Endpoint {
        name: "order_pay",
        path: "/payment/order/pay",
        encrypted: true,
        fields: &[
            required("paymentOption", Kind::Text, "NDD for direct debit"),
            required("reference", Kind::Text, "reference of the order"),
            optional(
                "directDebitPaymentRequest",
                Kind::Object(&[
                    secret(required("otp", Kind::Text, "the one-time code received by e-mail")),
                    required("mandateCode", Kind::Text, "the code returned at mandate creation"),
                    optional("accountName", Kind::Text, "name of the customer's account"),
                    optional("bankCode", Kind::Text, "code of the customer's bank"),
                ]),
                "the debit, for the payment option NDD",
            ),
        ],
        open: true,
        section: "4.5",
        doc: "Charges the customer under an approved mandate.",
        ..ROW
    },
    Endpoint {
        name: "virtual_account_generate",
        path: "/payment/virtual-account/generate",
        encrypted: true,
        headers: &[("encryption", "RSA")],
        fields: &[
            required("Alias", Kind::Text, "label of the account, e.g. a customer's number"),
            optional("Narration", Kind::Text, "narration"),
            optional("Reference", Kind::Text, "returned as accountReference on callbacks"),
        ],
        safety: Safety::Repeatable,
        section: "4.6",
        doc: "Creates a reserved virtual bank account: persistent, one per alias.",
        ..ROW
    },
    Endpoint {
        name: "order_refund",
        path: "/payment/order/refund",
        key: ApiKey::Secret,
        fields: &[
            required("reference", Kind::Text, "reference of the original order"),
            optional("reason", Kind::Text, "why; recommended"),
            optional("amount", Kind::Amount, "amount of a partial refund; without it the full amount is refunded"),
        ],
        answer: AnswerShape { success_is_state: true, ..AnswerShape::PLAIN },
        section: "4.7",
        doc: "Starts a refund of an order, in full or in part.",
        ..ROW
    },
    Endpoint {
        name: "transaction_details",
        method: Method::Get,
        path: "/payment/transaction-details/{sessionId}",
        fields: &[path("sessionId", "identifier of the transaction session")],
        safety: Safety::ReadOnly,
        answer: AnswerShape { subject: Some("/data/statusId"), ..AnswerShape::PLAIN },
        section: "4.8",
        doc: "Returns the details of a funding event on a virtual account.",
        ..ROW
    },
    Endpoint {
        name: "order_create",
        path: "/payment/order/create",
        encrypted: true,
        // The plaintext: the card payload of §2 or an order with customer and payment; the interface leaves it open.
        fields: &[
            optional("reference", Kind::Text, "reference of the order"),
            optional("paymentoption", Kind::Text, "C for card"),
            optional("country", Kind::Text, "two-letter country code"),
            optional(
                "card",
                Kind::Object(&[
                    secret(required("cardnumber", Kind::Text, "card number")),
                    required("expirymonth", Kind::Text, "two digits"),
                    required("expiryyear", Kind::Text, "two digits"),
                    secret(required("cvv", Kind::Text, "card security code")),
                ]),
                "the card",
            ),
        ],
        open: true,
        section: "4.9",
        doc: "Creates an order payment from the plaintext payload, for example a card charge; the library encrypts it.",
        ..ROW
    },
];
