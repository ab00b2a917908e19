//! Delivers what is queued, one after the other, with the attempts that are configured.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep, sleep_until};

use super::deliveries::Progress;
use super::post::{Result, post};
use super::target::Target;
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
