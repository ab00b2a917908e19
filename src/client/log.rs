//! The log callback: one line per event, on the calling thread. No line contains text of the caller or the service.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

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
pub struct Log(ArcSwapOption<Listener>);

impl Log {
    /// Replaces the sink. A call running on another thread may still use the old one.
    pub fn set(&self, level: i32, sink: Option<Sink>) {
        self.0.store(sink.map(|sink| Arc::new(Listener { level, sink })));
    }

    /// The line is made only if a sink is set for this level.
    pub fn line(&self, level: Level, line: impl FnOnce() -> String) {
        let listener = self.0.load();
        let Some(listener) = listener.as_ref().filter(|listener| level as i32 <= listener.level) else { return };
        failpoint::at("log");
        // Kept alive, because the callback may replace itself.
        let sink = Arc::clone(&listener.sink);
        sink(level, &line());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn lines_above_the_level_are_not_made() {
        let log = Log::default();
        log.line(Level::Error, || unreachable!("no sink is set"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = Arc::new({
            let seen = Arc::clone(&seen);
            move |level, line: &str| seen.lock().unwrap().push((level, line.to_owned()))
        });
        log.set(Level::Warn as i32, Some(sink));
        log.line(Level::Info, || unreachable!("too detailed"));
        log.line(Level::Warn, || "slow".into());
        log.set(Level::Debug as i32, None);
        log.line(Level::Error, || unreachable!("no sink is set any more"));
        assert_eq!(*seen.lock().unwrap(), [(Level::Warn, "slow".to_owned())]);
    }

    #[test]
    fn a_sink_may_change_the_log() {
        let log = Arc::new(Log::default());
        let sink: Sink = Arc::new({
            let log = Arc::clone(&log);
            move |_, _: &str| log.set(0, None)
        });
        log.set(4, Some(sink));
        log.line(Level::Error, || "first".into());
        log.line(Level::Error, || unreachable!("the sink switched it off"));
    }
}
