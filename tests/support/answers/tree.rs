//! JSON as it is written: every member of an object, also one that is there twice, and numbers as their literals.
//! The texts are the tests' own, so what is no JSON is a mistake of theirs.

use std::fmt::Write as _;

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
        let mut parser = Parser { text, at: 0 };
        let tree = parser.value();
        parser.blank();
        assert_eq!(parser.at, text.len(), "more than one value: {text}");
        tree
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

    /// What stands at a JSON pointer; of a member that is there twice, the first.
    pub fn look(&self, pointer: &str) -> Found {
        let mut at = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match at {
                Tree::Object(members) => members.iter().find(|(name, _)| *name == step).map(|(_, value)| value),
                Tree::Array(elements) => step.parse::<usize>().ok().and_then(|index| elements.get(index)),
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return Found::Absent,
            }
        }
        at.found()
    }

    fn found(&self) -> Found {
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

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Whether the next thing is this one, which is then passed.
    fn passes(&mut self, expected: char) -> bool {
        self.blank();
        let is_next = self.rest().starts_with(expected);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, expected: char) {
        assert!(self.passes(expected), "{expected:?} is missing at {} of {}", self.at, self.text);
    }

    fn value(&mut self) -> Tree {
        self.blank();
        match self.rest().as_bytes().first() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => Tree::Text(self.string()),
            _ => self.word(),
        }
    }

    fn object(&mut self) -> Tree {
        self.expect('{');
        let mut members = Vec::new();
        while !self.passes('}') {
            if !members.is_empty() {
                self.expect(',');
                self.blank();
            }
            let name = self.string();
            self.expect(':');
            members.push((name, self.value()));
        }
        Tree::Object(members)
    }

    fn array(&mut self) -> Tree {
        self.expect('[');
        let mut elements = Vec::new();
        while !self.passes(']') {
            if !elements.is_empty() {
                self.expect(',');
            }
            elements.push(self.value());
        }
        Tree::Array(elements)
    }

    fn string(&mut self) -> String {
        self.expect('"');
        let (begin, bytes) = (self.at - 1, self.text.as_bytes());
        while bytes[self.at] != b'"' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(&self.text[begin..self.at]).unwrap()
    }

    fn word(&mut self) -> Tree {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        match word.as_str() {
            "null" => Tree::Null,
            "true" => Tree::Bool(true),
            "false" => Tree::Bool(false),
            _ => {
                assert!(word.starts_with(|c: char| c == '-' || c.is_ascii_digit()), "{word:?} in {}", self.text);
                Tree::Number(word)
            }
        }
    }
}
