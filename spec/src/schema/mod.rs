//! What a row can say: the request of an endpoint, its answer, and what a request does at the service.

mod answer;
mod look_up;
mod options;
mod request;
mod role;
mod row;

pub use answer::{Answer, AnswerKind, Envelope, Form, Member, Wording};
pub use look_up::{Keep, LookUp, Settles};
pub use options::PayOption;
pub use request::{Default, Field, Kind, LONGEST_AMOUNT, Location, NO_PRICE, Wire};
pub use role::{Place, Reference, Role};
pub use row::{ApiKey, Doubt, Endpoint, Method, Safety};

/// A text of the documentation.
pub(crate) const fn doc(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

/// What supports a statement about the service, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Certainty {
    /// The service's public documentation says so.
    Documented,
    /// Seen in a real answer of the service.
    Reported,
    /// Public integrations rely on it.
    Integrated,
    /// Inferred. Nothing public may depend on it.
    Guessed,
}

impl Certainty {
    pub const ALL: &[Certainty] =
        &[Certainty::Documented, Certainty::Reported, Certainty::Integrated, Certainty::Guessed];

    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Documented => "documented",
            Certainty::Reported => "reported",
            Certainty::Integrated => "integrated",
            Certainty::Guessed => "guessed",
        }
    }

    pub const fn doc(self) -> &'static str {
        match self {
            Certainty::Documented => "the service's public documentation says so",
            Certainty::Reported => "seen in a real answer of the service",
            Certainty::Integrated => "public integrations rely on it",
            Certainty::Guessed => "inferred; it may change",
        }
    }
}
