//! Webhook events: how they are rendered, when they are sent, and the log of deliveries.
//!
//! Events are logged under the sandbox's lock and delivered by a task of their own, so that no request waits for a
//! receiver.

pub mod behaviour;
pub mod deliveries;
pub mod message;
pub mod outbox;

use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::state::{Event, State};
use behaviour::Behaviour;
use deliveries::{Deliveries, Delivery, Progress};
use message::Message;

/// Deliveries that wait for the task, and as many that wait for their time; further ones are dropped.
const LONGEST_QUEUE: usize = 500;

/// A delivery in the queue. After a reset its generation is over and it is not sent.
#[derive(Debug)]
pub struct Queued {
    pub id: u64,
    pub generation: u64,
    pub due: Instant,
    /// A copy: the log may have lost the delivery by then.
    pub body: String,
}

/// The webhooks to send, how to send them, and those sent.
pub struct Webhooks {
    /// As started; a reset returns to it.
    initial: Behaviour,
    pub behaviour: Behaviour,
    pub deliveries: Deliveries,
    /// Collected until there are as many as are sent in reverse.
    held: Vec<u64>,
    queue: Sender<Queued>,
    pub generation: u64,
}

impl Webhooks {
    /// The receiver is for `outbox::run`.
    pub fn new(initial: Behaviour) -> (Webhooks, Receiver<Queued>) {
        let (queue, receiver) = channel(LONGEST_QUEUE);
        let deliveries = Deliveries::default();
        let webhooks =
            Webhooks { behaviour: initial.clone(), initial, deliveries, held: Vec::new(), queue, generation: 0 };
        (webhooks, receiver)
    }

    pub fn reset(&mut self) {
        self.behaviour = self.initial.clone();
        self.deliveries.clear();
        self.held.clear();
        self.generation += 1;
    }

    /// Logs and sends an event; its body is rendered now, from the state right after the event.
    pub fn send(&mut self, event: &Event, state: &State) {
        let message = Message::of(event, state, self.behaviour.form);
        let is_dropped = self.behaviour.take_drop();
        let first = self.deliveries.add(Delivery::new(message.clone()));
        if is_dropped {
            self.deliveries.mark(first, Progress::Dropped, Some("dropped on demand"));
            return;
        }
        self.pass_on(first);
        for _ in 0..self.behaviour.duplicates {
            let copy = self.deliveries.add(Delivery::copy(message.clone(), first, false));
            self.pass_on(copy);
        }
    }

    /// Sends a message that no event caused, at once.
    pub fn send_forged(&mut self, message: Message) -> u64 {
        let id = self.deliveries.add(Delivery::forged(message));
        self.queue(id, Duration::ZERO);
        id
    }

    /// Sends the body of a delivery again, at once; `None`: it is not in the log.
    pub fn resend(&mut self, id: u64) -> Option<u64> {
        let known = self.deliveries.get(id)?;
        let again = Delivery::copy(known.message.clone(), id, known.is_forged);
        let copy = self.deliveries.add(again);
        self.queue(copy, Duration::ZERO);
        Some(copy)
    }

    /// Sends what is held back, in the order of the events.
    pub fn release(&mut self) {
        let delay = self.behaviour.delay;
        for id in std::mem::take(&mut self.held) {
            self.queue(id, delay);
        }
    }

    fn pass_on(&mut self, id: u64) {
        let group = self.behaviour.reorder;
        if group > 1 {
            self.deliveries.mark(id, Progress::Held, None);
            self.held.push(id);
            if self.held.len() < group {
                return;
            }
            self.held.reverse();
            self.release();
        } else {
            self.queue(id, self.behaviour.delay);
        }
    }

    fn queue(&mut self, id: u64, delay: Duration) {
        if self.behaviour.url.is_none() {
            self.deliveries.mark(id, Progress::NoUrl, None);
            return;
        }
        let Some(body) = self.deliveries.get(id).map(|delivery| delivery.message.body.clone()) else {
            return;
        };
        self.deliveries.mark(id, Progress::Queued, None);
        let queued = Queued { id, generation: self.generation, due: Instant::now() + delay, body };
        match self.queue.try_send(queued) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.deliveries.mark(id, Progress::Dropped, Some("the queue is full")),
            Err(TrySendError::Closed(_)) => self.deliveries.mark(id, Progress::Dropped, Some("the sandbox is ending")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::test_state;
    use crate::util::json::Json;

    #[test]
    fn queue_and_log_are_bounded() {
        let url = Some("http://127.0.0.1:9/".parse().unwrap());
        let (mut webhooks, mut receiver) = Webhooks::new(Behaviour { url, ..Behaviour::default() });
        for number in 0..1002 {
            webhooks.send(&Event::PaymentFinal { order: number.to_string() }, &test_state());
        }
        // The first two have left the log, and are sent all the same.
        assert!(webhooks.deliveries.get(2).is_none());
        let logged = Json::from(webhooks.deliveries.newest_first().map(Delivery::json).collect::<Vec<_>>()).to_string();
        assert_eq!(logged.matches("the queue is full").count(), 1002 - LONGEST_QUEUE);
        let mut keys = Vec::new();
        while let Ok(queued) = receiver.try_recv() {
            keys.push(webhooks.deliveries.get(queued.id).map(|it| it.message.key.clone()).unwrap_or_default());
        }
        assert_eq!((keys.len(), keys[0].as_str(), keys[2].as_str()), (LONGEST_QUEUE, "", "2"));
    }
}
