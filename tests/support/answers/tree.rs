//! JSON as it is written: every field of an object, also one that is there twice, and numbers as their literals.
//! The texts are the tests' own, so what is no JSON is a mistake of theirs.

use std::fmt::{Formatter, Write as _};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Found;

#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
    /// JSON that is written as it stands here, to be seen by others only.
    Raw(String),
}

impl Tree {
    pub fn parse(text: &str) -> Tree {
        Tree::of(serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }

    fn of(value: &RawValue) -> Tree {
        let text = value.get();
        match text.as_bytes()[0] {
            b'{' => Tree::Object(serde_json::from_str::<Members>(text).unwrap().0),
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap();
                Tree::Array(elements.into_iter().map(Tree::of).collect())
            }
            b'"' => Tree::Text(serde_json::from_str(text).unwrap()),
            b'n' => Tree::Null,
            b't' | b'f' => Tree::Bool(text == "true"),
            _ => Tree::Number(text.to_owned()),
        }
    }

    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out);
        out
    }

    fn write_to(&self, out: &mut String) {
        match self {
            Tree::Null => out.push_str("null"),
            Tree::Bool(flag) => write!(out, "{flag}").unwrap(),
            Tree::Number(text) | Tree::Raw(text) => out.push_str(text),
            Tree::Text(text) => out.push_str(&serde_json::to_string(text).unwrap()),
            Tree::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    element.write_to(out);
                }
                out.push_str(if elements.is_empty() { "[]" } else { "]" });
            }
            Tree::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push(if index == 0 { '{' } else { ',' });
                    // A name in quotes is written as it stands, with the escapes that it has.
                    let name = if name.starts_with('"') { name.clone() } else { serde_json::to_string(name).unwrap() };
                    write!(out, "{name}:").unwrap();
                    value.write_to(out);
                }
                out.push_str(if members.is_empty() { "{}" } else { "}" });
            }
        }
    }

    /// The value at a JSON pointer; for a duplicate key, the first.
    pub fn at(&self, pointer: &str) -> Option<&Tree> {
        pointer.split('/').skip(1).try_fold(self, |at, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match at {
                Tree::Object(members) => members.iter().find(|(name, _)| *name == step).map(|(_, value)| value),
                Tree::Array(elements) => elements.get(step.parse::<usize>().ok()?),
                _ => None,
            }
        })
    }

    pub fn look(&self, pointer: &str) -> Found {
        self.at(pointer).map_or(Found::Absent, Tree::found)
    }

    pub fn found(&self) -> Found {
        match self {
            Tree::Null => Found::Null,
            Tree::Bool(flag) => Found::Bool(*flag),
            Tree::Number(text) => Found::Number(text.clone()),
            Tree::Text(text) => Found::Text(text.clone()),
            Tree::Array(elements) => Found::Array(elements.len()),
            Tree::Object(_) => Found::Object,
            Tree::Raw(text) => panic!("{text} is not read, only written"),
        }
    }
}

/// The fields of an object, also of one with a name twice.
struct Members(Vec<(String, Tree)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Members, D::Error> {
        from.deserialize_map(Members(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Members;

    fn expecting(&self, to: &mut Formatter) -> std::fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Members, A::Error> {
        while let Some((name, value)) = members.next_entry::<String, &RawValue>()? {
            self.0.push((name, Tree::of(value)));
        }
        Ok(self)
    }
}
