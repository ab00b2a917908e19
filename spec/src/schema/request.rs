//! Fields of requests and of the configuration.

use super::{Certainty, Reference, doc};

/// The max length of an amount, in requests and in responses.
pub const LONGEST_AMOUNT: usize = 64;

/// Log text for a charge whose request has no price.
pub const NO_PRICE: &str = "no price in the request: the service charges what the order has";

named! {
    /// The part of the HTTP request that carries a field.
    pub enum Location(name) {
        Path = "path",
        Query = "query",
        Body = "body",
    }
}

named! {
    /// The form of an amount in the request, whichever way the caller gives it.
    pub enum Wire(name) {
        /// As a JSON string.
        Text = "string",
        /// As a JSON number.
        Number = "number",
    }
}

/// The type of a field of a request or of the configuration.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A JSON string that is not empty.
    Text,
    /// A JSON number without fraction or exponent.
    Integer,
    /// A decimal amount above zero in major currency units, given as a JSON string or a JSON number, e.g. `"100.10"`.
    Amount(Wire),
    /// `true` or `false`.
    Flag,
    /// Any JSON value.
    Any,
    /// A JSON object with fields of its own.
    Object(&'static [Field]),
    /// A JSON array of at least one object; these are the fields of each.
    List(&'static [Field]),
}

impl Kind {
    /// For documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Integer => "integer",
            Kind::Amount(_) => "decimal amount in major units, e.g. \"100.10\"",
            Kind::Flag => "boolean",
            Kind::Any => "any",
            Kind::Object(_) => "object",
            Kind::List(_) => "array of one or more objects",
        }
    }

    /// The fields of an object, and of each element of a list.
    pub const fn members(self) -> &'static [Field] {
        match self {
            Kind::Object(members) | Kind::List(members) => members,
            _ => &[],
        }
    }
}

/// The value that is used when a field is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    None,
    Number {
        value: u64,
        least: u64,
        most: u64,
    },
    Flag(bool),
    /// One of these words, the first unless another one is given.
    Word(&'static [&'static str]),
    /// The default depends on something else; this describes it.
    Described(&'static str),
}

impl Default {
    /// For documentation, e.g. "30000, 1 to 86400000".
    pub fn words(self) -> Option<String> {
        match self {
            Default::None => None,
            Default::Number { value, least, most } => Some(format!("{value}, {least} to {most}")),
            Default::Flag(value) => Some(value.to_string()),
            Default::Word(words) => Some(words.join(" or ").replacen(" or ", ", or ", 1)),
            Default::Described(what) => Some(what.to_owned()),
        }
    }
}

/// One payment option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PayOption {
    /// The words that mean it, in any case. The first is used in messages and documentation.
    pub words: &'static [&'static str],
    /// The spelling of the deciding field when it is sent. The service is seen with both spellings.
    pub sent_as: &'static str,
    /// Names of the fields beside it that the request must have.
    pub needs: &'static [&'static str],
    pub certainty: Certainty,
    pub doc: &'static str,
}

impl PayOption {
    /// The option that a value means; `None` for one that is not known.
    pub fn of(options: &'static [PayOption], value: &str) -> Option<&'static PayOption> {
        options.iter().find(|option| option.words.iter().any(|word| word.eq_ignore_ascii_case(value)))
    }
}

/// A field of a request or of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub location: Location,
    /// No message or log line may repeat its value.
    pub secret: bool,
    /// JSON pointer of a field of the same request that means the same: if both are given, they must be equal.
    pub same_as: Option<&'static str>,
    /// Taken under its name in any case, and sent as it is spelled here or in the payment option.
    pub any_case: bool,
    /// Digits that people write in groups: with spaces or dashes between them they are refused.
    pub digits: bool,
    /// The words that decide what else the request needs; others are passed on.
    pub options: &'static [PayOption],
    /// It has the price of what is charged. Without it the service charges what the order has, which is logged, and
    /// which takes a word of its own in languages where a field is easily forgotten.
    pub has_price: bool,
    /// It identifies who pays what to whom, as references and amounts do: a request with the same key has the same value.
    pub identifies: bool,
    /// The kind of object it names: a response must name the same one.
    pub reference: Option<Reference>,
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
            same_as: None,
            any_case: false,
            digits: false,
            has_price: false,
            identifies: false,
            options: &[],
            reference: None,
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

    pub const fn optional_query(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Query, false, doc)
    }

    pub const fn path(name: &'static str, doc: &'static str) -> Field {
        Field::new(name, Kind::Text, Location::Path, true, doc)
    }

    pub const fn secret(self) -> Field {
        Field { secret: true, ..self }
    }

    pub const fn same_as(self, pointer: &'static str) -> Field {
        Field { same_as: Some(pointer), ..self }
    }

    pub const fn any_case(self) -> Field {
        Field { any_case: true, ..self }
    }

    pub const fn digits(self) -> Field {
        Field { digits: true, ..self }
    }

    pub const fn has_price(self) -> Field {
        Field { has_price: true, ..self }
    }

    pub const fn identifies(self) -> Field {
        Field { identifies: true, ..self }
    }

    /// Identifies who pays what to whom.
    pub const fn is_identifying(&self) -> bool {
        self.identifies || self.reference.is_some() || matches!(self.kind, Kind::Amount(_))
    }

    /// It names something: an amount does not.
    pub const fn is_name(&self) -> bool {
        !matches!(self.reference, None | Some(Reference::Refunded))
    }

    pub const fn names(self, reference: Reference) -> Field {
        Field { reference: Some(reference), ..self }
    }

    pub const fn options(self, options: &'static [PayOption]) -> Field {
        Field { options, ..self }
    }

    /// Returns whether a field of that name is this one.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.any_case && self.name.eq_ignore_ascii_case(name)
    }

    pub const fn certainty(self, certainty: Certainty) -> Field {
        Field { certainty, ..self }
    }

    pub const fn integrated(self) -> Field {
        self.certainty(Certainty::Integrated)
    }

    pub const fn guessed(self) -> Field {
        self.certainty(Certainty::Guessed)
    }

    /// The documentation with the default, e.g. "time for a call (default 30000, 1 to 86400000)".
    pub fn doc_with_default(&self) -> String {
        match self.default.words() {
            Some(default) => format!("{} (default {default})", self.doc),
            None => self.doc.to_owned(),
        }
    }

    pub const fn default(self, default: Default) -> Field {
        Field { default, ..self }
    }
}
