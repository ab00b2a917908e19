//! Delivers what is queued, one after the other, with the attempts that are configured.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, sleep_until};

use super::behaviour::Target;
use super::deliveries::{Progress, Result};
use super::{LONGEST_QUEUE, Queued, Webhooks};
use crate::service::sandbox::Sandbox;

/// Delivers until the sandbox is dropped.
pub async fn run(sandbox: Weak<Sandbox>, mut queue: Receiver<Queued>) {
    let mut waiting = Waiting::default();
    loop {
        tokio::select! {
            // Everything that was queued is known before the next one is chosen.
            biased;
            queued = queue.recv(), if waiting.deliveries.len() < LONGEST_QUEUE => match queued {
                Some(queued) => waiting.add(queued),
                None => return,
            },
            queued = waiting.next() => deliver(&sandbox, &queued).await,
        }
    }
}

/// Deliveries by the time at which they are due, then in the order in which they were queued.
#[derive(Default)]
struct Waiting {
    deliveries: BTreeMap<(Instant, u64), Queued>,
    count: u64,
}

impl Waiting {
    fn add(&mut self, queued: Queued) {
        if self.deliveries.values().next().is_some_and(|first| first.generation != queued.generation) {
            self.deliveries.clear();
        }
        self.count += 1;
        self.deliveries.insert((queued.due.into(), self.count), queued);
    }

    /// Waits for the first one to be due.
    async fn next(&mut self) -> Queued {
        loop {
            let Some((due, _)) = self.deliveries.keys().next().copied() else {
                return std::future::pending().await;
            };
            sleep_until(due).await;
            if let Some((_, queued)) = self.deliveries.pop_first() {
                return queued;
            }
        }
    }
}

async fn deliver(sandbox: &Weak<Sandbox>, queued: &Queued) {
    for attempt in 1.. {
        let Some(target) = with(sandbox, queued, |webhooks| target(webhooks, queued)) else {
            return;
        };
        let result = post(&target, queued.body.clone()).await;
        let Some(pause) = with(sandbox, queued, |webhooks| record(webhooks, queued, attempt, result)) else {
            return;
        };
        sleep(pause).await;
    }
}

/// Where the next attempt goes.
fn target(webhooks: &mut Webhooks, queued: &Queued) -> Option<Target> {
    let target = webhooks.behaviour.url.clone();
    if target.is_none() {
        webhooks.deliveries.mark(queued.id, Progress::NoUrl, None);
    }
    target
}

/// Logs the attempt; returns the pause before the next one if there is one.
fn record(webhooks: &mut Webhooks, queued: &Queued, attempt: u64, result: Result) -> Option<Duration> {
    let is_delivered = matches!(result, Ok((200..=299, _)));
    webhooks.deliveries.attempted(queued.id, result);
    if !is_delivered && attempt < webhooks.behaviour.attempts {
        return Some(webhooks.behaviour.retry);
    }
    let progress = if is_delivered { Progress::Delivered } else { Progress::Failed };
    webhooks.deliveries.mark(queued.id, progress, None);
    None
}

/// `None`, too, if the sandbox has ended or was reset since the delivery was queued.
fn with<T>(sandbox: &Weak<Sandbox>, queued: &Queued, act: impl FnOnce(&mut Webhooks) -> Option<T>) -> Option<T> {
    let sandbox = sandbox.upgrade()?;
    let mut shared = sandbox.lock();
    let is_current = shared.webhooks.generation == queued.generation;
    if is_current { act(&mut shared.webhooks) } else { None }
}

const TIMEOUT: Duration = Duration::from_secs(10);
/// Max bytes kept of the receiver's response.
const KEPT: usize = 1024;

pub async fn post(target: &Target, body: String) -> Result {
    let attempt = tokio::time::timeout(TIMEOUT, send(target, body)).await;
    attempt.unwrap_or_else(|_| Err(format!("no response within {} s", TIMEOUT.as_secs())))
}

async fn send(target: &Target, body: String) -> Result {
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
    let answered = match answer {
        Ok(answer) => Ok((answer.status().as_u16(), start_of_body(answer).await)),
        Err(error) => Err(error),
    };
    background.abort();
    answered
}

/// The status decides, so a body that breaks off is not an error.
async fn start_of_body(answer: Response<Incoming>) -> String {
    let (mut body, mut kept) = (answer.into_body(), Vec::new());
    while kept.len() < KEPT {
        let Some(Ok(frame)) = body.frame().await else {
            break;
        };
        kept.extend_from_slice(frame.data_ref().map_or(&[], |bytes| bytes.as_ref()));
    }
    kept.truncate(KEPT);
    String::from_utf8_lossy(&kept).into_owned()
}
