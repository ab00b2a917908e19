//! Answers: a class for the reply of each row, and one for each object within its response.

use minijinja::{Value, context};
use paysvc_spec::schema::{AnswerKind, Endpoint, Place, ShapeField};

use crate::names::python as names;
use crate::text::capitalise;

/// Whose body has an object of its own in front of the response of the endpoint that it has asked.
pub const IN_FRONT: &str = "webhook_verify";

/// The classes of all rows, none of which is called like another or like one in `taken`.
#[derive(Default)]
pub struct Answers {
    taken: Vec<String>,
    rows: Vec<Row>,
    /// An object is after those within it.
    classes: Vec<Value>,
}

struct Row {
    name: &'static str,
    reply: String,
    class: String,
}

impl Answers {
    pub fn of(rows: &[Endpoint], taken: Vec<String>) -> Answers {
        let mut all = Answers { taken, ..Answers::default() };
        for row in rows {
            let reply = all.unique(names::class(&format!("{}_reply", row.name)));
            let (path, doc) = match row.name {
                IN_FRONT => (format!("{}_result", row.name), format!("What {} found out about the event.", row.name)),
                _ => (format!("{}_answer", row.name), format!("The response to {}.", row.name)),
            };
            let class = all.class(&path, "", &doc, &row.answer.shape());
            all.rows.push(Row { name: row.name, reply, class });
        }
        all
    }

    pub fn reply(&self, row: &str) -> &str {
        &self.rows.iter().find(|known| known.name == row).expect("a row").reply
    }

    /// For the templates.
    pub fn values(&self) -> Value {
        let row = |row: &Row| {
            let name = if row.name == IN_FRONT { "webhook" } else { "answer" };
            context! { name => row.name, reply => &row.reply, class => &row.class, property => name }
        };
        let every = |what: &str| -> String {
            self.classes.iter().map(|class| format!("{} ", class.get_attr(what).expect("a class"))).collect()
        };
        let mut imported = vec!["Answer"];
        imported.extend(every("base").contains("AnswerWithAliases").then_some("AnswerWithAliases"));
        imported.extend(every("used").contains("datetime").then_some("time"));
        imported.sort_unstable();
        context! {
            used => every("used"),
            imported => imported.join(", "),
            replies => sorted(self.rows.iter().map(|row| row.reply.clone())),
            names => sorted(self.classes.iter().map(|class| class.get_attr("name").expect("a class").to_string())),
            rows => self.rows.iter().map(row).collect::<Vec<_>>(),
            classes => &self.classes,
        }
    }

    fn unique(&mut self, mut name: String) -> String {
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.push(name.clone());
        name
    }

    /// Adds the class of an object, after those of the objects within it, and returns its name.
    fn class(&mut self, path: &str, pointer: &str, doc: &str, shape: &[ShapeField]) -> String {
        let name = self.unique(names::class(path));
        let keys: Vec<_> = shape.iter().map(|field| &*field.name).collect();
        let fields: Vec<_> = shape
            .iter()
            .zip(names::fields(&keys))
            .map(|(field, python)| self.field(path, pointer, field, python))
            .collect();
        let used: String = fields.iter().map(|it| format!("{} ", it.get_attr("of").expect("a field"))).collect();
        let base = if names::fields(&keys) == keys { "Answer" } else { "AnswerWithAliases" };
        self.classes.push(context! { name => &name, doc, fields, used, base });
        name
    }

    fn field(&mut self, path: &str, within: &str, field: &ShapeField, name: String) -> Value {
        let (_, member) = field.members[0];
        let pointers: Vec<_> = field.members.iter().map(|(place, member)| at(within, *place, member.name)).collect();
        let mut class = |each: &str| {
            let doc = if each.is_empty() { capitalise(member.doc) } else { format!("One of {}", member.doc) };
            self.class(
                &format!("{path}_{}", field.name),
                &format!("{}{each}", pointers[0]),
                &format!("{doc}."),
                &field.fields,
            )
        };
        let (of, read) = match field.kind() {
            AnswerKind::Text => ("str".to_owned(), None),
            AnswerKind::Integer => ("int".to_owned(), None),
            AnswerKind::Amount | AnswerKind::Decimal => ("Decimal".to_owned(), Some("Decimal".to_owned())),
            AnswerKind::Flag => ("bool".to_owned(), None),
            AnswerKind::Time => ("datetime".to_owned(), Some("time".to_owned())),
            AnswerKind::Any => ("Any".to_owned(), None),
            AnswerKind::Object(_) => {
                let class = class("");
                (class.clone(), Some(format!("{class}._of")))
            }
            AnswerKind::List(_) => {
                let class = class("/*");
                (format!("tuple[{class}, ...]"), Some(format!("{class}._all")))
            }
        };
        let unit = member.kind.unit().map_or_else(String::new, |unit| format!(" in {unit}"));
        context! {
            key => &field.name,
            renamed => name != field.name,
            name,
            doc => member.doc,
            about => format!("{}: {}{unit}; {}.", pointers.join(", "), member.kind.name(), member.certainty.name()),
            of => if of == "Any" { of } else { format!("Optional[{of}]") },
            read,
        }
    }
}

/// A JSON pointer for persons: the service writes the field there.
fn at(within: &str, place: Place, member: &str) -> String {
    let data = if place == Place::Data { "/data" } else { "" };
    format!("{within}{data}/{}", member.replace('~', "~0").replace('/', "~1"))
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
