//! A row: one endpoint.

use super::{Answer, Certainty, Envelope, Field, LookUp};
use crate::journal::Step;

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

/// Which of the merchant's API keys the `api-key` header carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ApiKey {
    Public,
    Secret,
}

impl ApiKey {
    /// The setting that holds the key.
    pub const fn setting(self) -> &'static str {
        match self {
            ApiKey::Public => "public_key",
            ApiKey::Secret => "secret_key",
        }
    }

    pub const ALL: &[ApiKey] = &[ApiKey::Public, ApiKey::Secret];

    pub const fn name(self) -> &'static str {
        match self {
            ApiKey::Public => "public",
            ApiKey::Secret => "secret",
        }
    }
}

/// What a request does at the service, which decides what may be done if its outcome is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Safety {
    /// Changes nothing. The library retries it.
    ReadOnly,
    /// Changes something but moves no money. A caller may repeat it; the library does not.
    Repeatable,
    /// Moves money. It is sent again only when the first request provably had no effect.
    Moves,
}

impl Safety {
    pub const ALL: &[Safety] = &[Safety::ReadOnly, Safety::Repeatable, Safety::Moves];

    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Safety::ReadOnly => "read-only",
            Safety::Repeatable => "changes data, moves no money",
            Safety::Moves => "moves money",
        }
    }

    pub const fn doc(self) -> &'static str {
        match self {
            Safety::ReadOnly => "the library retries it",
            Safety::Repeatable => "a caller may repeat it; the library does not",
            Safety::Moves => "sent again only when the first request provably had no effect",
        }
    }
}

/// What an UNKNOWN outcome of a request means for the person who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// Nothing: the request moves no money.
    None,
    /// Of a charge, its authorization or its capture.
    Charge,
    Refund,
    Payout,
    /// Of a request that no row describes.
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
    /// `{member}` stands for a member whose location is the path.
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
    /// Members that the row does not name pass through, because the interface leaves the payload open. One that is
    /// nearly a known member is refused, because nobody would read it if it were passed on.
    pub allows_extra: bool,
    pub safety: Safety,
    /// Of a row that moves money.
    pub doubt: Doubt,
    pub answer: Answer,
    pub looked_up_by: Option<LookUp>,
    /// How certain method and path are.
    pub certainty: Certainty,
    pub key_certainty: Certainty,
    /// How certain the form of the body is: plain or encrypted, and the headers with it. It means nothing without a
    /// body.
    pub body_certainty: Certainty,
    pub doc: &'static str,
}

impl Endpoint {
    /// Changes nothing at the service, so the library may retry it.
    pub const fn read_only(&self) -> bool {
        matches!(self.safety, Safety::ReadOnly)
    }

    /// What an unknown outcome of the request means.
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

    /// What most rows share. A row states how it differs.
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
        answer: Answer {
            envelope: Envelope::Word,
            certainty: Certainty::Documented,
            subject: None,
            success_is_state: false,
            is_of_payment: false,
            active: None,
            reports_state: true,
            members: &[],
        },
        looked_up_by: None,
        certainty: Certainty::Documented,
        key_certainty: Certainty::Documented,
        body_certainty: Certainty::Documented,
        doc: "",
    };

    /// What most answers share.
    pub const ANSWER: Answer = Endpoint::ROW.answer;
}
