//! The table of what became of an earlier request, in `docs/verdicts.md`, from the source of the table that decides.

use minijinja::{Value, context};
use paysvc_spec::schema::{Endpoint, Keep, Safety, Settles};
use syn::Expr;

use super::verdicts::{self, Fields, flag, screaming, text, variant};
use crate::templates;

/// The table that stands in the constant `LINES`.
pub fn render(source: &str) -> Result<String, String> {
    let lines = verdicts::lines(source, source, "LINES", line)?;
    Ok(templates::render("resolution.md", context! { lines => lines }))
}

/// What is asked about each request that may change something, by whom, and what has to be kept for it.
pub fn look_ups(rows: &'static [Endpoint]) -> String {
    let rows: Vec<Value> = rows.iter().filter(|row| !row.read_only()).map(look_up).collect();
    templates::render("look_ups.md", context! { rows => rows })
}

fn look_up(row: &Endpoint) -> Value {
    let Some(by) = &row.looked_up_by else {
        let unknown = match row.safety {
            Safety::Moves => "nothing: a person must find out",
            _ => "nothing: it may be repeated",
        };
        return context! { name => row.name, question => unknown, endpoint => "", keep => "" };
    };
    let keep: Vec<String> = by.keep.iter().map(kept).collect();
    context! { name => row.name, question => settles(by.settles), endpoint => by.endpoint, keep => keep.join(", ") }
}

fn kept(kept: &Keep) -> String {
    let name = kept.pointer().trim_start_matches('/').replace('/', ".");
    match kept {
        Keep::Value(_) => format!("`{name}`"),
        Keep::Presence(_) => format!("`{name}` as `{{}}`"),
        Keep::Added(_) => format!("`{name}` (added by you)"),
    }
}

fn settles(settles: Settles) -> &'static str {
    match settles {
        Settles::Charge => "charge",
        Settles::Order => "order without a charge",
        Settles::ChargeOrOrder => "charge; with `\"charged\": false` order without a charge",
        Settles::Attempt => "one attempt to pay",
        Settles::Refund => "full refund; with an amount nothing: a person must find out",
        Settles::Batch => "payouts",
        Settles::Account => "virtual account",
    }
}

fn line(fields: &Fields) -> Result<Value, String> {
    let field = |name: &str| fields.get(name).copied().ok_or_else(|| format!("a line without {name}"));
    let number = text(field("number")?)?;
    let line = || {
        Ok(context! {
            number => &number,
            about => about(field("about")?)?,
            answer => text(field("answer")?)?,
            status => status(field("status")?)?,
            outcome => screaming(&variant(field("outcome")?)?.0),
            state => state(field("state")?)?,
            again => if flag(field("again")?)? { "yes" } else { "no" },
        })
    };
    line().map_err(|error: String| format!("line {number}: {error}"))
}

fn about(expr: &Expr) -> Result<String, String> {
    match expr {
        Expr::Path(_) if variant(expr)?.0 == "OF_ORDERS" => Ok("any of an order".into()),
        Expr::Reference(questions) if let Expr::Array(questions) = &*questions.expr => {
            let words: Result<Vec<_>, _> = questions.elems.iter().map(question).collect();
            Ok(if questions.elems.is_empty() { "any".into() } else { words?.join(", ") })
        }
        _ => Err("expected questions".into()),
    }
}

fn question(expr: &Expr) -> Result<&'static str, String> {
    match variant(expr)?.0.as_str() {
        "Charge" => Ok("charge"),
        "Order" => Ok("order without a charge"),
        "Attempt" => Ok("one attempt to pay"),
        "Refund" => Ok("full refund"),
        "Batch" => Ok("payouts"),
        "Account" => Ok("virtual account"),
        "Final" => Ok("`order_wait`"),
        other => Err(format!("what is {other} in words?")),
    }
}

fn status(expr: &Expr) -> Result<String, String> {
    match variant(expr)? {
        (name, None) if name == "LookUp" => Ok("the look-up's own, or E_UNRESOLVED where the service answered".into()),
        _ => verdicts::status(expr),
    }
}

fn state(expr: &Expr) -> Result<&'static str, String> {
    match variant(expr)?.0.as_str() {
        "Nothing" => Ok("NONE"),
        "Order" => Ok("the answer's"),
        "Entry" => Ok("the entry's"),
        "Done" => Ok("SUCCESSFUL"),
        other => Err(format!("what is {other} in words?")),
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    const LINES: &str = r#"
        const LINE: Line = Line { number: "", about: &[], answer: "", status: Says::This(Status::Response),
            outcome: Outcome::Unknown, state: Keeps::Order, again: true };
        pub const LINES: &[Line] = &[
            Line { number: "c1", answer: "404", status: Says::LookUp, state: Keeps::Nothing, ..LINE },
            Line { number: "c2", about: &[Charge, Order], answer: "paid", status: Says::This(Status::Ok),
                outcome: Outcome::Confirmed, again: false, ..LINE },
        ];"#;

    #[test]
    fn a_line_is_shown_with_what_it_leaves_out() {
        let table = render(LINES).unwrap();
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| c1 | any | 404 | the look-up's own, or E_UNRESOLVED where the service answered; UNKNOWN, NONE | yes |",
                "| c2 | charge, order without a charge | paid | OK; CONFIRMED, the answer's | no |",
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for (from, to, error) in [
            ("Keeps::Nothing", "Keeps::Else", "line c1: what is Else in words?"),
            ("&[Charge, Order]", "&[Charge, Odrer]", "line c2: what is Odrer in words?"),
            ("Says::LookUp", "Says::Else", "line c1: what is the status Else in words?"),
            ("again: false", "again: !true", "line c2: expected true or false"),
        ] {
            let told = render(&LINES.replace(from, to)).unwrap_err();
            assert!(told.contains(error), "{told}");
        }
    }
}
