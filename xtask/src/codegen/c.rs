//! The example of an endpoint in C: the request by `paysvc_json_set_...`, the answer by its pointers.

use minijinja::{Value, context};
use paysvc_spec::schema::Kind;

use super::examples::{Example, Given, literal};
use crate::templates;

pub fn render(it: &Example) -> String {
    let mut setters = Vec::new();
    add_setters(&mut setters, "", &it.request);
    let pointer: String = it.reads.iter().map(|member| format!("/{}", escaped(member.name))).collect();
    let context = context! {
        name => it.row.name,
        setters,
        label => it.member().map(|member| member.name),
        pointer => literal(&pointer),
        has_state => it.has_state,
        unknown => &it.unknown,
    };
    templates::render("example.c", context)
}

/// A name as a step of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn add_setters(out: &mut Vec<Value>, within: &str, given: &[Given]) {
    for it in given {
        let pointer = format!("{within}/{}", escaped(it.field.name));
        if let Kind::Object(_) | Kind::List(_) = it.field.kind {
            for (index, given) in it.within.iter().enumerate() {
                let each = if let Kind::List(_) = it.field.kind { format!("/{index}") } else { String::new() };
                add_setters(out, &format!("{pointer}{each}"), given);
            }
            continue;
        }
        let (kind, value) = match it.json.as_bytes().first() {
            Some(b'"') => ("string", literal(&it.text())),
            Some(b't') => ("bool", "1".to_owned()),
            Some(b'f') => ("bool", "0".to_owned()),
            Some(b'-' | b'0'..=b'9') => ("number", literal(&it.json)),
            _ => ("json", literal(&it.json)),
        };
        out.push(context! { kind, pointer => literal(&pointer), value });
    }
}
