//! The steps of a run as the callback for progress gets them: together they are a journal of the run.

use super::names;
use super::report::{Report, push_batch_members, state_name};
use crate::json::object::{list, object};
use paysvc_spec::status::{self, State, Status};

/// A batch is about to be sent. The outcome of its recipients is UNKNOWN from here on.
pub fn before(report: &Report, batch: usize, recipients: &[usize]) -> String {
    step(report, batch, recipients, true)
}

/// What became of it.
pub fn after(report: &Report, batch: usize, recipients: &[usize]) -> String {
    step(report, batch, recipients, false)
}

fn step(report: &Report, batch: usize, recipients: &[usize], begins: bool) -> String {
    let mut out = Vec::new();
    object(&mut out, |object| {
        object.text("step", if begins { "before" } else { "after" });
        object.literal("batch", batch);
        match begins {
            true => object.literal("recipients", recipients.len()),
            false => push_batch_members(object, &report.batches[batch]),
        }
        let rows = recipients.iter().map(|&index| &report.rows[index]);
        object.raw("payouts", |out| list(out, rows, |out, row| report.push_row(out, row)));
    });
    String::from_utf8(out).unwrap_or_default()
}

/// A batch was looked up.
pub fn look(report: &Report, batch: usize, status: Status) -> String {
    let mut out = Vec::new();
    object(&mut out, |object| {
        object.text("step", "look");
        object.literal("batch", batch);
        object.optional(names::BATCH_REFERENCE, report.batches[batch].reference.as_deref());
        object.text("state", state_name(report.batches[batch].state.unwrap_or(State::NONE)));
        object.text("status", status::name_of(status));
    });
    String::from_utf8(out).unwrap_or_default()
}
