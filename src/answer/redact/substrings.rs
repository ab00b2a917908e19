//! An index of all substrings of a short text: a suffix automaton.
//!
//! It is built from the message, which is cut short, and not from the secrets, which may take 10 MiB. Searching for a secret
//! takes time for the part of it that occurs in the message.

/// A set of substrings of the text that end at the same positions.
#[derive(Default, Clone)]
struct State {
    /// Length of the longest of them.
    length: usize,
    /// The state of their longest common suffix that also ends elsewhere.
    suffix: usize,
    /// Sorted by symbol.
    next: Vec<(u32, usize)>,
    /// They end where the text ends.
    at_end: bool,
}

pub struct Substrings {
    states: Vec<State>,
    /// The state of the whole text up to each symbol.
    prefixes: Vec<usize>,
}

/// The empty substring.
pub const ROOT: usize = 0;

impl Substrings {
    pub fn new(text: impl Iterator<Item = u32>) -> Substrings {
        let mut all = Substrings { states: vec![State::default()], prefixes: Vec::new() };
        let mut last = ROOT;
        for symbol in text {
            last = all.append(last, symbol);
            all.prefixes.push(last);
        }
        let mut state = last;
        while state != ROOT {
            all.states[state].at_end = true;
            state = all.states[state].suffix;
        }
        all
    }

    fn append(&mut self, last: usize, symbol: u32) -> usize {
        let new = self.states.len();
        self.states.push(State { length: self.states[last].length + 1, ..State::default() });
        let mut from = Some(last);
        while let Some(state) = from.filter(|&state| self.step(state, symbol).is_none()) {
            self.set_step(state, symbol, new);
            from = (state != ROOT).then(|| self.states[state].suffix);
        }
        let Some(state) = from else { return new };
        let known = self.step(state, symbol).expect("the loop ended at a state that has it");
        self.states[new].suffix = match self.states[state].length + 1 == self.states[known].length {
            true => known,
            false => self.split(state, symbol, known),
        };
        new
    }

    /// The shorter substrings of `known` now also end elsewhere, so they get a state of their own.
    fn split(&mut self, state: usize, symbol: u32, known: usize) -> usize {
        let copy = self.states.len();
        let length = self.states[state].length + 1;
        self.states.push(State { length, ..self.states[known].clone() });
        self.states[known].suffix = copy;
        let mut from = Some(state);
        while let Some(state) = from.filter(|&state| self.step(state, symbol) == Some(known)) {
            self.set_step(state, symbol, copy);
            from = (state != ROOT).then(|| self.states[state].suffix);
        }
        copy
    }

    fn set_step(&mut self, state: usize, symbol: u32, to: usize) {
        let next = &mut self.states[state].next;
        match next.binary_search_by_key(&symbol, |&(known, _)| known) {
            Ok(at) => next[at].1 = to,
            Err(at) => next.insert(at, (symbol, to)),
        }
    }

    /// The substring with one more symbol, if it occurs too.
    pub fn step(&self, state: usize, symbol: u32) -> Option<usize> {
        let next = &self.states[state].next;
        next.binary_search_by_key(&symbol, |&(known, _)| known).ok().map(|at| next[at].1)
    }

    /// Whether the substrings of this state end where the text ends.
    pub fn at_end(&self, state: usize) -> bool {
        self.states[state].at_end
    }

    /// The next shorter substrings that end where those of this state end.
    pub fn suffix(&self, state: usize) -> usize {
        self.states[state].suffix
    }

    /// The states of the text up to and including each symbol.
    pub fn prefixes(&self) -> &[usize] {
        &self.prefixes
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// All states but the empty one, each after its suffix.
    pub fn by_length(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (1..self.states.len()).collect();
        order.sort_unstable_by_key(|&state| self.states[state].length);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(all: &Substrings, part: &str) -> Option<usize> {
        part.chars().try_fold(ROOT, |state, c| all.step(state, c as u32))
    }

    /// Compared with a plain search, for all texts of two letters up to a length.
    #[test]
    fn finds_every_substring_and_where_it_ends() {
        for length in 0..=8 {
            for number in 0..1_u32 << length {
                let text: String = (0..length).map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'b' }).collect();
                let all = Substrings::new(text.chars().map(u32::from));
                for part_length in 1..=4 {
                    for part in 0..1_u32 << part_length {
                        let part: String =
                            (0..part_length).map(|bit| if part >> bit & 1 == 0 { 'a' } else { 'b' }).collect();
                        let state = find(&all, &part);
                        assert_eq!(state.is_some(), text.contains(&part), "{part} in {text}");
                        let Some(state) = state else { continue };
                        assert_eq!(all.at_end(state), text.ends_with(&part), "{part} in {text}");
                        for (index, &prefixes) in all.prefixes().iter().enumerate() {
                            let mut chain = prefixes;
                            while chain != ROOT && chain != state {
                                chain = all.suffix(chain);
                            }
                            assert_eq!(chain == state, text[..=index].ends_with(&part), "{part} in {text} at {index}");
                        }
                    }
                }
            }
        }
    }
}
