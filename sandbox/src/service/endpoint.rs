//! One endpoint: method, path, API key, envelope, what a request does, and what answers it.

use std::borrow::Cow;

use crate::canned::Canned;
use crate::crypto::envelope::Body;
use crate::crypto::keys::KeyRule;
use crate::endpoints::Call;
use crate::faults::magic::Kind;
use crate::http::answer::{Answer, ApiError};
use crate::state::State;
use crate::util::json::Json;

pub type Function = fn(&mut State, &Call) -> Result<Answer, ApiError>;

pub enum Handler {
    Function(Function),
    Canned(Canned),
}

pub struct Endpoint {
    pub method: Cow<'static, str>,
    /// A segment in braces stands for a value.
    pub path: Cow<'static, str>,
    pub key: KeyRule,
    pub body: Body,
    pub status: Status,
    pub effect: Effect,
    /// The service's documentation does not show the shape of the response.
    pub assumed: bool,
    pub handler: Handler,
}

/// The type of `status` in the endpoint's envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Boolean,
    Text,
}

impl Endpoint {
    pub fn handle(&self, state: &mut State, call: &Call) -> Result<Answer, ApiError> {
        let answer = match &self.handler {
            Handler::Function(function) => function(state, call)?,
            Handler::Canned(canned) => canned.handle(state, call)?,
        };
        Ok(if self.assumed { answer.assumed() } else { answer })
    }

    /// The kind of this request, which decides whether the fault of a magic input acts on it.
    pub fn kind(&self, input: &Json) -> Kind {
        match self.effect {
            Effect::LooksUp => Kind::LookUp,
            Effect::PaysWithCard if !input.get("card").is_some_and(Json::is_object) => Kind::Change,
            Effect::Changes => Kind::Change,
            Effect::Pays | Effect::PaysWithCard => Kind::Payment,
        }
    }

    pub fn is_canned(&self) -> bool {
        matches!(self.handler, Handler::Canned(_))
    }
}

/// The effect of a request of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    LooksUp,
    /// It changes something, but moves no money.
    Changes,
    Pays,
    /// It moves money if it has a card.
    PaysWithCard,
}
