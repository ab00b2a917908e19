//! The steps of a run as the callback for progress gets them.

use super::report::{Report, push_batch_members};
use crate::json::object::{list, object};

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
