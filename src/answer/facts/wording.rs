//! A text as words without case and accents, and the entries of [`paysvc_spec::refusals`] in it.

use paysvc_spec::refusals::{AFTER_ALREADY, ALREADY, BETWEEN, DENIALS, GROUPS, Meaning, OF_PAYMENTS};

/// The meaning of a text about a refusal.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Wording {
    pub doubt: bool,
    pub weak_doubt: bool,
    pub refusal: bool,
}

/// The accents of Latin letters.
const ACCENTS: &[(&str, char)] = &[
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ď", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭį", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşš", 's'),
    ("ţť", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ŵ", 'w'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
];

fn without_accent(letter: char) -> char {
    ACCENTS.iter().find(|(accented, _)| accented.contains(letter)).map_or(letter, |(_, plain)| *plain)
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// Folded words with a blank between them.
#[derive(Default)]
struct Words {
    text: String,
    /// Where each word begins, and whether nothing but blanks, `_`, an apostrophe, one dash or a change of case stands
    /// before it: it may be denied by the word before.
    starts: Vec<(usize, bool)>,
}

impl Words {
    /// `None` if there is no memory for them.
    fn of(text: &str) -> Option<Words> {
        let mut words = Words::default();
        // An accented letter is no longer without its accent; blanks stand in for what separates words, or for a change
        // of case.
        words.text.try_reserve(text.len() * 2 + 1).ok()?;
        words.starts.try_reserve(text.len() + 1).ok()?;
        let mut letters = text.char_indices().filter(|(_, c)| !is_accent(*c)).peekable();
        let (mut before, mut last) = (Separator::Break, None);
        while let Some((_, c)) = letters.next() {
            let next = letters.peek().copied();
            if c.is_alphanumeric() {
                let changes = last.is_some_and(|last: char| {
                    c.is_uppercase()
                        && (last.is_lowercase() || last.is_uppercase() && next.is_some_and(|(_, c)| c.is_lowercase()))
                });
                if last.is_none() || changes {
                    words.begin(if last.is_none() { before } else { Separator::Blank });
                }
                words.text.extend(c.to_lowercase().filter(|c| !is_accent(*c)).map(without_accent));
                (before, last) = (Separator::Nothing, Some(c));
                continue;
            }
            let denies = is_apostrophe(c) && matches!(last, Some('n' | 'N'));
            match next.filter(|(_, t)| denies && matches!(t, 't' | 'T')) {
                Some((at, _))
                    if !text[at + 1..].chars().find(|c| !is_accent(*c)).is_some_and(char::is_alphanumeric) =>
                {
                    letters.next();
                    words.begin(Separator::Blank);
                    words.text.push_str("not");
                    // A dash does not join it: the text is odd, and doubt is the safe side.
                    before = Separator::Blank;
                }
                _ => before = before.then(c),
            }
            last = None;
        }
        Some(words)
    }

    fn begin(&mut self, before: Separator) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.starts.push((self.text.len(), !matches!(before, Separator::Break)));
    }

    /// The text from that word on.
    fn from(&self, index: usize) -> Option<&str> {
        self.starts.get(index).map(|(start, _)| &self.text[*start..])
    }

    fn word(&self, index: usize) -> &str {
        let text = self.from(index).unwrap_or_default();
        text.split_once(' ').map_or(text, |(word, _)| word)
    }

    /// Returns whether the words before this one deny it.
    fn is_denied(&self, mut index: usize) -> bool {
        while index > 0 && self.starts[index].1 {
            index -= 1;
            let word = self.word(index);
            if DENIALS.contains(&word) {
                return true;
            }
            if !BETWEEN.contains(&word) {
                return false;
            }
        }
        false
    }

    /// Returns whether the word after this one makes "already" a plain refusal: "already expired".
    fn is_plain_already(&self, index: usize) -> bool {
        let next = self.starts.get(index + 1).filter(|(_, joined)| *joined).and_then(|_| self.from(index + 1));
        next.is_some_and(|next| AFTER_ALREADY.iter().any(|known| next.starts_with(known)))
    }
}

#[derive(Clone, Copy)]
enum Separator {
    Nothing,
    Blank,
    Dash,
    /// Anything else: the words belong to different clauses.
    Break,
}

impl Separator {
    fn then(self, c: char) -> Separator {
        match self {
            Separator::Nothing if c == '-' => Separator::Dash,
            Separator::Nothing | Separator::Blank if c.is_whitespace() || c == '_' || is_apostrophe(c) => {
                Separator::Blank
            }
            _ => Separator::Break,
        }
    }
}

/// `of_person`: a text under a field that names a person is about the field's value, not about a payment.
pub fn search(text: &str, of_person: bool) -> Wording {
    let mut found = Wording::default();
    let Some(words) = Words::of(text) else { return Wording { doubt: true, ..found } };
    for (index, (start, _)) in words.starts.iter().enumerate() {
        let rest = &words.text.as_bytes()[*start..];
        let is_at = |entry: &&&str| {
            // Nearly every entry begins with another letter.
            if entry.as_bytes()[0] != rest[0] {
                return false;
            }
            let after = rest.strip_prefix(entry.trim_end_matches('=').as_bytes());
            after.is_some_and(|after| !entry.ends_with('=') || matches!(after.first(), None | Some(b' ')))
        };
        for group in GROUPS {
            for entry in group.entries.iter().filter(is_at) {
                let plain = || of_person && OF_PAYMENTS.contains(entry);
                let is_plain_already = || ALREADY.contains(entry) && words.is_plain_already(index);
                match group.meaning {
                    Meaning::Doubt => found.doubt |= !(plain() || is_plain_already()),
                    Meaning::DoubtUnlessDenied => found.doubt |= !words.is_denied(index),
                    Meaning::WeakDoubt => found.weak_doubt |= !plain() && !words.is_denied(index),
                    Meaning::ProofOfRefusal => found.refusal = true,
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        Words::of(text).unwrap().text
    }

    #[test]
    fn a_text_is_folded_and_split() {
        for (text, folded) in [
            ("OrderAlreadyPaid", "order already paid"),
            ("ERROR_DOUBLE_PAYMENT", "error double payment"),
            ("HTTPError: time-out", "http error time out"),
            ("Référence DÉJÀ utilisée", "reference deja utilisee"),
            ("de\u{301}ja\u{300}", "deja"),
            ("It isn't, wasn\u{2019}t, DOESN'T", "it isn not wasn not doesn not"),
            ("n'est pas; isn'tx", "n est pas isn tx"),
            ("  a1B2 ", "a1b2"),
            ("", ""),
            ("?!", ""),
        ] {
            assert_eq!(words(text), folded, "{text}");
        }
    }

    #[test]
    fn denials_reach_over_blanks_only() {
        let doubt = |text: &str| search(text, false).doubt;
        for text in [
            "not processed",
            "NOT_PROCESSED",
            "not-processed",
            "notProcessed",
            "n'a pas été débité",
            "wasn't processed",
        ] {
            assert!(!doubt(text), "{text}");
        }
        for text in ["not - processed", "not, processed", "not: processed", "not now processed", "processed, not"] {
            assert!(doubt(text), "{text}");
        }
    }

    #[test]
    fn entries_have_their_own_rules() {
        let said = |text: &str| {
            let Wording { doubt, weak_doubt, refusal } = search(text, false);
            (doubt, weak_doubt, refusal)
        };
        for (text, expected) in [
            ("already paid", (true, false, false)),
            ("card already expired", (false, false, false)),
            ("already. Expired", (true, false, false)),
            ("not already", (true, false, false)),
            ("is paid", (true, false, false)),
            ("is unpaid, or paidx", (false, false, false)),
            ("it exists", (false, true, false)),
            ("it does not exist", (false, false, true)),
            ("must be a number", (false, false, true)),
            ("must be approved", (true, false, true)),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
        let of_person = search("already in use, it exists", true);
        assert_eq!(of_person, Wording::default(), "about the field's value");
        assert!(search("duplicate", true).doubt);
    }
}
