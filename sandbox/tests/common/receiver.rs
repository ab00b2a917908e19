//! A receiver of webhooks that answers as the test requires.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Sandbox;
use super::http::{read_message, response};
use super::wire::TIMEOUT;

pub struct Receiver(TcpListener);

impl Receiver {
    pub fn new() -> Receiver {
        Receiver(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.0.local_addr().unwrap())
    }

    /// Receives one webhook call as text and answers with this status.
    pub fn receive_text(&self, status: u16) -> String {
        let mut stream = self.accept();
        let request = read_message(&mut stream).unwrap();
        let answer = response(&format!("{status} X"), "connection: close\r\n", "seen");
        let answer = if status == 204 { "HTTP/1.1 204 No Content\r\n\r\n".to_string() } else { answer };
        stream.write_all(answer.as_bytes()).unwrap();
        request.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// An error if nothing arrives.
    #[track_caller]
    fn accept(&self) -> TcpStream {
        self.0.set_nonblocking(true).unwrap();
        let give_up = Instant::now() + TIMEOUT;
        while Instant::now() < give_up {
            if let Ok((stream, _)) = self.0.accept() {
                stream.set_nonblocking(false).unwrap();
                return stream;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("no webhook call arrived");
    }

    /// Accepts the connection that the act causes, and does not answer.
    pub fn accept_after(&self, act: impl FnOnce()) -> TcpStream {
        act();
        self.accept()
    }

    pub fn receive(&self, status: u16) -> Value {
        serde_json::from_str(&self.receive_text(status)).unwrap()
    }
}

impl Sandbox {
    pub fn deliveries(&self) -> Vec<Value> {
        self.admin("webhooks")["deliveries"].as_array().unwrap().clone()
    }

    /// Waits until the delivery at this index has got so far.
    #[track_caller]
    pub fn delivery(&self, index: usize, progress: &str) -> Value {
        let mut last = Value::Null;
        for _ in 0..2000 {
            last = self.deliveries().get(index).cloned().unwrap_or_default();
            if last["progress"] == progress {
                return last;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it should be {progress}: {last}");
    }
}
