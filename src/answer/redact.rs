//! Masks the secrets of a request in the service's texts.
//!
//! A service may repeat in its message what it was given, and messages end up in logs. The values themselves are
//! searched for, not what looks like a secret: text and secrets are compared by their letters and digits, without case,
//! script and what stands between them. The body of the response is not changed.

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::noncontiguous::NFA;
use zeroize::Zeroizing;

use crate::request::secrets::{LONG, MIDDLE, SHORTEST, Secrets, Stop, has_symbols};
use crate::util::memory;
use crate::util::secret::Secret;
use crate::util::text::{MAX_CHARS, is_mark, is_plain, symbol, symbols, visible};

/// Replaces a message in which not all secrets can be masked: the call ended before that, or they are too many.
pub const WITHHELD: &str = "the service's message is withheld: not all secrets of the request could be masked in it";
const MASK: &str = "***";
/// Secrets that are compared between two checks of the deadline.
const BETWEEN_STOPS: usize = 256;
/// Max bytes of secrets that are searched for. With more of them, a message that may hold one is withheld.
const MOST_SECRETS: usize = 64 * 1024;
/// The memory that the search takes for a byte of the secrets, as a part of what [`memory::can_read`] allows for one.
const SEARCH_BYTES: usize = 32;
/// Characters of a message that are read: what can be shown, and enough after it to recognise a secret that begins there.
const READ_CHARS: usize = MAX_CHARS + 1000;
/// So many digits at the end of a message identify a longer number. Card numbers may be shown with six at most.
const IDENTIFYING_DIGITS: usize = 7;

/// Makes the service's text one line without any secret.
pub struct Redactor<'a> {
    pub secrets: &'a Secrets,
    /// The API key that the request carried.
    pub key: Option<&'a Secret>,
    pub stop: Stop<'a>,
}

impl Redactor<'_> {
    /// A message, a code or a content type: masked, on one line, at most [`MAX_CHARS`] long; `None` if it is
    /// to be withheld.
    pub fn redact(&self, raw: &str) -> Option<String> {
        // A text shorter than every secret contains none.
        let safe = raw.len() < SHORTEST;
        if !safe && !self.secrets.is_complete() {
            return None;
        }
        if is_plain(raw) && (safe || !self.may_occur_in(raw.as_bytes())?) {
            // One byte more, for the NUL at the end of a C string.
            let mut copy = String::with_capacity(raw.len() + 1);
            copy.push_str(raw);
            return Some(copy);
        }
        let window = Window::new(raw);
        match window.continues || self.may_occur_in(window.symbols.as_bytes())? {
            true => window.hidden(self.all()).map(|hidden| window.masked(&hidden)),
            false => Some(window.masked(&[])),
        }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().chain(self.key.map(Secret::expose))
    }

    /// A quick check, which nearly always avoids the search: whether anything in a text begins like a secret. `None` if
    /// stopped.
    fn may_occur_in(&self, text: &[u8]) -> Option<bool> {
        let numbers = text.iter().filter(|byte| byte.is_ascii_digit()).count() >= IDENTIFYING_DIGITS;
        for (number, secret) in self.all().enumerate() {
            if number % BETWEEN_STOPS == BETWEEN_STOPS - 1 && (self.stop)() {
                return None;
            }
            if begins_in(secret, text) || numbers && holds_a_number(secret) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Returns whether the text contains the first letters and digits of the secret, whatever separates them.
fn begins_in(secret: &str, text: &[u8]) -> bool {
    const HEAD: usize = 6;
    let mut head = [0; HEAD];
    let mut length = 0;
    // Up to the first character outside ASCII, which may be a letter.
    for byte in secret.bytes().take_while(u8::is_ascii).filter(u8::is_ascii_alphanumeric).take(HEAD) {
        head[length] = byte.to_ascii_lowercase();
        length += 1;
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

/// Returns whether a secret contains a long number.
fn holds_a_number(secret: &str) -> bool {
    let mut run = 0;
    secret.len() >= LONG
        && symbols(secret).any(|symbol| {
            run = if symbol.is_ascii_digit() { run + 1 } else { 0 };
            run == LONG
        })
}

/// A secret as it is searched for: its letters and digits.
struct Pattern {
    symbols: Zeroizing<String>,
    length: usize,
    /// It is short and has nothing between its symbols, so it is recognised only in this way.
    tight: bool,
}

impl Pattern {
    /// Adds the secret, and the numbers within a longer one, each of which is a secret of its own.
    fn add(secret: &str, all: &mut Vec<Pattern>) {
        let folded: Zeroizing<String> = Zeroizing::new(symbols(secret).collect());
        let runs = folded.split(|symbol: char| !symbol.is_ascii_digit()).filter(|run| run.len() >= LONG);
        all.extend(runs.map(|run| Pattern { symbols: Zeroizing::new(run.into()), length: run.len(), tight: false }));
        let length = folded.chars().count();
        let tight = length < MIDDLE && {
            let inner = secret.trim_matches(|c: char| symbol(c).is_none());
            inner.chars().all(|c| symbol(c).is_some())
        };
        all.push(Pattern { symbols: folded, length, tight });
    }
}

/// The part of a message that is read, as it would be shown.
struct Window {
    shown: Vec<char>,
    /// The message continues, so a secret may be cut off at the end of the window.
    continues: bool,
    /// Its letters and digits.
    symbols: String,
    /// By byte of the symbols: the position in what is shown.
    positions: Vec<usize>,
}

impl Window {
    fn new(raw: &str) -> Window {
        let mut raw = raw.chars();
        let shown: Vec<char> = raw.by_ref().take(READ_CHARS).filter_map(visible).collect();
        let (mut symbols, mut positions) = (String::new(), Vec::new());
        for (position, symbol) in shown.iter().enumerate().filter_map(|(position, &c)| Some((position, symbol(c)?))) {
            symbols.push(symbol);
            positions.resize(symbols.len(), position);
        }
        Window { shown, continues: raw.next().is_some(), symbols, positions }
    }

    /// By position: how many more secrets begin there than end before it. `None` if the secrets are too many or too
    /// long.
    fn hidden<'s>(&self, secrets: impl Iterator<Item = &'s str>) -> Option<Vec<i32>> {
        let mut hidden = vec![0; self.shown.len() + 1];
        let mut hide = |from: usize, to: usize| {
            hidden[from] += 1;
            hidden[to + 1] -= 1;
        };
        let (mut patterns, mut room) = (Vec::new(), MOST_SECRETS);
        for secret in secrets {
            room = room.checked_sub(secret.len())?;
            match has_symbols(secret) {
                true => Pattern::add(secret, &mut patterns),
                false => self.exactly(secret).for_each(|(from, to)| hide(from, to)),
            }
        }
        memory::can_read((MOST_SECRETS - room) * SEARCH_BYTES).then_some(())?;
        // A prefilter would be a vectorised search, see above.
        let mut builder = NFA::builder();
        let search = builder.prefilter(false).build(patterns.iter().map(|pattern| pattern.symbols.as_bytes())).ok()?;
        for found in search.try_find_overlapping_iter(self.symbols.as_str().into()).ok()? {
            let (pattern, start, end) = (&patterns[found.pattern()], found.start(), found.end());
            let is_token = || self.is_edge(start, end, false) && (!pattern.tight || self.is_tight(start, end));
            if pattern.length >= LONG || is_token() {
                hide(self.positions[start], self.positions[end - 1]);
            }
        }
        let tail = patterns.iter().map(|pattern| self.cut_off(pattern)).max().unwrap_or(0);
        if tail > 0 {
            hide(self.positions[self.symbols.len() - tail], self.shown.len() - 1);
        }
        Some(hidden)
    }

    /// Finds a secret with hardly any letters and digits: its characters as they are.
    fn exactly(&self, secret: &str) -> impl Iterator<Item = (usize, usize)> {
        let wanted: Vec<char> = secret.trim().chars().filter_map(visible).collect();
        let length = wanted.len();
        let starts = self.shown.windows(length.max(1)).enumerate().filter(move |(_, part)| **part == wanted);
        starts.map(move |(start, _)| (start, start + length - 1))
    }

    /// With how many bytes of the secret's beginning the window ends; 0 if it ends with all of it, or if they are too
    /// few to identify it.
    fn cut_off(&self, pattern: &Pattern) -> usize {
        let (text, secret) = (&self.symbols, &pattern.symbols);
        let ends = |length: &usize| secret.get(..*length).is_some_and(|head| text.ends_with(head));
        let tail = (1..=secret.len().min(text.len())).rev().find(ends).filter(|length| *length < secret.len());
        let Some(tail) = tail else { return 0 };
        let start = text.len() - tail;
        let identifies = match self.continues {
            // The rest is neither shown nor known.
            true => pattern.length >= LONG || self.is_edge(start, text.len(), true),
            false if text[start..].bytes().all(|byte| byte.is_ascii_digit()) => {
                tail >= IDENTIFYING_DIGITS && pattern.length >= LONG
            }
            false => text[start..].chars().count() >= LONG,
        };
        if identifies { tail } else { 0 }
    }

    /// Returns whether the symbols from `start` to `end` are a whole token: no letter or digit is next to them, or no digit if
    /// they are a number, which letters may touch. `cut`: the message is cut off there, so its end is not checked.
    fn is_edge(&self, start: usize, end: usize, cut: bool) -> bool {
        let number = end - start >= MIDDLE && self.symbols[start..end].bytes().all(|byte| byte.is_ascii_digit());
        let touches = |neighbour: Option<&char>| {
            neighbour.and_then(|&c| symbol(c)).is_some_and(|symbol| !number || symbol.is_ascii_digit())
        };
        let before = self.shown[..self.positions[start]].iter().rev().find(|c| !is_mark(**c));
        let after = self.shown[self.positions[end - 1] + 1..].iter().find(|c| !is_mark(**c));
        !touches(before) && (cut || !touches(after))
    }

    /// Returns whether only marks are between the symbols.
    fn is_tight(&self, start: usize, end: usize) -> bool {
        let within = &self.shown[self.positions[start]..=self.positions[end - 1]];
        within.iter().all(|&c| symbol(c).is_some() || is_mark(c))
    }

    /// The text to show, with every secret masked.
    fn masked(&self, hidden: &[i32]) -> String {
        let (mut out, mut depth, mut was_hidden) = (String::new(), 0_i32, false);
        for (position, &c) in self.shown.iter().enumerate().take(MAX_CHARS) {
            depth += hidden.get(position).unwrap_or(&0);
            match (depth > 0, was_hidden) {
                (false, _) => out.push(c),
                (true, false) => out.push_str(MASK),
                (true, true) => {}
            }
            was_hidden = depth > 0;
        }
        let end = out.char_indices().nth(MAX_CHARS).map_or(out.len(), |(end, _)| end);
        out[..end].trim().to_owned()
    }
}

#[cfg(test)]
mod tests;
