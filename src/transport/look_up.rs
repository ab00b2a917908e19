//! Names to addresses. The system's look-up knows neither deadline nor cancel, so it runs on a thread that nothing waits
//! for any longer than it wants, and that sends nothing but the question.
//!
//! A resolver that hangs takes a bounded number of threads, and calls that ask for the same name share one.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use nix::sys::socket::{self, AddressFamily, SockFlag, SockType};
use once_cell::race::OnceBox;

use super::error::TransportError;
use crate::transport::call::Call;
use crate::util::process::generation;
use paysvc_spec::status::Status;

/// Most look-ups of a process at a time.
const MAX_LOOK_UPS: usize = 8;
/// A look-up that takes longer may hang for ever; a call that begins now asks again, while there are threads for it.
const SHARED: Duration = Duration::from_secs(2);
/// How often a wait that cannot be woken looks for a cancel.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

/// What the system said of a name: its addresses, or why there are none.
type Answer = Result<Vec<SocketAddr>, String>;

/// One look-up under way, and what it finds.
struct LookUp {
    name: String,
    since: Instant,
    answer: Option<Arc<Answer>>,
}

/// The look-ups of one process. A child after fork has a set of its own: its parent's threads are not there, and the
/// lock may be held by one of them.
struct LookUps {
    generation: u32,
    running: Mutex<Vec<Arc<Mutex<LookUp>>>>,
    /// One of them has ended.
    ended: Condvar,
    of_child: OnceBox<LookUps>,
}

/// The addresses of a name, which may be one itself.
pub fn look_up(
    host: &str,
    port: u16,
    deadline: Instant,
    call: Option<&Arc<Call>>,
) -> Result<Vec<SocketAddr>, TransportError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    match &*LookUps::own().ask(host, deadline, call)? {
        Ok(addresses) if addresses.is_empty() => Err(not_found(host, "it has no address")),
        Ok(addresses) => {
            let mut addresses = addresses.clone();
            addresses.iter_mut().for_each(|address| address.set_port(port));
            Ok(addresses)
        }
        Err(why) => Err(not_found(host, why)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LookUps {
    fn new() -> LookUps {
        LookUps { generation: generation(), running: Mutex::default(), ended: Condvar::new(), of_child: OnceBox::new() }
    }

    /// The set of this process.
    fn own() -> &'static LookUps {
        static FIRST: OnceBox<LookUps> = OnceBox::new();
        let mut own = FIRST.get_or_init(|| Box::new(LookUps::new()));
        while own.generation != generation() {
            own = own.of_child.get_or_init(|| Box::new(LookUps::new()));
        }
        own
    }

    fn ask(
        &'static self,
        host: &str,
        deadline: Instant,
        call: Option<&Arc<Call>>,
    ) -> Result<Arc<Answer>, TransportError> {
        let mut mine: Option<Arc<Mutex<LookUp>>> = None;
        let mut running = lock(&self.running);
        loop {
            if mine.is_none() {
                mine = self.join_or_start(&mut running, host)?;
            }
            if let Some(answer) = mine.as_ref().and_then(|mine| lock(mine).answer.clone()) {
                return Ok(answer);
            }
            if call.is_some_and(|call| call.is_cancelled()) {
                return Err(TransportError::cancelled());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TransportError::timeout(&match mine {
                    Some(_) => format!("looking up {host}"),
                    None => format!("waiting to look up {host}: {MAX_LOOK_UPS} other look-ups have not ended"),
                }));
            }
            let slice = if call.is_some() { left.min(CANCEL_CHECK) } else { left };
            running = self.ended.wait_timeout(running, slice).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A look-up of that name; `None` while there are too many of other names.
    fn join_or_start(
        &'static self,
        running: &mut Vec<Arc<Mutex<LookUp>>>,
        host: &str,
    ) -> Result<Option<Arc<Mutex<LookUp>>>, TransportError> {
        let youngest = running.iter().rfind(|look_up| lock(look_up).name == host);
        let full = running.len() >= MAX_LOOK_UPS;
        if youngest.is_some_and(|look_up| full || lock(look_up).since.elapsed() < SHARED) || full {
            return Ok(youngest.map(Arc::clone));
        }
        let started = Arc::new(Mutex::new(LookUp { name: host.to_owned(), since: Instant::now(), answer: None }));
        let (name, look_up) = (host.to_owned(), Arc::clone(&started));
        let run = move || self.run(&name, &look_up);
        without_signals(|| std::thread::Builder::new().name("paysvc-lookup".into()).spawn(run)).map_err(|error| {
            TransportError::new(Status::Transport, format!("the name look-up could not be started: {error}"))
        })?;
        running.push(Arc::clone(&started));
        Ok(Some(started))
    }

    /// On the thread of a look-up.
    fn run(&self, name: &str, look_up: &Arc<Mutex<LookUp>>) {
        let found = (name, 0).to_socket_addrs().map(Vec::from_iter);
        let found = found.map_err(|error| lack_of_descriptors().unwrap_or(error).to_string());
        let (worked, answer) = (found.is_ok(), Arc::new(found));
        let mut running = lock(&self.running);
        running.retain(|other| !Arc::ptr_eq(other, look_up));
        lock(look_up).answer = Some(Arc::clone(&answer));
        // Those that asked earlier and still wait have their answer too.
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

/// The system tells of a look-up that could open neither its files nor a socket as of a name that does not exist.
fn lack_of_descriptors() -> Option<io::Error> {
    match socket::socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None) {
        Err(lack @ (Errno::EMFILE | Errno::ENFILE)) => Some(lack.into()),
        // One that was had is closed here.
        _ => None,
    }
}

fn not_found(host: &str, why: &str) -> TransportError {
    TransportError::new(Status::Transport, format!("could not look up {host}: {why}"))
}

/// Runs `spawn` with all signals blocked: a thread starts with the mask of its maker, and the program's signal
/// handlers must not run on a thread that it does not know.
fn without_signals<T>(spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut before = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut before))?;
    let spawned = spawn();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None)?;
    spawned
}
