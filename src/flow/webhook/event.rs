//! Reads the body of a webhook, which anybody may have sent: bounded, in every form that the service uses.

use super::invalid::{of_body, of_member};
use super::members::Values;
use crate::json::Type;
use crate::json::document::{Document, ScanError};
use crate::util::memory;
use crate::util::validation_error::ValidationError;
pub use paysvc_spec::events::MAX_LENGTH;
use paysvc_spec::events::{Subject, VERIFICATIONS, Verification, WRAPPER};

/// Most values of a body.
const MAX_VALUES: usize = 10_000;

/// A body that says one thing.
#[derive(Debug)]
pub struct Event {
    pub values: Values,
    /// `None`: it names nothing that could be verified.
    pub subject: Option<Subject>,
}

impl Event {
    pub fn read(text: &str, stop: &dyn Fn() -> bool) -> Result<Event, ValidationError> {
        if text.len() > MAX_LENGTH {
            return Err(of_body(format!("is {} bytes; an event has at most {MAX_LENGTH}", text.len())));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document = Document::scan(text, stop).map_err(|error| match error {
            ScanError::Syntax => of_body("is not JSON"),
            ScanError::TooMany => of_body("holds too many values"),
            ScanError::NoMemory => of_body(memory::TOO_LARGE),
            ScanError::Stopped => of_body("was not read in time"),
        })?;
        if document.len() > MAX_VALUES {
            return Err(of_body(format!("holds {} values; an event has at most {MAX_VALUES}", document.len())));
        }
        if document.has_duplicate_names() {
            return Err(of_body("gives a member twice"));
        }
        let root = document.root(text);
        if root.kind() != Type::Object {
            return Err(of_body(format!("must be an object, not {}", root.kind().name())));
        }
        let wrapper = |reason: String| of_member(WRAPPER, &reason);
        let is_wrapper = |name: &str| name.eq_ignore_ascii_case(WRAPPER);
        let mut wrappers = root.children().filter(|member| member.name().is_some_and(|name| is_wrapper(&name)));
        let wrapped = wrappers.next();
        if wrappers.next().is_some() {
            return Err(wrapper("is given twice, in different cases".into()));
        }
        let wrapped = wrapped.filter(|wrapped| !wrapped.is_empty());
        let mut values = Values::default();
        values.add_event(root, wrapped.is_none())?;
        if let Some(wrapped) = wrapped {
            if wrapped.kind() != Type::Object {
                return Err(wrapper(format!("must be an object, not {}", wrapped.kind().name())));
            }
            values.add_event(wrapped, true)?;
        }
        let subject = subject(&values);
        Ok(Event { values, subject })
    }

    /// How it is verified. `None`: the service cannot be asked.
    pub fn verification(&self) -> Option<(&'static Verification, &str)> {
        let of_subject = VERIFICATIONS.iter().find(|known| Some(known.subject) == self.subject)?;
        self.values.get(of_subject.by).map(|text| (of_subject, text))
    }
}

/// The subject of the first verification that fits.
fn subject(values: &Values) -> Option<Subject> {
    let fits = |known: &&Verification| known.names.iter().any(|meaning| values.get(*meaning).is_some());
    VERIFICATIONS.iter().find(fits).map(|known| known.subject)
}
