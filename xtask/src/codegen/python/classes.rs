//! The objects within requests: a class each, with keyword arguments and a repr that hides the values.

use std::fmt::Write as _;

use super::names::{self, Also, Spellings};
use super::{docs, lines, more, object, sentence};
use paysvc_spec::schema::{Field, Kind};

/// The objects within requests, by class name.
#[derive(Default)]
pub struct Classes {
    texts: Vec<(String, String)>,
    pub spellings: Spellings,
}

impl Classes {
    pub fn new(spellings: Spellings) -> Classes {
        Classes { texts: Vec::new(), spellings }
    }

    /// Inner classes first, because Python reads from top to bottom.
    pub fn add(&mut self, owner: &str, fields: &[Field], open: bool) {
        for field in fields {
            if let Kind::Object(inner) = field.kind {
                self.add(&format!("{owner}_{}", field.name), inner, open);
                let (name, text) = self.class(owner, field, inner, open);
                if !self.texts.iter().any(|(known, _)| *known == name) {
                    self.texts.push((name, text));
                }
            }
        }
    }

    /// All of them, in the order in which Python can read them.
    pub fn text(&self) -> String {
        self.texts.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.texts.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// What programs import from the package, in order.
    pub fn exported(&self) -> String {
        let mut all: Vec<_> = self.names().into_iter().chain(["Status", "Outcome", "State"]).collect();
        all.sort_unstable();
        all.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
    }

    /// An object's class is called like its member; a second, different object of that name is called after its owner too.
    fn class(&self, owner: &str, field: &Field, inner: &[Field], open: bool) -> (String, String) {
        let render =
            |name: &str| self.render(&format!("{owner}_{}", field.name), name, &field.doc_with_default(), inner, open);
        let short = names::class(field.name);
        let text = render(&short);
        let taken = self.texts.iter().any(|(known, other)| *known == short && *other != text);
        if !taken && !names::CLASSES_OF_OURS.contains(&short.as_str()) {
            return (short, text);
        }
        let long = names::class(&format!("{owner}_{}", field.name));
        let text = render(&long);
        (long, text)
    }

    fn render(&self, owner: &str, name: &str, doc: &str, fields: &[Field], open: bool) -> String {
        let mut out =
            format!("\nclass {name}(Members):\n    \"\"\"{}\"\"\"\n\n    __slots__ = ()\n\n", docs(&sentence(doc)));
        let parameters = self.parameters(owner, fields, open);
        writeln!(out, "    def __init__(\n        self,\n        *,\n{parameters}    ) -> None:").unwrap();
        let lines = lines(&self.spellings, fields, open, &[]);
        if !lines.is_empty() {
            writeln!(out, "        \"\"\"\n        Args:\n{lines}        \"\"\"").unwrap();
        }
        writeln!(out, "        super().__init__({}{})\n", object(&self.spellings, fields, "        "), more(open))
            .unwrap();
        out
    }

    /// One line for each member: required ones first take no default; the rest are left out unless given.
    pub fn parameters(&self, owner: &str, fields: &[Field], open: bool) -> String {
        let mut out = String::new();
        for keyword in self.spellings.keywords(fields) {
            let (field, name) = (keyword.field, &keyword.name);
            let mut kind = match field.kind {
                Kind::Text => "str".to_owned(),
                Kind::Integer => "int".to_owned(),
                Kind::Amount => "str | Decimal".to_owned(),
                Kind::Flag => "bool".to_owned(),
                Kind::Any => "object".to_owned(),
                Kind::Object(inner) => format!("{} | Mapping[str, object]", self.class(owner, field, inner, open).0),
            };
            // Where a second keyword may give it, neither is required: the library says so when both are missing.
            if !field.required || keyword.also.is_some() {
                kind.push_str(" | Omitted = OMIT");
            }
            writeln!(out, "        {name}: {kind},").unwrap();
            if let Some(also) = &keyword.also {
                let kind = if matches!(also, Also::Seconds(_)) { "float | Omitted = OMIT" } else { &kind };
                writeln!(out, "        {}: {kind},", also.name()).unwrap();
            }
        }
        if open {
            out.push_str("        members: Mapping[str, object] | None = None,\n");
        }
        out
    }
}
