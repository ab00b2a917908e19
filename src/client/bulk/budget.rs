//! Keeps the report of a run, and its steps, within what `earlier` takes.
//!
//! The report is at most as long as the one that the run began with and the steps after its batches: these have the
//! rows and the batch as the report writes them.

use super::answer::LONGEST_REFERENCE;
use crate::util::limits::MAX_BULK_TEXT;
use crate::util::one_line::MAX_CHARS;

/// Bytes of a character in JSON. Control characters, which take six, are in no reference and no message.
const CHAR: usize = 4;
/// The members of a row or of a batch that an answer or a look-up adds: their names, two references, a message, a
/// state.
const ADDED: usize = CHAR * (2 * LONGEST_REFERENCE + MAX_CHARS) + 256;
/// What stands around a list and a report: the other members, and a message.
pub const AROUND: usize = CHAR * MAX_CHARS + 2048;

pub struct Budget {
    /// The longer of the two requests that could continue this run: with its report, or with its steps.
    used: usize,
    report: usize,
    limit: usize,
}

impl Budget {
    /// `request`: the text of the call; `list`: the list in it; `report`: the report that the run begins with.
    pub fn new(request: usize, list: usize, report: usize) -> Budget {
        let used = request.max(list.saturating_add(report)).saturating_add(AROUND);
        Budget { used, report: report.saturating_add(AROUND), limit: MAX_BULK_TEXT }
    }

    /// Whether a batch may be sent: `before` is its first step, whose rows an answer makes longer.
    pub fn allows(&self, before: &str, recipients: usize) -> bool {
        self.limit.saturating_sub(self.used) >= before.len() + most_after(before, recipients)
    }

    /// How long the report can become by a batch.
    pub fn report(&self, before: &str, recipients: usize) -> usize {
        self.report + most_after(before, recipients)
    }

    /// Counts a step that was written. The report has what stands in the steps after the batches.
    pub fn add(&mut self, step: &str, is_after: bool) {
        // Including what separates it from the next.
        self.used += step.len() + 2;
        self.report += if is_after { step.len() } else { 0 };
    }
}

/// How long the step after a batch can become.
pub fn most_after(before: &str, recipients: usize) -> usize {
    before.len() + ADDED * (recipients + 1)
}

#[cfg(test)]
mod tests {
    use super::super::report::{Batch, Identity, Report, Row};
    use super::super::steps;
    use super::*;
    use paysvc_spec::status::{Outcome, State, Status};

    /// The longest possible report of one batch.
    fn report(worst: bool) -> Report {
        let identity = |number: usize| {
            let text = |text: &str| text.to_owned();
            let client_reference = format!("{number}\"\u{1}");
            Identity { client_reference, account: text("0690000031"), bank: text("000014"), amount: text("1.50") }
        };
        let longest = |count: usize| Some("\u{10348}".repeat(count));
        let mut rows: Vec<Row> = (0..3).map(|number| Row::new(identity(number))).collect();
        for row in &mut rows {
            (row.outcome, row.batch) = (Outcome::Unknown, Some(0));
            if worst {
                row.outcome = Outcome::Confirmed;
                (row.payout_reference, row.message) = (longest(LONGEST_REFERENCE), longest(2 * MAX_CHARS));
                row.state = Some(State::PROCESSING);
            }
        }
        let mut batch = Batch::begun(3);
        if worst {
            (batch.outcome, batch.state) = (Outcome::Confirmed, Some(State::PROCESSING));
            batch.status = "E_RATE_LIMITED".into();
            (batch.reference, batch.id) = (longest(LONGEST_REFERENCE), longest(LONGEST_REFERENCE));
            batch.message = longest(2 * MAX_CHARS).unwrap();
        }
        Report { rows, batches: vec![batch] }
    }

    #[test]
    fn the_longest_answer_is_within_what_was_counted_before_the_request() {
        let all = [0, 1, 2];
        let before = steps::before(&report(false), 0, &all);
        let after = steps::after(&report(true), 0, &all);
        assert!(after.len() <= most_after(&before, 3), "{} {}", after.len(), most_after(&before, 3));
        // Nearly all of it is text that an answer may contain.
        assert!(after.len() > most_after(&before, 3) * 8 / 10);
        // A report has no more than the report before it and the step.
        let empty = Report { rows: report(false).rows, batches: Vec::new() };
        let body = report(true).reply(Vec::new(), Status::RateLimited, Outcome::Unknown, &"x".repeat(600)).body;
        assert!(body.len() <= Budget::new(0, 0, empty.size()).report + after.len(), "{}", body.len());
        let unsent = empty.reply(Vec::new(), Status::RateLimited, Outcome::Unknown, &"\u{10348}".repeat(600)).body;
        assert!(unsent.len() <= empty.size() + AROUND && unsent.len() > empty.size());
    }

    #[test]
    fn no_batch_is_begun_whose_answer_might_not_fit() {
        let mut budget = Budget::new(100, 60, 50);
        assert_eq!(budget.used, 110 + AROUND);
        let step = "x".repeat(500);
        budget.limit = budget.used + 500 + most_after(&step, 2);
        assert!(budget.allows(&step, 2) && !budget.allows(&step, 3));
        budget.add("", true);
        assert!(!budget.allows(&step, 2));
        assert!(!Budget::new(usize::MAX, usize::MAX, 9).allows("", 0));
    }
}
