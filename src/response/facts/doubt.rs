//! Messages that may be about an earlier request, or about one whose end is not known: a refusal with such a message
//! proves nothing. The words are guessed.

use super::roles::meaning;
use crate::json::Type;
use crate::json::document::Value;
use paysvc_spec::roles::SPOKEN_OF;
use paysvc_spec::schema::{Place, Role};

/// How many bytes of a message are searched.
const MAX_SEARCHED: usize = 64 * 1024;

/// One word or two.
const ALWAYS: &[&[&str]] = &[
    &["already"],
    &["duplicate"],
    &["been", "used"],
    &["been", "paid"],
    &["timed", "out"],
    &["timeout"],
    &["no", "response"],
    &["requery"],
    &["in", "progress"],
    &["processed"],
    &["successful"],
];
/// Words that plain refusals have too.
const UNLESS_REFUSED: &[&[&str]] = &[&["exists"], &["completed"], &["pending"], &["processing"], &["awaiting"]];

/// Words that deny what follows.
const DENIALS: &[&str] = &["not", "cannot", "never", "unable"];
/// Words that may stand between a denial and what it denies: "could not be completed".
const BETWEEN: &[&str] = &["be", "been", "being", "have", "has", "to", "yet", "get", "successfully"];

/// Whether a message was found that leaves open what became of a request.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Doubt {
    pub always: bool,
    /// Only if the answer has no code of failure and no failed state of its own.
    pub unless_refused: bool,
}

/// How many words before the current one are remembered.
const REMEMBERED: usize = 8;

/// The last words of a text, the newest last. An empty one begins a clause.
struct Last<'t>([&'t str; REMEMBERED]);

impl<'t> Last<'t> {
    fn push(&mut self, word: &'t str) {
        self.0.rotate_left(1);
        self.0[REMEMBERED - 1] = word;
    }

    /// The words before the last `count`, the nearest first, as far as the clause goes.
    fn before(&self, count: usize) -> impl Iterator<Item = &'t str> {
        self.0.into_iter().rev().skip(count).take_while(|word| !word.is_empty())
    }

    fn ends_with(&self, phrase: &[&str]) -> bool {
        self.0[REMEMBERED - phrase.len()..].iter().zip(phrase).all(|(own, word)| own.eq_ignore_ascii_case(word))
    }

    /// Whether the words before the last `count` words deny them.
    fn denied(&self, count: usize) -> bool {
        let is_one_of = |word: &str, words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        let mut before = self.before(count).skip_while(|word| is_one_of(word, BETWEEN));
        let [first, second, third] = [before.next(), before.next(), before.next()].map(Option::unwrap_or_default);
        let no_such = |no: &str, such: &str| no.eq_ignore_ascii_case("no") && such.eq_ignore_ascii_case("such");
        let contracted = first.len() > 3 && first.to_ascii_lowercase().replace('’', "'").ends_with("n't");
        // "no such order exists"
        is_one_of(first, DENIALS) || contracted || no_such(second, first) || no_such(third, second)
    }
}

impl Doubt {
    fn read(&mut self, member: Value<'_>) {
        if let Some(text) = member.text_start(MAX_SEARCHED) {
            self.search(&text);
        }
    }

    fn search(&mut self, text: &str) {
        let mut last = Last([""; REMEMBERED]);
        let in_word = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
        for part in text.split_inclusive(|c: char| !in_word(c)) {
            let end = part.char_indices().last().filter(|(_, c)| !in_word(*c)).map_or(part.len(), |(at, _)| at);
            let (word, rest) = part.split_at(end);
            if !word.is_empty() {
                last.push(word);
                self.always |= found(&last, ALWAYS);
                self.unless_refused |= found(&last, UNLESS_REFUSED);
            }
            // Only blanks join the words of a clause, and dashes within a word.
            let joins = |c: char| c.is_whitespace() || c == '_' || c == '-' && !word.is_empty();
            if !rest.chars().all(joins) {
                last.push("");
            }
        }
    }
}

fn found(last: &Last<'_>, phrases: &[&[&str]]) -> bool {
    phrases.iter().any(|phrase| last.ends_with(phrase) && !last.denied(phrase.len()))
}

impl Doubt {
    /// Reads the messages of an answer, where a refusal may be in doubt.
    pub fn messages(&mut self, object: Value<'_>, place: Place) {
        for member in object.children() {
            let is_object = member.kind() == Type::Object;
            match meaning(member, place, &[]).map(|known| known.role) {
                Some(Role::Message) => self.read(member),
                Some(Role::Errors) => self.errors(member),
                Some(Role::Error) if is_object => self.messages(member, Place::Error),
                Some(Role::Object(inner @ Place::Data)) if is_object => self.messages(member, inner),
                _ => {}
            }
        }
    }

    /// From the errors by member, at any depth, only the texts about references and one-time codes: for other members,
    /// "already" is a plain refusal.
    fn errors(&mut self, errors: Value<'_>) {
        let is_spoken_of = |name: &str| {
            let end = |known: &&str| name.len().checked_sub(known.len()).and_then(|at| name.get(at..));
            SPOKEN_OF.iter().any(|known| end(known).is_some_and(|end| end.eq_ignore_ascii_case(known)))
        };
        let mut until = 0;
        for value in errors.everything() {
            if value.name().is_some_and(|name| is_spoken_of(&name)) {
                until = until.max(value.end());
            }
            if value.index() < until {
                self.read(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubt(text: &str) -> (bool, bool) {
        let mut doubt = Doubt::default();
        doubt.search(text);
        (doubt.always, doubt.unless_refused)
    }

    #[test]
    fn real_sentences() {
        for text in [
            "Order has already been paid",
            "DUPLICATE TRANSACTION",
            "ALREADY_PAID",
            "This one-time code has been used",
            "Reference has been paid",
            "Request timed out",
            "Timeout waiting for the issuer",
            "No response from issuer",
            "Kindly requery",
            "Transaction in progress",
            "Your payment was processed",
            "Not accepted: transaction was successful",
            "Declined. Not now, payment was already made",
            "It isn't you; already paid",
        ] {
            assert!(doubt(text).0, "{text}");
        }
        for text in [
            "Card does not exist",
            "The transaction could not be completed",
            "Could not be processed",
            "Unsuccessful",
            "Your card was declined",
            "Transaction not successful",
            "The code has not been used",
            "Cannot be processed",
            "Unable to get processed",
            "It wasn't successful",
            "It wasn’t yet processed",
            "Unprocessed",
            "no such order exists",
            "No such pending order",
            "Insufficient funds",
            "",
        ] {
            assert_eq!(doubt(text), (false, false), "{text}");
        }
        for text in ["Order exists", "Payment completed", "Pending", "still processing", "awaiting confirmation"] {
            assert_eq!(doubt(text), (false, true), "{text}");
        }
    }
}
