//! Looks up host names. The system's lookup has no deadline and cannot be cancelled, so it runs on a thread of its own,
//! which a call stops waiting for at its deadline. The thread does nothing else.
//!
//! The number of these threads is limited, for resolvers that hang, and calls that look up the same name share one.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use super::error::TransportError;
use super::sys::{out_of_descriptors, without_signals};
use crate::call::Bounds;
use crate::util::process::generation;
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
    answer: Option<Arc<Answer>>,
}

/// The lookups of one process. A forked child has its own: it does not have its parent's threads, and one of them may
/// hold the lock.
struct LookUps {
    generation: u32,
    running: Mutex<Vec<Arc<Mutex<LookUp>>>>,
    /// Notified when one of them has ended.
    ended: Condvar,
    child: OnceBox<LookUps>,
}

/// The addresses of a host, which may be an address itself.
pub fn look_up(host: &str, port: u16, bounds: &Bounds) -> Result<Vec<SocketAddr>, TransportError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    match &*LookUps::current().resolve(host, bounds)? {
        Ok(addresses) if addresses.is_empty() => Err(not_found(host, "it has no address")),
        Ok(addresses) => {
            let mut addresses = addresses.clone();
            addresses.iter_mut().for_each(|address| address.set_port(port));
            Ok(addresses)
        }
        Err(reason) => Err(not_found(host, reason)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LookUps {
    fn new() -> LookUps {
        LookUps { generation: generation(), running: Mutex::default(), ended: Condvar::new(), child: OnceBox::new() }
    }

    /// The lookups of this process.
    fn current() -> &'static LookUps {
        static FIRST: OnceBox<LookUps> = OnceBox::new();
        let mut look_ups = FIRST.get_or_init(|| Box::new(LookUps::new()));
        while look_ups.generation != generation() {
            look_ups = look_ups.child.get_or_init(|| Box::new(LookUps::new()));
        }
        look_ups
    }

    fn resolve(&'static self, host: &str, bounds: &Bounds) -> Result<Arc<Answer>, TransportError> {
        let mut own: Option<Arc<Mutex<LookUp>>> = None;
        let mut running = lock(&self.running);
        loop {
            if bounds.is_cancelled() {
                return Err(TransportError::cancelled());
            }
            if own.is_none() {
                own = self.join_or_start(&mut running, host)?;
            }
            if let Some(answer) = own.as_ref().and_then(|own| lock(own).answer.clone()) {
                return Ok(answer);
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
        running: &mut Vec<Arc<Mutex<LookUp>>>,
        host: &str,
    ) -> Result<Option<Arc<Mutex<LookUp>>>, TransportError> {
        let youngest = running.iter().rfind(|look_up| lock(look_up).name == host);
        let full = running.len() >= MAX_LOOK_UPS;
        if youngest.is_some_and(|look_up| full || lock(look_up).started.elapsed() < MAX_SHARED_AGE) || full {
            return Ok(youngest.map(Arc::clone));
        }
        let started = Arc::new(Mutex::new(LookUp { name: host.to_owned(), started: Instant::now(), answer: None }));
        let (name, look_up) = (host.to_owned(), Arc::clone(&started));
        let run = move || self.run(&name, &look_up);
        without_signals(|| std::thread::Builder::new().name("paysvc-lookup".into()).spawn(run)).map_err(|error| {
            TransportError::new(Status::Transport, format!("the DNS lookup could not be started: {error}"))
        })?;
        running.push(Arc::clone(&started));
        Ok(Some(started))
    }

    /// Runs on the thread of the lookup.
    fn run(&self, name: &str, look_up: &Arc<Mutex<LookUp>>) {
        let found = (name, 0).to_socket_addrs().map(Vec::from_iter);
        let found = found.map_err(|error| out_of_descriptors().unwrap_or(error).to_string());
        let (worked, answer) = (found.is_ok(), Arc::new(found));
        let mut running = lock(&self.running);
        running.retain(|other| !Arc::ptr_eq(other, look_up));
        lock(look_up).answer = Some(Arc::clone(&answer));
        // Earlier lookups of the name that still wait get the response too.
        for other in running.iter().filter(|_| worked) {
            let mut other = lock(other);
            if other.name == name {
                other.answer.get_or_insert_with(|| Arc::clone(&answer));
            }
        }
        drop(running);
        self.ended.notify_all();
    }
}

fn not_found(host: &str, reason: &str) -> TransportError {
    TransportError::new(Status::Transport, format!("could not look up {host}: {reason}"))
}
