//! One client connection: its number, its request count, and the script that replaces a response.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::faults::fault::Fault;
use crate::faults::script::Script;
use crate::service::decide::Origin;

/// A script and the request that it answers.
#[derive(Debug)]
pub struct Takeover {
    pub script: Script,
    pub fault: &'static Fault,
    /// The request's position in the log.
    pub position: u64,
}

#[derive(Debug)]
pub struct Connection {
    pub id: u64,
    requests: AtomicU64,
    /// Whether the next bytes are the head of a request.
    pub awaits_head: Arc<AtomicBool>,
    takeover: Mutex<Option<Takeover>>,
}

impl Connection {
    pub fn new(id: u64) -> Arc<Connection> {
        let (requests, awaits_head) = (AtomicU64::new(0), Arc::default());
        Arc::new(Connection { id, requests, awaits_head, takeover: Mutex::new(None) })
    }

    /// Counts the requests of this connection, from 1.
    pub fn next_request(&self) -> Origin {
        Origin { connection: self.id, on_connection: self.requests.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Run when hyper has released the connection.
    pub fn take_over(&self, by: Takeover) {
        *self.takeover.lock().unwrap_or_else(PoisonError::into_inner) = Some(by);
    }

    pub fn takeover(&self) -> Option<Takeover> {
        self.takeover.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
