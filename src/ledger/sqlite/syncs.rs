//! Makes what several threads have committed durable with one sync of the -wal file.

use std::fs::File;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::call::Bounds;

/// How long a sync may be put off for those that are about to commit: on a fast disk that takes as long as the sync.
const MAX_GATHERING: Duration = Duration::from_millis(2);

#[derive(Default)]
pub struct Syncs {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of the last commit.
    committed: u64,
    /// All up to this one are durable.
    durable: u64,
    /// One of those up to this one may not be.
    failed: u64,
    why: String,
    /// A thread is syncing.
    is_running: bool,
}

impl Syncs {
    /// Counts a commit, and gives its number.
    pub fn committed(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.committed += 1;
        state.committed
    }

    /// A checkpoint has synced everything.
    pub fn all_are_durable(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.durable = state.committed;
        self.ended.notify_all();
    }

    /// Until that commit is durable; false if the call ends before. A thread that waits syncs for all that have committed by
    /// then: the last of those that are about to commit, if the others do so soon.
    pub fn wait(
        &self,
        number: u64,
        log: &File,
        others_come: impl Fn() -> bool,
        bounds: &Bounds,
    ) -> Result<bool, String> {
        let alone_at = Instant::now() + MAX_GATHERING;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.failed >= number {
                return Err(state.why.clone());
            }
            if state.durable >= number {
                return Ok(true);
            }
            let gathering = alone_at.saturating_duration_since(Instant::now());
            if !state.is_running && (gathering.is_zero() || bounds.is_over() || !others_come()) {
                state.is_running = true;
                let upto = state.committed;
                drop(state);
                let result = log.sync_data();
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.is_running = false;
                match result {
                    Ok(()) => state.durable = state.durable.max(upto),
                    Err(error) => {
                        state.failed = upto;
                        state.why = format!("its disk reports a failure; check the disk ({error})");
                    }
                }
                self.ended.notify_all();
                continue;
            }
            if bounds.is_over() {
                return Ok(false);
            }
            let mut wait = bounds.wait_to_check(bounds.time_left());
            if !state.is_running {
                wait = wait.min(gathering);
            }
            (state, _) = self.ended.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nobody() -> bool {
        false
    }

    #[test]
    fn a_sync_is_for_all_that_were_committed_before_it() {
        let (file, syncs) = (tempfile::tempfile().unwrap(), Syncs::default());
        let bounds = Bounds::new(None, Duration::from_secs(60));
        let numbers = [syncs.committed(), syncs.committed()];
        assert_eq!(syncs.wait(numbers[0], &file, nobody, &bounds), Ok(true));
        assert_eq!(syncs.state.lock().unwrap().durable, numbers[1]);
        let later = syncs.committed();
        assert!(syncs.state.lock().unwrap().durable < later);
        assert_eq!(syncs.wait(later, &file, nobody, &bounds), Ok(true));
    }

    #[test]
    fn a_sync_waits_for_those_who_are_about_to_commit_but_not_for_long() {
        let (file, syncs) = (tempfile::tempfile().unwrap(), Syncs::default());
        let bounds = Bounds::new(None, Duration::from_secs(60));
        let first = syncs.committed();
        assert_eq!(syncs.wait(first, &file, || true, &bounds), Ok(true), "nobody comes");
        let second = syncs.committed();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| syncs.wait(second, &file, || true, &bounds));
            let third = syncs.committed();
            assert_eq!(syncs.wait(third, &file, nobody, &bounds), Ok(true));
            assert_eq!(waiting.join().unwrap(), Ok(true));
            assert_eq!(syncs.state.lock().unwrap().durable, third);
        });
    }

    #[test]
    fn while_another_thread_syncs_no_call_waits_longer_than_it_may() {
        let (file, syncs) = (tempfile::tempfile().unwrap(), Syncs::default());
        let number = syncs.committed();
        syncs.state.lock().unwrap().is_running = true;
        let bounds = Bounds::new(None, Duration::from_millis(50));
        assert_eq!(syncs.wait(number, &file, nobody, &bounds), Ok(false));
        std::thread::scope(|scope| {
            let waiting =
                scope.spawn(|| syncs.wait(number, &file, nobody, &Bounds::new(None, Duration::from_secs(60))));
            std::thread::sleep(Duration::from_millis(20));
            syncs.all_are_durable();
            assert_eq!(waiting.join().unwrap(), Ok(true));
        });
    }
}
