//! JSON pointers (RFC 6901).

use std::borrow::Cow;

use super::Value;
use crate::json::Type;

/// Most steps of a pointer. The deepest answer has 4 levels.
const MAX_STEPS: usize = 128;

impl<'d> Value<'d> {
    /// The value at a JSON pointer; of members with the same name, the first. `None` if it is absent, or if the pointer is
    /// malformed or has more than [`MAX_STEPS`] steps.
    ///
    /// Passes all siblings on its way; the facts of an answer are few and read once. A program looks with [`Value::look`].
    pub fn find(self, pointer: &str) -> Option<Value<'d>> {
        follow(self, pointer, Value::member, |array, index| array.children().nth(index))
    }

    /// The same, in a time that depends on the pointer and hardly on the document.
    pub fn look(self, pointer: &str) -> Option<Value<'d>> {
        follow(self, pointer, Value::look_member, Value::look_child)
    }
}

fn follow<'d>(
    root: Value<'d>,
    pointer: &str,
    member: impl Fn(Value<'d>, &str) -> Option<Value<'d>>,
    element: impl Fn(Value<'d>, usize) -> Option<Value<'d>>,
) -> Option<Value<'d>> {
    if pointer.is_empty() {
        return Some(root);
    }
    let (mut value, mut rest) = (root, Some(pointer.strip_prefix('/')?));
    let mut steps = 0;
    while let Some(text) = rest {
        steps += 1;
        if steps > MAX_STEPS {
            return None;
        }
        let token;
        (token, rest) = match memchr::memchr(b'/', text.as_bytes()) {
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        let token = unescaped(token)?;
        value = match value.kind() {
            Type::Object => member(value, &token)?,
            Type::Array => {
                let canonical = token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
                element(value, canonical.then(|| token.parse().ok())??)?
            }
            _ => return None,
        };
    }
    Some(value)
}

/// `~1` is `/` and `~0` is `~`; any other `~` is malformed.
fn unescaped(token: &str) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'~', token.as_bytes()).is_none() {
        return Some(Cow::Borrowed(token));
    }
    let mut parts = token.split('~');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        out.push(match part.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        out.push_str(&part[1..]);
    }
    Some(Cow::Owned(out))
}
