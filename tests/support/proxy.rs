//! Proxies, HTTP and SOCKS5, and a service that is reached through them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::capi::{Client, Reply, with};
use super::server::{Connection, Server, half_close};
use super::tls::{Authority, serve};

/// The requests to a proxy: the greeting and the target.
pub type Asked = Arc<Mutex<Vec<String>>>;

fn pipe(client: TcpStream, port: u16) {
    let service = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let copy = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            half_close(&to);
        })
    };
    copy(client.try_clone().unwrap(), service.try_clone().unwrap());
    copy(service, client);
}

/// An HTTP proxy that sends every CONNECT to one port, whatever name was asked for.
pub fn http_proxy(port: u16, login: Option<&'static str>) -> (Server, Asked) {
    let asked = Asked::default();
    let server = Server::start({
        let asked = Arc::clone(&asked);
        move |mut c: Connection| {
            let Some(request) = c.read_request() else { return };
            asked.lock().unwrap().push(request.lines().next().unwrap().to_owned());
            if login.is_some_and(|login| !request.contains(&format!("Proxy-Authorization: Basic {login}\r\n"))) {
                return c.write("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
            }
            c.write("HTTP/1.1 200 Connection established\r\nx-proxy: 1\r\n\r\n");
            pipe(c.socket, port);
        }
    });
    (server, asked)
}

fn take(socket: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    socket.read_exact(&mut bytes).map(|()| bytes).unwrap_or_default()
}

/// A SOCKS5 proxy; it answers the request with `code`.
pub fn socks5_proxy(port: u16, login: Option<(&'static str, &'static str)>, code: u8) -> (Server, Asked) {
    let asked = Asked::default();
    let server = Server::start({
        let asked = Arc::clone(&asked);
        move |mut c: Connection| {
            let socket = &mut c.socket;
            let greeting = take(socket, 2);
            let methods = take(socket, usize::from(greeting[1]));
            let method = if login.is_some() { 2 } else { 0 };
            if !methods.contains(&method) {
                return socket.write_all(&[5, 0xff]).unwrap();
            }
            socket.write_all(&[5, method]).unwrap();
            if let Some((user, password)) = login {
                let user_length = take(socket, 2)[1];
                let given_user = take(socket, usize::from(user_length));
                let password_length = take(socket, 1)[0];
                let given = take(socket, usize::from(password_length));
                let right = given_user == user.as_bytes() && given == password.as_bytes();
                socket.write_all(&[1, u8::from(!right)]).unwrap();
                if !right {
                    return;
                }
            }
            let head = take(socket, 4);
            let name = match head[3] {
                3 => {
                    let length = usize::from(take(socket, 1)[0]);
                    String::from_utf8(take(socket, length)).unwrap()
                }
                _ => format!("{:?}", take(socket, 4)),
            };
            let asked_port = take(socket, 2);
            asked.lock().unwrap().push(format!("{name}:{}", u16::from_be_bytes([asked_port[0], asked_port[1]])));
            socket.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
            if code == 0 {
                pipe(c.socket, port);
            }
        }
    });
    (server, asked)
}

pub struct Service {
    authority: Authority,
    pub server: Server,
}

impl Service {
    /// A service that no status query finds: only the proxy knows where it is.
    pub fn new() -> Service {
        let authority = Authority::new();
        let server =
            serve(Authority::server(&authority.leaf(&["service.invalid", "127.0.0.1"]), rustls::ALL_VERSIONS, None));
        Service { authority, server }
    }

    /// A client's configuration for the service under that name.
    pub fn config(&self, host: &str) -> Value {
        json!({"base_url": format!("https://{host}:{}", self.server.port), "public_key": "p", "secret_key": "s",
               "ca_file": self.authority.file(), "max_attempts": 1, "timeout_ms": 20000})
    }

    pub fn refund(&self, host: &str, changes: Value) -> Reply {
        Client::new(&with(self.config(host), changes)).call("order_refund", &json!({"reference": "R"}))
    }
}
