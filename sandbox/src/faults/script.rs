//! Scripts: the bytes and pauses that a fault puts on a connection in place of a response.

use std::time::Duration;

use hyper::body::Bytes;

use crate::http::answer::Answer;
use crate::http::render::text;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Wait(Duration),
    Send(Bytes),
    /// Byte by byte.
    Drip(Bytes),
    /// This number of spaces.
    Spaces(usize),
    /// Chunks of one space, without end.
    EndlessSpaces,
    /// The same bytes repeatedly, without end, as fast as the client reads them.
    Endless(&'static [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The connection serves the next request.
    KeepOpen,
    /// close_notify under TLS, then FIN.
    Graceful,
    /// FIN.
    Close,
    /// RST.
    Reset,
    /// Nothing until the client disconnects.
    Silence,
    /// FIN as soon as the client sends something.
    CloseWhenUsed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub steps: Vec<Step>,
    pub end: End,
    /// After its steps the client has received a complete answer.
    pub is_whole: bool,
}

impl Script {
    pub fn silent(end: End) -> Script {
        Script { steps: Vec::new(), end, is_whole: false }
    }

    pub fn whole(steps: Vec<Step>, end: End) -> Script {
        Script { steps, end, is_whole: true }
    }

    /// A part of a response, then FIN.
    pub fn part(steps: Vec<Step>) -> Script {
        Script { steps, end: End::Close, is_whole: false }
    }
}

/// What a script depends on, beside the response.
pub struct Sending {
    pub delay: Duration,
    /// The client did not ask to close the connection.
    pub keep_alive: bool,
}

impl Sending {
    pub fn text(&self, answer: &Answer) -> Bytes {
        text(answer, self.keep_alive)
    }

    /// The end after a whole response.
    pub fn end(&self) -> End {
        if self.keep_alive { End::KeepOpen } else { End::Graceful }
    }
}
