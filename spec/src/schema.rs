//! What a row can say: the request of an endpoint, its answer, and what a request does at the service.

/// A text of the documentation.
pub(crate) const fn doc(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

/// The members within a member of an answer.
const fn nested(members: &'static [Member]) -> &'static [Member] {
    if cfg!(feature = "docs") { members } else { &[] }
}

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

    pub const fn name(self) -> &'static str {
        match self {
            ApiKey::Public => "public",
            ApiKey::Secret => "secret",
        }
    }
}

/// The part of the HTTP request that carries a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    Path,
    Query,
    Body,
}

/// What supports a statement about the service, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Certainty {
    /// The service's public documentation says so.
    Documented,
    /// Seen in a real answer of the service.
    Reported,
    /// Public integrations rely on it.
    Integrated,
    /// Inferred. Nothing public may depend on it.
    Guessed,
}

impl Certainty {
    pub const ALL: &[Certainty] =
        &[Certainty::Documented, Certainty::Reported, Certainty::Integrated, Certainty::Guessed];

    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Documented => "documented",
            Certainty::Reported => "reported",
            Certainty::Integrated => "integrated",
            Certainty::Guessed => "guessed",
        }
    }

    pub const fn doc(self) -> &'static str {
        match self {
            Certainty::Documented => "the service's public documentation says so",
            Certainty::Reported => "seen in a real answer of the service",
            Certainty::Integrated => "public integrations rely on it",
            Certainty::Guessed => "inferred; it may change",
        }
    }
}

/// What a member of a request or of the configuration holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A JSON string that is not empty.
    Text,
    /// A JSON number without fraction or exponent.
    Integer,
    /// A JSON string with a decimal amount above zero in major currency units, e.g. `"100.10"`.
    Amount,
    /// `true` or `false`.
    Flag,
    /// Any JSON value.
    Any,
    /// A JSON object with members of its own.
    Object(&'static [Field]),
}

impl Kind {
    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Integer => "integer",
            Kind::Amount => "string with a decimal amount in major units, e.g. \"100.10\"",
            Kind::Flag => "boolean",
            Kind::Any => "any",
            Kind::Object(_) => "object",
        }
    }
}

/// The value that is used when a member is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    None,
    Number {
        value: u64,
        least: u64,
        most: u64,
    },
    Flag(bool),
    /// The default depends on something else; this describes it.
    Described(&'static str),
}

/// A member of a request or of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub location: Location,
    /// No message or log line may repeat its value.
    pub secret: bool,
    pub certainty: Certainty,
    pub default: Default,
    pub doc: &'static str,
}

impl Field {
    const fn new(name: &'static str, kind: Kind, location: Location, required: bool, text: &'static str) -> Field {
        Field {
            name,
            kind,
            required,
            location,
            secret: false,
            certainty: Certainty::Documented,
            default: Default::None,
            doc: doc(text),
        }
    }

    pub const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        Field::new(name, kind, Location::Body, true, doc)
    }

    pub const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Field {
        Field::new(name, kind, Location::Body, false, doc)
    }

    pub const fn query(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Query, true, doc)
    }

    pub const fn path(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Path, true, doc)
    }

    pub const fn secret(self) -> Field {
        Field { secret: true, ..self }
    }

    pub const fn certainty(self, certainty: Certainty) -> Field {
        Field { certainty, ..self }
    }

    /// The documentation with the default, e.g. "time for a call (default 30000, 1 to 86400000)".
    pub fn doc_with_default(&self) -> String {
        match self.default {
            Default::None => self.doc.to_owned(),
            Default::Number { value, least, most } => format!("{} (default {value}, {least} to {most})", self.doc),
            Default::Flag(value) => format!("{} (default {value})", self.doc),
            Default::Described(what) => format!("{} (default {what})", self.doc),
        }
    }

    pub const fn default(self, default: Default) -> Field {
        Field { default, ..self }
    }
}

/// What a request does at the service, and so what may be done when its outcome is unknown.
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
    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Safety::ReadOnly => "read-only",
            Safety::Repeatable => "changes something, moves no money",
            Safety::Moves => "moves money",
        }
    }
}

/// What a member of an answer holds.
#[derive(Clone, Copy, Debug)]
pub enum AnswerKind {
    Text,
    Integer,
    /// A decimal amount in major currency units.
    Amount,
    Flag,
    /// An ISO 8601 time with 0 to 7 fraction digits, with or without a zone; `0001-01-01T00:00:00` means none.
    Time,
    /// Anything: its shape is not known.
    Any,
    Object(&'static [Member]),
    /// An array of objects.
    List(&'static [Member]),
}

impl AnswerKind {
    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            AnswerKind::Text => "string",
            AnswerKind::Integer => "integer",
            AnswerKind::Amount => "amount",
            AnswerKind::Flag => "boolean",
            AnswerKind::Time => "time",
            AnswerKind::Any => "any",
            AnswerKind::Object(_) => "object",
            AnswerKind::List(_) => "array of objects",
        }
    }

    pub const fn members(self) -> &'static [Member] {
        match self {
            AnswerKind::Object(members) | AnswerKind::List(members) => members,
            _ => &[],
        }
    }

    /// The unit of a number.
    pub const fn unit(self) -> Option<&'static str> {
        match self {
            AnswerKind::Amount => Some("major currency units"),
            _ => None,
        }
    }
}

/// How the service writes a value that is a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As the kind says: a string for texts and times, a number for integers.
    Plain,
    /// A JSON number in one place and a string in another.
    NumberOrText,
}

/// A member of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub name: &'static str,
    pub kind: AnswerKind,
    pub form: Form,
    pub nullable: bool,
    pub certainty: Certainty,
    pub doc: &'static str,
}

impl Member {
    const fn new(name: &'static str, kind: AnswerKind, text: &'static str) -> Member {
        // Amounts were seen as numbers and as strings at the same endpoints.
        let form = if matches!(kind, AnswerKind::Amount) { Form::NumberOrText } else { Form::Plain };
        Member { name, kind, form, nullable: false, certainty: Certainty::Documented, doc: doc(text) }
    }

    pub const fn text(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Text, doc)
    }

    pub const fn integer(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Integer, doc)
    }

    pub const fn amount(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Amount, doc)
    }

    pub const fn flag(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Flag, doc)
    }

    pub const fn time(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Time, doc)
    }

    pub const fn any(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Any, doc)
    }

    pub const fn object(name: &'static str, members: &'static [Member], doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Object(nested(members)), doc)
    }

    pub const fn list(name: &'static str, members: &'static [Member], doc: &'static str) -> Member {
        Member::new(name, AnswerKind::List(nested(members)), doc)
    }

    pub const fn nullable(self) -> Member {
        Member { nullable: true, ..self }
    }

    pub const fn number_or_text(self) -> Member {
        Member { form: Form::NumberOrText, ..self }
    }

    pub const fn certainty(self, certainty: Certainty) -> Member {
        Member { certainty, ..self }
    }
}

/// The form of an answer around its data: where it reports success, and where its code stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Envelope {
    /// `status` is a word such as "success" or "failed", `statusCode` the code, `data` the data.
    Word,
    /// As `Word`, but `status` is the payment's state: "Successful", "Pending", "Failed".
    PaymentState,
    /// `status` is true or false, `code` the code, `data` the data.
    Flag,
    /// `status` is true or false; the data stands beside it.
    Flat,
    /// The data alone: any member of it is success.
    Bare,
    /// `isSuccess` is true or false; the data stands beside it.
    IsSuccess,
    /// Nothing is known of the answer, as for requests that have no row.
    Unknown,
}

impl Envelope {
    /// Where success stands, for documentation.
    pub const fn success(self) -> &'static str {
        match self {
            Envelope::Word => "`status` is \"success\"",
            Envelope::PaymentState => "the answer names the payment; `status` is the payment's state",
            Envelope::Flag | Envelope::Flat => "`status` is true",
            Envelope::Bare => "any of the members below",
            Envelope::IsSuccess => "`isSuccess` is true",
            Envelope::Unknown => "not known",
        }
    }

    /// JSON pointer of the code; `None` where the answer has none.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Envelope::Word | Envelope::PaymentState => Some("/statusCode"),
            Envelope::Flag => Some("/code"),
            Envelope::Flat | Envelope::Bare | Envelope::IsSuccess | Envelope::Unknown => None,
        }
    }
}

/// What is known of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub envelope: Envelope,
    pub certainty: Certainty,
    /// JSON pointer of the number that is the payment's state; `None` where the answer has no such number.
    pub state: Option<&'static str>,
    /// JSON pointer of the member, an object or a number, that makes the answer of a read-only request one about a
    /// payment, whatever the words beside it say.
    pub subject: Option<&'static str>,
    /// "success" in `data.status` is the state of what was asked for: of a refund or a payout.
    pub success_is_state: bool,
    /// All members, the envelope's own (`status`, `message`, codes) left out where they say nothing special.
    pub members: &'static [Member],
}

impl Answer {
    /// The top-level `status` word is the payment's state, not the request's.
    pub const fn top_word_is_state(&self) -> bool {
        matches!(self.envelope, Envelope::PaymentState)
    }

    /// Of a request without a row.
    pub const UNKNOWN: &Answer = &Answer {
        envelope: Envelope::Unknown,
        certainty: Certainty::Guessed,
        state: None,
        subject: None,
        success_is_state: false,
        members: &[],
    };
}

/// Which read-only endpoint tells what became of a request whose outcome is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookUp {
    /// Name of the row.
    pub endpoint: &'static str,
    /// Each member of the look-up, and the JSON pointers into the request that may hold its value, first match first.
    pub members: &'static [(&'static str, &'static [&'static str])],
    /// What the look-up cannot tell; empty where there is nothing to add.
    pub limits: &'static str,
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
    /// The body is RSA-encrypted and sent as `{"data":"<base64>"}`.
    pub encrypted: bool,
    /// Headers beyond `api-key`, `accept` and `content-type`.
    pub headers: &'static [(&'static str, &'static str)],
    pub fields: &'static [Field],
    /// Members that the row does not name pass through: the interface leaves the payload open.
    pub allows_extra: bool,
    pub safety: Safety,
    pub answer: Answer,
    pub looked_up_by: Option<LookUp>,
    /// How sure method, path and key are.
    pub certainty: Certainty,
    pub doc: &'static str,
}

impl Endpoint {
    /// Changes nothing at the service, so the library may retry it.
    pub const fn read_only(&self) -> bool {
        matches!(self.safety, Safety::ReadOnly)
    }

    /// What most rows share. A row states how it differs.
    pub const ROW: Endpoint = Endpoint {
        name: "",
        method: Method::Post,
        path: "",
        key: ApiKey::Public,
        encrypted: false,
        headers: &[],
        fields: &[],
        allows_extra: false,
        safety: Safety::Moves,
        answer: Answer {
            envelope: Envelope::Word,
            certainty: Certainty::Documented,
            state: None,
            subject: None,
            success_is_state: false,
            members: &[],
        },
        looked_up_by: None,
        certainty: Certainty::Documented,
        doc: "",
    };

    /// What most answers share.
    pub const ANSWER: Answer = Endpoint::ROW.answer;
}
