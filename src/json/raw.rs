//! JSON, level by level: an object is read as its members, each as its text, so that numbers are never converted.
//!
//! An object that has a member twice is refused, because two readers would disagree about it.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Error;
use serde_json::value::RawValue;

use crate::util::memory;

/// Nearly every object has at most this many members.
const FEW: usize = 16;

/// The members of one object, in their order.
pub type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The value of a text that must be exactly one.
pub fn parse(text: &str) -> Result<&RawValue, Error> {
    serde_json::from_str(text)
}

/// The members of an object; fails for anything else and for a member that is given twice.
pub fn members(value: &RawValue) -> Result<Members<'_>, Error> {
    members_of(value.get())
}

/// The members of a text that must be exactly one object, checked and split in one pass.
pub fn members_of(text: &str) -> Result<Members<'_>, Error> {
    struct Level;
    impl<'de> Visitor<'de> for Level {
        type Value = Members<'de>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
            let mut members: Members<'de> = Vec::with_capacity(FEW);
            while let Some((Text(name), value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                members.try_reserve(1).map_err(A::Error::custom)?;
                members.push((name, value));
            }
            match duplicate(&members).map_err(A::Error::custom)? {
                Some(name) => Err(A::Error::custom(format_args!("member {name:?} is given twice"))),
                None => Ok(members),
            }
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = deserializer.deserialize_map(Level)?;
    deserializer.end()?;
    Ok(members)
}

/// A name that occurs twice. Many names are sorted, because there may be a million.
fn duplicate<'m>(members: &'m Members<'_>) -> Result<Option<&'m str>, TryReserveError> {
    if members.len() <= FEW {
        let again =
            |(index, (name, _)): &(usize, &(Cow<'_, str>, _))| members[..*index].iter().any(|(known, _)| known == name);
        return Ok(members.iter().enumerate().find(again).map(|(_, (name, _))| name.as_ref()));
    }
    let mut names: Vec<&str> = Vec::new();
    names.try_reserve_exact(members.len())?;
    names.extend(members.iter().map(|(name, _)| name.as_ref()));
    names.sort_unstable();
    Ok(names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]))
}

/// The items of an array; fails for anything else.
pub fn items(value: &RawValue) -> Result<Vec<&RawValue>, Error> {
    struct Level;
    impl<'de> Visitor<'de> for Level {
        type Value = Vec<&'de RawValue>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                items.try_reserve(1).map_err(A::Error::custom)?;
                items.push(item);
            }
            Ok(items)
        }
    }
    serde_json::Deserializer::from_str(value.get()).deserialize_seq(Level)
}

/// A JSON string, borrowed from the document unless it holds an escape.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Str;
        impl<'de> Visitor<'de> for Str {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Str)
    }
}

/// The member of an object by its name.
pub fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}

pub fn has_escape(raw: &str) -> bool {
    memchr::memchr(b'\\', raw.as_bytes()).is_some()
}

/// The text of a JSON string; `None` for anything else, for an unpaired surrogate, and if there is not enough
/// memory for it.
pub fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    unescaped(value.get())
}

/// The same for a string as it is written, which has been checked.
pub fn unescaped(raw: &str) -> Option<Cow<'_, str>> {
    if raw.starts_with('"') && !has_escape(raw) {
        // Checked with the document, and without escapes.
        return Some(Cow::Borrowed(&raw[1..raw.len() - 1]));
    }
    if !memory::can_read(raw.len()) {
        return None;
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    Text::deserialize(&mut deserializer).ok().map(|Text(text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_given_twice_is_refused_even_if_escaped() {
        let error = members(parse(r#"{"a":1,"\u0061":2}"#).unwrap()).unwrap_err();
        assert!(error.to_string().contains(r#"member "a" is given twice"#), "{error}");
    }
}
