//! Answers: a class for the reply of each row, and one for each object within its answer.

use minijinja::{Value, context};
use paysvc_spec::schema::{AnswerKind, Endpoint, Member, typed};

use crate::names::python as names;
use crate::text::capitalise;
use crate::text::python::literal;

/// The classes of all rows, none of which is called like another or like one in `taken`.
#[derive(Default)]
pub struct Answers {
    taken: Vec<String>,
    rows: Vec<Row>,
    views: Vec<View>,
}

struct Row {
    name: &'static str,
    reply: String,
    view: String,
}

/// A class for an object of an answer.
struct View {
    name: String,
    doc: String,
    properties: Vec<Value>,
}

impl Answers {
    pub fn of(rows: &[Endpoint], taken: Vec<String>) -> Answers {
        let mut all = Answers { taken, ..Answers::default() };
        for row in rows {
            let reply = all.unique(names::class(&format!("{}_reply", row.name)));
            let path = format!("{}_answer", row.name);
            let doc = format!("The answer to {}.", row.name);
            let view = all.view(&path, "", doc, row.answer.members);
            all.rows.push(Row { name: row.name, reply, view });
        }
        all
    }

    pub fn reply(&self, row: &str) -> &str {
        &self.rows.iter().find(|known| known.name == row).expect("a row").reply
    }

    /// The names of the replies' classes, in order.
    pub fn replies(&self) -> Vec<String> {
        sorted(self.rows.iter().map(|row| &row.reply))
    }

    /// The names of the views' classes, in order.
    pub fn views(&self) -> Vec<String> {
        sorted(self.views.iter().map(|view| &view.name))
    }

    /// For the templates.
    pub fn values(&self) -> Value {
        let row = |row: &Row| context! { name => row.name, reply => &row.reply, view => &row.view };
        let view = |it: &View| context! { name => &it.name, doc => &it.doc, properties => &it.properties };
        let of_all = |name: &str| -> String {
            let properties = self.views.iter().flat_map(|view| &view.properties);
            properties.map(|it| format!("{} ", it.get_attr(name).expect("a property"))).collect()
        };
        context! {
            types => of_all("of"),
            reads => of_all("read"),
            replies => self.replies(),
            views => self.views(),
            rows => self.rows.iter().map(row).collect::<Vec<_>>(),
            classes => self.views.iter().map(view).collect::<Vec<_>>(),
        }
    }

    fn unique(&mut self, mut name: String) -> String {
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.push(name.clone());
        name
    }

    /// Adds the class of an object, before those of the objects within it, and returns its name.
    fn view(&mut self, path: &str, pointer: &str, doc: String, members: &'static [Member]) -> String {
        let (name, at) = (self.unique(names::class(path)), self.views.len());
        self.views.push(View { name: name.clone(), doc, properties: Vec::new() });
        let members: Vec<_> = typed(members).collect();
        let properties = members.iter().zip(names::properties(&members));
        self.views[at].properties =
            properties.map(|(member, property)| self.property(path, pointer, member, property)).collect();
        name
    }

    fn property(&mut self, path: &str, within: &str, member: &'static Member, name: String) -> Value {
        let pointer = format!("{within}/{}", member.name.replace('~', "~0").replace('/', "~1"));
        let mut class = |each: &str, members| {
            let doc = match each {
                "" => format!("{}.", capitalise(member.doc)),
                _ => format!("One of {}.", member.doc),
            };
            self.view(&format!("{path}_{}", member.name), &format!("{pointer}{each}"), doc, members)
        };
        let quoted = literal(member.name);
        let leaf = |kind: &'static str, of: &str| (kind, of.to_owned(), format!("_read(_leaf.{kind}, {quoted})"));
        let (kind, of, read) = match member.kind {
            AnswerKind::Text => leaf("text", "str | None"),
            AnswerKind::Integer => leaf("integer", "int | None"),
            AnswerKind::Amount => leaf("amount", "Decimal | None"),
            AnswerKind::Decimal => leaf("decimal", "Decimal | None"),
            AnswerKind::Flag => leaf("flag", "bool | None"),
            AnswerKind::Time => leaf("time", "datetime | None"),
            AnswerKind::Any => leaf("anything", "Any"),
            AnswerKind::Object(members) => {
                let class = class("", members);
                ("object", class.clone(), format!("_object({class}, {quoted})"))
            }
            AnswerKind::List(members) => {
                let class = class("/*", members);
                ("list", format!("tuple[{class}, ...] | None"), format!("_list({class}, {quoted})"))
            }
        };
        let unit = member.kind.unit().map_or_else(String::new, |unit| format!(" in {unit}"));
        let utc = if let AnswerKind::Time = member.kind { ", UTC where it names no zone" } else { "" };
        context! {
            name,
            member => quoted,
            kind => if kind == "anything" { "any" } else { kind },
            doc => member.doc,
            about => format!("{pointer}: {}{unit}{utc}; {}.", member.kind.name(), member.certainty.name()),
            of,
            read,
        }
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<_> = names.cloned().collect();
    names.sort_unstable();
    names
}
