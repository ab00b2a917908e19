//! The report of an earlier run, or its steps: read strictly, because what it says is not sent again.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::failure::no_memory;
use super::list::List;
use super::report::{Report, is_undone, word};
use super::{WHAT, names};
use crate::json::Type;
use crate::util::limits::MAX_ERRORS;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

mod journal;
mod strict;
#[cfg(test)]
mod tests;

/// Reads a report, or the steps of a run; `member` is where it stands in the request.
pub fn read(value: &RawValue, member: &str) -> Result<Report, ValidationError> {
    let found = match Type::of(value) {
        Type::Object => strict::report(value),
        Type::Array => journal::read(value),
        other => Err(format!("must be the body of a reply, or a list of the steps of a run, not {}", other.name())),
    };
    let found = found.and_then(|report| strict::consistent(&report).map(|()| report));
    found.map_err(|reason| ValidationError::of_member(Status::Argument, WHAT, member, reason))
}

/// The report of the list with what is known from an earlier run.
pub fn resume(earlier: Report, list: &List) -> Result<Report, ValidationError> {
    let mut errors = Vec::new();
    let references = list.recipients.iter().map(|recipient| recipient.identity.client_reference.as_str());
    let mut places: HashMap<&str, usize> =
        memory::map(list.recipients.len()).ok_or_else(|| no_memory(list.recipients.len()))?;
    places.extend(references.zip(0..));
    let mut resumed = Report { batches: earlier.batches, ..list.new_report()? };
    for row in earlier.rows {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        match places.get(row.identity.client_reference.as_str()) {
            Some(&index) => match resumed.rows[index].identity.difference(&row.identity) {
                None => resumed.rows[index] = row,
                Some(member) => {
                    let text = "differs from the earlier report; a changed payout needs a new clientReference";
                    errors.push((format!("{}.{index}.{member}", names::LIST), text.to_owned()));
                }
            },
            None if is_undone(row.outcome) => {}
            None => {
                let reference = row.identity.client_reference.chars().take(MAX_REFERENCE).collect::<String>();
                let text = format!("says that {reference} is {}, but it is not in the list", word(row.outcome));
                errors.push(("earlier".to_owned(), text));
            }
        }
    }
    match errors.is_empty() {
        true => Ok(resumed),
        false => Err(ValidationError::of_members(Status::Argument, WHAT, errors)),
    }
}

/// How many characters of a client's reference an error repeats.
const MAX_REFERENCE: usize = 100;
