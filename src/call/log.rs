//! The log: one line per event, each with the number of its call. It goes to the token of the call, if that keeps it,
//! and to the client's callback, on the calling thread.
//!
//! No line contains text of the caller, except that the kept ones have the order's reference. From the service's text it may
//! contain the numbers that the service gave to the request (see `wire/answer.rs`), with the secrets of the request masked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;

use crate::call::{CallRecord, CallToken};
use crate::json::object::{Object, object_text};
use crate::util::panics::failpoint;
use crate::util::unique::now_ms;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Level {
    Error = 1,
    Warn = 2,
    Info = 3,
    Debug = 4,
}

pub type Sink = Arc<dyn Fn(Level, &str) + Send + Sync>;

/// Writes fields of a line.
type Fields<'a> = dyn Fn(&mut Object<'_>) + 'a;

/// A line, and what a program reads of it by name.
pub struct Line<'a> {
    pub text: String,
    pub fields: Option<Box<Fields<'a>>>,
}

impl From<String> for Line<'_> {
    fn from(text: String) -> Self {
        Line { text, fields: None }
    }
}

impl Line<'_> {
    fn json(&self, record: &CallRecord, level: Level) -> String {
        object_text(|line| {
            line.literal("level", level as i32);
            line.literal("time", now_ms());
            line.text("call_id", &record.id.to_string());
            line.text("message", &self.text);
            line.optional("reference", record.order());
            if let Some(fields) = &self.fields {
                fields(line);
            }
        })
    }
}

struct Listener {
    level: i32,
    sink: Sink,
}

/// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
#[derive(Default)]
pub struct Log {
    /// True if there has ever been a sink. It is checked first because it is the cheapest check.
    used: AtomicBool,
    listener: ArcSwapOption<Listener>,
}

impl Log {
    /// Replaces the sink. A call running on another thread may still use the old one.
    pub fn set(&self, level: i32, sink: Option<Sink>) {
        self.listener.store(sink.map(|sink| Arc::new(Listener { level, sink })));
        self.used.store(true, Ordering::SeqCst);
    }

    fn sink(&self, level: Level) -> Option<Sink> {
        if !self.used.load(Ordering::SeqCst) {
            return None;
        }
        let listener = self.listener.load();
        // Kept alive, because the callback may replace itself.
        listener.as_ref().filter(|listener| level as i32 <= listener.level).map(|listener| Arc::clone(&listener.sink))
    }

    /// Returns whether somebody receives a line of this level.
    pub fn wants(&self, token: Option<&CallToken>, level: Level) -> bool {
        self.sink(level).is_some() || keeps(token, level)
    }

    /// The line is built only if somebody receives it. The token keeps it before the callback is called, which may read
    /// it there.
    pub fn line<'a, L: Into<Line<'a>>>(
        &self,
        record: &CallRecord,
        token: Option<&CallToken>,
        level: Level,
        line: impl FnOnce() -> L,
    ) {
        let (sink, kept) = (self.sink(level), token.filter(|_| keeps(token, level)));
        if sink.is_none() && kept.is_none() {
            return;
        }
        failpoint::at("log");
        let line = line().into();
        if let Some(token) = kept {
            token.keep_line(line.json(record, level));
        }
        if let Some(sink) = sink {
            sink(level, &format!("{} {}", record.id, line.text));
        }
    }
}

fn keeps(token: Option<&CallToken>, level: Level) -> bool {
    token.is_some_and(|token| token.kept_level() >= level as i32)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn lines_above_the_level_are_not_made() {
        let (log, record) = (Log::default(), CallRecord::new());
        log.line(&record, None, Level::Error, || -> String { unreachable!("no sink is set") });
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink: Sink = Arc::new({
            let seen = Arc::clone(&seen);
            move |level, line: &str| seen.lock().unwrap().push((level, line.to_owned()))
        });
        log.set(Level::Warn as i32, Some(sink));
        log.line(&record, None, Level::Info, || -> String { unreachable!("too detailed") });
        log.line(&record, None, Level::Warn, || "slow".to_owned());
        log.set(Level::Debug as i32, None);
        log.line(&record, None, Level::Error, || -> String { unreachable!("no sink is set any more") });
        assert_eq!(*seen.lock().unwrap(), [(Level::Warn, format!("{} slow", record.id))]);
    }

    #[test]
    fn a_sink_may_change_the_log() {
        let (log, record) = (Arc::new(Log::default()), CallRecord::new());
        let sink: Sink = Arc::new({
            let log = Arc::clone(&log);
            move |_, _: &str| log.set(0, None)
        });
        log.set(4, Some(sink));
        log.line(&record, None, Level::Error, || "first".to_owned());
        log.line(&record, None, Level::Error, || -> String { unreachable!("the sink switched it off") });
    }
}
