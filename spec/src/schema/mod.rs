//! The contents of a row: the request of an endpoint, its response, and the effect of a request at the service.

mod answer;
mod request;
mod shape;

use crate::journal::Step;

pub use answer::{Answer, AnswerKind, Envelope, Form, Member, Place, Reference, Role, Wording};
pub use request::{Default, Field, Kind, LONGEST_AMOUNT, Location, NO_PRICE, PayOption, Wire};
pub use shape::{ShapeField, snake_case, typed};

/// A text of the documentation.
pub(crate) const fn doc(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

named! {
    /// Evidence for a statement about the service, strongest first.
    #[derive(PartialOrd, Ord)]
    pub enum Certainty(name, doc) {
        /// Stated in the service's public documentation.
        Documented = "documented", "the service's public documentation says so";
        /// Seen in a real response of the service.
        Reported = "reported", "seen in a real response of the service";
        /// Public integrations rely on it.
        Integrated = "integrated", "public integrations rely on it";
        /// Inferred. Nothing public may depend on it.
        Guessed = "guessed", "inferred; it may change";
    }
}

named! {
    pub enum Method(name) {
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Delete = "DELETE",
    }
}

named! {
    /// Which of the merchant's API keys the `api-key` header carries.
    /// Its name, and the setting that holds it.
    pub enum ApiKey(name, setting) {
        Public = "public", "public_key";
        Secret = "secret", "secret_key";
    }
}

named! {
    /// The effect of a request at the service; it decides what may be done if the outcome is unknown.
    pub enum Safety(name, doc) {
        /// Changes nothing. The library retries it.
        ReadOnly = "read-only", "the library retries it";
        /// Changes something but moves no money. A caller may repeat it; the library does not.
        Repeatable = "changes data, moves no money", "a caller may repeat it; the library does not";
        /// Moves money. It is sent again only when the first request provably had no effect.
        Moves = "moves money", "sent again only when the first request provably had no effect";
    }
}

/// The meaning of an UNKNOWN outcome for the person who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// Nothing: the request moves no money.
    None,
    /// A charge, its authorization or its capture.
    Charge,
    Refund,
    Payout,
    /// A request that no row describes.
    Money,
}

macro_rules! never_again {
    ($doubt:literal) => {
        Some(concat!($doubt, "; do not repeat it"))
    };
}

impl Doubt {
    pub const ALL: &[Doubt] = &[Doubt::None, Doubt::Charge, Doubt::Refund, Doubt::Payout, Doubt::Money];

    /// The message of the reply begins with it.
    pub const fn words(self) -> Option<&'static str> {
        match self {
            Doubt::None => None,
            Doubt::Charge => never_again!("the customer may have been charged"),
            Doubt::Refund => never_again!("the refund may have been made"),
            Doubt::Payout => never_again!("the payout may have been made"),
            Doubt::Money => never_again!("money may have been moved"),
        }
    }
}

/// A row of the table: one endpoint of the payments service.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The exported function is `paysvc_<name>`.
    pub name: &'static str,
    pub method: Method,
    /// `{member}` stands for a field whose location is the path.
    pub path: &'static str,
    pub key: ApiKey,
    /// Name of the setting that chooses the other key, where integrations in production differ.
    pub key_setting: Option<&'static str>,
    /// The body is RSA-encrypted and sent as `{"data":"<base64>"}`.
    pub encrypted: bool,
    /// Headers beyond `api-key`, `accept` and `content-type`.
    pub headers: &'static [(&'static str, &'static str)],
    /// Name of the setting that leaves these headers out, where integrations in production differ.
    pub headers_setting: Option<&'static str>,
    pub fields: &'static [Field],
    /// Fields that the row does not name pass through, because the interface leaves the payload open. One that is
    /// nearly a known field is refused, because nobody would read it if it were passed on.
    pub allows_extra: bool,
    pub safety: Safety,
    /// The doubt of a row that moves money.
    pub doubt: Doubt,
    pub answer: Answer,
    pub looked_up_by: Option<LookUp>,
    /// Certainty of method and path.
    pub certainty: Certainty,
    pub key_certainty: Certainty,
    /// Certainty of the form of the body: plain or encrypted, with its headers. Meaningless without a body.
    pub body_certainty: Certainty,
    pub doc: &'static str,
}

impl Endpoint {
    /// Changes nothing at the service, so the library may retry it.
    pub const fn read_only(&self) -> bool {
        matches!(self.safety, Safety::ReadOnly)
    }

    /// The meaning of an unknown outcome of the request.
    pub const fn in_doubt(&self) -> Doubt {
        match self.safety {
            Safety::ReadOnly | Safety::Repeatable => Doubt::None,
            Safety::Moves => self.doubt,
        }
    }

    /// Moves money, or makes an order for the customer to pay: its references have one spelling, its amounts are above
    /// zero, and its order has a price.
    pub const fn is_exact(&self) -> bool {
        Step::of(self, true).is_some()
    }

    /// The defaults of a row; a row states how it differs.
    pub const ROW: Endpoint = Endpoint {
        name: "",
        method: Method::Post,
        path: "",
        key: ApiKey::Public,
        encrypted: false,
        key_setting: None,
        headers: &[],
        headers_setting: None,
        fields: &[],
        allows_extra: false,
        safety: Safety::Moves,
        doubt: Doubt::Charge,
        answer: Answer { envelope: Envelope::Word, certainty: Certainty::Documented, ..*Answer::UNKNOWN },
        looked_up_by: None,
        certainty: Certainty::Documented,
        key_certainty: Certainty::Documented,
        body_certainty: Certainty::Documented,
        doc: "",
    };

    /// The defaults of a response.
    pub const ANSWER: Answer = Endpoint::ROW.answer;
}

/// The read-only endpoint that finds the outcome of a request, and the parts of the request that the query and its
/// response need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookUp {
    /// Name of the row that is asked.
    pub endpoint: &'static str,
    /// Each field of the status query's request, and the JSON pointers into what was kept that may hold its value, first
    /// match first.
    pub members: &'static [(&'static str, &'static [&'static str])],
    /// All that a program keeps from a request in order to resolve it later. None of it is secret.
    pub keep: &'static [Keep],
    pub settles: Settles,
    /// JSON pointers, into what was kept, of the price. A refund with an amount is a partial one.
    pub amount: Option<&'static str>,
    pub currency: Option<&'static str>,
    /// Name of the row that reports the currency of an order, if the status query's response does not name it.
    pub currency_by: Option<&'static str>,
    /// JSON pointers of the fields that make the request a charge, as does every field that its row does not list.
    pub charges_with: &'static [&'static str],
    /// Limits of the status query; empty if there is nothing to add.
    pub limits: &'static str,
}

/// A value that a program keeps. Each has the JSON pointer at which it stands when the request is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The value of this field of the request, if it was given.
    Value(&'static str),
    /// Only that this object was given: it is kept as `{}`, because it holds secrets.
    Presence(&'static str),
    /// Not a field of the request: the caller adds it, from its knowledge of the order or the batch.
    Added(&'static str),
}

impl Keep {
    pub const fn pointer(self) -> &'static str {
        match self {
            Keep::Value(pointer) | Keep::Presence(pointer) | Keep::Added(pointer) => pointer,
        }
    }
}

/// The evidence that the status query's response must have to settle the question. `docs/verdicts.md` has the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settles {
    /// The state of the order, which was to be charged.
    Charge,
    /// The existence of the order, with its price. Nothing was to be charged.
    Order,
    /// As `Charge`, unless the caller states that nothing was to be charged: then as `Order`.
    ChargeOrOrder,
    /// The state of the entry in the history of the order that has the request's `orderPaymentReference`.
    Attempt,
    /// The state reversed, for a refund without an amount. Nothing settles a partial refund.
    Refund,
    /// The service's acceptance of the batch.
    Batch,
    /// The existence of an account.
    Account,
}
