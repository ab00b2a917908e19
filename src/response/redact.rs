//! What the table calls secret, taken out of what the service says. Pure.
//!
//! A service may repeat in its message what it was given, and messages end in logs. The values themselves are looked
//! for, not what looks like one; the answer's own bytes stay as they came.

mod digits;
mod substrings;
mod window;

use serde_json::value::RawValue;

use crate::util::json::{self, Members, Type};
use crate::util::one_line;
use crate::util::secret::{Secret, SecretBytes};
use paysvc_spec::schema::{Field, Kind};

use window::Window;

/// Shorter ones (a month, a country) tell nothing.
const SHORTEST: usize = 3;
/// A text of an open payload that is shorter and has no digit is a word (a currency, a card's brand, "true"), no code.
const SHORTEST_WORD: usize = 6;
/// The bytes that the secrets of a usual request take.
const USUAL: usize = 512;
/// How many values are looked at between two looks at the clock.
const BETWEEN_STOPS: usize = 256;
/// What stands in a message's place where the call ended before it was known to be free of secrets.
pub const WITHHELD: &str = "the service's message is withheld: the call ended before all secrets could be masked in it";

/// Ends work that takes long: the call's deadline has passed, or it was cancelled.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// What no message of a request may repeat: texts in one block, each behind its length.
pub struct Secrets {
    block: SecretBytes,
    /// All are there; else nothing that the service says may be shown.
    complete: bool,
}

impl Default for Secrets {
    fn default() -> Secrets {
        Secrets { block: SecretBytes::new(Vec::new()), complete: true }
    }
}

impl Secrets {
    /// The secrets among the members of a row: those that the table marks, and in an open payload whatever it does not
    /// name.
    pub fn of_row(members: &Members<'_>, fields: &[Field], stop: Stop<'_>) -> Secrets {
        let mut found = Collector { secrets: Secrets::default(), seen: 0, stop };
        found.members(members, fields);
        found.secrets
    }

    /// The same of a row that is asked for by its path: its members stand in `body` and `query`.
    pub fn of_request(request: &Members<'_>, fields: &[Field], stop: Stop<'_>) -> Secrets {
        let mut found = Collector { secrets: Secrets::default(), seen: 0, stop };
        for value in ["body", "query"].iter().filter_map(|name| json::member(request, name)) {
            match json::members(value) {
                Ok(members) => found.members(&members, fields),
                Err(_) => found.value(value, false),
            }
        }
        found.secrets
    }

    /// A value that the table does not name, unless it is too short to tell anything.
    pub fn add(&mut self, text: &str) {
        let is_word = || text.len() < SHORTEST_WORD && !text.chars().any(char::is_numeric);
        if text.len() >= SHORTEST && !is_word() {
            self.push(text);
        }
    }

    /// The value of a header, and the credentials behind its scheme (`Bearer …`).
    pub fn add_header(&mut self, value: &str) {
        self.add(value);
        value.split(' ').filter(|word| word.len() >= window::LONG && word.len() < value.len()).for_each(|word| {
            self.add(word);
        });
    }

    fn push(&mut self, text: &str) {
        if !window::can_be_found(text) {
            return;
        }
        let room = text.len() + 4;
        // With room for those of a usual request, so that they are not moved: each move leaves traces in registers.
        let more = if self.block.capacity() - self.block.len() < room { room.max(USUAL) } else { 0 };
        let length = u32::try_from(text.len()).ok().filter(|_| self.block.try_reserve(more).is_ok());
        let Some(length) = length else {
            self.complete = false;
            return;
        };
        self.block.extend_from_slice(&length.to_le_bytes());
        self.block.extend_from_slice(text.as_bytes());
    }

    /// Every text and number within; the value must have been compacted before, which bounds its depth.
    pub fn add_all(&mut self, value: &RawValue, stop: Stop<'_>) {
        let mut found = Collector { secrets: std::mem::take(self), seen: 0, stop };
        found.value(value, false);
        *self = found.secrets;
    }

    pub fn iter(&self) -> Iter<'_> {
        Iter { rest: &self.block }
    }
}

/// Each secret in turn.
#[derive(Clone)]
pub struct Iter<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (length, rest) = self.rest.split_first_chunk::<4>()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }
}

struct Collector<'s> {
    secrets: Secrets,
    seen: usize,
    stop: Stop<'s>,
}

impl Collector<'_> {
    fn members(&mut self, members: &Members<'_>, fields: &[Field]) {
        for (name, value) in members {
            match fields.iter().find(|field| field.name == name) {
                Some(Field { kind: Kind::Object(fields), .. }) => {
                    self.members(&json::members(value).unwrap_or_default(), fields);
                }
                Some(field) if !field.secret => {}
                Some(_) => self.value(value, true),
                None => self.value(value, false),
            }
        }
    }

    /// `named`: the table says that it is secret.
    fn value(&mut self, value: &RawValue, named: bool) {
        if !self.secrets.complete {
            return;
        }
        self.seen += 1;
        if self.seen.is_multiple_of(BETWEEN_STOPS) && (self.stop)() {
            self.secrets.complete = false;
            return;
        }
        match Type::of(value) {
            // What cannot be read is not taken for empty.
            Type::Object => match json::members(value) {
                Ok(members) => members.iter().for_each(|(_, value)| self.value(value, named)),
                Err(_) => self.secrets.complete = false,
            },
            Type::Array => match json::items(value) {
                Ok(items) => items.iter().for_each(|value| self.value(value, named)),
                Err(_) => self.secrets.complete = false,
            },
            // Without memory for it, or half of a surrogate pair: as it was written.
            Type::Text => match json::text(value) {
                Some(text) => self.keep(&text, named),
                None => self.keep(&value.get()[1..value.get().len() - 1], named),
            },
            Type::Number => self.keep(value.get(), named),
            Type::Bool | Type::Null => {}
        }
    }

    fn keep(&mut self, text: &str, named: bool) {
        match named {
            true => self.secrets.push(text),
            false => self.secrets.add(text),
        }
    }
}

/// Passes on what the service says, as one line without any secret.
pub struct Mask<'a> {
    pub secrets: &'a Secrets,
    /// The API key that the request carried.
    pub key: Option<&'a Secret>,
    pub stop: Stop<'a>,
}

impl Mask<'_> {
    /// A message, a code or a content type: masked, of one line, cut to [`one_line::MAX_CHARS`]; `None` where the call
    /// ended before that.
    pub fn text(&self, raw: &str) -> Option<String> {
        // What is shorter than every secret holds none.
        let safe = raw.len() < SHORTEST;
        if !safe && !self.secrets.complete {
            return None;
        }
        if one_line::is_plain(raw) && (safe || !self.may_stand_in(raw.as_bytes())) {
            // With room for the NUL that C wants put behind it.
            let mut copy = String::with_capacity(raw.len() + 1);
            copy.push_str(raw);
            return Some(copy);
        }
        // Of another line, too, if it is short enough to be shown whole.
        if raw.len() <= one_line::MAX_CHARS && !self.may_stand_in(&ascii_symbols(raw)) {
            return Some(one_line::one_line(raw.to_owned()));
        }
        let mut window = Window::new(raw);
        for (number, secret) in self.all().enumerate() {
            if number % BETWEEN_STOPS == BETWEEN_STOPS - 1 && (self.stop)() {
                return None;
            }
            window.look_for(secret, self.stop)?;
        }
        Some(window.masked())
    }

    fn all(&self) -> impl Iterator<Item = &str> + Clone {
        self.secrets.iter().chain(self.key.map(Secret::expose))
    }

    /// A quick look at a short ASCII text, which nearly always ends the search: whether anything in it begins as a
    /// secret does.
    fn may_stand_in(&self, text: &[u8]) -> bool {
        /// With more secrets than most requests have, the whole search is faster.
        const FEW: usize = 32;
        let numbers = text.iter().filter(|byte| byte.is_ascii_digit()).count() >= window::TELLING_DIGITS;
        self.all().enumerate().any(|(index, secret)| {
            index >= FEW || begins_in(secret, text) || (numbers && window::holds_a_number(secret))
        })
    }
}

/// The symbols of a text that are ASCII: with the others left out, no secret that begins in ASCII is overlooked.
fn ascii_symbols(text: &str) -> Vec<u8> {
    let symbols = text.chars().filter_map(digits::symbol).filter_map(|symbol| u8::try_from(symbol).ok());
    symbols.filter(u8::is_ascii).collect()
}

/// Whether the plain text holds the first letters and digits of the secret, whatever stands between them.
fn begins_in(secret: &str, text: &[u8]) -> bool {
    const HEAD: usize = 6;
    let mut head = [0; HEAD];
    let mut length = 0;
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() {
            head[length] = byte.to_ascii_lowercase();
            length += 1;
            if length == HEAD {
                break;
            }
        } else if !byte.is_ascii() {
            return true;
        }
    }
    if length < SHORTEST {
        return true;
    }
    // Byte by byte: a vectorised search leaves parts of the text, which may be a secret, in registers and on the stack.
    let starts = text.iter().enumerate().filter(|(_, byte)| byte.to_ascii_lowercase() == head[0]);
    starts.map(|(start, _)| start).any(|start| {
        let mut found = text[start + 1..].iter().filter(|byte| byte.is_ascii_alphanumeric());
        head[1..length].iter().all(|wanted| found.next().is_some_and(|byte| byte.to_ascii_lowercase() == *wanted))
    })
}

#[cfg(test)]
mod tests;
