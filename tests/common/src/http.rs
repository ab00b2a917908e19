//! HTTP/1.1 messages, and a minimal server, as raw peers need them.

use std::io::{Read, Write as _};
use std::net::TcpListener;

pub fn response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// The length of the request or answer that the bytes begin with, once all of it is there.
pub fn whole_message(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let body = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok()).unwrap_or(0);
    (bytes.len() >= head + 4 + body).then_some(head + 4 + body)
}

/// Reads one whole request or answer; `None` at the end of the connection, or where no HTTP begins.
pub fn read_message(from: &mut impl Read) -> Option<String> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    while whole_message(&bytes).is_none() {
        let count = from.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        bytes.first().filter(|first| first.is_ascii_uppercase())?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Answers every request with success and this body, until the process ends; gives its port.
pub fn service(body: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            std::thread::spawn(move || {
                while read_message(&mut connection).is_some() {
                    connection.write_all(response("200 OK", "", body).as_bytes()).unwrap();
                }
            });
        }
    });
    port
}

/// Nobody listens there now.
pub fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
