//! Sends events to the merchant's URL: one attempt per event, in order, in the background.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::endpoints::{payouts, transactions};
use crate::json::{Json, object};
use crate::state::{Event, State};

const TIMEOUT: Duration = Duration::from_secs(10);

/// The URL of the webhook; plain http to this machine only.
#[derive(Debug, Clone)]
pub struct Target {
    uri: Uri,
    host: String,
    port: u16,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let uri: Uri = text.parse().map_err(|error| format!("not a URL: {error}"))?;
        if uri.scheme_str() != Some("http") {
            return Err("the URL must start with http://".to_string());
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_string();
        let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if !is_loopback {
            return Err("the URL must name this machine: 127.0.0.1, [::1] or localhost".to_string());
        }
        let port = uri.port_u16().unwrap_or(80);
        Ok(Target { uri, host, port })
    }
}

struct Notice {
    event: &'static str,
    key: String,
    body: String,
}

/// The result of one attempt.
pub struct Delivered {
    event: &'static str,
    key: String,
    status: Option<u16>,
    error: Option<String>,
}

impl Delivered {
    pub fn json(&self) -> Json {
        object! { "event": self.event, "key": &self.key, "status": self.status, "error": self.error.clone() }
    }
}

pub struct Webhook {
    queue: UnboundedSender<Notice>,
}

/// The receiving end of the queue.
pub struct Outbox {
    queue: UnboundedReceiver<Notice>,
    target: Target,
}

impl Webhook {
    pub fn new(target: Target) -> (Webhook, Outbox) {
        let (sender, receiver) = unbounded_channel();
        (Webhook { queue: sender }, Outbox { queue: receiver, target })
    }

    /// The body is rendered now, from the state right after the event.
    pub fn send(&self, event: &Event, state: &State) {
        let (event, key, data) = match event {
            Event::PaymentFinal { order } => ("payment", order, state.orders.get(order).map(transactions::of_order)),
            Event::Funded { session } => {
                ("funding", session, state.sessions.get(session).map(transactions::of_session))
            }
            Event::PayoutFinal { batch, payout } => {
                let of_batch = state.batches.get(batch).map(|batch| batch.payouts.as_slice()).unwrap_or_default();
                let found = of_batch.iter().find(|found| found.reference == *payout);
                ("payout", payout, found.map(payouts::with_state))
            }
        };
        let body = object! { "data": data }.to_string();
        // The receiver lives as long as the program.
        let _ = self.queue.send(Notice { event, key: key.clone(), body });
    }
}

impl Outbox {
    /// Delivers until the sandbox is dropped; passes the result of each attempt to `record`.
    pub async fn run(mut self, record: impl Fn(Delivered)) {
        while let Some(notice) = self.queue.recv().await {
            let attempt = tokio::time::timeout(TIMEOUT, post(&self.target, notice.body)).await;
            let result = attempt.unwrap_or_else(|_| Err(format!("no answer within {} s", TIMEOUT.as_secs())));
            let (status, error) = (result.as_ref().ok().copied(), result.err());
            record(Delivered { event: notice.event, key: notice.key, status, error });
        }
    }
}

async fn post(target: &Target, body: String) -> Result<u16, String> {
    let tcp =
        TcpStream::connect((target.host.as_str(), target.port)).await.map_err(|error| format!("connect: {error}"))?;
    let shaken = hyper::client::conn::http1::handshake(TokioIo::new(tcp)).await;
    let (mut sender, connection) = shaken.map_err(|error| format!("connect: {error}"))?;
    let background = tokio::spawn(connection);
    let path = target.uri.path_and_query().map_or("/", |path| path.as_str());
    let host = target.uri.authority().map_or("localhost", |authority| authority.as_str());
    let request = Request::post(path)
        .header(HOST, host)
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| format!("request: {error}"))?;
    let answer = sender.send_request(request).await.map_err(|error| format!("send: {error}"));
    background.abort();
    Ok(answer?.status().as_u16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_urls_are_accepted() {
        for good in ["http://127.0.0.1:8080/hook", "http://[::1]:1/", "http://localhost/x?y=1"] {
            good.parse::<Target>().unwrap();
        }
        for bad in ["https://127.0.0.1/", "http://example.com/", "http://10.0.0.1/", "hook", ""] {
            bad.parse::<Target>().unwrap_err();
        }
    }
}
