//! Checks the fields of a JSON object against a table, and reports all errors at once. For requests and the
//! configuration.

mod near;

use std::cell::OnceCell;

use crate::json::{Fields, Given, Type, Value, pointer};
use crate::request::amount;
use crate::request::names::{each_at, value_of};
use crate::util::memory::{self, MAX_ERRORS};
use crate::util::text::{shortened, spelling_fault};
use crate::util::validation_error::ValidationError;
use paysvc_spec::roles::{AMOUNT, AMOUNTS_OF_REQUEST, ORDER};
use paysvc_spec::schema::{Endpoint, Field, Kind, PayOption};
use paysvc_spec::status::Status;

pub use near::KnownMembers;

/// The strictness of the check of fields.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Fields that the table does not name are passed on.
    pub allows_extra: bool,
    /// References have one spelling, and amounts and prices are complete, also where the table does not name them.
    pub is_exact: bool,
}

impl Rules {
    pub const CLOSED: Rules = Rules { allows_extra: false, is_exact: false };
    pub const OPEN: Rules = Rules { allows_extra: true, is_exact: false };

    pub const fn of(row: &Endpoint) -> Rules {
        Rules { allows_extra: row.allows_extra, is_exact: row.is_exact() }
    }
}

/// The fields of one JSON object, if nothing is wrong with them; the error starts with `what`: a function's name, or "the
/// configuration".
pub fn object<'g>(
    given: &'g Given<'_>,
    fields: &[Field],
    rules: Rules,
    what: &str,
    status: Status,
) -> Result<Fields<'g>, ValidationError> {
    let found = given.fields().map_err(|error| ValidationError::new(status, format!("{what} {error}")))?;
    match given.fault() {
        Some((path, error)) => Err(ValidationError::of_member(status, what, &shortened(&path), error)),
        None => self::fields(found, fields, rules, what, status),
    }
}

/// The fields that a function got which is no endpoint.
pub fn arguments<'g>(function: &str, fields: &[Field], given: &'g Given<'_>) -> Result<Fields<'g>, ValidationError> {
    object(given, fields, Rules::CLOSED, function, Status::Argument)
}

/// The fields, if nothing is wrong with them.
pub fn fields<'g>(
    given: Fields<'g>,
    fields: &[Field],
    rules: Rules,
    what: &str,
    status: Status,
) -> Result<Fields<'g>, ValidationError> {
    let errors = errors(given, fields, rules);
    if errors.is_empty() { Ok(given) } else { Err(ValidationError::of_members(status, what, errors)) }
}

/// Returns the errors in the fields of a request: at most [`MAX_ERRORS`], each with its path.
pub fn errors(given: Fields<'_>, fields: &[Field], rules: Rules) -> Vec<(String, String)> {
    let mut errors = Vec::new();
    Check { fields, known: OnceCell::new(), given, rules, errors: &mut errors }.object(given, fields, "");
    if rules.is_exact && rules.allows_extra && errors.is_empty() {
        let is_known = |name: &str| fields.iter().any(|field| field.is_called(name));
        errors = price_errors(given, true);
        errors.retain(|(path, _)| !is_known(path.split('.').next().unwrap_or_default()));
        errors.truncate(MAX_ERRORS);
    }
    errors
}

/// Returns the errors in amounts and orders, also where no row names them, by their paths: an amount that somebody meant to
/// give is never left out, because the service would then charge or refund what the order has.
///
/// `charges`: an order must have its price.
pub fn price_errors(given: Fields<'_>, charges: bool) -> Vec<(String, String)> {
    let mut errors = Vec::new();
    for steps in AMOUNTS_OF_REQUEST {
        each_at(given, "", steps, &mut |path, value| {
            if is_nothing(value) {
                errors.push((path.to_owned(), "must be above zero, or be left out".to_owned()));
            }
        });
    }
    each_at(given, "", &[ORDER], &mut |path, value| {
        let has_amount = || value.fields().iter().any(|(name, _)| name.eq_ignore_ascii_case(AMOUNT));
        if charges && value.kind() == Type::Object && !has_amount() {
            errors.push((format!("{path}.{AMOUNT}"), "is required: an order has a price".to_owned()));
        }
    });
    errors
}

/// Null, blank, zero or negative, as text or as a number.
fn is_nothing(value: Value<'_>) -> bool {
    let text = match value.kind() {
        Type::Null => return true,
        Type::Number | Type::Text => amount::digits(value).unwrap_or_default(),
        _ => return false,
    };
    let text = text.trim();
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    text.starts_with('-') || !mantissa.contains(|c: char| c != '0' && c != '.' && c != '+')
}

/// The error for a text for which there is no memory at this moment.
pub fn out_of_memory(what: &str, length: usize, status: Status) -> ValidationError {
    ValidationError::new(status, format!("{what} is {length} bytes, which {}", memory::TOO_LARGE))
}

/// Returns the fault of the value of a field that is checked alone.
pub fn fault(value: Value<'_>, field: &Field) -> Option<String> {
    let alone = Field { same_as: None, ..*field };
    let (known, given) = (OnceCell::new(), Fields::Named(&[]));
    Check { fields: &[], known, given, rules: Rules::OPEN, errors: &mut Vec::new() }.fault(value, &alone, "")
}

/// The text for a value that is none of these, with the one that it is like.
pub fn unknown_choice(given: &str, all: &mut dyn Iterator<Item = &'static str>) -> String {
    match nearest(given, all) {
        Some(known) => format!("is not a known name; did you mean {known}?"),
        None => "is not a known name".to_owned(),
    }
}

/// Returns the fault of the name of a function that does not exist.
pub fn unknown_function(given: &str, mut all: impl Iterator<Item = &'static str> + Clone) -> String {
    match given.strip_prefix("paysvc_").filter(|name| all.clone().any(|known| known == *name)) {
        Some(known) => format!("has no prefix: {known}"),
        None => unknown_choice(given, &mut all),
    }
}

/// The name that is meant, if one is nearly so.
pub fn nearest(given: &str, all: &mut dyn Iterator<Item = &'static str>) -> Option<&'static str> {
    let allowed = |known: &str| known.len() / 3 + 1;
    // A name that is much longer is not a typing mistake, and comparing takes quadratic time and memory.
    let near = all.filter(|known| given.len() <= 2 * (known.len() + allowed(known)));
    let each = near.map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &given.to_lowercase()), known));
    each.min_by_key(|(distance, _)| *distance).filter(|(distance, known)| *distance <= allowed(known)).unzip().1
}

/// A request under check, or the configuration.
struct Check<'c> {
    /// The table of the whole request.
    fields: &'c [Field],
    /// The same, for names that it does not have.
    known: OnceCell<KnownMembers<'c>>,
    /// All of the request.
    given: Fields<'c>,
    rules: Rules,
    errors: &'c mut Vec<(String, String)>,
}

impl Check<'_> {
    /// An object within the request, or the request itself; `prefix` is the path of its fields, such as `card.`.
    fn object(&mut self, given: Fields<'_>, fields: &[Field], prefix: &str) {
        let (mut known, begin) = (0, self.errors.len());
        for field in fields {
            match value_of(given, field) {
                Some(value) => {
                    known += 1;
                    if let Some(text) = self.fault(value, field, prefix) {
                        self.report(prefix, field.name, text);
                    }
                    self.needs(value, field, given, prefix);
                }
                None if field.required => self.report(prefix, field.name, "is required".into()),
                None => {}
            }
        }
        if known < given.iter().count() {
            let count = |field: &Field| given.iter().filter(|(name, _)| field.is_called(name)).count();
            for field in fields.iter().filter(|field| count(field) > 1) {
                self.report(prefix, field.name, "is given more than once".into());
            }
            let others = self.errors.len();
            self.unknown(given, fields, prefix);
            // A misspelt name explains why another one is missing.
            self.errors[begin..].rotate_left(others - begin);
        }
    }

    /// The fields that the table does not name.
    fn unknown(&mut self, given: Fields<'_>, fields: &[Field], prefix: &str) {
        for (name, _) in given.iter().filter(|(name, _)| !fields.iter().any(|field| field.is_called(name))) {
            if self.errors.len() >= MAX_ERRORS {
                return;
            }
            let text = match self.rules.allows_extra {
                true => {
                    let known = self.known.get_or_init(|| KnownMembers::of(self.fields));
                    known.meant(&name, prefix).map(|meant| did_you_mean(&meant))
                }
                false => Some(unknown(&name, fields)),
            };
            if let Some(text) = text {
                self.report(prefix, &shortened(&name), text);
            }
        }
    }

    /// Checks the fields that the payment option needs beside it.
    fn needs(&mut self, value: Value<'_>, field: &Field, given: Fields<'_>, prefix: &str) {
        if field.options.is_empty() {
            return;
        }
        let option = value.text().and_then(|value| PayOption::of(field.options, &value));
        let Some(option) = option else { return };
        for needed in option.needs.iter().filter(|name| given.get(name).is_none()) {
            self.report(prefix, needed, format!("is required with {} {}", field.name, option.words[0]));
        }
    }

    /// Returns the fault of the value itself; faults within an object are reported.
    fn fault(&mut self, value: Value<'_>, field: &Field, prefix: &str) -> Option<String> {
        let found = value.kind();
        match field.kind {
            Kind::Text if found != Type::Text => Some(format!("must be a string, not {}", found.name())),
            Kind::Text => match value.text() {
                None => Some("is not valid Unicode text".into()),
                Some(text) if text.chars().all(char::is_whitespace) => Some("must not be empty".into()),
                Some(text) if field.digits && is_grouped(&text) => {
                    Some("must be digits only, without spaces or dashes".into())
                }
                Some(text) if self.rules.is_exact && field.is_name() && spelling_fault(&text).is_some() => {
                    spelling_fault(&text)
                }
                Some(text) => field
                    .same_as
                    .filter(|other| self.differs(&text, other))
                    .map(|other| format!("must be the same as {}", other.trim_start_matches('/').replace('/', "."))),
            },
            Kind::Amount(_) => amount::fault(value),
            Kind::Integer if found != Type::Number || value.raw().contains(['.', 'e', 'E']) => Some(format!(
                "must be a whole number, not {}",
                if found == Type::Number { "a fraction" } else { found.name() }
            )),
            Kind::Flag if found != Type::Bool => Some(format!("must be true or false, not {}", found.name())),
            Kind::Any | Kind::Integer | Kind::Flag => None,
            Kind::Object(_) if found == Type::Null && field.has_price => {
                Some("is null: give it with its price, or say that the order exists and has a price".into())
            }
            Kind::Object(_) if found != Type::Object => Some(format!("must be an object, not {}", found.name())),
            Kind::Object(fields) => {
                self.object(value.fields(), fields, &format!("{prefix}{}.", field.name));
                None
            }
            Kind::List(_) if found != Type::Array => Some(format!("must be an array of objects, not {}", found.name())),
            Kind::List(_) if value.count() == 0 => Some("must have at least one element".into()),
            Kind::List(fields) => {
                self.elements(value, fields, &format!("{prefix}{}.", field.name));
                None
            }
        }
    }

    /// The elements of a list; `prefix` is the path of the list, such as `payoutDetails.`.
    fn elements(&mut self, list: Value<'_>, fields: &[Field], prefix: &str) {
        for (index, element) in list.children().enumerate() {
            match element.kind() {
                _ if self.errors.len() >= MAX_ERRORS => return,
                Type::Object => self.object(element.fields(), fields, &format!("{prefix}{index}.")),
                found => self.report(prefix, &index.to_string(), format!("must be an object, not {}", found.name())),
            }
        }
    }

    /// Returns whether the request has another text at that pointer. A reference that is not text gets an error of its own.
    fn differs(&self, text: &str, pointer: &str) -> bool {
        let mut names = pointer::names(pointer);
        let first = names.next().and_then(|name| self.given.get(&name));
        let other = names.try_fold(first, |value, name| Some(value?.member(&name)));
        other.flatten().and_then(Value::text).is_some_and(|other| other != text)
    }

    fn report(&mut self, prefix: &str, name: &str, text: String) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push((format!("{prefix}{name}"), text));
        }
    }
}

/// Returns whether a text is digits that are set apart. It is not known whether the service joins them, and a refused card
/// costs its holder an attempt.
fn is_grouped(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let between = text.chars().filter(|c| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}')).count();
    digits > 0 && between > 0 && digits + between == text.chars().count()
}

pub fn did_you_mean(known: &str) -> String {
    format!("is not a known field; did you mean {known}?")
}

fn unknown(name: &str, fields: &[Field]) -> String {
    let names = fields.iter().map(|field| field.name);
    match nearest(name, &mut names.clone()) {
        Some(known) => did_you_mean(known),
        None if fields.is_empty() => "is not a known field; none is expected here".into(),
        None => format!("is not a known field; known are {}", names.collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests;
