//! The body of the reply: the service's answer, with the findings in front of its members.

use aws_lc_rs::digest;

use super::compare::{Difference, Shown};
use crate::json::Type;
use crate::json::document::Document;
use crate::json::object::{Object, list, object};
use crate::util::memory;
use crate::util::process::critical_section;
use paysvc_spec::events::{ADDED, RETRY_AFTER_SECONDS, Subject};
use paysvc_spec::status::State;

/// What a receiver responds to the sender of the event, once it has handled it if it is authentic.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Respond {
    Ok = 200,
    /// It is no event.
    BadRequest = 400,
    /// Nothing is decided, so that the event must be sent again.
    #[default]
    Unavailable = 503,
}

/// What was found out about an event.
#[derive(Default)]
pub struct Findings {
    pub respond: Respond,
    /// `None` if nothing was expected.
    pub matches: Option<bool>,
    pub differences: Vec<Difference>,
    /// `None` if the event could not be read, or names nothing that could be verified.
    pub subject: Option<Subject>,
    /// What the service was asked for.
    pub about: Option<String>,
    /// Of an authentic event.
    pub key: Option<String>,
}

impl Findings {
    /// An object's text with the findings in front of its members, or why it cannot be returned with them.
    /// `retry_after_ms`: as the service asked for.
    pub fn before(&self, body: &str, document: &Document, retry_after_ms: Option<u64>) -> Result<String, String> {
        let root = document.root(body);
        if root.kind() != Type::Object {
            return Err("the service's answer is not an object".to_owned());
        }
        let names = || root.children().filter_map(|member| member.name());
        if let Some(taken) = ADDED.iter().find(|added| names().any(|name| name.eq_ignore_ascii_case(added))) {
            return Err(format!("the service's answer already has a member named {taken}"));
        }
        let mut out = self.members(retry_after_ms);
        if root.children().next().is_some() {
            out.push(b',');
        }
        // As it was received, without its opening brace. One byte more, for the NUL at the end of a C string.
        let rest = &root.raw()[1..];
        let mut whole =
            memory::buffer(out.len() + rest.len() + 1).ok_or_else(|| format!("the answer {}", memory::TOO_LARGE))?;
        whole.extend_from_slice(&out);
        whole.extend_from_slice(rest.as_bytes());
        Ok(String::from_utf8(whole).expect("two texts are UTF-8"))
    }

    /// An opening brace and the members.
    fn members(&self, retry_after_ms: Option<u64>) -> Vec<u8> {
        let mut out = Vec::new();
        object(&mut out, |members| {
            members.literal("authentic", self.key.is_some());
            if let Some(matches) = self.matches {
                members.literal("match", matches);
            }
            members.raw("differences", |out| list(out, &self.differences, push));
            members.text("event", self.subject.map_or("unknown", Subject::name));
            members.optional("about", self.about.as_deref());
            members.optional("key", self.key.as_deref());
            members.literal("respond", self.respond as u16);
            if self.respond == Respond::Unavailable {
                members
                    .literal("retry_after", retry_after_ms.map_or(RETRY_AFTER_SECONDS, |ms| ms.div_ceil(1000).max(1)));
            }
        });
        out.pop();
        out
    }

    /// The names of what differs, for a message.
    pub fn names(&self) -> String {
        let names: Vec<_> = self.differences.iter().map(|difference| difference.member).collect();
        names.join(", ")
    }
}

fn push(out: &mut Vec<u8>, difference: &Difference) {
    let value = |members: &mut Object<'_>, name: &str, shown: &Option<Shown>| match shown {
        None => members.literal(name, "null"),
        Some(Shown::Text(text)) => members.text(name, text),
        Some(Shown::State(number)) => members.literal(name, number),
    };
    object(out, |members| {
        members.text("member", difference.member);
        value(members, "event", &difference.event);
        value(members, "service", &difference.service);
        members.optional("expected", difference.expected.as_deref());
    });
}

/// A key of a verified event: the same for each delivery, another one for a later state. `about` is the service's own
/// reference or session; anything else in a later answer does not change the key. A digest, so that it has the same
/// length whatever the reference is.
pub fn key(subject: Subject, endpoint: &str, state: State, about: &str) -> String {
    // References are compared without regard to case and blanks around them.
    let text = format!("{endpoint}\n{}\n{}", state.0, about.trim().to_lowercase());
    let digest = critical_section(|| digest::digest(&digest::SHA256, text.as_bytes()));
    let hex: String = digest.as_ref().iter().take(20).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{hex}", subject.name(), state.0)
}
