//! Looks up host names. The system's lookup has no deadline and cannot be cancelled, so it runs on a thread of its own,
//! which a call stops waiting for at its deadline. The thread does nothing else.
//!
//! The number of these threads is limited, for resolvers that hang, and calls that look up the same name share one.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use super::error::TransportError;
use super::sys::{out_of_descriptors, without_signals};
use crate::call::Bounds;
use crate::util::process::PerProcess;
use paysvc_spec::status::Status;

/// Most simultaneous lookups of a process.
const MAX_LOOK_UPS: usize = 8;
/// A lookup that takes longer may hang for ever, so a call that starts now begins another one if there is a thread for it.
const MAX_SHARED_AGE: Duration = Duration::from_secs(2);

/// The addresses of a name, or why there are none.
type Answer = Result<Vec<SocketAddr>, String>;

/// A lookup in progress, and its response.
struct LookUp {
    name: String,
    started: Instant,
    answer: OnceLock<Answer>,
}

/// The lookups of one process. A forked child has its own: it does not have its parent's threads.
#[derive(Default)]
struct LookUps {
    running: Mutex<Vec<Arc<LookUp>>>,
    /// Notified when one of them has ended.
    ended: Condvar,
}

/// The addresses of a host, which may be an address itself.
pub fn look_up(host: &str, port: u16, bounds: &Bounds) -> Result<Vec<SocketAddr>, TransportError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    static ALL: OnceBox<PerProcess<LookUps>> = OnceBox::new();
    let look_ups = ALL.get_or_init(|| Box::new(PerProcess::new())).current().1;
    let not_found =
        |reason: &str| TransportError::new(Status::Transport, format!("could not look up {host}: {reason}"));
    match look_ups.resolve(host, bounds)? {
        Ok(addresses) if addresses.is_empty() => Err(not_found("it has no address")),
        Ok(mut addresses) => {
            addresses.iter_mut().for_each(|address| address.set_port(port));
            Ok(addresses)
        }
        Err(reason) => Err(not_found(&reason)),
    }
}

impl LookUps {
    fn resolve(&'static self, host: &str, bounds: &Bounds) -> Result<Answer, TransportError> {
        let mut own: Option<Arc<LookUp>> = None;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if bounds.is_cancelled() {
                return Err(TransportError::cancelled());
            }
            if own.is_none() {
                own = self.join_or_start(&mut running, host)?;
            }
            if let Some(answer) = own.as_ref().and_then(|own| own.answer.get()) {
                return Ok(answer.clone());
            }
            let left = bounds.time_left();
            if left.is_zero() {
                return Err(TransportError::timeout(&match own {
                    Some(_) => format!("looking up {host}"),
                    None => format!("waiting to look up {host}: {MAX_LOOK_UPS} other lookups have not ended"),
                }));
            }
            let wait = bounds.wait_to_check(left);
            running = self.ended.wait_timeout(running, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A lookup of that name; `None` while there are too many lookups of other names.
    fn join_or_start(
        &'static self,
        running: &mut Vec<Arc<LookUp>>,
        host: &str,
    ) -> Result<Option<Arc<LookUp>>, TransportError> {
        let youngest = running.iter().rfind(|look_up| look_up.name == host);
        let full = running.len() >= MAX_LOOK_UPS;
        if youngest.is_some_and(|look_up| full || look_up.started.elapsed() < MAX_SHARED_AGE) || full {
            return Ok(youngest.map(Arc::clone));
        }
        let started = Arc::new(LookUp { name: host.to_owned(), started: Instant::now(), answer: OnceLock::new() });
        let look_up = Arc::clone(&started);
        let run = move || self.run(&look_up);
        without_signals(|| std::thread::Builder::new().name("paysvc-lookup".into()).spawn(run)).map_err(|error| {
            TransportError::new(Status::Transport, format!("the DNS lookup could not be started: {error}"))
        })?;
        running.push(Arc::clone(&started));
        Ok(Some(started))
    }

    /// Runs on the thread of the lookup.
    fn run(&self, look_up: &Arc<LookUp>) {
        let found = (&*look_up.name, 0).to_socket_addrs().map(Vec::from_iter);
        let answer = found.map_err(|error| out_of_descriptors().unwrap_or(error).to_string());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|other| !Arc::ptr_eq(other, look_up));
        // Earlier lookups of the name that still wait get the addresses too.
        for other in running.iter().filter(|other| answer.is_ok() && other.name == look_up.name) {
            _ = other.answer.set(answer.clone());
        }
        _ = look_up.answer.set(answer);
        drop(running);
        self.ended.notify_all();
    }
}
