//! The part of a message that is shown, and the secrets in it.

use super::substrings::{ROOT, Substrings};
use crate::request::secrets::{LONG, MIDDLE, SHORTEST, Stop, has_symbols};
use crate::util::one_line;
use crate::util::symbols::{is_digit, is_mark, symbol, symbols as symbols_of};

const MASK: &str = "***";
/// How much of a message is read: what can be shown, and enough after it to recognise a secret that begins there.
const READ_CHARS: usize = one_line::MAX_CHARS + 1000;
/// So many digits at the end of a message identify a longer number. Card numbers may be shown with six at most.
pub const IDENTIFYING_DIGITS: usize = 7;
/// How many characters of one secret are read between two checks of the deadline.
const BETWEEN_STOPS: usize = 1 << 16;

/// The part of a message that is read, as it would be shown, and the secrets found in it.
pub struct Window {
    shown: Vec<char>,
    /// The message continues, so a secret may be cut off at the end of the window.
    continues: bool,
    /// Letters and digits only, and the position of each.
    symbols: Substrings,
    positions: Vec<usize>,
    values: Vec<u32>,
    /// By state: the length of the longest secret of `LONG` or more symbols.
    long: Vec<usize>,
    /// By state: the lengths of shorter secrets, a bit each. Tight ones have nothing between their symbols.
    tight: Vec<u16>,
    loose: Vec<u16>,
    /// How many symbols at the end are the beginning of a longer secret.
    tail: usize,
    /// For secrets with hardly any letters and digits: the characters as they are, built when first needed.
    exact: Option<(Substrings, Vec<usize>)>,
}

impl Window {
    pub fn new(raw: &str) -> Window {
        let mut raw = raw.chars();
        let shown: Vec<char> = raw.by_ref().take(READ_CHARS).filter_map(one_line::visible).collect();
        let found = shown.iter().enumerate().filter_map(|(position, &c)| Some((position, symbol(c)?)));
        let (positions, values): (Vec<_>, Vec<_>) = found.unzip();
        let symbols = Substrings::new(values.iter().copied());
        let states = symbols.len();
        Window {
            shown,
            continues: raw.next().is_some(),
            symbols,
            positions,
            values,
            long: vec![0; states],
            tight: vec![0; states],
            loose: vec![0; states],
            tail: 0,
            exact: None,
        }
    }

    /// Records all occurrences of the secret. Takes time for the part of it that is in the message, and for the numbers
    /// in it, which are searched for on their own; `None` if stopped.
    pub fn search(&mut self, secret: &str, stop: Stop<'_>) -> Option<()> {
        if !has_symbols(secret) {
            self.search_exactly(secret);
            return Some(());
        }
        self.walk(symbols_of(secret), || gaps_within(secret));
        if secret.len() >= LONG {
            self.search_numbers(secret, stop)?;
        }
        Some(())
    }

    fn walk(&mut self, secret: impl Iterator<Item = u32> + Clone, has_gaps: impl Fn() -> bool) {
        let (mut state, mut length, mut tail) = (ROOT, 0, 0);
        let mut rest = secret.clone();
        for value in rest.by_ref() {
            match self.symbols.step(state, value) {
                Some(next) => (state, length) = (next, length + 1),
                None => return self.cut_off(tail, &secret),
            }
            if self.symbols.at_end(state) {
                tail = length;
            }
        }
        match length {
            LONG.. => self.long[state] = self.long[state].max(length),
            MIDDLE.. => self.loose[state] |= 1 << length,
            _ if has_gaps() => self.loose[state] |= 1 << length,
            _ => self.tight[state] |= 1 << length,
        }
        // It may occur as a whole, and again in part at the end.
        self.cut_off(if tail == length { 0 } else { tail }, &secret);
    }

    /// The window ends with so many symbols of the secret.
    fn cut_off(&mut self, tail: usize, secret: &(impl Iterator<Item = u32> + Clone)) {
        if tail <= self.tail {
            return;
        }
        let start = self.values.len() - tail;
        let is_long = || secret.clone().take(LONG).count() == LONG;
        let identifying = match self.continues {
            // What follows is neither shown nor known.
            true => is_long() || self.is_edge(start, self.values.len(), true),
            false if self.values[start..].iter().all(|&value| is_digit(value)) => {
                tail >= IDENTIFYING_DIGITS && is_long()
            }
            false => tail >= LONG,
        };
        if identifying {
            self.tail = tail;
        }
    }

    /// The numbers within a longer text, each a secret of its own.
    fn search_numbers(&mut self, secret: &str, stop: Stop<'_>) -> Option<()> {
        let mut rest = symbols_of(secret);
        let (mut begins, mut digits, mut seen) = (rest.clone(), 0, 0_usize);
        loop {
            let here = rest.clone();
            let value = rest.next();
            if value.is_some_and(is_digit) {
                if digits == 0 {
                    begins = here;
                }
                digits += 1;
            } else if digits > 0 {
                if digits >= LONG {
                    self.walk(begins.clone().take(digits), || false);
                }
                digits = 0;
            }
            seen += 1;
            if value.is_none() {
                return Some(());
            }
            if seen.is_multiple_of(BETWEEN_STOPS) && stop() {
                return None;
            }
        }
    }

    fn search_exactly(&mut self, secret: &str) {
        let shown = &self.shown;
        let (all, found) = self.exact.get_or_insert_with(|| {
            let all = Substrings::new(shown.iter().map(|&c| u32::from(c)));
            let states = all.len();
            (all, vec![0; states])
        });
        let (mut state, mut length) = (ROOT, 0);
        for c in secret.trim().chars().filter_map(one_line::visible) {
            let Some(next) = all.step(state, u32::from(c)) else { return };
            (state, length) = (next, length + 1);
        }
        found[state] = found[state].max(length);
    }

    /// Whether the symbols from `start` to `end` are a whole token: no letter or digit is next to them, or no digit if they
    /// are a number, which letters may touch. `cut`: the message is cut off there, so its end is not checked.
    fn is_edge(&self, start: usize, end: usize, cut: bool) -> bool {
        let number = end - start >= MIDDLE && self.values[start..end].iter().all(|&value| is_digit(value));
        let touches = |position: Option<&char>| {
            position.and_then(|&c| symbol(c)).is_some_and(|neighbour| !number || is_digit(neighbour))
        };
        let before = self.shown[..self.positions[start]].iter().rev().find(|c| !is_mark(**c));
        let after = self.shown[self.positions[end - 1] + 1..].iter().find(|c| !is_mark(**c));
        !touches(before) && (cut || !touches(after))
    }

    /// Whether only marks are between the symbols.
    fn is_tight(&self, start: usize, end: usize) -> bool {
        let within = &self.shown[self.positions[start]..=self.positions[end - 1]];
        within.iter().all(|&c| symbol(c).is_some() || is_mark(c))
    }

    /// The text to show, with every secret masked.
    pub fn masked(mut self) -> String {
        let hidden = self.hidden();
        let (mut out, mut depth, mut was_hidden) = (String::new(), 0_i32, false);
        for (position, &c) in self.shown.iter().enumerate().take(one_line::MAX_CHARS) {
            depth += hidden[position];
            match (depth > 0, was_hidden) {
                (false, _) => out.push(c),
                (true, false) => out.push_str(MASK),
                (true, true) => {}
            }
            was_hidden = depth > 0;
        }
        match out.char_indices().nth(one_line::MAX_CHARS) {
            Some((end, _)) => out[..end].trim().to_owned(),
            None => out.trim().to_owned(),
        }
    }

    /// By position: how many more secrets begin there than end before it.
    fn hidden(&mut self) -> Vec<i32> {
        let mut hidden = vec![0; self.shown.len() + 1];
        let mut hide = |from: usize, to: usize| {
            hidden[from] += 1;
            hidden[to + 1] -= 1;
        };
        // Shorter secrets that end at the same position are at the state's suffixes: the nearest one with any is recorded.
        let mut nearest = vec![ROOT; self.symbols.len()];
        for state in self.symbols.by_length() {
            let suffix = self.symbols.suffix(state);
            self.long[state] = self.long[state].max(self.long[suffix]);
            nearest[state] = if self.tight[state] | self.loose[state] != 0 { state } else { nearest[suffix] };
        }
        for (index, &state) in self.symbols.prefixes().iter().enumerate() {
            let (end, last) = (index + 1, self.positions[index]);
            if self.long[state] > 0 {
                hide(self.positions[end - self.long[state]], last);
            }
            let mut short = nearest[state];
            while short != ROOT {
                for length in SHORTEST..LONG {
                    let (tight, loose) = (self.tight[short] >> length & 1 == 1, self.loose[short] >> length & 1 == 1);
                    let start = end.wrapping_sub(length);
                    if (tight || loose) && self.is_edge(start, end, false) && (loose || self.is_tight(start, end)) {
                        hide(self.positions[start], last);
                    }
                }
                short = nearest[self.symbols.suffix(short)];
            }
        }
        if self.tail > 0 {
            hide(self.positions[self.values.len() - self.tail], self.shown.len() - 1);
        }
        if let Some((all, found)) = &mut self.exact {
            for state in all.by_length() {
                found[state] = found[state].max(found[all.suffix(state)]);
            }
            for (position, &state) in all.prefixes().iter().enumerate().filter(|(_, state)| found[**state] > 0) {
                hide(position + 1 - found[state], position);
            }
        }
        hidden
    }
}

/// Whether the secret itself has anything between its letters and digits.
fn gaps_within(secret: &str) -> bool {
    let inner = secret.trim_matches(|c: char| symbol(c).is_none());
    inner.chars().any(|c| symbol(c).is_none())
}

/// Whether a text contains a long number.
pub fn holds_a_number(secret: &str) -> bool {
    let mut run = 0;
    secret.len() >= LONG
        && symbols_of(secret).any(|value| {
            run = if is_digit(value) { run + 1 } else { 0 };
            run == LONG
        })
}
