//! What was asked and what was answered, without secrets; the newest requests only.

use std::collections::VecDeque;

use crate::clock::Moment;
use crate::envelope::Opened;
use crate::faults::table::Fault;
use crate::incoming::Incoming;
use crate::json::{Json, object};
use crate::keys::KeyKind;
use crate::mask::mask;

const KEPT: usize = 10_000;
/// A larger body's payload is not kept, so that the log stays small.
const LARGEST_PAYLOAD: usize = 16 << 10;

#[derive(Debug, Default)]
pub struct RequestLog {
    entries: VecDeque<Json>,
    /// The place of the first entry that is kept; places are never given twice.
    first: u64,
}

/// How much of an answer the client may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    Part,
    Whole,
}

const ANSWERED: &str = "answered";

/// All that one line of the log is made of.
pub struct Handled<'a> {
    pub id: u64,
    pub connection: u64,
    pub on_connection: u64,
    pub received: Moment,
    pub incoming: &'a Incoming,
    pub key: KeyKind,
    pub opened: &'a Opened,
    /// `None`: nothing was decided.
    pub status: Option<u16>,
    pub effects: &'a [u64],
    pub fault: Option<Fault>,
}

impl RequestLog {
    /// The place of the entry, by which it can be completed.
    pub fn add(&mut self, handled: &Handled) -> u64 {
        if self.entries.len() == KEPT {
            self.entries.pop_front();
            self.first += 1;
        }
        self.entries.push_back(handled.json());
        self.first + self.entries.len() as u64 - 1
    }

    /// Notes it before the bytes go out, so that whoever has read them finds it here.
    pub fn answered(&mut self, place: u64, answered: Answered) {
        let index = place.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
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

impl Handled<'_> {
    fn json(&self) -> Json {
        let (incoming, opened) = (self.incoming, self.opened);
        let headers = &incoming.headers;
        object! {
            "request_id": self.id,
            "received": self.received.millis_utc(),
            "connection": self.connection,
            "request_on_connection": self.on_connection,
            "method": something(&incoming.method),
            "path": something(&incoming.path),
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
            "fault": self.fault.map(Fault::name),
            "answered": "none",
        }
    }
}

fn something(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_completed_wherever_it_is() {
        let mut log = RequestLog::default();
        let incoming = Incoming::default();
        let handled = Handled {
            id: 1,
            connection: 1,
            on_connection: 1,
            received: Moment::now(),
            incoming: &incoming,
            key: KeyKind::Missing,
            opened: &Opened::NONE,
            status: None,
            effects: &[],
            fault: Some(Fault::Drip),
        };
        let first = log.add(&handled);
        log.answered(first, Answered::Part);
        let text = log.json().to_string();
        assert!(
            text.contains(r#""method":null"#) && text.ends_with(r#""fault":"drip","answered":"part"}]}"#),
            "{text}"
        );
        // Forgotten: the next entry is not it.
        log.clear();
        log.add(&handled);
        log.answered(first, Answered::Whole);
        assert!(log.json().to_string().contains(r#""answered":"none""#));
        let places: Vec<u64> = (0..=KEPT).map(|_| log.add(&handled)).collect();
        log.answered(places[KEPT], Answered::Whole);
        assert!(log.json().to_string().ends_with(r#""answered":"whole"}]}"#));
    }
}
