//! What the table calls secret, taken out of what the service says. Pure.
//!
//! A service may repeat in its message what it was given, and messages end in logs. The values themselves are looked
//! for, not what looks like one; the answer's own bytes stay as they came.

mod substrings;
mod window;

use crate::request::secrets::{SHORTEST, Secrets, Stop};
use crate::util::one_line;
use crate::util::secret::Secret;
use crate::util::symbols;

use window::Window;

/// How many secrets are searched for between two checks of the deadline.
const BETWEEN_STOPS: usize = 256;
/// What stands in a message's place where the call ended before it was known to be free of secrets.
pub const WITHHELD: &str = "the service's message is withheld: the call ended before all secrets could be masked in it";

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
        if !safe && !self.secrets.is_complete() {
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
    let symbols = text.chars().filter_map(symbols::symbol).filter_map(|symbol| u8::try_from(symbol).ok());
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
