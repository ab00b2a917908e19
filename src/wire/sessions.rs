//! The sessions of TLS 1.3 that later connections resume, which saves most of the time of a handshake.
//!
//! Each process has its own: a child that is forked while another thread holds the lock would wait for ever.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

use crate::util::process::PerProcess;

/// A ticket is used once, and most services send two on each connection: enough for as many connections at a time.
const MAX_TICKETS: usize = 32;

/// The sessions of one service; so the names are not compared.
pub struct Sessions(PerProcess<Mutex<ResumptionData>>);

#[derive(Default)]
struct ResumptionData {
    group: Option<NamedGroup>,
    /// The oldest first.
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl Sessions {
    pub fn new() -> Sessions {
        Sessions(PerProcess::new())
    }

    fn data(&self) -> MutexGuard<'_, ResumptionData> {
        self.0.current().1.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions")
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.data().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.data().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        let mut data = self.data();
        if data.tickets.len() == MAX_TICKETS {
            data.tickets.pop_front();
        }
        data.tickets.push_back(ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.data().tickets.pop_back()
    }
}
