//! The tables of `docs/verdicts.md`, and those of `docs/journal.md`.

use paysvc_spec::journal::{self, Act};
use paysvc_spec::refusals::{self, CodeClass};
use paysvc_spec::schema::{Endpoint, Keep, Safety, Settles};
use paysvc_spec::status::{self, name_of_outcome};
use paysvc_spec::verdicts::resolution::{self, Question};
use paysvc_spec::verdicts::{Line, StateRule};

use super::table;

/// The outcome that the response to a request proves.
pub fn answers(lines: &'static [Line], with_429: bool) -> String {
    let line = |it: &Line| {
        let (status, outcome) = (it.status.words(), name_of_outcome(it.outcome));
        let state = if it.state == StateRule::None { ", NONE" } else { "" };
        let after_429 = if with_429 { format!(" {} |", it.after_429.words()) } else { String::new() };
        format!("| {} | {} | {status}; {outcome}{state} | {} |{after_429}", it.number, it.words, it.again.words)
    };
    let after_429 = if with_429 { " after a 429 |" } else { "" };
    table(&format!("| # | answer | status; outcome | sent again |{after_429}"), lines.iter().map(line))
}

/// Words of doubt and of refusal.
pub fn refusals() -> String {
    let line = |it: &refusals::Group| {
        format!("| {} | {} | {} |", it.entries.join(", "), it.meaning.words(), it.source.words())
    };
    let groups = table("| a text that has | is | seen in |", refusals::GROUPS.iter().map(line));
    let (already, after_already) = (refusals::ALREADY.join("`, `"), refusals::AFTER_ALREADY.join(", "));
    let (denials, between) = (refusals::DENIALS.join(", "), refusals::BETWEEN.join(", "));
    let (of_persons, of_payments) = (refusals::OF_PERSONS.join(", "), refusals::OF_PAYMENTS.join(", "));
    let messages_in_data = refusals::MESSAGES_IN_DATA.join(", ");
    format!(
        "{groups}
- `{already}`: no doubt directly before {after_already}.
- Denials: {denials}; between a denial and what it denies may stand: {between}.
- Plain refusals in `errors` under a field whose name contains {of_persons}: {of_payments}. The nearest field
  above the text counts: another field of the request below such a field has its own rules.
- Searched within `data`: fields whose names end in {messages_in_data}, and codes.
"
    )
}

/// The meaning of codes.
pub fn codes() -> String {
    let range = |(from, to, _): &(u64, u64, CodeClass)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}, {to}"),
        _ => format!("{from} to {to}"),
    };
    let line = |class: &CodeClass| {
        let codes = refusals::CODES.iter().filter(|(_, _, own)| own == class).map(range);
        let others = if *class == CodeClass::Failure { ", without those above" } else { "" };
        format!("| {}{others} | {} |", codes.collect::<Vec<_>>().join(", "), class.words())
    };
    table("| codes | mean |", CodeClass::ALL.iter().map(line))
}

/// The outcome of an earlier request.
pub fn resolution() -> String {
    let line = |it: &resolution::Line| {
        let (status, outcome, state) = (it.status.words(), name_of_outcome(it.outcome), it.state.words());
        let again = if it.again { "yes" } else { "no" };
        format!("| {} | {} | {} | {status}; {outcome}, {state} | {again} |", it.number, it.question(), it.words)
    };
    let head = "| # | what is asked | the status query answers | status; outcome, state | with `wait` asked again |";
    table(head, resolution::LINES.iter().map(line))
}

/// The action of a call, by the entries in the journal.
pub fn journal() -> String {
    let line = |it: &journal::Line| {
        let status = match it.act {
            Act::Refuse | Act::Wait | Act::LookUp | Act::Ask(_) => {
                format!("{} {}", status::name_of(it.status), name_of_outcome(it.outcome))
            }
            Act::Replay | Act::Send => String::new(),
        };
        format!("| {} | {} | {} | {status} |", it.number, it.words, it.act.words())
    };
    let head = "| # | what the journal has | what the call does | if that settles nothing |";
    table(head, journal::LINES.iter().map(line))
}

/// The reply that a replay returns.
pub fn replays() -> String {
    let line = |it: &journal::ReplayLine| format!("| {} | {} | {} |", it.number, it.words, it.answer.words());
    table("| # | how it ended, and what a status query says | the reply |", journal::REPLAYS.iter().map(line))
}

/// The question about each request that may change something, the endpoint for it, and the values to keep for it.
pub fn look_ups(rows: &'static [Endpoint]) -> String {
    let line = |row: &Endpoint| {
        let (question, endpoint, keep) = match &row.looked_up_by {
            Some(by) => {
                let keep: Vec<_> = by.keep.iter().map(kept).collect();
                (settles(by.settles), format!("`{}`", by.endpoint), keep.join(", "))
            }
            None if row.safety == Safety::Moves => ("nothing: a person must find out".into(), "–".into(), "–".into()),
            None => ("nothing: it may be repeated".into(), "–".into(), "–".into()),
        };
        format!("| `{}` | {question} | {endpoint} | {keep} |", row.name)
    };
    let head = "| request | what is asked | of | fields that it needs |";
    table(head, rows.iter().filter(|row| !row.read_only()).map(line))
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
