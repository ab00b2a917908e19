//! The examples of the documentation: the good call of `tests/scenarios.json` in each language, which the tests compile
//! and run. Each reads a member of the answer, and the state of the payment where the answer has one.

mod layout;
mod requests;

use paysvc_spec::schema::{AnswerKind, Endpoint, LookUp, Member, Safety, Settles};

pub use layout::{Layout, Nested, Style};
pub use requests::{Given, Requests, literal};

use super::answers::typed;
use super::word_is_state;

/// What the example of a row shows.
pub struct Example {
    pub row: &'static Endpoint,
    pub request: Vec<Given>,
    /// The member of the answer that is read, after the objects in which it lies.
    pub reads: Vec<&'static Member>,
    pub has_state: bool,
    /// What is printed where the outcome is UNKNOWN.
    pub unknown: String,
}

impl Example {
    pub fn of(row: &'static Endpoint, requests: &Requests) -> Result<Example, String> {
        let unknown = match (row.safety, row.looked_up_by) {
            (Safety::ReadOnly, _) => "UNKNOWN, ask again".to_owned(),
            (Safety::Repeatable, _) => "UNKNOWN, it moves no money and may be repeated".to_owned(),
            // The reference of a batch is in the answer alone.
            (Safety::Moves, Some(LookUp { settles: Settles::Batch, .. }) | None) => {
                "UNKNOWN, ask a person before you repeat it".to_owned()
            }
            (Safety::Moves, Some(look_up)) if look_up.settles == Settles::Refund => {
                "UNKNOWN, ask a person before you repeat it: no look-up can tell about a partial refund".to_owned()
            }
            (Safety::Moves, Some(_)) => "UNKNOWN, resolve it before you repeat it".to_owned(),
        };
        let answer = requests.answer(row)?;
        let has_state = row.answer.state().is_some() || word_is_state(&row.answer);
        Ok(Example { row, request: requests.of(row)?, reads: member(row, &answer, has_state), has_state, unknown })
    }

    /// The member that is read.
    pub fn member(&self) -> Option<&'static Member> {
        self.reads.last().copied()
    }
}

/// Members that most answers have are not the point of this example.
const OF_MOST_ANSWERS: &[&str] = &["status", "statusCode", "code", "message"];

/// The first amount of a payment, or the first text of another answer, among the members of the canned answer.
fn member(row: &'static Endpoint, answer: &serde_json::Value, has_state: bool) -> Vec<&'static Member> {
    let mut leaves = Vec::new();
    add_leaves(&mut leaves, &mut Vec::new(), row.answer.members, answer);
    let amount = |kind: AnswerKind| matches!(kind, AnswerKind::Amount);
    let text = |kind: AnswerKind| matches!(kind, AnswerKind::Text);
    let integer = |kind: AnswerKind| matches!(kind, AnswerKind::Integer);
    let order: [&dyn Fn(AnswerKind) -> bool; 3] =
        if has_state { [&amount, &text, &integer] } else { [&text, &amount, &integer] };
    let of_kind =
        |is: &dyn Fn(AnswerKind) -> bool| leaves.iter().find(|path| is(path.last().expect("a leaf").kind)).cloned();
    order.into_iter().find_map(of_kind).unwrap_or_default()
}

fn add_leaves(
    out: &mut Vec<Vec<&'static Member>>,
    within: &mut Vec<&'static Member>,
    members: &'static [Member],
    answer: &serde_json::Value,
) {
    for member in typed(members) {
        let value = &answer[member.name];
        within.push(member);
        match member.kind {
            AnswerKind::Object(inner) => add_leaves(out, within, inner, value),
            AnswerKind::List(_) => {}
            _ if value.is_null() || OF_MOST_ANSWERS.contains(&member.name) => {}
            _ => out.push(within.clone()),
        }
        within.pop();
    }
}
