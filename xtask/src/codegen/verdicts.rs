//! The tables of `docs/verdicts.md`, from the source of the table that decides: its lines are code, so they are read as
//! cbindgen reads the C boundary. What is not understood is an error.

use std::collections::BTreeMap;

use minijinja::{Value, context};
use paysvc_spec::status::STATUSES;
use syn::{Expr, ExprStruct, Item, Lit, Member};

use crate::templates;

pub type Fields<'a> = BTreeMap<String, &'a Expr>;

/// The table that stands in the constant of that name; `defaults` is the source with what a line leaves out.
pub fn render(defaults: &str, source: &str, name: &str, with_429: bool) -> Result<String, String> {
    let lines = lines(defaults, source, name, line)?;
    Ok(templates::render("verdicts.md", context! { lines => lines, with_429 }))
}

/// The lines of the constant of that name, as the template shows them.
pub fn lines(
    defaults: &str,
    source: &str,
    name: &str,
    shown: fn(&Fields) -> Result<Value, String>,
) -> Result<Vec<Value>, String> {
    let parse = |source| syn::parse_file(source).map_err(|error| error.to_string());
    let (defaults, file) = (parse(defaults)?, parse(source)?);
    let Expr::Struct(common) = constant(&defaults, "LINE")? else { return Err("LINE is no struct".into()) };
    let Expr::Reference(lines) = constant(&file, name)? else { return Err(format!("{name} is no slice")) };
    let Expr::Array(lines) = &*lines.expr else { return Err(format!("{name} is no slice")) };
    lines
        .elems
        .iter()
        .map(|line| match line {
            Expr::Struct(line) => {
                let mut all = fields(common);
                all.extend(fields(line));
                shown(&all).map_err(|error| format!("{name}: {error}"))
            }
            _ => Err(format!("{name} holds something else than lines")),
        })
        .collect()
}

pub fn constant<'a>(file: &'a syn::File, name: &str) -> Result<&'a Expr, String> {
    let mut items = file.items.iter();
    let found = items.find_map(|item| match item {
        Item::Const(item) if item.ident == name => Some(&*item.expr),
        _ => None,
    });
    found.ok_or_else(|| format!("there is no constant {name}"))
}

fn fields(of: &ExprStruct) -> Fields<'_> {
    let named = of.fields.iter().filter_map(|field| match &field.member {
        Member::Named(name) => Some((name.to_string(), &field.expr)),
        Member::Unnamed(_) => None,
    });
    named.collect()
}

fn line(fields: &Fields) -> Result<Value, String> {
    let field = |name: &str| fields.get(name).copied().ok_or_else(|| format!("a line without {name}"));
    let number = text(field("number")?)?;
    let line = || {
        Ok(context! {
            number => &number,
            answer => text(field("answer")?)?,
            status => status(field("status")?)?,
            outcome => screaming(&variant(field("outcome")?)?.0),
            keeps_state => flag(field("keeps_state")?)?,
            again => again(field("again")?)?,
            after_429 => after_429(field("after_429")?)?,
        })
    };
    line().map_err(|error: String| format!("line {number}: {error}"))
}

pub fn text(expr: &Expr) -> Result<String, String> {
    match expr {
        Expr::Lit(literal) if let Lit::Str(text) = &literal.lit => Ok(text.value()),
        _ => Err("expected a text".into()),
    }
}

pub fn flag(expr: &Expr) -> Result<bool, String> {
    match expr {
        Expr::Lit(literal) if let Lit::Bool(flag) = &literal.lit => Ok(flag.value),
        _ => Err("expected true or false".into()),
    }
}

/// The variant of an enum, and the first thing that it holds.
pub fn variant(expr: &Expr) -> Result<(String, Option<&Expr>), String> {
    match expr {
        Expr::Path(path) => Ok((path.path.segments.last().expect("a path has a name").ident.to_string(), None)),
        Expr::Call(call) => Ok((variant(&call.func)?.0, call.args.first())),
        _ => Err("expected a variant of an enum".into()),
    }
}

pub fn status(expr: &Expr) -> Result<String, String> {
    match variant(expr)? {
        (name, Some(status)) if name == "This" => {
            let variant = screaming(&variant(status)?.0);
            let name = if variant == "OK" { variant } else { format!("E_{variant}") };
            match STATUSES.iter().any(|known| known.name == name) {
                true => Ok(name),
                false => Err(format!("there is no status {name}")),
            }
        }
        (name, None) if name == "Refused" => Ok("E_UNAUTHORIZED (401, 403) or E_REJECTED".into()),
        (name, None) if name == "Transport" => Ok("the transport's".into()),
        (name, None) if name == "Broken" => Ok("E_RESPONSE, or the deadline's or the cancel's".into()),
        (name, _) => Err(format!("what is the status {name} in words?")),
    }
}

fn again(expr: &Expr) -> Result<&'static str, String> {
    match variant(expr)?.0.as_str() {
        "No" => Ok("no"),
        "Yes" => Ok("yes"),
        "IfTruncated" => Ok("where the connection was cut, and with 429"),
        other => Err(format!("what is {other} in words?")),
    }
}

fn after_429(expr: &Expr) -> Result<String, String> {
    match variant(expr)? {
        (name, None) if name == "Same" => Ok("same".into()),
        (name, None) if name == "Refused" => Ok("E_RATE_LIMITED; REJECTED: what the 429 proved".into()),
        (name, Some(when)) if name == "Only" => Ok(format!("REJECTED if {}; else E_RESPONSE; UNKNOWN", text(when)?)),
        (name, _) => Err(format!("what is {name} in words?")),
    }
}

/// `RateLimited` is `RATE_LIMITED`.
pub fn screaming(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::render;

    const COMMON: &str = "const LINE: Line = Line { number: \"\", answer: \"\", status: Says::This(Status::Response), \
         outcome: Outcome::Unknown, keeps_state: true, again: Again::No, after_429: After::Same };";

    #[test]
    fn a_line_is_shown_with_what_it_leaves_out() {
        let lines = r#"pub const L: &[Line] = &[
            Line { number: "3", answer: "3xx", ..LINE },
            Line {
                number: "9",
                answer: "429 \
                         whole",
                status: Says::This(Status::RateLimited),
                outcome: Outcome::Rejected,
                keeps_state: false,
                again: Again::Yes,
                after_429: After::Only("it is 429", |answered| answered.http_status == 429),
                ..LINE
            },
        ];"#;
        let table = render(COMMON, lines, "L", true).unwrap();
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| 3 | 3xx | E_RESPONSE; UNKNOWN | no | same |",
                "| 9 | 429 whole | E_RATE_LIMITED; REJECTED, NONE | yes | REJECTED if it is 429; \
                 else E_RESPONSE; UNKNOWN |",
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for (line, error) in [
            ("status: Says::This(Status::Nothing)", "line 1: there is no status E_NOTHING"),
            ("status: Says::Else", "line 1: what is the status Else in words?"),
            ("again: twice()", "line 1: what is twice in words?"),
            ("keeps_state: !true", "line 1: expected true or false"),
        ] {
            let source = format!("const L: &[Line] = &[Line {{ number: \"1\", {line}, ..LINE }}];");
            let told = render(COMMON, &source, "L", true).unwrap_err();
            assert!(told.contains(error), "{told}");
        }
        assert!(render(COMMON, COMMON, "L", true).unwrap_err().contains("there is no constant L"));
    }
}
