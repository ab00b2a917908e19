//! What was asked and what was answered, without secrets; the newest requests only.

use std::collections::VecDeque;

use crate::clock::Moment;
use crate::envelope::Opened;
use crate::incoming::Incoming;
use crate::json::{Json, object};
use crate::keys::KeyKind;
use crate::mask::mask;

const KEPT: usize = 10_000;

#[derive(Debug, Default)]
pub struct RequestLog {
    entries: VecDeque<Json>,
}

/// All that one line of the log is made of.
pub struct Handled<'a> {
    pub id: u64,
    pub connection: u64,
    pub on_connection: u64,
    pub received: Moment,
    pub incoming: &'a Incoming,
    pub key: KeyKind,
    pub opened: &'a Opened,
    pub status: u16,
    pub effects: &'a [u64],
}

impl RequestLog {
    pub fn add(&mut self, handled: &Handled) {
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(handled.json());
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
            "method": &incoming.method,
            "path": &incoming.path,
            "query": mask(&incoming.query_json()),
            "headers": object! {
                "api-key": self.key.name(),
                "encryption": headers.encryption.clone(),
                "content-type": headers.content_type.clone(),
                "accept": headers.accept.clone(),
                "user-agent": headers.user_agent.clone(),
            },
            "body_bytes": incoming.body_bytes,
            "envelope": opened.envelope,
            "decrypted_bytes": opened.decrypted_bytes,
            "payload_sha256": opened.sha256.clone(),
            "payload": opened.payload.as_ref().map(mask),
            "status": self.status,
            "effects": self.effects.to_vec(),
        }
    }
}
