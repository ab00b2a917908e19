//! A server that treats its connections exactly as a test sets it, plain or under TLS: for faults that
//! the sandbox does not have.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

pub use super::http::{closed_port, read_message, response, whole_message};

pub const OK: &str = r#"{"status":true,"message":"done","data":{"status":"pending"}}"#;

/// One connection, as the script of a test sees it.
pub struct Connection {
    /// Reads and writes here bypass TLS.
    pub socket: TcpStream,
    /// Counts from 0.
    pub index: usize,
    io: Io,
    seen: Arc<Mutex<Vec<String>>>,
    listener: Arc<TcpListener>,
}

impl Connection {
    /// Reads one whole request, notes it, and gives its text; `None` at the end of the connection.
    pub fn read_request(&mut self) -> Option<String> {
        let text = read_message(self)?;
        self.seen.lock().unwrap().push(text.clone());
        Some(text)
    }

    /// The server's side of TLS.
    pub fn tls(&mut self) -> &mut ServerConnection {
        let Io::Tls(tls) = &mut self.io else { panic!("no TLS") };
        &mut tls.conn
    }

    pub fn write(&mut self, text: &str) {
        // The client may be gone, which is what some tests are about.
        let _ = self.write_all(text.as_bytes()).and_then(|()| self.flush());
    }

    pub fn answer(&mut self, status: &str, headers: &str, body: &str) {
        self.write(&response(status, headers, body));
    }

    pub fn answer_ok(&mut self) {
        self.answer("200 OK", "", OK);
    }

    /// Answers every request like this.
    pub fn serve(&mut self, status: &str, headers: &str, body: &str) {
        while self.read_request().is_some() {
            self.answer(status, headers, body);
        }
    }

    pub fn serve_ok(mut self) {
        self.serve("200 OK", "", OK);
    }

    /// Nobody connects to the server any more.
    pub fn stop_accepting(&self) {
        stop_accepting(&self.listener, None);
    }

    /// Ends the connection with a reset instead of an orderly end.
    pub fn reset(self) {
        reset_when_closed(&self.socket);
    }

    /// Says nothing more until the client goes away.
    pub fn hold(&mut self) {
        let mut buffer = [0; 4096];
        while matches!(self.socket.read(&mut buffer), Ok(count) if count > 0) {}
    }
}

/// The server's end of a connection: plain or under TLS.
pub enum Io {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Io {
    /// The handshake is a part of the first read.
    pub fn new(socket: &TcpStream, tls: Option<&Arc<ServerConfig>>) -> Io {
        let socket = socket.try_clone().unwrap();
        match tls.map(|config| ServerConnection::new(Arc::clone(config)).unwrap()) {
            Some(tls) => Io::Tls(Box::new(StreamOwned::new(tls, socket))),
            None => Io::Plain(socket),
        }
    }
}

impl Read for Io {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Io::Plain(socket) => socket.read(buffer),
            Io::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Io {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Io::Plain(socket) => socket.write(bytes),
            Io::Tls(tls) => tls.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Io::Plain(socket) => socket.flush(),
            Io::Tls(tls) => tls.flush(),
        }
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.io.read(buffer)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.io.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.io.flush()
    }
}

/// The socket's end will be a reset.
pub fn reset_when_closed(socket: &TcpStream) {
    let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    // The connection may be at its end already.
    let _ = nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::Linger, &linger);
}

/// Ends the thread that accepts connections.
pub fn stop_accepting(listener: &TcpListener, thread: Option<JoinHandle<()>>) {
    let _ = nix::sys::socket::shutdown(listener.as_raw_fd(), nix::sys::socket::Shutdown::Both);
    if let Some(thread) = thread {
        let _ = thread.join();
    }
}

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    listener: Arc<TcpListener>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves each connection with the script, on a thread of its own.
    pub fn start(script: impl Fn(Connection) + Send + Sync + 'static) -> Server {
        Server::start_on(None, script)
    }

    /// Answers every request like this.
    pub fn always(status: &'static str, headers: &str, body: &str) -> Server {
        let (headers, body) = (headers.to_owned(), body.to_owned());
        Server::start(move |mut connection| connection.serve(status, &headers, &body))
    }

    /// Answers every request with the text that is set.
    pub fn settable() -> (Server, Arc<Mutex<String>>) {
        let body = Arc::new(Mutex::new(String::new()));
        let server = Server::start({
            let body = Arc::clone(&body);
            move |mut connection| {
                while connection.read_request().is_some() {
                    let body = body.lock().unwrap().clone();
                    connection.answer("200 OK", "", &body);
                }
            }
        });
        (server, body)
    }

    pub fn ok() -> Server {
        Server::start(Connection::serve_ok)
    }

    /// Serves under TLS; the handshake is a part of the first read.
    pub fn start_tls(config: Arc<ServerConfig>, script: impl Fn(Connection) + Send + Sync + 'static) -> Server {
        Server::start_on(Some(config), script)
    }

    fn start_on(tls: Option<Arc<ServerConfig>>, script: impl Fn(Connection) + Send + Sync + 'static) -> Server {
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0").unwrap());
        let port = listener.local_addr().unwrap().port();
        let (seen, connections, script) =
            (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)), Arc::new(script));
        let thread = std::thread::spawn({
            let (seen, connections, listener) = (Arc::clone(&seen), Arc::clone(&connections), Arc::clone(&listener));
            move || {
                while let Ok((socket, _)) = listener.accept() {
                    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    let index = connections.fetch_add(1, Ordering::SeqCst);
                    let io = Io::new(&socket, tls.as_ref());
                    let (seen, listener) = (Arc::clone(&seen), Arc::clone(&listener));
                    let connection = Connection { socket, index, io, seen, listener };
                    let script = Arc::clone(&script);
                    std::thread::spawn(move || script(connection));
                }
            }
        });
        Server { port, seen, connections, listener, thread: Some(thread) }
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
        stop_accepting(&self.listener, self.thread.take());
    }
}

/// Ends one side of a connection without ending the other.
pub fn half_close(socket: &TcpStream) {
    let _ = socket.shutdown(Shutdown::Write);
}
