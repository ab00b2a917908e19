//! Statements of a response's fields about one thing: a text, an amount, a reference. An unreadable field is not absent,
//! and values that contradict each other count as no value. A response that names something other than its request is not
//! the response to it.

use std::borrow::Cow;
use std::ops::Deref;

use super::Facts;
use super::words::is_same;
use crate::json::Type;
use crate::json::decimal::Decimal;
use crate::json::document::Value;
use crate::request::names::References;
use paysvc_spec::schema::Reference;

/// The longest text that is read, in bytes as written. References have 40.
const MAX_TEXT: usize = 1024;

/// A text that is compared without regard to case and surrounding blanks: a reference or a currency.
#[derive(Clone, Debug)]
pub struct Text(pub String);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.to_owned())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        is_same(&self.0, &other.0)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Text {
    /// A text, or a number as it is written; `None` for anything else, and for one that is too long.
    pub fn of(value: Value<'_>) -> Option<Text> {
        match value.kind() {
            _ if value.raw().len() > MAX_TEXT => None,
            Type::Text => value.text().map(|text| Text(text.trim().to_owned())),
            Type::Number => Some(Text(value.raw().to_owned())),
            _ => None,
        }
    }
}

/// The statement about one thing.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement<T> {
    value: Option<T>,
    /// A field cannot be read, or two contradict each other.
    unclear: bool,
    /// A field has the documented name.
    exact: bool,
}

impl<T> Default for Statement<T> {
    fn default() -> Statement<T> {
        Statement { value: None, unclear: false, exact: false }
    }
}

impl<T: PartialEq> Statement<T> {
    /// Adds what a field states: `None` if it cannot be read.
    pub fn add(&mut self, value: Option<T>, exact: bool) {
        self.exact |= exact;
        match (&self.value, value) {
            (_, None) => self.unclear = true,
            (Some(own), Some(value)) => self.unclear |= *own != value,
            (None, value) => self.value = value,
        }
    }

    /// Combines the statements of several fields or objects about one thing.
    pub fn all<'a>(each: impl IntoIterator<Item = &'a Statement<T>>) -> Statement<T>
    where
        T: Clone + 'a,
    {
        let mut found = Statement::default();
        for one in each.into_iter().filter(|one| !one.is_absent()) {
            found.add(one.value.clone().filter(|_| !one.unclear), one.exact);
        }
        found
    }

    pub fn is_absent(&self) -> bool {
        self.value.is_none() && !self.unclear
    }

    pub fn is_unclear(&self) -> bool {
        self.unclear
    }

    /// The value, if a documented field states it and nothing contradicts it.
    pub fn clear(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.exact && !self.unclear)
    }

    /// Any value that was stated, for messages.
    pub fn any(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

/// The amounts that one object of a response states.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Amounts {
    /// Without the fee.
    pub price: Statement<Decimal>,
    /// The amount charged: it may include the fee.
    pub total: Statement<Decimal>,
    pub fee: Statement<Decimal>,
}

/// The relation of a response to a price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PriceMatch {
    Equal,
    /// The response has no amount, or only totals where totals do not count.
    Unnamed,
    Differs(String),
}

impl Facts {
    /// Compares the price of the order; if the response has none, the amount charged, with or without the fee beside it.
    /// All amounts that it names must agree.
    pub fn compare_price(&self, wanted: &Decimal) -> PriceMatch {
        match self.compare_price_alone(wanted) {
            PriceMatch::Unnamed => {
                let agrees = |amounts: &&Amounts| {
                    amounts.total.clear().is_some_and(|total| wanted.is_charged_as(total, amounts.fee.clear()))
                };
                let named = self.amounts.iter().filter(|amounts| !amounts.total.is_absent());
                compared("charged total", named, |amounts| &amounts.total, agrees)
            }
            compared => compared,
        }
    }

    /// As [`Facts::compare_price`], without the amount charged.
    pub fn compare_price_alone(&self, wanted: &Decimal) -> PriceMatch {
        let named = self.amounts.iter().filter(|amounts| !amounts.price.is_absent());
        compared("price", named, |amounts| &amounts.price, |amounts| amounts.price.clear() == Some(wanted))
    }
}

fn compared<'a>(
    what: &str,
    mut named: impl Iterator<Item = &'a Amounts>,
    amount: impl Fn(&'a Amounts) -> &'a Statement<Decimal>,
    agrees: impl Fn(&&'a Amounts) -> bool,
) -> PriceMatch {
    let Some(first) = named.next() else { return PriceMatch::Unnamed };
    match std::iter::once(first).chain(named).find(|amounts| !agrees(amounts)).map(amount) {
        None => PriceMatch::Equal,
        Some(other) => PriceMatch::Differs(match other.clear() {
            Some(other) => format!("the {what} in the response is {other}"),
            None => format!("the {what} in the response cannot be read, or contradicts itself"),
        }),
    }
}

/// The reference of one kind that a response names.
#[derive(Clone, Default, Debug)]
pub struct NamedReference {
    pub text: Statement<Text>,
    /// It differs from what the request names.
    pub differs: bool,
    /// A documented field names what the request names.
    agrees: bool,
}

impl NamedReference {
    /// References that the request lacks are not compared, but two fields that contradict each other fit no request.
    pub fn is_of_another_request(&self) -> bool {
        self.differs || self.text.is_unclear() && self.text.any().is_some()
    }

    /// It names what the request names, in a documented field and without contradiction.
    pub fn is_requested(&self) -> bool {
        self.agrees && !self.is_of_another_request()
    }

    /// Adds what a field names; `requested` are the references of the request.
    pub fn add(&mut self, member: Value<'_>, kind: Reference, exact: bool, requested: &References<'_>) {
        if member.is_empty() {
            return;
        }
        let found = match kind {
            Reference::Refunded => Decimal::of(member).map(|amount| Text(amount.to_string())),
            _ => Text::of(member),
        };
        // If two fields cannot be read, nothing proves that they are the same.
        self.differs |= found.is_none() && self.text.is_unclear();
        let mut requested = requested.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).peekable();
        if requested.peek().is_some() {
            let is_it = |requested: &Cow<'_, str>| match (kind, &found) {
                (_, None) => false,
                (Reference::Refunded, Some(found)) => Decimal::parse(requested.trim()) == Decimal::parse(found),
                (_, Some(found)) => is_same(requested, found),
            };
            match requested.any(is_it) {
                true => self.agrees |= exact,
                false => self.differs = true,
            }
        }
        self.text.add(found, exact);
    }
}
