//! Responses: their fields and the meaning of these, and the places of success, code and state.

use super::{Certainty, doc};

named! {
    /// The kind of object a reference names. A response that names a different one belongs to another request.
    pub enum Reference(name) {
        Order = "order",
        /// A payment into a virtual account.
        Session = "session",
        Mandate = "mandate",
        /// A batch of payouts.
        Batch = "batch",
        /// The label of a virtual account.
        Alias = "alias",
        /// The `Reference` that was given when the virtual account was generated.
        Account = "account reference",
        /// One attempt to pay an order.
        Payment = "payment",
        /// A recipient of payouts: no response repeats it.
        Recipient = "recipient",
        /// The refunded amount. It is not a name, but a response with a different amount is not the response either. Compared
        /// as a decimal.
        Refunded = "refunded amount",
    }
}

/// An object of a response that the reader recognizes. The meaning of a field depends on its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Place {
    Root,
    Data,
    /// This attempt to pay.
    Payment,
    /// The order, in the response that reports its state.
    Summary,
    /// The order, in the response that created it.
    Order,
    /// An attempt in the history of an order.
    Attempt,
    /// An element of `data`, where that is a list.
    Element,
    /// The `error` of a failure.
    Error,
}

/// The meaning of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Votes for success or failure: the `status` of the whole response.
    Status,
    /// Votes for success or failure: `isSuccess`.
    IsSuccess,
    /// Votes for failure only: `success`.
    Success,
    Error,
    Errors,
    Message,
    /// Description of an `error`, if it has no message.
    Description,
    Code,
    /// The code of an `error`: shown, but not evidence.
    ErrorCode,
    /// The code of a payment.
    PaymentCode,
    StateNumber,
    /// A state as a word; in `data`, where it may be about the request, "false" is a vote for failure.
    StateWord,
    /// A state as a word that is only about the payment.
    PaymentWord,
    Reference(Reference),
    /// As `Reference`, unless a field of the kind `Reference` stands beside it.
    ReferenceAlone(Reference),
    /// The service's own reference of a payment, which no request names: an event and its confirmation have the same.
    ServiceReference,
    /// Without the fee.
    Price,
    /// The amount charged; the fee may be included.
    Charged,
    Fee,
    Currency,
    /// True if the state can no longer change.
    Final,
    /// True if the client should query again.
    Requery,
    /// The number of a bank account.
    AccountNumber,
    /// The service's number of what it has accepted: at any depth it names progress.
    Accepted,
    /// The object of that place; for `Data` a list of elements as well.
    Object(Place),
    /// The list of attempts to pay an order.
    History,
}

impl Role {
    /// For documentation; empty if the field's name is enough.
    pub fn words(self) -> String {
        let text = match self {
            Role::Status | Role::IsSuccess | Role::Success | Role::Error | Role::Errors => "success or failure",
            Role::Code | Role::ErrorCode => "code",
            Role::PaymentCode => "code of the payment",
            Role::StateNumber | Role::StateWord | Role::PaymentWord => "state",
            Role::Reference(kind) | Role::ReferenceAlone(kind) => return format!("reference: {}", kind.name()),
            Role::Price => "price",
            Role::Charged => "charged total",
            Role::Fee => "fee",
            Role::Currency => "currency",
            Role::Final | Role::Requery => "whether the state is final",
            Role::Message | Role::Description => "message",
            Role::Accepted => "accepted",
            Role::History => "history",
            Role::AccountNumber => "account",
            Role::Object(_) | Role::ServiceReference => "",
        };
        text.to_owned()
    }
}

/// The type of a response field.
#[derive(Clone, Copy, Debug)]
pub enum AnswerKind {
    Text,
    Integer,
    /// A decimal amount in major currency units.
    Amount,
    /// A decimal number that is not an amount of money, such as a rate.
    Decimal,
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
            AnswerKind::Decimal => "decimal number",
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

/// The form in which the service writes a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As the kind requires: a string for texts and times, a number for integers.
    Plain,
    /// A JSON number in one place and a string in another.
    NumberOrText,
}

/// A field of a response.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub name: &'static str,
    pub kind: AnswerKind,
    pub form: Form,
    pub nullable: bool,
    pub certainty: Certainty,
    /// Its meaning, where the shared list of roles has none for this name and place.
    pub role: Option<Role>,
    /// Its field in the one shape of the response, where that is not its own name in snake_case.
    pub field: Option<&'static str>,
    /// The service does not document its response to a card; it is read as that of a payment, which is documented.
    pub is_of_card: bool,
    pub doc: &'static str,
}

impl Member {
    const fn new(name: &'static str, kind: AnswerKind, text: &'static str) -> Member {
        // Amounts were seen as numbers and as strings at the same endpoints.
        let form =
            if matches!(kind, AnswerKind::Amount | AnswerKind::Decimal) { Form::NumberOrText } else { Form::Plain };
        Member {
            name,
            kind,
            form,
            nullable: false,
            certainty: Certainty::Documented,
            role: None,
            field: None,
            is_of_card: false,
            doc: doc(text),
        }
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

    pub const fn decimal(name: &'static str, doc: &'static str) -> Member {
        Member::new(name, AnswerKind::Decimal, doc)
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
        Member::new(name, AnswerKind::Object(members), doc)
    }

    pub const fn list(name: &'static str, members: &'static [Member], doc: &'static str) -> Member {
        Member::new(name, AnswerKind::List(members), doc)
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

    pub const fn role(self, role: Role) -> Member {
        Member { role: Some(role), ..self }
    }

    pub const fn field(self, name: &'static str) -> Member {
        Member { field: Some(name), ..self }
    }

    /// Guessed, but typed: as the response of a payment has it.
    pub const fn of_card(self) -> Member {
        Member { is_of_card: true, nullable: true, certainty: Certainty::Guessed, ..self }
    }

    /// The fields of the object or of each element; none is surer than what it is in.
    pub fn inner(&self) -> Vec<Member> {
        let inner = self.kind.members().iter();
        inner.map(|member| member.certainty(member.certainty.max(self.certainty))).collect()
    }

    /// Its meaning in an object of that place.
    pub fn role_in(&self, place: Place) -> Option<Role> {
        let shared = || crate::roles::SHARED.iter().find(|known| known.name == self.name)?.role(place);
        self.role.or_else(shared)
    }

    pub const fn reported(self) -> Member {
        self.certainty(Certainty::Reported)
    }

    pub const fn integrated(self) -> Member {
        self.certainty(Certainty::Integrated)
    }

    pub const fn guessed(self) -> Member {
        self.certainty(Certainty::Guessed)
    }
}

/// The form of a response around its data: where it reports success, and where its code stands.
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
    /// The data alone: any field of it is success.
    Bare,
    /// `isSuccess` is true or false; the data stands beside it.
    IsSuccess,
    /// Nothing is known about the response, as for requests that have no row.
    Unknown,
}

impl Envelope {
    /// Where success stands, for documentation.
    pub const fn success(self, read_only: bool) -> &'static str {
        match self {
            Envelope::Word => "`status` is \"success\"",
            Envelope::PaymentState if !read_only => "`status` is the payment's state, and names success or progress",
            Envelope::PaymentState => "the response names the payment; `status` is the payment's state",
            Envelope::Flag | Envelope::Flat => "`status` is true",
            Envelope::Bare => "any of the fields below",
            Envelope::IsSuccess => "`isSuccess` is true",
            Envelope::Unknown => "not known",
        }
    }

    /// JSON pointer of the code, of one step; `None` where the response has none.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Envelope::Word | Envelope::PaymentState => Some("/statusCode"),
            Envelope::Flag => Some("/code"),
            Envelope::Flat | Envelope::Bare | Envelope::IsSuccess | Envelope::Unknown => None,
        }
    }
}

/// A statement in words. Any other text is not evidence.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// All words of the sentence, in lower case.
    pub words: &'static [&'static str],
    /// Words that may stand between them and change nothing.
    pub fillers: &'static [&'static str],
}

impl Wording {
    /// Returns whether the text is this sentence, in any case.
    pub fn is_said_by(&self, text: &str) -> bool {
        let is = |word: &str, known: &&str| known.eq_ignore_ascii_case(word);
        let words = text.trim_end().trim_end_matches(['.', '!']).split_whitespace();
        let mut telling = words.filter(|word| !self.fillers.iter().any(|filler| is(word, filler)));
        self.words.iter().all(|known| telling.next().is_some_and(|word| is(word, known))) && telling.next().is_none()
    }
}

/// Everything known about a response.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub envelope: Envelope,
    pub certainty: Certainty,
    /// JSON pointer of the field, an object or a number, that makes the response of a read-only request one about a
    /// payment, whatever the words beside it are.
    pub subject: Option<&'static str>,
    /// "success" in `data.status` is the state of what was asked for: of a refund or a payout.
    pub success_is_state: bool,
    /// The states in it are those of what was asked for; otherwise the reply has none.
    pub reports_state: bool,
    /// The state is that of a payment for an order, or into a virtual account: SUCCESSFUL means paid.
    pub is_of_payment: bool,
    /// The wording of the `message` if the queried object is active.
    pub active: Option<Wording>,
    /// All fields, with the envelope's own: `status`, `message` and the code. The `errors` of a failure are not among them.
    pub members: &'static [Member],
}

impl Answer {
    /// The top-level `status` word is the payment's state, not the request's.
    pub const fn top_word_is_state(&self) -> bool {
        matches!(self.envelope, Envelope::PaymentState)
    }

    /// JSON pointer of the number that is the payment's state, for documentation: that of this payment before that of
    /// the order, and a certain place before a guessed one. `None` where the response has no such number.
    pub fn state(&self) -> Option<String> {
        let mut found = Vec::new();
        if self.reports_state {
            add_states(&mut found, "", Place::Root, self.members);
        }
        found.sort_by_key(|(certainty, place, _)| (*certainty == Certainty::Guessed, *place as u8));
        found.into_iter().next().map(|(_, _, pointer)| pointer)
    }

    /// The response to a request without a row.
    pub const UNKNOWN: &Answer = &Answer {
        envelope: Envelope::Unknown,
        certainty: Certainty::Guessed,
        subject: None,
        success_is_state: false,
        reports_state: true,
        is_of_payment: false,
        active: None,
        members: &[],
    };
}

fn add_states(found: &mut Vec<(Certainty, Place, String)>, within: &str, place: Place, members: &[Member]) {
    for member in members {
        let pointer = format!("{within}/{}", member.name);
        match member.role_in(place) {
            Some(Role::StateNumber) => found.push((member.certainty, place, pointer)),
            Some(Role::Object(inner)) if !matches!(member.kind, AnswerKind::List(_)) => {
                add_states(found, &pointer, inner, member.kind.members());
            }
            _ => {}
        }
    }
}
