//! The objects within requests: a class each, with keyword arguments and a repr that hides the values.

use paysvc_spec::schema::{Field, Kind};
use serde::Serialize;

use crate::names::python::{self as names, Spellings};

/// The objects within requests, in the order in which Python can read them.
pub struct Classes {
    pub known: Vec<Class>,
    spellings: Spellings,
}

#[derive(Clone, PartialEq, Serialize)]
pub struct Class {
    name: String,
    doc: String,
    arguments: Vec<Argument>,
    extra: bool,
}

/// A field of a request as a keyword argument of a method or class.
#[derive(Clone, PartialEq, Serialize)]
pub struct Argument {
    /// The interface's name.
    pub member: &'static str,
    pub name: String,
    pub kind: String,
    /// A second keyword for the same value, and one for a time in seconds.
    pub spelling: Option<String>,
    pub seconds: Option<String>,
    /// Takes an amount, so a Decimal is accepted too.
    pub amount: bool,
    /// Has to be given.
    pub required: bool,
    /// Has to be given as well, or a word for leaving it out.
    pub has_price: bool,
    /// None leaves it out.
    pub none_omits: bool,
    /// Its value may be a secret, or have one in it.
    pub secret: bool,
    pub doc: String,
}

impl Class {
    fn is_like(&self, other: &Class) -> bool {
        // Their members are the same; what they are called in the documentation may differ.
        Class { name: self.name.clone(), doc: self.doc.clone(), ..other.clone() } == *self
    }
}

impl Classes {
    pub fn new(spellings: Spellings) -> Classes {
        Classes { known: Vec::new(), spellings }
    }

    /// Inner classes first, because Python reads from top to bottom.
    pub fn add(&mut self, owner: &str, fields: &'static [Field], extra: bool) {
        for field in fields {
            if let Kind::Object(inner) | Kind::List(inner) = field.kind {
                self.add(&format!("{owner}_{}", field.name), inner, extra);
                let class = self.class(owner, field, inner, extra);
                if !self.known.iter().any(|known| known.name == class.name) {
                    self.known.push(class);
                }
            }
        }
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.known.iter().map(|class| class.name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// An object's class, and that of an element of a list, is called like its field; a second, different object of that
    /// name is called after its owner too.
    fn class(&self, owner: &str, field: &Field, inner: &'static [Field], extra: bool) -> Class {
        let long = format!("{owner}_{}", field.name);
        let arguments = self.arguments(&long, inner, extra);
        let doc = match field.kind {
            Kind::List(_) => format!("one of {}", field.doc),
            _ => field.doc_with_default(),
        };
        let class = Class { name: names::class(field.name), doc, arguments, extra };
        let taken = self.known.iter().any(|known| known.name == class.name && !known.is_like(&class));
        if taken || names::CLASSES_OF_OURS.split(' ').any(|own| own == class.name) {
            return Class { name: names::class(&long), ..class };
        }
        class
    }

    /// The type of an object.
    fn object(&self, owner: &str, field: &Field, inner: &'static [Field], extra: bool) -> String {
        format!("{} | Mapping[str, object]", self.class(owner, field, inner, extra).name)
    }

    /// The keyword arguments of an object's fields.
    pub fn arguments(&self, owner: &str, fields: &'static [Field], extra: bool) -> Vec<Argument> {
        let of = |keyword: names::Keyword<'static>| {
            let field = keyword.field;
            let kind = match field.kind {
                Kind::Text => "str".to_owned(),
                Kind::Integer => "int".to_owned(),
                Kind::Amount(_) => "str | Decimal".to_owned(),
                Kind::Flag => "bool".to_owned(),
                Kind::Any => "object".to_owned(),
                Kind::Object(inner) => self.object(owner, field, inner, extra),
                Kind::List(inner) => format!("Sequence[{}]", self.object(owner, field, inner, extra)),
            };
            Argument {
                member: field.name,
                name: keyword.name,
                kind,
                amount: matches!(field.kind, Kind::Amount(_)),
                // Where a second keyword may give it, neither is required: the library reports it when both are missing.
                required: field.required && keyword.spelling.is_none() && keyword.seconds.is_none(),
                has_price: field.has_price,
                none_omits: none_omits(field),
                secret: field.secret
                    || !matches!(field.kind, Kind::Text | Kind::Integer | Kind::Flag | Kind::Amount(_)),
                spelling: keyword.spelling,
                seconds: keyword.seconds,
                doc: field.doc_with_default(),
            }
        };
        self.spellings.keywords(fields).into_iter().map(of).collect()
    }
}

/// Returns whether a field that is None by mistake may be left out: not one that identifies who pays what to whom or
/// how, or that protects from a second charge.
fn none_omits(field: &Field) -> bool {
    let protects = field.name.ends_with("_key") || matches!(field.name, "journal" | "mode" | "former_public_keys");
    let harmless = match field.kind {
        Kind::Text | Kind::Integer => !field.any_case && !field.digits && field.options.is_empty(),
        Kind::Object(inner) => inner.iter().all(|it| !it.required && !it.is_identifying() && !it.any_case),
        _ => false,
    };
    harmless && !protects && !field.required && !field.is_identifying() && !field.has_price
}
