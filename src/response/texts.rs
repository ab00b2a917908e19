//! Code and message of an answer, wherever its envelope has them.

use std::borrow::Cow;

use crate::response::document::Value;
use crate::util::json::Type;

/// How many bytes of a code or a message are read. Many times what is shown, so that a secret that begins in the shown part
/// is recognised as a whole.
const MAX_TEXT_READ: usize = 16 * 1024;
/// How many characters of a member's name are repeated. The service's own names are much shorter.
const MAX_NAME_CHARS: usize = 100;

/// The text or number of a member; `None` for anything else.
fn plain<'d>(object: Value<'d>, name: &str) -> Option<Cow<'d, str>> {
    let value = object.member(name)?;
    match value.kind() {
        Type::Text => value.text_start(MAX_TEXT_READ).filter(|text| !text.is_empty()),
        Type::Number => value.raw().get(..value.raw().len().min(MAX_TEXT_READ)).map(Cow::Borrowed),
        _ => None,
    }
}

pub fn code(root: Value<'_>) -> Option<Cow<'_, str>> {
    let own = ["statusCode", "status_code", "code"].iter().find_map(|name| plain(root, name));
    own.or_else(|| plain(root.member("error")?, "code"))
}

pub fn message(root: Value<'_>) -> Option<Cow<'_, str>> {
    plain(root, "message")
        .or_else(|| {
            let error = root.member("error")?;
            plain(error, "message").or_else(|| plain(error, "description"))
        })
        .or_else(|| plain(root, "error"))
        .or_else(|| {
            let first = root.member("errors")?.children().next()?;
            let text = first.text_start(MAX_TEXT_READ)?;
            Some(match first.name() {
                Some(name) => Cow::Owned(format!("{}: {text}", name.chars().take(MAX_NAME_CHARS).collect::<String>())),
                None => text,
            })
        })
}
