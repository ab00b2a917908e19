//! The part of a message that can be shown, and the secrets in it. Pure.

use super::substrings::{ROOT, Substrings};
use crate::request::secrets::{LONG, MIDDLE, SHORTEST, Stop, has_symbols};
use crate::util::one_line;
use crate::util::symbols::{is_digit, is_mark, symbol, symbols as symbols_of};

const MASK: &str = "***";
/// As much as is read of a message: what can be shown, and enough behind it to know a secret that begins there.
const READ_CHARS: usize = one_line::MAX_CHARS + 1000;
/// So many digits at the end of a message tell what a longer number was: card numbers are shown with six at most.
pub const TELLING_DIGITS: usize = 7;
/// How many characters of one secret are looked at between two looks at the clock.
const BETWEEN_STOPS: usize = 1 << 16;

/// What of a message is read, as it would be shown, and what was found in it.
pub struct Window {
    shown: Vec<char>,
    /// The message goes on behind it, so that a secret may be cut off by its end.
    goes_on: bool,
    /// Letters and digits alone, and where each stands.
    symbols: Substrings,
    places: Vec<usize>,
    values: Vec<u32>,
    /// By state: the longest secret of `LONG` or more.
    long: Vec<usize>,
    /// By state: the lengths of shorter ones, a bit each; those with nothing between, and the others.
    tight: Vec<u16>,
    loose: Vec<u16>,
    /// So many symbols at the end begin a secret that goes on.
    tail: usize,
    /// For secrets that have next to no letters and digits: the characters as they are, made when first needed.
    exact: Option<(Substrings, Vec<usize>)>,
}

impl Window {
    pub fn new(raw: &str) -> Window {
        let mut raw = raw.chars();
        let shown: Vec<char> = raw.by_ref().take(READ_CHARS).filter_map(one_line::visible).collect();
        let found = shown.iter().enumerate().filter_map(|(place, &c)| Some((place, symbol(c)?)));
        let (places, values): (Vec<_>, Vec<_>) = found.unzip();
        let symbols = Substrings::new(values.iter().copied());
        let states = symbols.len();
        Window {
            shown,
            goes_on: raw.next().is_some(),
            symbols,
            places,
            values,
            long: vec![0; states],
            tight: vec![0; states],
            loose: vec![0; states],
            tail: 0,
            exact: None,
        }
    }

    /// Notes wherever the secret stands. Takes no longer than the part of it that is in the message, but for its
    /// numbers, which are looked for on their own; `None` when stopped on the way.
    pub fn look_for(&mut self, secret: &str, stop: Stop<'_>) -> Option<()> {
        if !has_symbols(secret) {
            self.look_for_exactly(secret);
            return Some(());
        }
        self.walk(symbols_of(secret), || gaps_within(secret));
        if secret.len() >= LONG {
            self.look_for_numbers(secret, stop)?;
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
        // It may stand there whole, and again at the end in part.
        self.cut_off(if tail == length { 0 } else { tail }, &secret);
    }

    /// The message ends with so many symbols of the secret.
    fn cut_off(&mut self, tail: usize, secret: &(impl Iterator<Item = u32> + Clone)) {
        if tail <= self.tail {
            return;
        }
        let start = self.values.len() - tail;
        let is_long = || secret.clone().take(LONG).count() == LONG;
        let telling = match self.goes_on {
            // What follows is not shown, and not known.
            true => is_long() || self.is_edge(start, self.values.len(), true),
            false if self.values[start..].iter().all(|&value| is_digit(value)) => tail >= TELLING_DIGITS && is_long(),
            false => tail >= LONG,
        };
        if telling {
            self.tail = tail;
        }
    }

    /// The numbers within a longer text, each a secret of its own.
    fn look_for_numbers(&mut self, secret: &str, stop: Stop<'_>) -> Option<()> {
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

    fn look_for_exactly(&mut self, secret: &str) {
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

    /// Whether the symbols from `start` to `end` are a whole token: no letter or digit touches them, or no digit, where
    /// they are a number that letters may stand at. The end is not looked at where the message is cut off.
    fn is_edge(&self, start: usize, end: usize, cut: bool) -> bool {
        let number = end - start >= MIDDLE && self.values[start..end].iter().all(|&value| is_digit(value));
        let touches = |place: Option<&char>| {
            place.and_then(|&c| symbol(c)).is_some_and(|neighbour| !number || is_digit(neighbour))
        };
        let before = self.shown[..self.places[start]].iter().rev().find(|c| !is_mark(**c));
        let after = self.shown[self.places[end - 1] + 1..].iter().find(|c| !is_mark(**c));
        !touches(before) && (cut || !touches(after))
    }

    /// Whether nothing but marks stands between the symbols.
    fn is_tight(&self, start: usize, end: usize) -> bool {
        let within = &self.shown[self.places[start]..=self.places[end - 1]];
        within.iter().all(|&c| symbol(c).is_some() || is_mark(c))
    }

    /// What can be shown, with every secret masked.
    pub fn masked(mut self) -> String {
        let hidden = self.hidden();
        let (mut out, mut depth, mut was_hidden) = (String::new(), 0_i32, false);
        for (place, &c) in self.shown.iter().enumerate().take(one_line::MAX_CHARS) {
            depth += hidden[place];
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

    /// By place: how many more secrets begin there than end before it.
    fn hidden(&mut self) -> Vec<i32> {
        let mut hidden = vec![0; self.shown.len() + 1];
        let mut hide = |from: usize, to: usize| {
            hidden[from] += 1;
            hidden[to + 1] -= 1;
        };
        // What ends where a longer substring ends is at its suffixes: the nearest that has something is noted.
        let mut nearest = vec![ROOT; self.symbols.len()];
        for state in self.symbols.by_length() {
            let suffix = self.symbols.suffix(state);
            self.long[state] = self.long[state].max(self.long[suffix]);
            nearest[state] = if self.tight[state] | self.loose[state] != 0 { state } else { nearest[suffix] };
        }
        for (index, &state) in self.symbols.upto().iter().enumerate() {
            let (end, last) = (index + 1, self.places[index]);
            if self.long[state] > 0 {
                hide(self.places[end - self.long[state]], last);
            }
            let mut short = nearest[state];
            while short != ROOT {
                for length in SHORTEST..LONG {
                    let (tight, loose) = (self.tight[short] >> length & 1 == 1, self.loose[short] >> length & 1 == 1);
                    let start = end.wrapping_sub(length);
                    if (tight || loose) && self.is_edge(start, end, false) && (loose || self.is_tight(start, end)) {
                        hide(self.places[start], last);
                    }
                }
                short = nearest[self.symbols.suffix(short)];
            }
        }
        if self.tail > 0 {
            hide(self.places[self.values.len() - self.tail], self.shown.len() - 1);
        }
        if let Some((all, found)) = &mut self.exact {
            for state in all.by_length() {
                found[state] = found[state].max(found[all.suffix(state)]);
            }
            for (place, &state) in all.upto().iter().enumerate().filter(|(_, state)| found[**state] > 0) {
                hide(place + 1 - found[state], place);
            }
        }
        hidden
    }
}

/// Whether anything stands between the letters and digits of a secret itself.
fn gaps_within(secret: &str) -> bool {
    let inner = secret.trim_matches(|c: char| symbol(c).is_none());
    inner.chars().any(|c| symbol(c).is_none())
}

/// Whether a text that is more than a number holds a long one.
pub fn holds_a_number(secret: &str) -> bool {
    let mut run = 0;
    secret.len() >= LONG
        && symbols_of(secret).any(|value| {
            run = if is_digit(value) { run + 1 } else { 0 };
            run == LONG
        })
}
