//! The expected `answer` and `unreadable` of `paysvc_reply_json`.

use std::collections::BTreeSet;

use paysvc_spec::roles::{SHARED, is_of_envelope};
use paysvc_spec::schema::{AnswerKind, Place, ShapeField};
use serde_json::Value;

use super::{Tree, leaf};

type Members = Vec<(String, Tree)>;

/// The response in the shape, and the pointers of what cannot be read.
pub fn normalised(shape: &[ShapeField], text: &str) -> (Tree, BTreeSet<String>) {
    let root = Tree::parse(text);
    let mut unreadable = BTreeSet::new();
    let places = Places::of_answer(&root, shape);
    let answer = fields(shape, &places, "", &mut unreadable);
    (answer, unreadable)
}

struct Places<'a> {
    root: Option<&'a Members>,
    /// Name and value, unless it is null.
    data: Option<(&'a str, &'a Tree)>,
    /// Names that a bare response cannot use for data: fields of its envelope.
    bare: Vec<&'a str>,
    /// True if another envelope may be around it.
    wrapped: bool,
}

impl<'a> Places<'a> {
    fn inside(members: &'a Members) -> Places<'a> {
        Places { root: Some(members), data: None, bare: Vec::new(), wrapped: false }
    }

    fn of_answer(root: &'a Tree, shape: &[ShapeField]) -> Places<'a> {
        let Tree::Object(members) = root else {
            return Places { root: None, data: None, bare: Vec::new(), wrapped: false };
        };
        let known = || shape.iter().flat_map(|field| &field.members);
        let own: Vec<_> = known().filter(|it| it.0 == Place::Root).map(|it| it.1.name).collect();
        let wrapped = !own.contains(&"data") && known().all(|it| it.0 == Place::Root);
        let bare = own.into_iter().chain(SHARED.iter().map(|it| it.name).filter(|name| is_of_envelope(name))).collect();
        let data = find(members, "data").filter(|(_, data)| **data != Tree::Null);
        Places { root: Some(members), data, bare, wrapped }
    }

    /// The value with its pointer, or the pointer of what is no object.
    fn find(&self, place: Place, name: &str) -> Result<Option<(String, &'a Tree)>, String> {
        let Some(root) = self.root else { return Err(String::new()) };
        let at = |within: &str, found: Option<(&str, &'a Tree)>| {
            found
                .filter(|(_, value)| **value != Tree::Null)
                .map(|(own, value)| (format!("{within}/{}", step(own)), value))
        };
        let of_root = at("", find(root, name));
        match (place, self.data) {
            (Place::Data, Some((own, Tree::Object(data)))) => Ok(at(&format!("/{own}"), find(data, name))),
            (Place::Data, Some((own, _))) => Err(format!("/{own}")),
            (Place::Data, None) => Ok(of_root.filter(|_| !self.bare.contains(&name))),
            (_, Some((own, Tree::Object(data)))) if self.wrapped => {
                Ok(of_root.or_else(|| at(&format!("/{own}"), find(data, name))))
            }
            _ => Ok(of_root),
        }
    }
}

fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn find<'a>(members: &'a Members, name: &str) -> Option<(&'a str, &'a Tree)> {
    let exact = members.iter().find(|(own, _)| own == name);
    let found = exact.or_else(|| members.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)));
    found.map(|(own, value)| (own.as_str(), value))
}

fn fields(shape: &[ShapeField], places: &Places<'_>, within: &str, unreadable: &mut BTreeSet<String>) -> Tree {
    let one = |field: &ShapeField| (field.name.clone(), value(field, places, within, unreadable));
    Tree::Object(shape.iter().map(one).collect())
}

fn value(field: &ShapeField, places: &Places<'_>, within: &str, unreadable: &mut BTreeSet<String>) -> Tree {
    let mut wrong = None;
    for (place, member) in &field.members {
        let (pointer, found) = match places.find(*place, member.name) {
            Ok(None) => continue,
            Ok(Some((pointer, found))) => (format!("{within}{pointer}"), found),
            Err(pointer) => {
                wrong.get_or_insert(format!("{within}{pointer}"));
                continue;
            }
        };
        match (member.kind, found) {
            (AnswerKind::Object(_), Tree::Object(members)) => {
                return fields(&field.fields, &Places::inside(members), &pointer, unreadable);
            }
            (AnswerKind::List(_), Tree::Array(elements)) => {
                let element = |(index, element): (usize, &Tree)| {
                    let pointer = format!("{pointer}/{index}");
                    match element {
                        Tree::Object(members) => fields(&field.fields, &Places::inside(members), &pointer, unreadable),
                        _ => {
                            unreadable.insert(pointer);
                            Tree::Null
                        }
                    }
                };
                return Tree::Array(elements.iter().enumerate().map(element).collect());
            }
            (AnswerKind::Any, found) => return found.clone(),
            (AnswerKind::Object(_) | AnswerKind::List(_), _) => _ = wrong.get_or_insert(pointer),
            (kind, found) => match (kind, leaf::entry(kind, &found.found())) {
                (_, Value::Null) => {}
                (AnswerKind::Integer, Value::String(text)) => return Tree::Number(text),
                (AnswerKind::Flag, Value::String(text)) => return Tree::Bool(text == "true"),
                (_, Value::String(text)) => return Tree::Text(text),
                _ => _ = wrong.get_or_insert(pointer),
            },
        }
    }
    unreadable.extend(wrong);
    Tree::Null
}
