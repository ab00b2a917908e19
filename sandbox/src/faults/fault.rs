//! The definition of a fault: its name and words, when it acts, and its effect on the request, the response and the
//! connection. Other modules use an entry of the table; none of them depends on a fault's name.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use hyper::body::Bytes;

use crate::http::answer::{Answer, text};
use crate::util::json::Json;
use crate::util::named::named;

pub struct Fault {
    pub name: &'static str,
    pub acts: Acts,
    /// The request is executed before the fault shows on the wire.
    pub committed: bool,
    /// The effect that the client sees.
    pub wire: &'static str,
    /// The situation that it simulates, in one line.
    pub doc: &'static str,
    pub request: OnRequest,
    pub answer: Answers,
    pub sends: Sends,
    pub connection: OnConnection,
    /// The delay, if a rule does not set one; `None`: it has no delay.
    pub delay: Option<Duration>,
}

named! {
    /// The targets of a fault.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Acts {
        /// A request, selected by magic input or by a rule with a path.
        Request = "request",
        /// A request, but not the first one of its connection.
        Reused = "request on a reused connection",
        /// A new connection, selected by a rule without a path.
        Connection = "new connection",
        /// A request or a new connection.
        Both = "request or new connection",
    }
}

/// Its effect on a request before it is executed.
#[derive(Clone, Copy)]
pub enum OnRequest {
    Nothing,
    /// It is not read if a rule has chosen the fault.
    Unread,
    /// It acts only on the first of equal requests.
    First,
    /// The request is executed as usual; the fault acts on the next new connection.
    NextConnection,
    /// Another payload is executed.
    Payload(fn(&mut Json)),
}

/// Its effect on the response.
#[derive(Clone, Copy)]
pub enum Answers {
    Same,
    /// Another one, whether or not the request was executed.
    Instead(fn(&RequestFacts) -> Answer),
    /// The regular one of a request that was executed, changed.
    Changed(fn(Answer) -> Answer),
}

/// The way the response is sent.
#[derive(Clone, Copy)]
pub enum Sends {
    /// As every response.
    AsUsual,
    /// Not at all: the connection ends.
    Nothing(End),
    Script(fn(&Answer, &Sending) -> Script),
}

/// Its effect on a new connection.
#[derive(Clone, Copy)]
pub enum OnConnection {
    Nothing,
    /// RST as soon as a request arrives.
    ResetUnread,
    /// This response before any request, none of which is read.
    Unasked(fn() -> Answer),
    /// The TLS handshake is never answered.
    NoHandshake,
    ExpiredCertificate,
    CertificateOfOtherHost,
}

/// The parts of the request that altered responses use.
pub struct RequestFacts<'a> {
    pub base_url: &'a str,
    /// True if `status` is a boolean in the endpoint's envelope; otherwise it is a string.
    pub is_status_boolean: bool,
    /// Path and query as received.
    pub target: &'a str,
    pub api_key: Option<&'a str>,
    /// The parsed body.
    pub payload: Option<&'a Json>,
}

impl Fault {
    /// One that does nothing yet.
    pub const fn new(name: &'static str, acts: Acts, committed: bool, wire: &'static str, doc: &'static str) -> Fault {
        let (request, answer) = (OnRequest::Nothing, Answers::Same);
        let (sends, connection, delay) = (Sends::AsUsual, OnConnection::Nothing, None);
        Fault { name, acts, committed, wire, doc, request, answer, sends, connection, delay }
    }

    /// `decided` is the regular answer, if the request was executed. Returns `None` if there is no response.
    pub fn alter(&self, decided: Option<Answer>, request: &RequestFacts) -> Option<Answer> {
        match self.answer {
            Answers::Same => decided,
            Answers::Instead(make) => Some(make(request)),
            Answers::Changed(change) => decided.map(change),
        }
    }

    /// The script sent in place of the response; `None` if the response is sent as usual.
    pub fn script(&self, answer: Option<&Answer>, sending: &Sending) -> Option<Script> {
        match self.sends {
            Sends::AsUsual => None,
            Sends::Nothing(end) => Some(Script::silent(end)),
            Sends::Script(of) => answer.map(|answer| of(answer, sending)),
        }
    }

    pub fn is_tls(&self) -> bool {
        self.acts == Acts::Connection
    }
}

impl PartialEq for Fault {
    fn eq(&self, other: &Fault) -> bool {
        self.name == other.name
    }
}

impl Eq for Fault {}

impl Debug for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// The name of a list, and its entries: name, what it acts on, whether the request is executed, what the client sees, what it simulates;
/// in braces what it does.
macro_rules! faults {
    ($table:ident $($name:literal $acts:ident $committed:ident $wire:literal $doc:literal { $($does:ident: $how:expr),* $(,)? })*) => {
        pub const $table: &[$crate::faults::fault::Fault] = &[$($crate::faults::fault::Fault {
            $($does: $how,)*
            ..$crate::faults::fault::Fault::new(
                $name,
                $crate::faults::fault::Acts::$acts,
                $crate::faults::fault::$committed,
                $wire,
                $doc,
            )
        }),*];
    };
}
pub(crate) use faults;

pub const EXECUTED: bool = true;
pub const NOT: bool = false;

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

    /// The head with its length, and half of the body.
    pub fn cut(answer: &Answer, sending: &Sending) -> Script {
        let text = sending.text(answer);
        Script::part(vec![Step::Send(text.slice(..text.len() - answer.body.len().div_ceil(2)))])
    }
}

/// The inputs of a script, beside the response.
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
