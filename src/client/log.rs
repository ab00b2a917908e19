//! The log callback: one line per event, on the calling thread, each with the number of its call.
//!
//! No line contains text of the caller. Of the service's text it may contain the numbers that the service gave to the request
//! (see `transport/trace.rs`), with the secrets of the request masked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;

use crate::util::call_id::CallId;
use crate::util::failpoint;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Level {
    Error = 1,
    Warn = 2,
    Info = 3,
    Debug = 4,
}

pub type Sink = Arc<dyn Fn(Level, &str) + Send + Sync>;

struct Listener {
    level: i32,
    sink: Sink,
}

/// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
#[derive(Default)]
pub struct Log {
    /// Whether there has ever been a sink: what costs least to ask.
    used: AtomicBool,
    listener: ArcSwapOption<Listener>,
}

impl Log {
    /// Replaces the sink. A call running on another thread may still use the old one.
    pub fn set(&self, level: i32, sink: Option<Sink>) {
        self.listener.store(sink.map(|sink| Arc::new(Listener { level, sink })));
        self.used.store(true, Ordering::SeqCst);
    }

    /// The sink, if it is set for this level.
    fn sink(&self, level: Level) -> Option<Sink> {
        if !self.used.load(Ordering::SeqCst) {
            return None;
        }
        let listener = self.listener.load();
        // Kept alive, because the callback may replace itself.
        listener.as_ref().filter(|listener| level as i32 <= listener.level).map(|listener| Arc::clone(&listener.sink))
    }

    /// Whether a sink is set for this level.
    pub fn wants(&self, level: Level) -> bool {
        self.sink(level).is_some()
    }

    /// The line is made only if a sink is set for this level.
    pub fn line(&self, id: CallId, level: Level, line: impl FnOnce() -> String) {
        if let Some(sink) = self.sink(level) {
            failpoint::at("log");
            sink(level, &format!("{id} {}", line()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn lines_above_the_level_are_not_made() {
        let (log, id) = (Log::default(), CallId::new());
        log.line(id, Level::Error, || unreachable!("no sink is set"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = Arc::new({
            let seen = Arc::clone(&seen);
            move |level, line: &str| seen.lock().unwrap().push((level, line.to_owned()))
        });
        log.set(Level::Warn as i32, Some(sink));
        log.line(id, Level::Info, || unreachable!("too detailed"));
        log.line(id, Level::Warn, || "slow".into());
        log.set(Level::Debug as i32, None);
        log.line(id, Level::Error, || unreachable!("no sink is set any more"));
        assert_eq!(*seen.lock().unwrap(), [(Level::Warn, format!("{id} slow"))]);
    }

    #[test]
    fn a_sink_may_change_the_log() {
        let (log, id) = (Arc::new(Log::default()), CallId::new());
        let sink: Sink = Arc::new({
            let log = Arc::clone(&log);
            move |_, _: &str| log.set(0, None)
        });
        log.set(4, Some(sink));
        log.line(id, Level::Error, || "first".into());
        log.line(id, Level::Error, || unreachable!("the sink switched it off"));
    }
}
