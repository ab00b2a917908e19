//! The names of the interface as Python writes them: `emailAddress` is `email_address`.

use std::collections::BTreeMap;

use paysvc_spec::schema::{Endpoint, Field, snake_case};

/// Python's own words.
const RESERVED: &str = include_str!("python_reserved.txt");

/// The arguments that every method has, and the names that its body uses.
const ARGUMENTS_OF_OURS: &[&str] = &["self", "super", "members", "timeout", "call", "progress"];

/// Methods of the two clients that no endpoint is.
const METHODS_OF_OURS: &[&str] =
    &["call", "check", "request", "encrypt", "close", "aclose", "from_env", "reference_new"];

/// Names of the generated module that no object of a request can have.
pub const CLASSES_OF_OURS: &[&str] = &[
    "Status",
    "Outcome",
    "State",
    "Number",
    "Members",
    "Omitted",
    "ExistingOrder",
    "Mapping",
    "Sequence",
    "Callable",
    "Decimal",
    "Call",
    "EndpointName",
    "PathLike",
    "Any",
    "PaysvcError",
    "Progress",
    "Reply",
    "Answer",
    "Endpoints",
    "AsyncEndpoints",
];

/// The names that the annotations of a response's class use: within the class, a field of that name would stand for them.
const TYPES: &[&str] = &["str", "int", "bool", "tuple", "datetime"];

/// A field's keyword argument, and the second one by which it may be given as well.
pub struct Keyword<'a> {
    pub field: &'a Field,
    pub name: String,
    pub also: Option<Also>,
}

#[derive(Clone, PartialEq)]
pub enum Also {
    /// The same value under the interface's own spelling: `paymentoption` beside `payment_option`.
    Spelling(String),
    /// A time in seconds, beside the one in milliseconds: `timeout` beside `timeout_ms`.
    Seconds(String),
}

#[cfg(test)]
impl Also {
    pub fn name(&self) -> &str {
        match self {
            Also::Spelling(name) | Also::Seconds(name) => name,
        }
    }
}

/// One spelling for the fields that differ only by case or underscores: the one that shows most of its words.
#[derive(Default)]
pub struct Spellings {
    best: BTreeMap<String, String>,
    seconds: bool,
}

impl Spellings {
    /// The spellings of all rows together, so that two rows spell the same field alike.
    pub fn of(rows: &[Endpoint]) -> Spellings {
        let mut all = Spellings::default();
        for row in rows {
            all.add(row.fields);
        }
        all
    }

    /// For the configuration: its times are also taken in seconds.
    pub fn in_seconds() -> Spellings {
        Spellings { seconds: true, ..Spellings::default() }
    }

    fn add(&mut self, fields: &[Field]) {
        for field in fields {
            let name = snake(field.name);
            let words = |name: &str| name.matches('_').count();
            let best = self.best.entry(joined(&name)).or_default();
            if best.is_empty() || words(&name) > words(best) {
                *best = name;
            }
            self.add(field.kind.members());
        }
    }

    /// Each field with its keywords; no two are the same.
    pub fn keywords<'a>(&self, fields: &'a [Field]) -> Vec<Keyword<'a>> {
        let mut found: Vec<Keyword> = Vec::new();
        for field in fields {
            let own = snake(field.name);
            let alone = fields.iter().filter(|other| joined(&snake(other.name)) == joined(&own)).count() == 1;
            let mut name = self.best.get(&joined(&own)).filter(|_| alone).unwrap_or(&own).clone();
            let also = match own.strip_suffix("_ms") {
                Some(time) if self.seconds => Some(Also::Seconds(time.to_owned())),
                _ => (name != own).then_some(Also::Spelling(own)),
            };
            while taken(&name) || found.iter().any(|other| other.name == name) {
                name.push('_');
            }
            found.push(Keyword { field, name, also });
        }
        found
    }
}

/// The fields of an object of a response, as Python can name them; no two are the same, and none begins with an underscore.
pub fn fields(names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let mut name = match name.trim_start_matches('_') {
            "" => "member".to_owned(),
            bare if bare.starts_with(|c: char| c.is_ascii_digit()) => format!("member_{bare}"),
            bare => bare.to_owned(),
        };
        while reserved(&name) || TYPES.contains(&name.as_str()) || found.contains(&name) {
            name.push('_');
        }
        found.push(name);
    }
    found
}

fn reserved(name: &str) -> bool {
    RESERVED.split_whitespace().any(|word| word == name)
}

fn taken(name: &str) -> bool {
    reserved(name) || ARGUMENTS_OF_OURS.contains(&name)
}

fn joined(name: &str) -> String {
    name.replace('_', "")
}

pub fn method(name: &str) -> String {
    if taken(name) || METHODS_OF_OURS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

pub fn class(name: &str) -> String {
    snake(name)
        .split('_')
        .flat_map(|word| word.chars().take(1).map(|c| c.to_ascii_uppercase()).chain(word.chars().skip(1)))
        .collect()
}

/// A name that begins with a digit gets an underscore.
pub fn snake(name: &str) -> String {
    let name = snake_case(name);
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use paysvc_spec::schema::Kind;

    use super::*;

    fn text(name: &'static str) -> Field {
        Field::optional(name, Kind::Text, "")
    }

    #[test]
    fn names_are_those_that_a_python_programmer_expects() {
        for (interface, expected) in [
            ("emailAddress", "email_address"),
            ("Alias", "alias"),
            ("directDebitPaymentRequest", "direct_debit_payment_request"),
            ("paymentoption", "paymentoption"),
            ("x-request", "x_request"),
            ("3ds", "_3ds"),
        ] {
            assert_eq!(snake(interface), expected);
        }
        assert_eq!(class("directDebitPaymentRequest"), "DirectDebitPaymentRequest");
        assert_eq!((method("order_pay"), method("close")), ("order_pay".into(), "close_".into()));
    }

    #[test]
    fn no_keyword_is_taken_or_given_twice() {
        let fields = ["from", "timeout", "Reference", "reference"].map(text);
        let found: Vec<_> = Spellings::default().keywords(&fields).into_iter().map(|found| found.name).collect();
        assert_eq!(found, ["from_", "timeout_", "reference", "reference_"]);
    }

    #[test]
    fn a_field_is_public_and_hides_nothing() {
        for (name, expected) in [
            ("status_id", "status_id"),
            ("keys", "keys"),
            ("from", "from_"),
            ("datetime", "datetime_"),
            ("_links", "links"),
            ("__init__", "init__"),
            ("3ds", "member_3ds"),
            ("_", "member"),
        ] {
            assert_eq!(fields(&[name]), [expected]);
        }
        assert_eq!(fields(&["class", "class_", "_3ds", "3ds"]), ["class_", "class__", "member_3ds", "member_3ds_"]);
    }

    #[test]
    fn a_member_is_spelled_alike_in_every_row_and_its_own_spelling_is_taken_too() {
        const fn constant(name: &'static str) -> Field {
            Field::optional(name, Kind::Text, "")
        }
        const PAY: &[Field] = &[constant("paymentOption")];
        const CREATE: &[Field] = &[constant("paymentoption"), constant("country")];
        let mut spellings = Spellings::default();
        spellings.add(PAY);
        spellings.add(CREATE);
        let found = |names: &[&'static str]| -> Vec<(String, Option<String>)> {
            let fields: Vec<_> = names.iter().map(|name| text(name)).collect();
            let found = spellings.keywords(&fields);
            found.into_iter().map(|found| (found.name, found.also.map(|also| also.name().to_owned()))).collect()
        };
        assert_eq!(found(&["paymentOption"]), [("payment_option".into(), None)]);
        assert_eq!(found(&["paymentoption"]), [("payment_option".into(), Some("paymentoption".into()))]);
        // One object with both: each keeps its own.
        assert_eq!(
            found(&["paymentoption", "paymentOption"]),
            [("paymentoption".into(), None), ("payment_option".into(), None)]
        );
    }

    #[test]
    fn times_of_the_configuration_are_taken_in_seconds_too() {
        let fields = ["timeout_ms", "user_agent"].map(text);
        let found: Vec<_> = Spellings::in_seconds()
            .keywords(&fields)
            .into_iter()
            .map(|found| (found.name, found.also.map(|also| also.name().to_owned())))
            .collect();
        assert_eq!(found, [("timeout_ms".into(), Some("timeout".into())), ("user_agent".into(), None)]);
    }
}
