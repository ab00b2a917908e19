//! `tests/rows.json`: what a second reading of verdicts needs to know of each row, as data.

use paysvc_spec::schema::{Answer, Endpoint, Envelope, Safety};
use serde_json::{Value, json};

/// A line for each row, and two for requests without a row.
pub fn render(rows: &[Endpoint]) -> String {
    let free = [("request POST", Safety::Moves), ("request GET", Safety::ReadOnly)];
    let free = free.into_iter().map(|(name, safety)| row(name, safety, Answer::UNKNOWN));
    let all = rows.iter().map(|known| row(known.name, known.safety, &known.answer)).chain(free);
    format!("[\n{}\n]\n", all.map(|row| row.to_string()).collect::<Vec<_>>().join(",\n"))
}

fn row(name: &str, safety: Safety, answer: &Answer) -> Value {
    json!({
        "name": name,
        "safety": match safety {
            Safety::Moves => "moves",
            Safety::Repeatable => "repeatable",
            Safety::ReadOnly => "reads",
        },
        "envelope": match answer.envelope {
            Envelope::Word => "word",
            Envelope::PaymentState => "payment state",
            Envelope::Flag => "flag",
            Envelope::Flat => "flat",
            Envelope::Bare => "bare",
            Envelope::IsSuccess => "isSuccess",
            Envelope::Unknown => "unknown",
        },
        "subject": answer.subject,
        "success_is_state": answer.success_is_state,
        "members": answer.members.iter().map(|member| member.name).collect::<Vec<_>>(),
    })
}
