//! The names of the interface as Python writes them: `emailAddress` is `email_address`.

use std::collections::BTreeMap;

use paysvc_spec::schema::{Endpoint, Field, snake_case};

use super::distinct;

/// Python's own words.
const RESERVED: &str = include_str!("python_reserved.txt");

/// The arguments that every method has, and the names that its body uses.
const ARGUMENTS_OF_OURS: &[&str] = &["self", "super", "members", "timeout", "call", "progress"];

/// Methods of the two clients that no endpoint is.
const METHODS_OF_OURS: &[&str] =
    &["call", "check", "request", "encrypt", "close", "aclose", "from_env", "reference_new"];

/// Names of the generated module that no object of a request can have.
pub const CLASSES_OF_OURS: &str = "Status Outcome State Number Members Omitted ExistingOrder Mapping Sequence Callable \
    Decimal Call EndpointName PathLike Any PaysvcError Progress Reply Answer Endpoints AsyncEndpoints";

/// The names that the annotations of a response's class use: within the class, a field of that name would stand for them.
const TYPES: &[&str] = &["str", "int", "bool", "tuple", "datetime"];

/// A field's keyword argument, and the second one by which it may be given as well.
pub struct Keyword<'a> {
    pub field: &'a Field,
    pub name: String,
    /// The same value under the interface's own spelling: `paymentoption` beside `payment_option`.
    pub spelling: Option<String>,
    /// A time in seconds, beside the one in milliseconds: `timeout` beside `timeout_ms`.
    pub seconds: Option<String>,
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
            let seconds = own.strip_suffix("_ms").filter(|_| self.seconds).map(str::to_owned);
            let spelling = (seconds.is_none() && name != own).then_some(own);
            while taken(&name) || found.iter().any(|other| other.name == name) {
                name.push('_');
            }
            found.push(Keyword { field, name, spelling, seconds });
        }
        found
    }
}

/// The fields of an object of a response, as Python can name them; no two are the same, and none begins with an underscore.
pub fn fields(names: &[&str]) -> Vec<String> {
    distinct(names.iter().map(|name| match name.trim_start_matches('_') {
        "" => "member".to_owned(),
        bare if bare.starts_with(|c: char| c.is_ascii_digit()) => format!("member_{bare}"),
        bare if reserved(bare) || TYPES.contains(&bare) => format!("{bare}_"),
        bare => bare.to_owned(),
    }))
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

    #[test]
    fn no_keyword_is_taken_or_given_twice() {
        let fields = ["from", "timeout", "Reference", "reference", "paymentoption", "paymentOption"]
            .map(|name| Field::optional(name, Kind::Text, ""));
        let mut spellings = Spellings::default();
        spellings.add(&fields);
        let found: Vec<_> = spellings.keywords(&fields).into_iter().map(|found| found.name).collect();
        // If an object has two spellings, each keeps its own.
        assert_eq!(found, ["from_", "timeout_", "reference", "reference_", "paymentoption", "payment_option"]);
    }
}
