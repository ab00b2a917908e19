//! Puts a decided answer on the wire, whole or in one of the ways in which answers get lost.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use crate::answer::Answer;
use crate::connection::Connection;

/// How an answer travels. What it tells is committed already, whichever way it goes.
#[cfg_attr(not(test), expect(dead_code, reason = "the faults choose the other ways; the first release has none"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// The client never hears of it and its connection is reset.
    Reset,
    /// The connection is closed without an answer.
    Close,
    /// The connection stays open and nothing comes.
    Silence,
    /// So many bytes of the answer, its head included, then the end.
    CutAfter(usize),
}

/// The connection was broken on purpose: there is no answer to send.
#[derive(Debug)]
pub struct Lost;

impl std::fmt::Display for Lost {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the answer was lost on purpose")
    }
}

impl std::error::Error for Lost {}

pub type Delivered = Result<Response<Full<Bytes>>, Lost>;

pub fn deliver(answer: Answer, delivery: Delivery, connection: &Connection) -> Delivered {
    match delivery {
        Delivery::Whole => {}
        Delivery::Reset => connection.reset(),
        Delivery::Close => connection.close(),
        Delivery::Silence => connection.stall(),
        Delivery::CutAfter(bytes) => connection.cut_after(bytes),
    }
    match delivery {
        Delivery::Reset | Delivery::Close => Err(Lost),
        Delivery::Whole | Delivery::Silence | Delivery::CutAfter(_) => Ok(response(answer)),
    }
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    if answer.assumed {
        headers.insert("x-sandbox-assumed", HeaderValue::from_static("1"));
    }
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{Socket, Wire};
    use crate::json::object;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use std::io::{ErrorKind, Read, Write};
    use std::time::Duration;

    /// What a client reads that sends one request to a server which delivers this way.
    fn read_answer(delivery: Delivery) -> (Vec<u8>, Option<ErrorKind>) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            let (tcp, _) = listener.accept().await.unwrap();
            let connection = Connection::new(1);
            let wire = Wire { socket: Socket::Plain(tcp), connection: connection.clone() };
            let service = service_fn(move |_| {
                let answer = Answer::ok(&object! { "status": true });
                std::future::ready(deliver(answer, delivery, &connection))
            });
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(wire), service).await;
        });
        let mut client = std::net::TcpStream::connect(address).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        if delivery == Delivery::Silence {
            client.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        }
        let mut read = Vec::new();
        let error = client.read_to_end(&mut read).err().map(|error| error.kind());
        (read, error)
    }

    #[test]
    fn every_way_an_answer_travels() {
        let (whole, error) = read_answer(Delivery::Whole);
        assert!(whole.ends_with(br#"{"status":true}"#) && error.is_none());
        assert_eq!(read_answer(Delivery::Reset), (Vec::new(), Some(ErrorKind::ConnectionReset)));
        assert_eq!(read_answer(Delivery::Close), (Vec::new(), None));
        assert_eq!(read_answer(Delivery::CutAfter(20)), (whole[..20].to_vec(), None));
        let (nothing, waiting) = read_answer(Delivery::Silence);
        assert!(nothing.is_empty() && matches!(waiting, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)));
    }
}
