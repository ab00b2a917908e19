//! The message of an answer.

use super::Reader;
use super::names::{Name, known};
use crate::response::document::Value;

/// How many bytes of a message are searched.
const MAX_SEARCHED: usize = 64 * 1024;

impl Reader<'_> {
    pub(super) fn message_of(&mut self, object: Value<'_>) {
        for member in object.children() {
            if let Some((Name::Message, _)) = known(member) {
                self.message(member);
            }
        }
    }

    /// Looks for words that speak of an earlier request, which may have been executed. The words are guessed.
    pub(super) fn message(&mut self, member: Value<'_>) {
        const WORDS: &[&str] = &["already", "duplicate", "in progress", "timed out", "timeout", "requery"];
        let Some(text) = member.text_start(MAX_SEARCHED) else { return };
        let text = text.as_bytes();
        let begins = |at: usize, word: &str| {
            text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        };
        let first = |byte: &u8| matches!(byte | 0x20, b'a' | b'd' | b'i' | b't' | b'r');
        let mut starts = text.iter().enumerate().filter(|(_, byte)| first(byte)).map(|(at, _)| at);
        self.earlier_request |= starts.any(|at| WORDS.iter().any(|word| begins(at, word)));
    }
}
