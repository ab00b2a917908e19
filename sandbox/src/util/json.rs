//! JSON values whose fields keep their order and whose numbers keep their digits.
//!
//! An amount such as `98000.000000` must not change, so a number is stored as its text and never as a float.

use std::fmt::{self, Display, Formatter};

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper than any payload of the service; limits the recursion.
const DEEPEST: usize = 32;

#[derive(Debug, Default, Clone, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// `object! { "status": true, "data": Json::Null }`: fields in the given order.
macro_rules! object {
    ($($name:literal : $value:expr),* $(,)?) => {
        $crate::util::json::Json::Object(vec![$(($name.to_string(), $crate::util::json::Json::from($value))),*])
    };
}
pub(crate) use object;

impl Json {
    pub fn parse(bytes: &[u8]) -> Result<Json, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?;
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
        expand(raw, 0)
    }

    /// A field by its exact name, else by its name ignoring case, as the service matches names.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else {
            return None;
        };
        let exact = members.iter().find(|(key, _)| key == name);
        exact.or_else(|| members.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))).map(|(_, value)| value)
    }

    /// A nested field: `at("card.cvv")`, `at("payoutDetails.0.amount")`.
    pub fn at(&self, path: &str) -> Option<&Json> {
        path.split('.').try_fold(self, |value, name| match value {
            Json::Array(items) => items.get(name.parse::<usize>().ok()?),
            _ => value.get(name),
        })
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }

    /// An object with the fields of another one after its own.
    pub fn and(mut self, other: Json) -> Json {
        if let (Json::Object(members), Json::Object(further)) = (&mut self, other) {
            members.extend(further);
        }
        self
    }

    /// A copy with other leaves; each is changed with the name of its field.
    pub fn mapped(&self, name: &str, change: &impl Fn(&str, &Json) -> Json) -> Json {
        match self {
            Json::Object(members) => {
                Json::Object(members.iter().map(|(name, value)| (name.clone(), value.mapped(name, change))).collect())
            }
            Json::Array(items) => Json::Array(items.iter().map(|item| item.mapped(name, change)).collect()),
            leaf => change(name, leaf),
        }
    }

    /// All texts, in order.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Json::Text(text) => vec![text],
            Json::Array(items) => items.iter().flat_map(Json::texts).collect(),
            Json::Object(members) => members.iter().flat_map(|(_, value)| value.texts()).collect(),
            Json::Null | Json::Bool(_) | Json::Number(_) => Vec::new(),
        }
    }
}

fn expand(raw: &RawValue, depth: usize) -> Result<Json, String> {
    if depth > DEEPEST {
        return Err(format!("it is nested deeper than {DEEPEST} levels"));
    }
    let text = raw.get();
    let problem = |error: serde_json::Error| error.to_string();
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(text).map_err(problem)?;
            let expanded = members.into_iter().map(|(name, value)| Ok((name, expand(value, depth + 1)?)));
            Json::Object(expanded.collect::<Result<_, String>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(problem)?;
            Json::Array(items.into_iter().map(|item| expand(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(b'"') => Json::Text(serde_json::from_str(text).map_err(problem)?),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::Number(text.to_string()),
    })
}

/// The fields of an object in order. A duplicate name is an error, since one of the two would be lost.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut seen = std::collections::HashSet::new();
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if !seen.insert(name.clone()) {
                        return Err(A::Error::custom(format!("the field {name:?} is given twice")));
                    }
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

impl Display for Json {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(digits) => out.write_str(digits),
            Json::Text(text) => write_text(out, text),
            Json::Array(items) => {
                out.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(out, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                out.write_str("]")
            }
            Json::Object(members) => {
                out.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    out.write_str(if index == 0 { "" } else { "," })?;
                    write_text(out, name)?;
                    write!(out, ":{value}")?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_text(out: &mut Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

macro_rules! from {
    ($($type:ty, $value:ident => $json:expr;)*) => {$(
        impl From<$type> for Json {
            fn from($value: $type) -> Self {
                $json
            }
        }
    )*};
}

from! {
    bool, value => Json::Bool(value);
    &str, text => Json::Text(text.to_string());
    String, text => Json::Text(text);
    &String, text => Json::Text(text.clone());
    u64, number => Json::Number(number.to_string());
    usize, number => Json::Number(number.to_string());
    u16, number => Json::Number(number.to_string());
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Json::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Json::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_order_survive() {
        let text = r#"{"z":98000.000000,"a":[1e400,-0,100.10],"t":"a\"b\u0000é","n":null,"b":true}"#;
        assert_eq!(Json::parse(text.as_bytes()).unwrap().to_string(), text);
    }

    #[test]
    fn names_match_without_regard_to_case_and_the_exact_name_wins() {
        let value = Json::parse(br#"{"Amount":"","amount":"5","Card":{"CVV":"1"}}"#).unwrap();
        assert_eq!(value.get("amount").unwrap().as_text(), Some("5"));
        assert_eq!(value.get("Amount").unwrap().as_text(), Some(""));
        assert_eq!(value.at("card.cvv").unwrap().as_text(), Some("1"));
        assert_eq!(value.at("card.cvv.x"), None);
        let list = Json::parse(br#"{"a":[{"b":"0"},{"b":"1"}]}"#).unwrap();
        assert_eq!(list.at("a.1.b").unwrap().as_text(), Some("1"));
        assert_eq!((list.at("a.2.b"), list.at("a.b")), (None, None));
    }

    #[test]
    fn bad_texts_are_refused_with_a_reason() {
        assert!(Json::parse(br#"{"a":1,"a":2}"#).unwrap_err().contains("given twice"));
        assert!(Json::parse(&[0xff]).unwrap_err().contains("UTF-8"));
        assert!(Json::parse(b"").is_err());
        assert!(Json::parse(b"{} {}").is_err());
        assert!(Json::parse(b"01").is_err());
        assert!(Json::parse("[".repeat(100_000).as_bytes()).is_err());
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(Json::parse(deep.as_bytes()).unwrap_err().contains("deeper"));
    }
}
