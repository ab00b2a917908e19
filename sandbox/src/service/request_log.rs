//! The log of the newest requests, with masked payloads.

use std::collections::VecDeque;
use std::io::Write as _;

use super::mask::mask;
use crate::crypto::envelope::Opened;
use crate::crypto::keys::KeyKind;
use crate::faults::fault::Fault;
use crate::http::incoming::Incoming;
use crate::util::clock::Moment;
use crate::util::json::{Json, object};

const CAPACITY: usize = 10_000;
/// Payloads of larger bodies are not kept, to limit the size of the log.
const LARGEST_PAYLOAD: usize = 16 << 10;

#[derive(Debug, Default)]
pub struct RequestLog {
    entries: VecDeque<Json>,
    /// The position of the oldest entry that is kept; positions are not reused.
    first: u64,
}

/// How much of the answer the client may have received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    Part,
    Whole,
}

const ANSWERED: &str = "answered";

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
    pub status: Option<u16>,
    pub effects: &'a [u64],
    /// What was accepted although it may be refused by the service.
    pub notes: &'a [String],
    pub fault: Option<&'static Fault>,
}

impl RequestLog {
    /// Returns the position of the entry, by which `answered` finds it.
    pub fn add(&mut self, entry: &LogEntry) -> u64 {
        if self.entries.len() == CAPACITY {
            self.entries.pop_front();
            self.first += 1;
        }
        self.entries.push_back(entry.json());
        self.first + self.entries.len() as u64 - 1
    }

    /// Called before the bytes are sent, so that a client that has read them sees it in the log.
    pub fn answered(&mut self, position: u64, answered: Answered) {
        let index = position.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let Some(Json::Object(members)) = index.and_then(|index| self.entries.get_mut(index)) else {
            return;
        };
        if let Some((_, value)) = members.iter_mut().find(|(name, _)| name == ANSWERED) {
            *value = Json::from(match answered {
                Answered::Part => "part",
                Answered::Whole => "whole",
            });
        }
    }

    pub fn clear(&mut self) {
        self.first += self.entries.len() as u64;
        self.entries.clear();
    }

    pub fn json(&self) -> Json {
        object! { "requests": self.entries.iter().cloned().collect::<Vec<_>>() }
    }
}

impl LogEntry<'_> {
    /// Method, path, status, envelope and fault on standard error: nothing from the query, the headers or the body.
    pub fn write_line(&self) {
        // As received: percent-encoded, so that it has no control characters.
        let path = self.incoming.target.split('?').next().unwrap_or_default();
        let or_dash = |text: &str| if text.is_empty() { "-".to_string() } else { text.to_string() };
        let status = self.status.map_or("-".to_string(), |status| status.to_string());
        let fault = self.fault.map_or(String::new(), |fault| format!(" fault={}", fault.name));
        let (method, path) = (or_dash(&self.incoming.method), or_dash(path));
        // Nobody may be reading.
        let _ = writeln!(std::io::stderr(), "{method} {path} {status} {}{fault}", self.opened.envelope);
    }

    fn json(&self) -> Json {
        let (incoming, opened) = (self.incoming, self.opened);
        let headers = &incoming.headers;
        object! {
            "request_id": self.id,
            "received": self.received.millis_utc(),
            "connection": self.connection,
            "request_on_connection": self.on_connection,
            "method": non_empty(&incoming.method),
            "path": non_empty(&incoming.path),
            "query": mask(&incoming.query_json()),
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
            "payload": opened.payload.as_ref().filter(|_| incoming.body_bytes <= LARGEST_PAYLOAD).map(mask),
            "status": self.status,
            "effects": self.effects.to_vec(),
            "notes": self.notes.to_vec(),
            "fault": self.fault.map(|fault| fault.name),
            "answered": "none",
        }
    }
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_completed_by_its_position() {
        let mut log = RequestLog::default();
        let incoming = Incoming::default();
        let handled = LogEntry {
            id: 1,
            connection: 1,
            on_connection: 1,
            received: Moment::now(),
            incoming: &incoming,
            key: KeyKind::Missing,
            opened: &Opened::NONE,
            status: None,
            effects: &[],
            notes: &[],
            fault: crate::faults::table::named("drip"),
        };
        let first = log.add(&handled);
        log.answered(first, Answered::Part);
        let text = log.json().to_string();
        assert!(
            text.contains(r#""method":null"#) && text.ends_with(r#""fault":"drip","answered":"part"}]}"#),
            "{text}"
        );
        // Cleared: the next entry has another position.
        log.clear();
        log.add(&handled);
        log.answered(first, Answered::Whole);
        assert!(log.json().to_string().contains(r#""answered":"none""#));
        let positions: Vec<u64> = (0..=CAPACITY).map(|_| log.add(&handled)).collect();
        log.answered(positions[CAPACITY], Answered::Whole);
        assert!(log.json().to_string().ends_with(r#""answered":"whole"}]}"#));
    }
}
