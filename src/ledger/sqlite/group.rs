//! Threads that write at the same time do so together: one of them, the leader, writes for all in one transaction with one
//! sync. Work that arrives meanwhile is the next group.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Transaction;

use super::failure::{Failure, Unable};
use crate::call::Bounds;
use crate::ledger::store::AppendResult;

/// A fork waits until a group has been written.
const MAX_MEMBERS: usize = 64;

/// Repeated if another process has the file.
pub type Work = Box<dyn Fn(&Transaction<'_>) -> Result<AppendResult, Failure> + Send + Sync>;

type WriteResult = Result<AppendResult, Unable>;

/// The work that a thread has to write.
pub struct Member {
    pub work: Work,
    /// It is done only when the written rows outlive a power cut.
    pub durable: bool,
    /// Changed while the state of the group is locked.
    done: Mutex<Option<WriteResult>>,
    wake: Condvar,
}

#[derive(Default)]
pub struct Group(Mutex<State>);

#[derive(Default)]
struct State {
    has_leader: bool,
    /// Work that nobody has begun to write.
    waiting: VecDeque<Arc<Member>>,
}

/// The next step of a thread.
pub enum Turn<'a> {
    Done(WriteResult),
    Lead(Leader<'a>),
    /// The call is over, and nobody has begun to write it.
    Withdrawn,
    /// The call is over, and it may have been written.
    Late,
}

impl Member {
    fn done(&self) -> MutexGuard<'_, Option<WriteResult>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn withdraw(&mut self, member: &Arc<Member>) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|other| !Arc::ptr_eq(other, member));
        self.waiting.len() < before
    }
}

impl Group {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn join(&self, work: Work, durable: bool) -> Arc<Member> {
        let member = Arc::new(Member { work, durable, done: Mutex::new(None), wake: Condvar::new() });
        self.state().waiting.push_back(Arc::clone(&member));
        member
    }

    /// Waits until it is written, nobody leads, or the call is over.
    pub fn wait(&self, member: &Arc<Member>, bounds: &Bounds) -> Turn<'_> {
        let mut state = self.state();
        loop {
            if let Some(done) = member.done().take() {
                return Turn::Done(done);
            }
            if !state.has_leader {
                state.has_leader = true;
                return Turn::Lead(Leader { group: self, own: Arc::clone(member), members: Vec::new() });
            }
            if bounds.is_over() {
                return if state.withdraw(member) { Turn::Withdrawn } else { Turn::Late };
            }
            let wait = bounds.wait_to_check(bounds.time_left());
            (state, _) = member.wake.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread that writes for others, until this is dropped.
pub struct Leader<'a> {
    group: &'a Group,
    own: Arc<Member>,
    /// Whose work has begun.
    pub members: Vec<Arc<Member>>,
}

impl Leader<'_> {
    /// Begins with its own work and what else waits now.
    pub fn begin(&mut self) {
        let mut state = self.group.state();
        state.withdraw(&self.own);
        self.members.push(Arc::clone(&self.own));
        let others = state.waiting.len().min(MAX_MEMBERS - 1);
        self.members.extend(state.waiting.drain(..others));
    }

    /// Nothing was written.
    pub fn give_back(&mut self) {
        let waiting = &mut self.group.state().waiting;
        self.members.drain(..).rev().for_each(|member| waiting.push_front(member));
    }

    /// Ends the members for which `done` has a result.
    pub fn finish(&self, done: impl Fn(usize, &Member) -> Option<WriteResult>) {
        let state = self.group.state();
        let is_done = |(index, member): &(usize, &Arc<Member>)| {
            let done = done(*index, member);
            done.is_some_and(|done| member.done().replace(done).is_none())
        };
        let finished: Vec<_> = self.members.iter().enumerate().filter(is_done).collect();
        // They need the state next.
        drop(state);
        finished.iter().for_each(|(_, member)| self.wake(member));
    }

    /// Returns the result of the leader's own work; `None`: there is none, and will be none.
    pub fn own(self) -> Option<WriteResult> {
        self.group.state().withdraw(&self.own);
        self.own.done().take()
    }

    /// Each is a system call.
    fn wake(&self, member: &Arc<Member>) {
        if !Arc::ptr_eq(member, &self.own) {
            member.wake.notify_one();
        }
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        let mut state = self.group.state();
        if std::thread::panicking() {
            for member in &self.members {
                let why = "the thread that was writing it panicked".to_owned();
                member.done().get_or_insert(Err(Unable::Failed(why)));
                self.wake(member);
            }
        }
        state.has_leader = false;
        if let Some(next) = state.waiting.front() {
            next.wake.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    fn bounds(timeout: Duration) -> Bounds {
        Bounds::new(None, timeout)
    }

    fn member(group: &Group, durable: bool) -> Arc<Member> {
        group.join(Box::new(|_| Ok(AppendResult::Done)), durable)
    }

    fn leader<'a>(group: &'a Group, member: &Arc<Member>) -> Leader<'a> {
        let Turn::Lead(leader) = group.wait(member, &bounds(SECOND)) else { panic!("there is another leader") };
        leader
    }

    fn done(group: &Group, member: &Arc<Member>) -> WriteResult {
        let Turn::Done(done) = group.wait(member, &bounds(60 * SECOND)) else { panic!("it is not done") };
        done
    }

    #[test]
    fn one_thread_writes_what_all_have_to_write_by_then() {
        let group = Group::default();
        let [own, durable, other] = [true, true, false].map(|durable| member(&group, durable));
        std::thread::scope(|scope| {
            let mut leader = leader(&group, &own);
            let waiting = [&durable, &other].map(|member| scope.spawn(|| done(&group, member)));
            leader.begin();
            let late = member(&group, true);
            assert_eq!(leader.members.len(), 3);
            leader.finish(|_, member| (!member.durable).then_some(Ok(AppendResult::Done)));
            leader.finish(|index, member| member.durable.then_some(Err(Unable::Failed(index.to_string()))));
            let results = waiting.map(|thread| thread.join().unwrap());
            assert_eq!(results, [Err(Unable::Failed("1".into())), Ok(AppendResult::Done)]);
            assert_eq!(leader.own(), Some(Err(Unable::Failed("0".into()))));
            let mut next = self::leader(&group, &late);
            next.begin();
            assert_eq!(next.members.len(), 1);
        });
    }

    #[test]
    fn what_was_not_written_waits_in_its_order_for_the_next_leader() {
        let group = Group::default();
        let members: Vec<_> = (0..=MAX_MEMBERS).map(|_| member(&group, true)).collect();
        let last = &members[MAX_MEMBERS];
        let mut first = leader(&group, last);
        first.begin();
        assert!(first.members.len() == MAX_MEMBERS && Arc::ptr_eq(&first.members[0], last), "its own comes first");
        first.give_back();
        assert_eq!(first.own(), None);
        let mut next = leader(&group, &members[0]);
        next.begin();
        assert_eq!(next.members.len(), MAX_MEMBERS);
        assert!(next.members.iter().zip(&members).all(|(one, other)| Arc::ptr_eq(one, other)));
    }

    #[test]
    fn no_call_waits_for_another_thread_longer_than_it_may() {
        let group = Group::default();
        let [own, begun, waiting] = [(); 3].map(|()| member(&group, true));
        let mut leader = leader(&group, &own);
        group.state().withdraw(&waiting);
        leader.begin();
        group.state().waiting.push_back(Arc::clone(&waiting));
        let short = || bounds(Duration::from_millis(50));
        assert!(matches!(group.wait(&begun, &short()), Turn::Late));
        assert!(matches!(group.wait(&waiting, &short()), Turn::Withdrawn));
        drop(leader);
        assert_eq!(group.state().waiting.len(), 0);
    }

    #[test]
    fn a_leader_that_panics_fails_what_it_has_begun() {
        let group = Group::default();
        let [own, other] = [(); 2].map(|()| member(&group, true));
        std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let mut leader = leader(&group, &own);
                leader.begin();
                panic!("in the leader");
            });
            assert!(panics.join().is_err());
        });
        assert!(matches!(done(&group, &other), Err(Unable::Failed(_))));
    }
}
