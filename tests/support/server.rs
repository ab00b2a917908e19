//! A server that does to its connections exactly what a test says: the bad peer that the sandbox cannot be.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

pub const OK: &str = r#"{"status":true,"message":"done","data":{"status":"pending"}}"#;

/// One connection, as the script of a test sees it.
pub struct Connection {
    pub socket: TcpStream,
    /// Counts from 0.
    pub index: usize,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Connection {
    /// Reads one whole request, notes it, and gives its text; `None` at the end of the connection.
    pub fn read_request(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            if let Some(head) = find(&bytes, b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
                let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
                if bytes.len() >= head + 4 + length.unwrap_or(0) {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    self.seen.lock().unwrap().push(text.clone());
                    return Some(text);
                }
            }
            match self.socket.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            }
        }
    }

    pub fn write(&mut self, text: &str) {
        // The client may be gone, which is what some tests are about.
        let _ = self.socket.write_all(text.as_bytes());
    }

    pub fn answer(&mut self, status: &str, headers: &str, body: &str) {
        self.write(&response(status, headers, body));
    }

    pub fn answer_ok(&mut self) {
        self.answer("200 OK", "", OK);
    }

    /// Ends the connection with a reset instead of an orderly end.
    pub fn reset(self) {
        let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
        nix::sys::socket::setsockopt(&self.socket, nix::sys::socket::sockopt::Linger, &linger).unwrap();
    }

    /// Says nothing more until the client goes away.
    pub fn hold(&mut self) {
        let mut buffer = [0; 4096];
        while matches!(self.socket.read(&mut buffer), Ok(count) if count > 0) {}
    }
}

pub fn response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    stop: TcpListener,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves each connection with the script, on a thread of its own.
    pub fn start(script: impl Fn(Connection) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, stop) = (listener.local_addr().unwrap().port(), listener.try_clone().unwrap());
        let (seen, connections, script) =
            (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)), Arc::new(script));
        let thread = std::thread::spawn({
            let (seen, connections) = (Arc::clone(&seen), Arc::clone(&connections));
            move || {
                while let Ok((socket, _)) = listener.accept() {
                    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    let index = connections.fetch_add(1, Ordering::SeqCst);
                    let connection = Connection { socket, index, seen: Arc::clone(&seen) };
                    let script = Arc::clone(&script);
                    std::thread::spawn(move || script(connection));
                }
            }
        });
        Server { port, seen, connections, stop, thread: Some(thread) }
    }

    /// A client's configuration that leads here.
    pub fn config(&self) -> Value {
        json!({"base_url": format!("http://127.0.0.1:{}", self.port), "public_key": "public", "secret_key": "secret"})
    }

    /// Requests read so far.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends the accepting thread; those of connections end with their clients.
        let _ =
            nix::sys::socket::shutdown(std::os::fd::AsRawFd::as_raw_fd(&self.stop), nix::sys::socket::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Ends one side of a connection without ending the other.
pub fn half_close(socket: &TcpStream) {
    let _ = socket.shutdown(Shutdown::Write);
}
