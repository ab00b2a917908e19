//! What the table calls secret, taken out of what the service says. Pure.
//!
//! A service may repeat in its message what it was given, and messages end in logs. The values themselves are looked
//! for, not what looks like one; the answer's own bytes stay as they came.

use serde_json::value::RawValue;

use crate::endpoints::{Field, Kind};
use crate::json::{self, Members, Type};
use crate::secret::Secret;

const MASK: &str = "***";
/// Shorter ones stand in many a harmless text: they are masked only where they stand alone.
const LONG: usize = 6;
/// Shorter ones (a month, a country) tell nothing.
const SHORTEST: usize = 3;

/// The secrets among the members: those that the table marks, and in an open payload whatever it does not name.
pub fn secrets(members: &Members<'_>, fields: &[Field]) -> Vec<Secret> {
    let mut found = Vec::new();
    collect(members, fields, &mut found);
    found
}

fn collect(members: &Members<'_>, fields: &[Field], found: &mut Vec<Secret>) {
    for (name, value) in members {
        match fields.iter().find(|field| field.name == name) {
            Some(Field { kind: Kind::Object(fields), .. }) => {
                collect(&json::members(value).unwrap_or_default(), fields, found);
            }
            Some(field) if !field.secret => {}
            _ => collect_all(value, found),
        }
    }
}

/// Every text and number within; the value must have been compacted before, which bounds its depth.
pub fn collect_all(value: &RawValue, found: &mut Vec<Secret>) {
    let mut keep = |text: &str| {
        if text.len() >= SHORTEST {
            found.push(Secret::new(text));
        }
    };
    match Type::of(value) {
        Type::Object => {
            json::members(value).unwrap_or_default().iter().for_each(|(_, value)| collect_all(value, found))
        }
        Type::Array => json::items(value).unwrap_or_default().iter().for_each(|value| collect_all(value, found)),
        Type::Text => json::text(value).iter().for_each(|text| keep(text)),
        Type::Number => keep(value.get()),
        Type::Bool | Type::Null => {}
    }
}

/// The text with every secret masked, also where its characters are set apart by blanks or dashes.
pub fn hush<'a>(mut text: String, secrets: impl Iterator<Item = &'a Secret>) -> String {
    for secret in secrets {
        let mut from = 0;
        while let Some((start, end)) = find(&text, from, secret.expose()) {
            text.replace_range(start..end, MASK);
            from = start + MASK.len();
        }
    }
    text
}

fn find(text: &str, from: usize, secret: &str) -> Option<(usize, usize)> {
    let first = secret.chars().next()?;
    let starts = text[from..].match_indices(first).map(|(at, _)| from + at);
    starts.filter_map(|start| Some((start, start + matched(&text[start..], secret)?))).find(|&(start, end)| {
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        secret.len() >= LONG || !(joined(text[..start].chars().next_back()) || joined(text[end..].chars().next()))
    })
}

/// How much of the text is the secret.
fn matched(text: &str, secret: &str) -> Option<usize> {
    let mut found = text.char_indices();
    let mut end = 0;
    for wanted in secret.chars() {
        let (at, c) =
            found.find(|&(_, c)| c == wanted || !(end > 0 && secret.len() >= LONG && (c == ' ' || c == '-')))?;
        if c != wanted {
            return None;
        }
        end = at + c.len_utf8();
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::Place;

    fn hushed(text: &str, secrets: &[&str]) -> String {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new(text)).collect();
        hush(text.to_owned(), secrets.iter())
    }

    #[test]
    fn secrets_are_masked_however_they_are_set() {
        let card = &["4111111111111111"];
        for text in
            ["card 4111111111111111 declined", "card 4111 1111 1111 1111 declined", "card 4111-1111-1111-1111 declined"]
        {
            assert_eq!(hushed(text, card), "card *** declined");
        }
        assert_eq!(hushed("x4111111111111111y4111111111111111", card), "x***y***");
        assert_eq!(hushed("card 4111111111111112 of 4111", card), "card 4111111111111112 of 4111");
        assert_eq!(hushed("41", card), "41");
        assert_eq!(hushed("é4111111111111111é", card), "é***é");
    }

    #[test]
    fn short_ones_are_masked_only_where_they_stand_alone() {
        assert_eq!(hushed("cvv 193, order 1193-19345", &["193"]), "cvv ***, order 1193-19345");
        assert_eq!(hushed("193", &["193"]), "***");
        assert_eq!(hushed("1 9 3", &["193"]), "1 9 3");
    }

    #[test]
    fn the_table_says_what_is_secret_and_an_open_payload_is_where_it_is_not_named() {
        const fn field(name: &'static str, kind: Kind, secret: bool) -> Field {
            Field { name, kind, required: false, place: Place::Body, secret, doc: "" }
        }
        const FIELDS: &[Field] = &[
            field("reference", Kind::Text, false),
            field("otp", Kind::Text, true),
            field("card", Kind::Object(&[field("cvv", Kind::Text, true), field("year", Kind::Text, false)]), false),
        ];
        let text = r#"{"reference":"ORDER","otp":"8642","card":{"cvv":"193","year":"2039","pin":[55555,"66666",true]},"x":{"y":"77777"},"z":"ab"}"#;
        let found = secrets(&json::members_of(text).unwrap(), FIELDS);
        let found: Vec<_> = found.iter().map(Secret::expose).collect();
        assert_eq!(found, ["8642", "193", "55555", "66666", "77777"]);
    }
}
