//! Code and message of a response, wherever its envelope has them.

use std::borrow::Cow;

use crate::answer::facts::roles::has_role;
use crate::json::Type;
use crate::json::document::Value;
use crate::util::memory::MAX_NAME_CHARS;
use paysvc_spec::schema::{Envelope, Place, Role};

/// Max bytes of a code or a message that are read. Many times what is shown, so that a secret that begins in the shown part
/// is recognised as a whole.
const MAX_TEXT_READ: usize = 16 * 1024;

/// A text or a number; `None` for anything else.
fn plain(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Type::Text => value.text_start(MAX_TEXT_READ).filter(|text| !text.is_empty()),
        Type::Number => value.raw().get(..value.raw().len().min(MAX_TEXT_READ)).map(Cow::Borrowed),
        _ => None,
    }
}

/// The fields of an object that have this role there, under their documented names.
fn with_role(object: Value<'_>, place: Place, role: Role) -> impl Iterator<Item = Value<'_>> {
    let children = (object.kind() == Type::Object).then(|| object.children()).into_iter().flatten();
    children.filter(move |child| has_role(*child, place, role))
}

/// Returns the code of its envelope; otherwise the first that the response has.
pub fn code<'d>(root: Value<'d>, envelope: Envelope) -> Option<Cow<'d, str>> {
    let own = envelope.code().and_then(|pointer| plain(root.member(&pointer[1..])?));
    let first = |object: Value<'d>, place, role| with_role(object, place, role).find_map(plain);
    own.or_else(|| first(root, Place::Root, Role::Code)).or_else(|| {
        with_role(root, Place::Root, Role::Error).find_map(|error| first(error, Place::Error, Role::ErrorCode))
    })
}

pub fn message(root: Value<'_>) -> Option<Cow<'_, str>> {
    let error = || with_role(root, Place::Root, Role::Error);
    let of_error = |role| error().find_map(|error| with_role(error, Place::Error, role).find_map(plain));
    with_role(root, Place::Root, Role::Message)
        .find_map(plain)
        .or_else(|| of_error(Role::Message).or_else(|| of_error(Role::Description)))
        .or_else(|| error().find_map(plain))
        .or_else(|| {
            let first = with_role(root, Place::Root, Role::Errors).next()?.children().next()?;
            let text = first.text_start(MAX_TEXT_READ)?;
            Some(match first.name() {
                Some(name) => Cow::Owned(format!("{}: {text}", name.chars().take(MAX_NAME_CHARS).collect::<String>())),
                None => text,
            })
        })
}
