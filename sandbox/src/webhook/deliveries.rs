//! The log of the newest deliveries, with their attempts and responses.

use std::collections::VecDeque;

use super::message::Message;
use crate::util::clock::Moment;
use crate::util::json::{Json, object};
use crate::util::named::named;

const CAPACITY: usize = 1000;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Progress {
        /// Held back, to be sent in another order.
        Held = "held",
        Queued = "queued",
        /// The receiver answered with 2xx.
        Delivered = "delivered",
        /// All attempts failed.
        Failed = "failed",
        Dropped = "dropped",
        /// There is no URL to send it to.
        NoUrl = "no url",
    }
}

/// Status and the start of the response's body, or why there is none.
pub type Result = std::result::Result<(u16, String), String>;

#[derive(Debug)]
struct Attempt {
    at: Moment,
    result: Result,
}

#[derive(Debug)]
pub struct Delivery {
    pub id: u64,
    made: Moment,
    pub message: Message,
    /// The delivery that this one repeats.
    copy_of: Option<u64>,
    pub is_forged: bool,
    progress: Progress,
    reason: Option<&'static str>,
    attempts: Vec<Attempt>,
}

impl Delivery {
    pub fn new(message: Message) -> Delivery {
        Delivery {
            id: 0,
            made: Moment::now(),
            message,
            copy_of: None,
            is_forged: false,
            progress: Progress::Queued,
            reason: None,
            attempts: Vec::new(),
        }
    }

    pub fn copy(message: Message, of: u64, is_forged: bool) -> Delivery {
        Delivery { copy_of: Some(of), is_forged, ..Delivery::new(message) }
    }

    pub fn forged(message: Message) -> Delivery {
        Delivery { is_forged: true, ..Delivery::new(message) }
    }

    pub fn json(&self) -> Json {
        let attempts = self.attempts.iter().map(|attempt| {
            let (status, answer) = attempt.result.as_ref().ok().cloned().unzip();
            object! {
                "at": attempt.at.millis_utc(),
                "status": status,
                "answer": answer,
                "error": attempt.result.as_ref().err().cloned(),
            }
        });
        object! {
            "id": self.id,
            "at": self.made.millis_utc(),
            "event": self.message.event,
            "key": &self.message.key,
            "form": self.message.form,
            "forged": self.is_forged,
            "copy_of": self.copy_of,
            "progress": self.progress.name(),
            "reason": self.reason,
            "attempts": attempts.collect::<Vec<_>>(),
            "body": &self.message.body,
        }
    }
}

#[derive(Debug, Default)]
pub struct Deliveries {
    entries: VecDeque<Delivery>,
    last_id: u64,
    /// Grows with every change.
    pub version: u64,
}

impl Deliveries {
    /// Returns the id of the delivery.
    pub fn add(&mut self, delivery: Delivery) -> u64 {
        if self.entries.len() == CAPACITY {
            self.entries.pop_front();
        }
        self.last_id += 1;
        self.version += 1;
        self.entries.push_back(Delivery { id: self.last_id, ..delivery });
        self.last_id
    }

    pub fn get(&self, id: u64) -> Option<&Delivery> {
        self.entries.iter().rev().find(|delivery| delivery.id == id)
    }

    pub fn mark(&mut self, id: u64, progress: Progress, reason: Option<&'static str>) {
        if let Some(delivery) = self.get_mut(id) {
            (delivery.progress, delivery.reason) = (progress, reason);
        }
    }

    pub fn attempted(&mut self, id: u64, result: Result) {
        if let Some(delivery) = self.get_mut(id) {
            delivery.attempts.push(Attempt { at: Moment::now(), result });
        }
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Delivery> {
        self.version += 1;
        self.entries.iter_mut().rev().find(|delivery| delivery.id == id)
    }

    pub fn clear(&mut self) {
        *self = Deliveries { version: self.version + 1, ..Deliveries::default() };
    }

    pub fn count(&self) -> usize {
        self.entries.len()
    }

    pub fn newest_first(&self) -> impl Iterator<Item = &Delivery> {
        self.entries.iter().rev()
    }
}

/// All attempts, by delivery.
pub fn attempts(deliveries: &[&Delivery]) -> Json {
    let attempts = deliveries.iter().flat_map(|delivery| delivery.attempts.iter().map(move |it| (delivery, it)));
    let shown = attempts.map(|(delivery, attempt)| {
        object! {
            "event": delivery.message.event,
            "key": &delivery.message.key,
            "status": attempt.result.as_ref().ok().map(|(status, _)| *status),
            "error": attempt.result.as_ref().err().cloned(),
        }
    });
    shown.collect::<Vec<_>>().into()
}
