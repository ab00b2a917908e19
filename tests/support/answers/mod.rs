//! The reference reader of typed answers. It shares no code with the library or its packages, and shows what each of
//! them must read: a map from the JSON pointer of every typed field to its entry, in the form that the drivers print
//! for the command `answer` (see `tests/c/driver.c`).
//!
//! A leaf is its text, null where it is absent, and false where it cannot be read. An object is "{}", a list "[n]".

mod leaf;
pub mod normal;
mod time;
mod tree;

pub use paysvc_spec::schema::typed;
use paysvc_spec::schema::{AnswerKind, Endpoint, Member};
use serde_json::{Map, Value};

pub use tree::Tree;

/// The number of elements of a list that are read.
pub const MOST_ELEMENTS: usize = 5;

/// What stands at a pointer, before anybody asks what it means.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Absent,
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    /// With the number of its elements.
    Array(usize),
    Object,
}

impl Found {
    fn is_there(&self) -> bool {
        !matches!(self, Found::Absent | Found::Null)
    }
}

/// The entries of an endpoint's response; `look` tells what stands at a pointer.
pub fn entries(row: &Endpoint, look: &dyn Fn(&str) -> Found) -> Map<String, Value> {
    let mut out = Map::new();
    let root = if look("") == Found::Object { Place::Present } else { Place::Unreadable };
    read_members(&mut out, "", root, row.answer.members, look);
    out
}

/// The entries of a JSON text.
pub fn of_text(row: &Endpoint, text: &str) -> Map<String, Value> {
    let tree = Tree::parse(text);
    entries(row, &|pointer| tree.look(pointer))
}

/// Whether there is an object in which to look for members.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Present,
    Absent,
    Unreadable,
}

fn place(found: &Found, fits: bool) -> Place {
    match fits {
        true => Place::Present,
        false if found.is_there() => Place::Unreadable,
        false => Place::Absent,
    }
}

/// An entry for what has no value.
fn nothing(place: Place) -> Value {
    if place == Place::Unreadable { Value::Bool(false) } else { Value::Null }
}

fn read_members(
    out: &mut Map<String, Value>,
    within: &str,
    parent: Place,
    members: &'static [Member],
    look: &dyn Fn(&str) -> Found,
) {
    for member in typed(members) {
        let pointer = format!("{within}/{}", member.name.replace('~', "~0").replace('/', "~1"));
        let found = if parent == Place::Present { look(&pointer) } else { Found::Absent };
        let within = |fits: bool| if parent == Place::Present { place(&found, fits) } else { parent };
        match member.kind {
            AnswerKind::Object(members) => {
                let here = within(found == Found::Object);
                let entry = if here == Place::Present { "{}".into() } else { nothing(here) };
                out.insert(pointer.clone(), entry);
                read_members(out, &pointer, here, members, look);
            }
            AnswerKind::List(members) => {
                let here = within(matches!(found, Found::Array(_)));
                let count = if let Found::Array(count) = found { count } else { 0 };
                let entry = if here == Place::Present { format!("[{count}]").into() } else { nothing(here) };
                out.insert(pointer.clone(), entry);
                for index in 0..count.min(MOST_ELEMENTS) {
                    let element = format!("{pointer}/{index}");
                    // Null is not an object either, where an element must be.
                    let is_object = look(&element) == Found::Object;
                    out.insert(element.clone(), if is_object { "{}".into() } else { false.into() });
                    let here = if is_object { Place::Present } else { Place::Unreadable };
                    read_members(out, &element, here, members, look);
                }
            }
            kind => {
                let entry = if parent == Place::Present { leaf::entry(kind, &found) } else { nothing(parent) };
                out.insert(pointer, entry);
            }
        }
    }
}
