//! The log of the newest requests: what is kept of each and its response, masked.

use std::collections::VecDeque;
use std::io::Write as _;

use super::mask;
use crate::crypto::envelope::Opened;
use crate::crypto::keys::KeyKind;
use crate::faults::fault::Fault;
use crate::http::answer::Answer;
use crate::http::incoming::Incoming;
use crate::util::clock::Moment;
use crate::util::json::{Json, object};
use crate::util::named::named;

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

named! {
    /// The part of the response that the client may have received.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Answered {
        Nothing = "none",
        Part = "part",
        Whole = "whole",
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

    /// Number of entries added since the start, or since the log was cleared.
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

/// Payloads of larger bodies are not kept, to limit the size of the log.
const LARGEST_PAYLOAD: usize = 16 << 10;
const LARGEST_ANSWER: usize = 4 << 10;

/// The contents of a log entry.
pub struct LogEntry<'a> {
    pub id: u64,
    pub connection: u64,
    pub on_connection: u64,
    pub received: Moment,
    pub incoming: &'a Incoming,
    pub key: KeyKind,
    pub opened: &'a Opened,
    /// `None`: the request was not answered.
    pub answer: Option<&'a Answer>,
    pub effects: &'a [u64],
    /// Notes on input that was accepted although the service may refuse it.
    pub notes: &'a [String],
    pub fault: Option<&'static Fault>,
}

impl<'a> LogEntry<'a> {
    /// Entry of a request that has just been received, the second number being its own on the connection.
    pub fn unanswered(id: u64, (connection, on_connection): (u64, u64), incoming: &'a Incoming, key: KeyKind) -> Self {
        let (received, opened) = (Moment::now(), &Opened::NONE);
        let (answer, effects, notes, fault) = (None, &[], &[], None);
        LogEntry { id, connection, on_connection, received, incoming, key, opened, answer, effects, notes, fault }
    }

    /// Method, path, status, envelope and fault on standard error: nothing from the query, the headers or the body.
    pub fn write_line(&self) {
        // As received: percent-encoded, so that it has no control characters.
        let path = self.incoming.target.split('?').next().unwrap_or_default();
        let or_dash = |text: &str| if text.is_empty() { "-".to_string() } else { text.to_string() };
        let status = self.answer.map_or("-".to_string(), |answer| answer.status.to_string());
        let fault = self.fault.map_or(String::new(), |fault| format!(" fault={}", fault.name));
        let (method, path) = (or_dash(&self.incoming.method), or_dash(path));
        // Nobody may be reading.
        let _ = writeln!(std::io::stderr(), "{method} {path} {status} {}{fault}", self.opened.envelope);
    }

    pub fn json(&self) -> Json {
        let (incoming, opened) = (self.incoming, self.opened);
        let headers = &incoming.headers;
        object! {
            "request_id": self.id,
            "received": self.received.millis_utc(),
            "connection": self.connection,
            "request_on_connection": self.on_connection,
            "method": non_empty(&incoming.method),
            "path": non_empty(&incoming.path),
            "query": mask::mask(&incoming.query_json()),
            "headers": object! {
                "api-key": self.key.name(),
                "host": headers.host.clone(),
                "encryption": headers.encryption.clone(),
                "content-type": headers.content_type.clone(),
                "accept": headers.accept.clone(),
                "user-agent": headers.user_agent.clone(),
            },
            "body_bytes": incoming.body_bytes,
            "envelope": opened.envelope,
            "decrypted_bytes": opened.decrypted_bytes,
            "payload_sha256": opened.sha256.clone(),
            "payload": opened.payload.as_ref().filter(|_| incoming.body_bytes <= LARGEST_PAYLOAD).map(mask::mask),
            "status": self.answer.map(|answer| answer.status),
            "answer": self.answer.and_then(|answer| self.shown(answer)),
            "effects": self.effects.to_vec(),
            "notes": self.notes.to_vec(),
            "fault": self.fault.map(|fault| fault.name),
        }
    }

    /// The body that is sent, unless a fault changes it on the wire. As text, because a reader of the log must not fail at
    /// what a fault made of the response.
    fn shown(&self, answer: &Answer) -> Option<String> {
        if answer.body.len() > LARGEST_ANSWER {
            return None;
        }
        // An error may repeat what was sent.
        let sent = [self.incoming.headers.api_key.clone()].into_iter().flatten();
        let secrets = || sent.chain(self.opened.payload.iter().flat_map(mask::hidden)).collect::<Vec<_>>();
        let secrets = if answer.status >= 400 { secrets() } else { Vec::new() };
        let text = std::str::from_utf8(&answer.body).ok()?;
        Some(match Json::parse(&answer.body) {
            Ok(json) => mask::without(&mask::mask(&json), &secrets).to_string(),
            Err(_) => mask::without_in(text, &secrets),
        })
    }
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(log: &RequestLog) -> String {
        log.json(usize::MAX, |_| true)
    }

    #[test]
    fn an_entry_is_completed_by_its_position() {
        let mut log = RequestLog::default();
        let incoming = Incoming::default();
        let handled = LogEntry {
            fault: crate::faults::table::named("drip"),
            ..LogEntry::unanswered(1, (1, 1), &incoming, KeyKind::Missing)
        };
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

    #[test]
    fn an_answer_is_shown_without_secrets() {
        let payload = Json::parse(br#"{"card":{"cvv":"193","cardnumber":"4111111111111111"},"reference":"A"}"#);
        let opened = Opened { payload: payload.ok(), ..Opened::NONE };
        let incoming = Incoming {
            headers: crate::http::incoming::Headers { api_key: Some("KEY-1".into()), ..Default::default() },
            ..Incoming::default()
        };
        let shown = |status: u16, body: &str| {
            let answer = Answer { status, body: body.into(), ..Answer::ok(&Json::Null) };
            let entry = LogEntry { opened: &opened, ..LogEntry::unanswered(1, (1, 1), &incoming, KeyKind::Missing) };
            entry.shown(&answer)
        };
        let echo = r#"{"message":"KEY-1 4111111111111111 193 A"}"#;
        assert_eq!(shown(400, echo).unwrap(), r#"{"message":"*** *** *** A"}"#);
        assert_eq!(shown(502, "<p>KEY-1</p>").unwrap(), "<p>***</p>");
        assert_eq!(shown(200, r#"{"otp":"123456","x":193.00}"#).unwrap(), r#"{"otp":"******","x":193.00}"#);
        assert_eq!(shown(200, &" ".repeat(LARGEST_ANSWER + 1)), None);
    }
}
