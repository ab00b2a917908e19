//! The list of recipients, checked as a whole before anything is sent.

use std::borrow::Cow;
use std::collections::HashMap;

use super::report::{Identity, Report, Row};
use super::rules::no_memory;
use super::{INITIATE, WHAT, names};
use crate::config::Config;
use crate::json::{Fields, Given, Type, Value};
use crate::ledger::digest;
use crate::request::record;
use crate::request::validate;
use crate::request::{amount, body};
use crate::util::memory::{self, MAX_ERRORS};
use crate::util::secret::SecretBytes;
use crate::util::validation_error::ValidationError;
use paysvc_spec::endpoints::payouts;
use paysvc_spec::schema::{Endpoint, Field};
use paysvc_spec::status::Status;

pub struct Recipient {
    pub identity: Identity,
    /// The element as it is sent: compact JSON.
    pub payload: SecretBytes,
}

impl Recipient {
    /// The fields that determine who pays what to whom, and the function, as the journal compares them.
    pub fn members(&self) -> Vec<(String, String)> {
        let given = Given::read(std::str::from_utf8(&self.payload).unwrap_or_default());
        let fields = given.fields().unwrap_or(Fields::Named(&[]));
        let mut found = vec![("function".to_owned(), INITIATE.name.to_owned())];
        found.append(&mut record::values(fields, payouts::DETAILS, Field::is_identifying));
        found
    }
}

pub struct List {
    pub recipients: Vec<Recipient>,
    /// The digest of all fields of all recipients, in any order: next month's list has at least another description.
    pub digest: String,
    /// The most bytes that the elements of a batch may have, with the commas between them.
    pub room: usize,
}

pub struct BatchRequest(SecretBytes);

impl BatchRequest {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.0).expect("compact JSON is UTF-8")
    }
}

const CLOSE: &[u8] = b"]}";

fn open() -> String {
    format!("{{\"{}\":[", names::LIST)
}

impl List {
    /// Checks the whole list; the error names what is wrong by index and field.
    pub fn read(list: Value<'_>, row: &Endpoint, settings: &Config) -> Result<List, ValidationError> {
        let invalid = |errors| ValidationError::of_members(Status::Argument, WHAT, errors);
        let request = [(names::LIST, list)];
        let mut errors = validate::errors(Fields::Named(&request), row.fields, validate::Rules::of(row));
        errors.extend(reference_errors(list)?);
        errors.truncate(MAX_ERRORS);
        if !errors.is_empty() {
            return Err(invalid(errors));
        }
        let most = settings.require_encryption_key(WHAT)?.max_payload();
        let digests = list.children().map(|element| record::values(element.fields(), payouts::DETAILS, |_| true));
        let count = list.count();
        let mut found = List {
            recipients: memory::list(count).ok_or_else(|| no_memory(count))?,
            digest: digest::of_list(digests),
            room: most.saturating_sub(open().len() + CLOSE.len()),
        };
        for (index, element) in list.children().enumerate() {
            let recipient = recipient(element)?;
            let alone = open().len() + recipient.payload.len() + CLOSE.len();
            if alone > most && errors.len() < MAX_ERRORS {
                let text =
                    format!("is too long: its payload alone is {alone} bytes, this key can encrypt at most {most}");
                errors.push((format!("{}.{index}", names::LIST), text));
            }
            found.recipients.push(recipient);
        }
        match errors.is_empty() {
            true => Ok(found),
            false => Err(ValidationError::of_members(Status::Encrypt, WHAT, errors)),
        }
    }

    /// A report in which nothing has been sent.
    pub fn new_report(&self) -> Result<Report, ValidationError> {
        let count = self.recipients.len();
        let mut rows = memory::list(count).ok_or_else(|| no_memory(count))?;
        rows.extend(self.recipients.iter().map(|recipient| Row::new(recipient.identity.clone())));
        let mut batches = Vec::new();
        // The journal may have a batch for each.
        batches.try_reserve(count).map_err(|_| no_memory(count))?;
        Ok(Report { rows, batches })
    }

    pub fn request(&self, batch: &[usize]) -> BatchRequest {
        let payloads = || batch.iter().map(|&index| &self.recipients[index].payload);
        let length = payloads().map(|payload| payload.len() + 1).sum::<usize>();
        // At its full size, so that it never moves.
        let mut out = SecretBytes::new(Vec::with_capacity(open().len() + length + CLOSE.len()));
        out.extend_from_slice(open().as_bytes());
        for (index, payload) in payloads().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(payload);
        }
        out.extend_from_slice(CLOSE);
        BatchRequest(out)
    }
}

/// Returns the errors in the clients' references, beyond those that the table covers.
fn reference_errors(list: Value<'_>) -> Result<Vec<(String, String)>, ValidationError> {
    let mut errors = Vec::new();
    let mut known: HashMap<Cow<'_, str>, usize> = HashMap::new();
    known.try_reserve(list.count()).map_err(|_| no_memory(list.count()))?;
    for (index, element) in list.children().enumerate().filter(|(_, element)| element.kind() == Type::Object) {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let text = match element.member(names::CLIENT_REFERENCE) {
            None => "is required: the journal and the report know the recipient by it".to_owned(),
            // A reference that is not text gets an error of its own.
            Some(value) => match value.text().map(|reference| known.insert(reference, index)) {
                Some(Some(other)) => {
                    format!("is the same as {}.{other}.{}", names::LIST, names::CLIENT_REFERENCE)
                }
                _ => continue,
            },
        };
        errors.push((format!("{}.{index}.{}", names::LIST, names::CLIENT_REFERENCE), text));
    }
    Ok(errors)
}

fn recipient(element: Value<'_>) -> Result<Recipient, ValidationError> {
    let text = |name: &str| element.fields().text(name).map(Cow::into_owned).unwrap_or_default();
    let digits = element.member(names::AMOUNT).and_then(amount::digits);
    Ok(Recipient {
        identity: Identity {
            client_reference: text(names::CLIENT_REFERENCE),
            account: text(names::ACCOUNT),
            bank: text(names::BANK),
            amount: digits.map(Cow::into_owned).unwrap_or_default(),
        },
        payload: body::body(WHAT, payouts::DETAILS, element.fields(), element.raw().len())?,
    })
}

#[cfg(test)]
mod tests;
