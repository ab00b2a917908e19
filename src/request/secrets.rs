//! The values of a request that no message or log line may repeat.

use crate::json::{Fields, Type, Value};
use crate::util::secret::SecretBytes;
use crate::util::text::{symbols, visible};
use paysvc_spec::schema::{Field, Kind};

/// Shorter ones (a month, a country) are no secrets.
pub const SHORTEST: usize = 3;
/// Shorter ones (a CVV) are recognised only with nothing between their characters.
pub const MIDDLE: usize = 6;
/// From this length on, a secret is recognised anywhere, whatever separates its characters. A shorter one is
/// recognised only as a whole token; otherwise a CVV would mask half of every message.
pub const LONG: usize = 12;
/// A field that the row does not name, is shorter and has no digit is a word (a currency, a card's brand), no code.
const SHORTEST_WORD: usize = 6;
/// Bytes that the secrets of most requests take.
const USUAL: usize = 512;
/// Values that are read between two checks of the deadline.
const BETWEEN_STOPS: usize = 256;
/// Returns whether to stop: the call's deadline has passed, or it was cancelled.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// The secrets of a request: texts in one block of memory, each after its length.
pub struct Secrets {
    block: SecretBytes,
    complete: bool,
}

impl Default for Secrets {
    fn default() -> Secrets {
        Secrets { block: SecretBytes::new(Vec::new()), complete: true }
    }
}

impl Secrets {
    /// The secrets among the fields of a row: those that it marks, and all fields that it does not name.
    pub fn of_row(given: Fields<'_>, fields: &[Field], stop: Stop<'_>) -> Secrets {
        let mut found = Collector { secrets: Secrets::default(), seen: 0, stop };
        found.fields(given, fields);
        found.secrets
    }

    /// The same for a raw request, whose fields are in `body` and `query`; `fields`: of the row at its path, if any.
    pub fn of_request(request: Fields<'_>, fields: &[Field], stop: Stop<'_>) -> Secrets {
        let mut found = Collector { secrets: Secrets::default(), seen: 0, stop };
        ["body", "query"].iter().filter_map(|name| request.get(name)).for_each(|value| found.object(value, fields));
        found.secrets
    }

    /// Adds a value that may be secret, unless it is too short to be one.
    pub fn add(&mut self, text: &str) {
        let is_word = || text.len() < SHORTEST_WORD && !text.chars().any(char::is_numeric);
        if text.len() >= SHORTEST && !is_word() {
            self.push(text);
        }
    }

    /// Adds the value of a header, and the credentials after its scheme (`Bearer ...`).
    pub fn add_header(&mut self, value: &str) {
        self.add(value);
        value.split(' ').filter(|word| word.len() >= LONG && word.len() < value.len()).for_each(|word| {
            self.add(word);
        });
    }

    /// Adds a value that is secret, unless it is too short to be searched for.
    pub fn push(&mut self, text: &str) {
        if !can_be_found(text) {
            return;
        }
        let room = text.len() + 4;
        // With room for the secrets of most requests, so that they do not move: each move leaves copies in registers.
        let more = if self.block.capacity() - self.block.len() < room { room.max(USUAL) } else { 0 };
        let length = u32::try_from(text.len()).ok().filter(|_| self.block.try_reserve(more).is_ok());
        let Some(length) = length else {
            self.complete = false;
            return;
        };
        self.block.extend_from_slice(&length.to_le_bytes());
        self.block.extend_from_slice(text.as_bytes());
    }

    /// Adds the secrets of another request.
    pub fn extend(&mut self, other: &Secrets) {
        self.complete &= other.complete && self.block.try_reserve(other.block.len()).is_ok();
        if self.complete {
            self.block.extend_from_slice(&other.block);
        }
    }

    /// Returns whether all secrets of the request are in it. Otherwise no text of the service may be shown.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.block.as_slice();
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let text;
            (text, rest) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            std::str::from_utf8(text).ok()
        })
    }
}

struct Collector<'s> {
    secrets: Secrets,
    seen: usize,
    stop: Stop<'s>,
}

impl Collector<'_> {
    fn fields(&mut self, given: Fields<'_>, fields: &[Field]) {
        for (name, value) in given.iter() {
            match fields.iter().find(|field| field.is_called(&name)) {
                Some(Field { kind: Kind::Object(fields), .. }) => self.object(value, fields),
                Some(Field { kind: Kind::List(fields), .. }) if value.kind() == Type::Array => {
                    value.children().for_each(|element| self.object(element, fields));
                }
                Some(field) if !field.secret && !matches!(field.kind, Kind::List(_)) => {}
                field => self.value(value, field.is_some_and(|field| field.secret)),
            }
        }
    }

    /// A value that should be an object with these fields. In a raw request it may be anything, and all of it may be
    /// secret.
    fn object(&mut self, value: Value<'_>, fields: &[Field]) {
        match value.kind() {
            Type::Object => self.fields(value.fields(), fields),
            _ => self.value(value, false),
        }
    }

    /// `marked`: the table marks it as secret.
    fn value(&mut self, value: Value<'_>, marked: bool) {
        if !self.secrets.complete {
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(BETWEEN_STOPS) && (self.stop)() {
            self.secrets.complete = false;
            return;
        }
        match value.kind() {
            Type::Object | Type::Array => value.children().for_each(|value| self.value(value, marked)),
            // As it is written, if it has an unpaired surrogate or there is not enough memory for it.
            Type::Text => match value.text() {
                Some(text) => self.keep(&text, marked),
                None => self.keep(&value.raw()[1..value.raw().len() - 1], marked),
            },
            Type::Number => self.keep(value.raw(), marked),
            Type::Bool | Type::Null => {}
        }
    }

    fn keep(&mut self, text: &str, marked: bool) {
        match marked {
            true => self.secrets.push(text),
            false => self.secrets.add(text),
        }
    }
}

/// Returns whether a text has enough letters and digits to be searched for by them.
pub fn has_symbols(secret: &str) -> bool {
    symbols(secret).take(SHORTEST).count() == SHORTEST
}

/// Returns whether a text is long enough to be searched for: by its letters and digits, or by its characters as they are.
fn can_be_found(secret: &str) -> bool {
    has_symbols(secret) || secret.trim().chars().filter_map(visible).take(MIDDLE).count() == MIDDLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Given;

    #[test]
    fn marked_members_and_those_the_row_does_not_name_are_secret() {
        const fn field(name: &'static str, kind: Kind, secret: bool) -> Field {
            let field = Field::optional(name, kind, "");
            if secret { field.secret() } else { field }
        }
        const FIELDS: &[Field] = &[
            field("reference", Kind::Text, false),
            field("otp", Kind::Text, true),
            field("card", Kind::Object(CARD), false),
            field("cards", Kind::List(CARD), false),
        ];
        const CARD: &[Field] = &[field("cvv", Kind::Text, true), field("year", Kind::Text, false)];
        let text = r#"{"reference":"ORDER","otp":"abc","card":{"cvv":"193","year":"2039","pin":[55555,"66666",true]},"x":{"y":"77777","currency":"NGN","pin":"a12","name":"Lovelace"},"z":"ab"}"#;
        let found = |text: &str| -> Vec<String> {
            let given = Given::read(text);
            let found = Secrets::of_row(given.fields().unwrap(), FIELDS, &|| false);
            found.iter().map(str::to_owned).collect()
        };
        assert_eq!(found(text), ["abc", "193", "55555", "66666", "77777", "a12", "Lovelace"]);
        // In a raw request an element may be anything, and so may the list.
        let list = r#"{"cards":[{"cvv":"194","year":"2039"},{"cvv":"195","pin":"88888"},"99999",[{"x":"12121"}]]}"#;
        assert_eq!(found(list), ["194", "195", "88888", "99999", "12121"]);
        assert_eq!(found(r#"{"cards":{"cvv":"34343"},"card":["56565"]}"#), ["34343", "56565"]);
    }
}
