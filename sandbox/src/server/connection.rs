//! One client connection: its number, its request count, and the script that replaces an answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::script::Script;

#[derive(Debug)]
pub struct Connection {
    pub id: u64,
    requests: AtomicU64,
    script: Mutex<Option<Script>>,
}

impl Connection {
    pub fn new(id: u64) -> Arc<Connection> {
        Arc::new(Connection { id, requests: AtomicU64::new(0), script: Mutex::new(None) })
    }

    /// Counts the requests of this connection, from 1.
    pub fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Run when hyper has released the connection.
    pub fn play(&self, script: Script) {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Some(script);
    }

    pub fn take_script(&self) -> Option<Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
