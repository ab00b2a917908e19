//! A port that answers no attempt to connect.

use std::net::TcpStream;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use nix::sys::socket::{AddressFamily, Backlog, SockFlag, SockType, SockaddrIn, bind, getsockname, listen, socket};

/// A port whose queue of connections is full: the system drops what else wants to connect, as a dead host would.
pub struct Deaf {
    _listener: std::os::fd::OwnedFd,
    _queue: Vec<TcpStream>,
    pub port: u16,
}

impl Deaf {
    pub fn start() -> Deaf {
        let listener = socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None).unwrap();
        bind(listener.as_raw_fd(), &SockaddrIn::new(127, 0, 0, 1, 0)).unwrap();
        listen(&listener, Backlog::new(0).unwrap()).unwrap();
        let port = getsockname::<SockaddrIn>(listener.as_raw_fd()).unwrap().port();
        let mut queue = Vec::new();
        let address = ([127, 0, 0, 1], port).into();
        while let Ok(connected) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
            queue.push(connected);
            assert!(queue.len() < 100, "the queue never fills");
        }
        Deaf { _listener: listener, _queue: queue, port }
    }
}
