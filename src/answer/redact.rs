//! Masks the secrets of a request in what the service says.
//!
//! A service may repeat in its message what it was given, and messages end up in logs. The values themselves are
//! searched for, not what looks like a secret. The body of the answer is not changed.

mod substrings;
mod window;

use crate::request::secrets::{SHORTEST, Secrets, Stop};
use crate::util::one_line;
use crate::util::secret::Secret;
use crate::util::symbols;

use window::Window;

/// How many secrets are searched for between two checks of the deadline.
const BETWEEN_STOPS: usize = 256;
/// Replaces a message if the call ends before the message is known to contain no secrets.
pub const WITHHELD: &str = "the service's message is withheld: the call ended before all secrets could be masked in it";

/// Makes what the service says one line without any secret.
pub struct Redactor<'a> {
    pub secrets: &'a Secrets,
    /// The API key that the request carried.
    pub key: Option<&'a Secret>,
    pub stop: Stop<'a>,
}

impl Redactor<'_> {
    /// A message, a code or a content type: masked, on one line, at most [`one_line::MAX_CHARS`] long; `None` if the
    /// call ends before that.
    pub fn redact(&self, raw: &str) -> Option<String> {
        // A text shorter than every secret contains none.
        let safe = raw.len() < SHORTEST;
        if !safe && !self.secrets.is_complete() {
            return None;
        }
        if one_line::is_plain(raw) && (safe || !self.may_occur_in(raw.as_bytes())) {
            // One byte more, for the NUL at the end of a C string.
            let mut copy = String::with_capacity(raw.len() + 1);
            copy.push_str(raw);
            return Some(copy);
        }
        // The same for a text that is not plain, if it is short enough to be shown whole.
        if raw.len() <= one_line::MAX_CHARS && !self.may_occur_in(&ascii_symbols(raw)) {
            return Some(one_line::one_line(raw.to_owned()));
        }
        let mut window = Window::new(raw);
        for (number, secret) in self.all().enumerate() {
            if number % BETWEEN_STOPS == BETWEEN_STOPS - 1 && (self.stop)() {
                return None;
            }
            window.search(secret, self.stop)?;
        }
        Some(window.masked())
    }

    fn all(&self) -> impl Iterator<Item = &str> + Clone {
        self.secrets.iter().chain(self.key.map(Secret::expose))
    }

    /// A quick check of a short ASCII text, which nearly always avoids the search: whether anything in it begins like a
    /// secret.
    fn may_occur_in(&self, text: &[u8]) -> bool {
        /// For more secrets than most requests have, the full search is faster.
        const FEW: usize = 32;
        let numbers = text.iter().filter(|byte| byte.is_ascii_digit()).count() >= window::IDENTIFYING_DIGITS;
        self.all().enumerate().any(|(index, secret)| {
            index >= FEW || begins_in(secret, text) || (numbers && window::holds_a_number(secret))
        })
    }
}

/// The ASCII symbols of a text. Leaving out the others overlooks no secret that begins in ASCII.
fn ascii_symbols(text: &str) -> Vec<u8> {
    let symbols = text.chars().filter_map(symbols::symbol).filter_map(|symbol| u8::try_from(symbol).ok());
    symbols.filter(u8::is_ascii).collect()
}

/// Whether the text contains the first letters and digits of the secret, whatever separates them.
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
    // Byte by byte: a vectorised search would leave parts of the text, maybe of a secret, in registers and on the
    // stack.
    let starts = text.iter().enumerate().filter(|(_, byte)| byte.to_ascii_lowercase() == head[0]);
    starts.map(|(start, _)| start).any(|start| {
        let mut found = text[start + 1..].iter().filter(|byte| byte.is_ascii_alphanumeric());
        head[1..length].iter().all(|wanted| found.next().is_some_and(|byte| byte.to_ascii_lowercase() == *wanted))
    })
}

#[cfg(test)]
mod tests;
