//! The tables of `docs/verdicts.md`, and those of `docs/journal.md`.

use minijinja::{Value, context};
use paysvc_spec::journal::Act;
use paysvc_spec::refusals::{self, CodeClass};
use paysvc_spec::schema::{Endpoint, Keep, Safety, Settles};
use paysvc_spec::status::{self, name_of_outcome};
use paysvc_spec::verdicts::resolution::{LINES, Question};
use paysvc_spec::verdicts::{Line, StateRule};

use crate::templates;

/// What the response to a request proves.
pub fn answers(lines: &'static [Line], with_429: bool) -> String {
    let line = |line: &Line| {
        context! {
            number => line.number,
            answer => line.words,
            status => line.status.words(),
            outcome => name_of_outcome(line.outcome),
            has_state => line.state != StateRule::None,
            again => line.again.words,
            after_429 => line.after_429.words(),
        }
    };
    let lines: Vec<Value> = lines.iter().map(line).collect();
    templates::render("verdicts.md", context! { lines => lines, with_429 })
}

/// Words of doubt and of refusal.
pub fn refusals() -> String {
    let group = |group: &refusals::Group| {
        context! {
            entries => group.entries.join(", "),
            meaning => group.meaning.words(),
            source => group.source.words(),
        }
    };
    let groups: Vec<Value> = refusals::GROUPS.iter().map(group).collect();
    templates::render(
        "refusals.md",
        context! {
            groups,
            already => refusals::ALREADY.join("`, `"),
            after_already => refusals::AFTER_ALREADY.join(", "),
            denials => refusals::DENIALS.join(", "),
            between => refusals::BETWEEN.join(", "),
            of_persons => refusals::OF_PERSONS.join(", "),
            of_payments => refusals::OF_PAYMENTS.join(", "),
            messages_in_data => refusals::MESSAGES_IN_DATA.join(", "),
        },
    )
}

/// What codes mean.
pub fn codes() -> String {
    let range = |(from, to, _): &(u64, u64, CodeClass)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}, {to}"),
        _ => format!("{from} to {to}"),
    };
    let class = |class: &CodeClass| {
        let codes = refusals::CODES.iter().filter(|(_, _, own)| own == class).map(range);
        let codes = codes.collect::<Vec<_>>().join(", ");
        let others = if *class == CodeClass::Failure { ", without those above" } else { "" };
        context! { codes => format!("{codes}{others}"), meaning => class.words() }
    };
    let classes: Vec<Value> = CodeClass::ALL.iter().map(class).collect();
    templates::render("codes.md", context! { classes })
}

/// What became of an earlier request.
pub fn resolution() -> String {
    let line = |line: &paysvc_spec::verdicts::resolution::Line| {
        context! {
            number => line.number,
            question => line.question(),
            answer => line.words,
            status => line.status.words(),
            outcome => name_of_outcome(line.outcome),
            state => line.state.words(),
            again => if line.again { "yes" } else { "no" },
        }
    };
    let lines: Vec<Value> = LINES.iter().map(line).collect();
    templates::render("resolution.md", context! { lines => lines })
}

/// What a call does with what it finds in the journal.
pub fn journal() -> String {
    let line = |line: &paysvc_spec::journal::Line| {
        context! {
            number => line.number,
            found => line.words,
            act => line.act.words(),
            status => match line.act {
                Act::Refuse | Act::Wait | Act::LookUp | Act::Ask(_) => {
                    format!("{} {}", status::name_of(line.status), status::name_of_outcome(line.outcome))
                }
                Act::Replay | Act::Send => String::new(),
            },
        }
    };
    let lines: Vec<Value> = paysvc_spec::journal::LINES.iter().map(line).collect();
    templates::render("journal.md", context! { lines => lines })
}

/// What a replay answers with.
pub fn replays() -> String {
    let line = |line: &paysvc_spec::journal::ReplayLine| {
        context! { number => line.number, found => line.words, answer => line.answer.words() }
    };
    let lines: Vec<Value> = paysvc_spec::journal::REPLAYS.iter().map(line).collect();
    templates::render("replays.md", context! { lines => lines })
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

fn settles(settles: Settles) -> String {
    let (question, otherwise) = match settles {
        Settles::Charge => (Question::Charge, String::new()),
        Settles::Order => (Question::Order, String::new()),
        Settles::ChargeOrOrder => {
            (Question::Charge, format!("; with `\"charged\": false` {}", Question::Order.words()))
        }
        Settles::Attempt => (Question::Attempt, String::new()),
        Settles::Refund => (Question::Refund, "; with an amount nothing: a person must find out".to_owned()),
        Settles::Batch => (Question::Batch, String::new()),
        Settles::Account => (Question::Account, String::new()),
    };
    format!("{}{otherwise}", question.words())
}
