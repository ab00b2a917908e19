//! Server-sent events: a subscriber is notified of a change, and then reads what it shows.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::service::sandbox::{Changes, Sandbox};

pub const PATH: &str = "/sandbox/events";
/// Further ones are refused.
pub const MOST_SUBSCRIBERS: usize = 32;
/// At most this often, however much happens.
const PAUSE: Duration = Duration::from_millis(100);
/// A line that means nothing shows whether the client is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The events of one subscriber: it holds at most one event that is not sent yet.
pub struct Events(Receiver<Bytes>);

impl Events {
    /// `None`: there are too many subscribers.
    pub fn subscribe(sandbox: &Sandbox) -> Option<Events> {
        let changes = sandbox.changes.subscribe();
        if sandbox.changes.receiver_count() > MOST_SUBSCRIBERS {
            return None;
        }
        let (sender, receiver) = channel(1);
        tokio::spawn(tell(changes, sender));
        Some(Events(receiver))
    }
}

/// Ends when the subscriber or the sandbox is gone.
async fn tell(mut changes: watch::Receiver<Changes>, subscriber: Sender<Bytes>) {
    changes.mark_changed();
    loop {
        let changed = tokio::select! {
            changed = timeout(HEARTBEAT, changes.changed()) => changed,
            () = subscriber.closed() => return,
        };
        let event = match changed {
            Err(_) => ":\n\n".to_string(),
            Ok(Ok(())) => format!("data: {}\n\n", changes.borrow_and_update().json()),
            Ok(Err(_)) => return,
        };
        if subscriber.send(event.into()).await.is_err() {
            return;
        }
        sleep(PAUSE).await;
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
    }
}
