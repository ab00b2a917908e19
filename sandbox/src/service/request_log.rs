//! The log of the newest requests.

use std::collections::VecDeque;

use super::log_entry::LogEntry;

const CAPACITY: usize = 10_000;

#[derive(Debug, Default)]
pub struct RequestLog {
    entries: VecDeque<Kept>,
    /// The position of the oldest entry that is kept; positions are not reused.
    first: u64,
    /// Grows with every change.
    pub version: u64,
}

/// An entry as it is returned: text takes a fraction of the memory of its parsed form.
#[derive(Debug)]
pub struct Kept {
    pub id: u64,
    /// A JSON object without its last field and brace.
    pub text: Box<str>,
    answered: Answered,
    /// Refused, failed or not answered.
    pub is_error: bool,
    pub has_effects: bool,
    pub has_fault: bool,
}

/// How much of the response the client may have received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    Nothing,
    Part,
    Whole,
}

impl Answered {
    fn name(self) -> &'static str {
        match self {
            Answered::Nothing => "none",
            Answered::Part => "part",
            Answered::Whole => "whole",
        }
    }
}

impl RequestLog {
    /// Returns the position of the entry, by which `answered` finds it.
    pub fn add(&mut self, entry: &LogEntry) -> u64 {
        if self.entries.len() == CAPACITY {
            self.entries.pop_front();
            self.first += 1;
        }
        self.version += 1;
        let mut text = entry.json().to_string();
        text.pop();
        self.entries.push_back(Kept {
            id: entry.id,
            text: text.into(),
            answered: Answered::Nothing,
            is_error: entry.answer.is_none_or(|answer| answer.status >= 400),
            has_effects: !entry.effects.is_empty(),
            has_fault: entry.fault.is_some(),
        });
        self.first + self.entries.len() as u64 - 1
    }

    /// Called before the bytes are sent, so that a client that has read them sees it in the log.
    pub fn answered(&mut self, position: u64, answered: Answered) {
        let index = position.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(kept) = index.and_then(|index| self.entries.get_mut(index)) {
            kept.answered = answered;
            self.version += 1;
        }
    }

    pub fn clear(&mut self) {
        self.first += self.entries.len() as u64;
        self.entries.clear();
        self.version += 1;
    }

    /// How many were added since the start, or since the log was cleared.
    pub fn last_id(&self) -> u64 {
        self.entries.back().map_or(0, |kept| kept.id)
    }

    /// The newest entries that are wanted, oldest first, as a JSON array.
    pub fn json(&self, limit: usize, is_wanted: impl Fn(&Kept) -> bool) -> String {
        let meant = self.entries.iter().rev().filter(|kept| is_wanted(kept)).take(limit);
        let mut texts: Vec<String> = meant.map(Kept::json).collect();
        texts.reverse();
        format!("[{}]", texts.join(","))
    }
}

impl Kept {
    fn json(&self) -> String {
        format!("{},\"answered\":\"{}\"}}", self.text, self.answered.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::incoming::Incoming;
    use crate::service::log_entry::unanswered;

    fn all(log: &RequestLog) -> String {
        log.json(usize::MAX, |_| true)
    }

    #[test]
    fn an_entry_is_completed_by_its_position() {
        let mut log = RequestLog::default();
        let incoming = Incoming::default();
        let handled = LogEntry { fault: crate::faults::table::named("drip"), ..unanswered(&incoming) };
        let first = log.add(&handled);
        log.answered(first, Answered::Part);
        let text = all(&log);
        assert!(text.contains(r#""method":null"#) && text.ends_with(r#""fault":"drip","answered":"part"}]"#), "{text}");
        // Cleared: the next entry has another position.
        log.clear();
        log.add(&handled);
        log.answered(first, Answered::Whole);
        assert!(all(&log).contains(r#""answered":"none""#));
        let positions: Vec<u64> = (0..=CAPACITY).map(|_| log.add(&handled)).collect();
        log.answered(positions[CAPACITY], Answered::Whole);
        assert!(all(&log).ends_with(r#""answered":"whole"}]"#));
    }
}
