//! Through a proxy: HTTP CONNECT and SOCKS5, with and without a login, and the hosts that go without.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use paysvc::ffi::*;
use serde_json::{Value, json};

use support::capi::{Client, Reply};
use support::server::{Connection, Server};
use support::tls::{Authority, serve};

/// What a proxy was asked: its greeting and where to.
type Asked = Arc<Mutex<Vec<String>>>;

fn pipe(client: TcpStream, port: u16) {
    let service = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let copy = |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            support::server::half_close(&to);
        })
    };
    copy(client.try_clone().unwrap(), service.try_clone().unwrap());
    copy(service, client);
}

/// An HTTP proxy that sends every CONNECT to one port, whatever name was asked for.
fn http_proxy(port: u16, login: Option<&'static str>) -> (Server, Asked) {
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
fn socks5_proxy(port: u16, login: Option<(&'static str, &'static str)>, code: u8) -> (Server, Asked) {
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

struct Service {
    authority: Authority,
    server: Server,
}

impl Service {
    /// A service that no look-up finds: only the proxy knows where it is.
    fn new() -> Service {
        let authority = Authority::new();
        let server =
            serve(Authority::server(&authority.leaf(&["service.invalid", "127.0.0.1"]), rustls::ALL_VERSIONS, None));
        Service { authority, server }
    }

    fn refund(&self, host: &str, changes: Value) -> Reply {
        let mut config = json!({"base_url": format!("https://{host}:{}", self.server.port), "secret_key": "s", "ca_file": self.authority.file(), "max_attempts": 1, "timeout_ms": 20000});
        config.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        Client::new(&config).call(paysvc_order_refund, &json!({"reference": "R"}))
    }
}

#[test]
fn http_connect() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(service.server.port, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": url})).expect("OK CONFIRMED");
    assert_eq!(*asked.lock().unwrap(), [format!("CONNECT service.invalid:{} HTTP/1.1", service.server.port)]);

    // base64 of us@er:p:w
    let (proxy, _) = http_proxy(service.server.port, Some("dXNAZXI6cDp3"));
    let at = format!("127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": format!("http://us%40er:p%3Aw@{at}")})).expect("OK CONFIRMED");
    let reply = service.refund("service.invalid", json!({"proxy": format!("http://{at}")}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("407"), "{}", reply.message());
}

#[test]
fn socks5() {
    let service = Service::new();
    let (proxy, asked) = socks5_proxy(service.server.port, None, 0);
    service
        .refund("service.invalid", json!({"proxy": format!("socks5://127.0.0.1:{}", proxy.port)}))
        .expect("OK CONFIRMED");
    assert_eq!(*asked.lock().unwrap(), [format!("service.invalid:{}", service.server.port)]);

    let (proxy, _) = socks5_proxy(service.server.port, Some(("user", "pass")), 0);
    let at = format!("127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": format!("socks5://user:pass@{at}")})).expect("OK CONFIRMED");
    for (login, part) in [("user:wrong@", "refused the user"), ("", "none of the ways")] {
        let reply = service.refund("service.invalid", json!({"proxy": format!("socks5://{login}{at}")}));
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains(part) && !reply.message().contains("wrong"), "{}", reply.message());
    }

    let (proxy, _) = socks5_proxy(service.server.port, None, 2);
    let reply = service.refund("service.invalid", json!({"proxy": format!("socks5://127.0.0.1:{}", proxy.port)}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("rules do not allow"), "{}", reply.message());
}

#[test]
fn hosts_that_go_without() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(1, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    service.refund("127.0.0.1", json!({"proxy": url, "no_proxy": "example.com, 127.0.0.1"})).expect("OK CONFIRMED");
    assert!(asked.lock().unwrap().is_empty());
}

/// A proxy in the environment changes nothing: a till must not send payments where a shell variable points.
#[test]
fn the_environment_names_no_proxy() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(1, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    for name in ["ALL_PROXY", "HTTPS_PROXY", "https_proxy", "http_proxy"] {
        // SAFETY: no other test of this file reads the environment by these names.
        unsafe { std::env::set_var(name, &url) };
    }
    service.refund("127.0.0.1", json!({})).expect("OK CONFIRMED");
    assert!(asked.lock().unwrap().is_empty());
}
