//! Reads a refusal from the texts of a response: it may be about an earlier request, or about one whose end is not known;
//! or nothing was done.
//!
//! Every text that can become the reply's own message is searched.

use super::roles::{Meaning, is_code, meaning};
use super::wording::{self, Wording};
use super::{BETWEEN_STOPS, Facts};
use crate::json::Type;
use crate::json::document::Value;
use crate::request::names::{RequestFields, last_step};
use paysvc_spec::refusals::{MESSAGES_IN_DATA, OF_PERSONS};
use paysvc_spec::schema::{Place, Role};

/// Max bytes of texts that are searched. No refusal is that long: one that is, is in doubt.
pub const MAX_SEARCHED: usize = 64 * 1024;

/// Searches the texts of a response, and completes its facts with the findings. `None` if stopped.
pub fn read(facts: &mut Facts, root: Value<'_>, request: RequestFields<'_>, stop: &dyn Fn() -> bool) -> Option<()> {
    let mut search = Search { request, left: MAX_SEARCHED, found: Wording::default() };
    search.texts(root, stop)?;
    search.conclude(facts);
    facts.signs.refusal_proven |= facts.failure_code || facts.signs.own_failed || request.are_named_by(root);
    Some(())
}

/// The same for a body that is a text.
pub fn read_text(facts: &mut Facts, text: &str) {
    let mut search = Search { request: RequestFields::default(), left: MAX_SEARCHED, found: Wording::default() };
    search.search(text.len(), Some(text), false, false);
    search.conclude(facts);
}

struct Search<'a> {
    request: RequestFields<'a>,
    left: usize,
    found: Wording,
}

/// A part of a response that has its own rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Other,
    /// Only messages, and codes that are words; and the texts of `data` itself if it is a text or a list.
    Data,
    /// Texts under the fields of the request. `exact`: it has the documented name.
    Errors {
        exact: bool,
    },
}

impl Search<'_> {
    fn texts(&mut self, root: Value<'_>, stop: &dyn Fn() -> bool) -> Option<()> {
        let (mut part, mut top) = (Part::Other, root);
        // Where messages, lists, and values with a name of their own end within `data`, and fields within `errors`: of a
        // person, or others of the request.
        let (mut messages, mut lists, mut names) = (0, 0, 0);
        let mut fields: Vec<(usize, bool)> = Vec::new();
        for value in std::iter::once(root).chain(root.everything()) {
            let index = value.index();
            if index % BETWEEN_STOPS == BETWEEN_STOPS - 1 && stop() {
                return None;
            }
            if root.kind() == Type::Object && (index == root.index() + 1 || index == top.end()) {
                (part, top) = (part_of(value), value);
            }
            let name = value.name().filter(|_| index != top.index());
            let mut is_person = false;
            match part {
                Part::Other => {}
                Part::Data => {
                    if value.kind() == Type::Array {
                        lists = lists.max(value.end());
                    }
                    if let Some(name) = &name {
                        names = names.max(value.end());
                        if is_message(name) {
                            messages = messages.max(value.end());
                        }
                    }
                }
                Part::Errors { exact } => {
                    fields.retain(|(end, _)| *end > index);
                    match &name {
                        Some(name) if is_of_person(name) => fields.push((value.end(), exact)),
                        Some(name) if self.request.has(name) => fields.push((value.end(), false)),
                        // It can become the beginning of the message.
                        Some(name) => self.search(name.len(), Some(name), false, false),
                        None => {}
                    }
                    is_person = fields.last().is_some_and(|(_, person)| *person);
                }
            }
            let (is_searched, proves) = match part {
                // An element of a list may be about an earlier request.
                Part::Data => (index < messages || index >= names, index < messages && index >= lists),
                _ => (true, true),
            };
            if is_searched && value.kind() == Type::Text {
                let length = value.raw().len();
                let text = if length <= self.left { value.text() } else { None };
                self.search(length, text.as_deref(), is_person, proves);
            }
        }
        Some(())
    }

    /// A text that is too long or cannot be read is in doubt.
    fn search(&mut self, length: usize, text: Option<&str>, is_person: bool, proves: bool) {
        let searched = text.filter(|_| length <= self.left);
        self.left = self.left.saturating_sub(length);
        let Some(text) = searched else {
            self.found.doubt = true;
            return;
        };
        let Wording { doubt, weak_doubt, refusal } = wording::search(text, is_person);
        self.found.doubt |= doubt;
        self.found.weak_doubt |= weak_doubt;
        self.found.refusal |= refusal && proves;
    }

    fn conclude(&self, facts: &mut Facts) {
        let is_plain = facts.failure_code_but_4 || facts.signs.own_failed;
        facts.signs.names_progress |= self.found.doubt || self.found.weak_doubt && !is_plain;
        facts.signs.refusal_proven |= self.found.refusal;
    }
}

fn part_of(member: Value<'_>) -> Part {
    match meaning(member, Place::Root, &[]) {
        Some(Meaning { role: Role::Object(Place::Data), .. }) => Part::Data,
        Some(Meaning { role: Role::Errors, exact, .. }) => Part::Errors { exact },
        _ => Part::Other,
    }
}

fn is_message(name: &str) -> bool {
    let ends_with = |end: &&str| {
        let start = name.len().checked_sub(end.len());
        start.and_then(|start| name.get(start..)).is_some_and(|own| own.eq_ignore_ascii_case(end))
    };
    MESSAGES_IN_DATA.iter().any(ends_with) || is_code(name)
}

fn is_of_person(name: &str) -> bool {
    let name = last_step(name).to_ascii_lowercase();
    OF_PERSONS.iter().any(|known| name.contains(known))
}
