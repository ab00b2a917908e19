//! Windows. Sockets never block, and no socket has a timeout: what a send has sent when its timeout expires is not
//! documented, and short timeouts are raised to 500 ms. A wait is for an event that the system sets when something has
//! happened to the socket (`WSAEventSelect`), and for one that a cancel sets: shutting a socket down need not end a
//! wait for it.

use std::io::{self, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::os::windows::io::{AsRawHandle as _, AsRawSocket as _, FromRawHandle as _, FromRawSocket as _, OwnedHandle};
use std::ptr;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Networking::WinSock::{
    self as winsock, AF_INET, AF_INET6, FD_CLOSE, FD_READ, FD_SET, FD_WRITE, IN_ADDR, IN_ADDR_0, IN6_ADDR, IN6_ADDR_0,
    INVALID_SOCKET, IPPROTO_TCP, LINGER, SO_LINGER, SOCK_STREAM, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IN6_0, SOCKET,
    SOL_SOCKET, TCP_MAXRT, TIMEVAL, WSA_FLAG_NO_HANDLE_INHERIT, WSA_FLAG_OVERLAPPED, WSADATA, WSAEVENT, WSAEWOULDBLOCK,
    WSANETWORKEVENTS,
};
use windows_sys::Win32::System::Threading::{CreateEventW, INFINITE, SetEvent, WaitForMultipleObjects};

use super::CANCEL_CHECK;

/// The capacity of a set of sockets for `select` (FD_SETSIZE).
pub const MAX_CONNECTING: usize = 64;

fn last_error() -> io::Error {
    // SAFETY: it touches no memory of ours.
    io::Error::from_raw_os_error(unsafe { winsock::WSAGetLastError() })
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(last_error()) }
}

/// The standard library does it for sockets of its own. Never undone: the library stays loaded.
fn start_winsock() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        const VERSION_2_2: u16 = 0x0202;
        // SAFETY: WSADATA is plain data, written by the system. A failure shows when a socket is made.
        unsafe {
            let mut data: WSADATA = std::mem::zeroed();
            winsock::WSAStartup(VERSION_2_2, &mut data);
        }
    });
}

/// No child process inherits it: the flag exists since Windows 7 SP1.
fn new_socket(address: &SocketAddr) -> io::Result<TcpStream> {
    start_winsock();
    let family = i32::from(if address.is_ipv4() { AF_INET } else { AF_INET6 });
    let flags = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT;
    // SAFETY: a new socket, owned by the `TcpStream` alone.
    unsafe {
        let socket = winsock::WSASocketW(family, SOCK_STREAM, IPPROTO_TCP, ptr::null(), 0, flags);
        if socket == INVALID_SOCKET { Err(last_error()) } else { Ok(TcpStream::from_raw_socket(socket as u64 as _)) }
    }
}

fn raw(socket: &TcpStream) -> SOCKET {
    socket.as_raw_socket() as SOCKET
}

pub fn start(address: &SocketAddr) -> io::Result<TcpStream> {
    let socket = new_socket(address)?;
    socket.set_nonblocking(true)?;
    let connecting = match address {
        SocketAddr::V4(address) => {
            let name = SOCKADDR_IN {
                sin_family: AF_INET,
                sin_port: address.port().to_be(),
                sin_addr: IN_ADDR { S_un: IN_ADDR_0 { S_addr: u32::from_ne_bytes(address.ip().octets()) } },
                sin_zero: [0; 8],
            };
            // SAFETY: the address lives until the call returns, with its own size.
            unsafe { winsock::connect(raw(&socket), (&raw const name).cast(), size_of_val(&name) as i32) }
        }
        SocketAddr::V6(address) => {
            let name = SOCKADDR_IN6 {
                sin6_family: AF_INET6,
                sin6_port: address.port().to_be(),
                sin6_flowinfo: address.flowinfo(),
                sin6_addr: IN6_ADDR { u: IN6_ADDR_0 { Byte: address.ip().octets() } },
                Anonymous: SOCKADDR_IN6_0 { sin6_scope_id: address.scope_id() },
            };
            // SAFETY: as above.
            unsafe { winsock::connect(raw(&socket), (&raw const name).cast(), size_of_val(&name) as i32) }
        }
    };
    match checked(connecting) {
        Err(error) if error.raw_os_error() != Some(WSAEWOULDBLOCK) => Err(error),
        _ => Ok(socket),
    }
}

/// The indexes of the sockets that have connected or failed; waits at most that long. By `select`: WSAPoll does not
/// report a connect that failed, before Windows 10 of 2020.
pub fn connected_or_failed(sockets: &[TcpStream], wait: Duration) -> io::Result<Vec<usize>> {
    let mut set = FD_SET { fd_count: 0, fd_array: [0; MAX_CONNECTING] };
    for (place, socket) in set.fd_array.iter_mut().zip(sockets) {
        *place = raw(socket);
        set.fd_count += 1;
    }
    let (mut connected, mut failed) = (set, set);
    // Rounded up, or the last fraction of a millisecond would be spent in a busy loop.
    let ms = i32::from(u16::try_from(wait.as_millis() + 1).unwrap_or(u16::MAX));
    let timeout = TIMEVAL { tv_sec: ms / 1000, tv_usec: ms % 1000 * 1000 };
    // SAFETY: only the sets change, and the sockets are open.
    let count = unsafe { winsock::select(0, ptr::null_mut(), &mut connected, &mut failed, &timeout) };
    if count < 0 {
        return Err(last_error());
    }
    let has = |set: &FD_SET, socket| set.fd_array[..set.fd_count as usize].contains(&socket);
    let ready = |(index, socket): (usize, &TcpStream)| {
        (has(&connected, raw(socket)) || has(&failed, raw(socket))).then_some(index)
    };
    Ok(sockets.iter().enumerate().filter_map(ready).collect())
}

/// For use after connecting.
pub fn prepare(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)
}

/// Reads what has arrived, without waiting; `WouldBlock` when there is nothing.
pub fn read_ready(mut socket: &TcpStream, buffer: &mut [u8], peek: bool) -> io::Result<usize> {
    if peek { socket.peek(buffer) } else { socket.read(buffer) }
}

/// Only for a send that would block is it documented that nothing was sent.
pub fn sent_nothing(error: &io::Error) -> bool {
    error.raw_os_error() == Some(WSAEWOULDBLOCK)
}

fn set_option<T>(socket: &TcpStream, level: i32, name: i32, value: &T) -> io::Result<()> {
    let bytes = ptr::from_ref(value).cast();
    // SAFETY: an open socket, and a value that lives until the call returns, with its own size.
    checked(unsafe { winsock::setsockopt(raw(socket), level, name, bytes, size_of::<T>() as i32) })
}

/// When the socket is closed, what has not been delivered is dropped, and the peer gets a reset.
pub fn abort(socket: &TcpStream) {
    // A failure means that the connection is gone already.
    let _ = set_option(socket, SOL_SOCKET, SO_LINGER, &LINGER { l_onoff: 1, l_linger: 0 });
}

/// An event that stays set.
struct Event(OwnedHandle);

impl Event {
    fn new() -> io::Result<Event> {
        const STAYS_SET: i32 = 1;
        // SAFETY: a new handle, owned by the `OwnedHandle` alone; no child process inherits it.
        unsafe {
            let event = CreateEventW(ptr::null(), STAYS_SET, 0, ptr::null());
            if event.is_null() {
                Err(io::Error::last_os_error())
            } else {
                Ok(Event(OwnedHandle::from_raw_handle(event)))
            }
        }
    }

    fn set(&self) {
        // SAFETY: the handle is open.
        unsafe { SetEvent(self.handle()) };
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }
}

/// Waits until one of the events is set, at most that long.
fn wait_for_any(events: &[HANDLE], at_most: Duration) -> io::Result<()> {
    const ANY: i32 = 0;
    const WAIT_FAILED: u32 = u32::MAX;
    // Rounded up: a wait of 0 ms would be a busy loop.
    let ms = u32::try_from(at_most.as_millis() + 1).map_or(INFINITE - 1, |ms| ms.min(INFINITE - 1));
    // SAFETY: the handles are open, and their number is the one that is passed.
    let result = unsafe { WaitForMultipleObjects(events.len() as u32, events.as_ptr(), ANY, ms) };
    if result == WAIT_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[derive(Default)]
pub struct Waits {
    /// Set when something has happened to the socket. Made by the first wait.
    event: Option<Event>,
    /// Seconds for which the system tries to deliver written bytes.
    delivery: Option<u32>,
}

impl Waits {
    /// A socket that does not block needs no limit, but the delivery of what is written does.
    pub fn limit(&mut self, socket: &TcpStream, write: bool, left: Duration) -> io::Result<()> {
        let seconds = u32::try_from(left.as_secs()).unwrap_or(u32::MAX).clamp(1, i32::MAX as u32);
        if write && self.delivery != Some(seconds) {
            self.delivery = Some(seconds);
            // Where it fails, only the close limits it.
            let _ = set_option(socket, IPPROTO_TCP, TCP_MAXRT, &seconds);
        }
        Ok(())
    }

    /// Waits after a read or write that would have blocked, until it is worth repeating it.
    pub fn wait(&mut self, socket: &TcpStream, left: Duration, waker: Option<&Waker>) -> io::Result<()> {
        let Some(event) = &self.event else {
            let event = Event::new()?;
            let what = (FD_READ | FD_WRITE | FD_CLOSE) as i32;
            // SAFETY: both are open; the system keeps the event for as long as it may set it.
            checked(unsafe { winsock::WSAEventSelect(raw(socket), event.handle() as WSAEVENT, what) })?;
            self.event = Some(event);
            // Earlier events are not reported: the caller tries once more.
            return Ok(());
        };
        match waker.map(Waker::event) {
            None => wait_for_any(&[event.handle()], left)?,
            Some(Some(cancel)) => wait_for_any(&[event.handle(), cancel.handle()], left)?,
            // The system had no event for it.
            Some(None) => wait_for_any(&[event.handle()], left.min(CANCEL_CHECK))?,
        }
        // Clears the event. Anything that happens from now on sets it again, because the caller repeats the read or write.
        // SAFETY: both are open, and the record is plain data, written by the system.
        unsafe {
            let mut happened: WSANETWORKEVENTS = std::mem::zeroed();
            checked(winsock::WSAEnumNetworkEvents(raw(socket), event.handle() as WSAEVENT, &mut happened))
        }
    }
}

/// Ends the waits of a cancelled call by an event, which needs no lock and lives as long as the token. The sockets
/// themselves are left alone: a call that finds itself cancelled closes its own.
#[derive(Default)]
pub struct Waker(OnceBox<Option<Event>>);

/// Nothing: waits ask for the event.
pub struct AttachedSocket;

impl Waker {
    /// Wakes all waits, now and later.
    pub fn wake(&self) {
        if let Some(Some(event)) = self.0.get() {
            event.set();
        }
    }

    fn event(&self) -> Option<&Event> {
        self.0.get_or_init(|| Box::new(Event::new().ok())).as_ref()
    }

    pub fn attach(&self, _: &Arc<TcpStream>) -> AttachedSocket {
        self.event();
        // Before the caller checks for a cancel, which cannot set an event that does not exist yet.
        fence(Ordering::SeqCst);
        AttachedSocket
    }

    pub fn detach(&self, _: AttachedSocket) {}

    /// Waits until that time; returns `false` at once if cancelled.
    pub fn wait_until(&self, then: Instant, is_cancelled: impl Fn() -> bool) -> bool {
        let event = self.event();
        // A cancel that did not find the event is seen by the check below.
        fence(Ordering::SeqCst);
        loop {
            if is_cancelled() {
                return false;
            }
            let left = then.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let waited = match event {
                // The loop checks why it returned.
                Some(event) => wait_for_any(&[event.handle()], left),
                None => Err(io::ErrorKind::OutOfMemory.into()),
            };
            if waited.is_err() {
                std::thread::sleep(left.min(CANCEL_CHECK));
            }
        }
    }
}

/// A lookup needs none.
pub fn out_of_descriptors() -> Option<io::Error> {
    None
}

/// There are no signals.
pub fn without_signals<T>(spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    spawn()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use windows_sys::Win32::Foundation::{GetHandleInformation, HANDLE_FLAG_INHERIT};

    #[test]
    fn no_child_inherits_a_socket_or_an_event() {
        let is_inherited = |handle: HANDLE| {
            let mut flags = 0;
            // SAFETY: an open handle.
            assert_ne!(unsafe { GetHandleInformation(handle, &mut flags) }, 0);
            flags & HANDLE_FLAG_INHERIT != 0
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = start(&listener.local_addr().unwrap()).unwrap();
        assert!(!is_inherited(raw(&socket) as HANDLE));
        assert!(!is_inherited(Event::new().unwrap().handle()));
    }

    #[test]
    fn both_families_connect_and_refusals_are_found_among_them() {
        let listeners = ["127.0.0.1:0", "[::1]:0"].map(|address| TcpListener::bind(address).unwrap());
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut connecting: Vec<_> =
            listeners.iter().map(|listener| start(&listener.local_addr().unwrap()).unwrap()).collect();
        let peers: Vec<_> = listeners.iter().map(|listener| listener.accept().unwrap().1).collect();
        for _ in 2..MAX_CONNECTING {
            connecting.push(start(&closed).unwrap());
        }
        let mut ended = Vec::new();
        while !connecting.is_empty() {
            for index in connected_or_failed(&connecting, Duration::from_secs(60)).unwrap().into_iter().rev() {
                let socket = connecting.remove(index);
                ended.push((socket.take_error().unwrap().map(|error| error.kind()), socket));
            }
        }
        let (connected, refused): (Vec<_>, Vec<_>) = ended.into_iter().partition(|(error, _)| error.is_none());
        let mut ports: Vec<_> = connected.iter().map(|(_, socket)| socket.local_addr().unwrap()).collect();
        ports.sort();
        assert_eq!(ports, peers);
        assert_eq!(refused.len(), MAX_CONNECTING - 2);
        assert!(refused.iter().all(|(error, _)| *error == Some(io::ErrorKind::ConnectionRefused)));
    }

    #[test]
    fn a_wait_is_rounded_up_and_never_endless() {
        let event = Event::new().unwrap();
        let started = Instant::now();
        wait_for_any(&[event.handle()], Duration::from_micros(100)).unwrap();
        assert!(started.elapsed() >= Duration::from_micros(100));
        event.set();
        wait_for_any(&[event.handle()], Duration::MAX).unwrap();
        assert!(wait_for_any(&[], Duration::ZERO).is_err(), "a wait for nothing is an error, not a pause");
    }
}
