//! The list of recipients, checked as a whole before anything is sent.

use std::borrow::Cow;
use std::collections::HashMap;

use super::report::{Identity, Report, Row};
use super::rules::no_memory;
use super::{INITIATE, WHAT, names};
use crate::config::Config;
use crate::json::{self, Members, RawValue};
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
    /// The fields that say who pays what to whom, and the function, as the journal compares them.
    pub fn members(&self) -> Vec<(String, String)> {
        let payload = std::str::from_utf8(&self.payload).unwrap_or_default();
        let members = json::members(payload).unwrap_or_default();
        let mut found = vec![("function".to_owned(), INITIATE.name.to_owned())];
        found.append(&mut record::values(&members, payouts::DETAILS, Field::is_identifying));
        found
    }
}

pub struct List {
    pub recipients: Vec<Recipient>,
    /// Of all fields of all recipients, in any order: next month's list has another description at least.
    pub digest: String,
    /// The most bytes that the elements of a batch may have, with the commas between them.
    pub room: usize,
}

/// The request of one batch.
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
    pub fn read(value: &RawValue, row: &Endpoint, settings: &Config) -> Result<List, ValidationError> {
        let invalid = |errors| ValidationError::of_members(Status::Argument, WHAT, errors);
        let request: Members<'_> = vec![(Cow::Borrowed(names::LIST), value)];
        let mut errors = validate::errors(&request, row.fields, validate::Rules::of(row));
        let elements = json::items(value).unwrap_or_default();
        errors.extend(reference_errors(&elements)?);
        errors.truncate(MAX_ERRORS);
        if !errors.is_empty() {
            return Err(invalid(errors));
        }
        let most = settings.require_encryption_key(WHAT)?.max_payload();
        let digests = elements.iter().map(|element| {
            let members = json::members(element).unwrap_or_default();
            record::values(&members, payouts::DETAILS, |_| true)
        });
        let mut list = List {
            recipients: memory::list(elements.len()).ok_or_else(|| no_memory(elements.len()))?,
            digest: digest::of_list(digests),
            room: most.saturating_sub(open().len() + CLOSE.len()),
        };
        for (index, element) in elements.iter().enumerate() {
            let recipient = recipient(element)?;
            let alone = open().len() + recipient.payload.len() + CLOSE.len();
            if alone > most && errors.len() < MAX_ERRORS {
                let text =
                    format!("is too long: its payload alone is {alone} bytes, this key can encrypt at most {most}");
                errors.push((format!("{}.{index}", names::LIST), text));
            }
            list.recipients.push(recipient);
        }
        match errors.is_empty() {
            true => Ok(list),
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

    /// The request of these recipients.
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

/// What is wrong with the clients' references, beyond what the table says of them.
fn reference_errors(elements: &[&RawValue]) -> Result<Vec<(String, String)>, ValidationError> {
    let mut errors = Vec::new();
    let mut known: HashMap<Cow<'_, str>, usize> = HashMap::new();
    known.try_reserve(elements.len()).map_err(|_| no_memory(elements.len()))?;
    for (index, element) in elements.iter().enumerate() {
        if errors.len() >= MAX_ERRORS {
            break;
        }
        let Ok(members) = json::members(element) else { continue };
        let text = match json::member(&members, names::CLIENT_REFERENCE) {
            None => "is required: the journal and the report know the recipient by it".to_owned(),
            // A reference that is not text gets an error of its own.
            Some(value) => match json::text(value).map(|reference| known.insert(reference, index)) {
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

fn recipient(element: &RawValue) -> Result<Recipient, ValidationError> {
    let members = json::members(element).unwrap_or_default();
    let text = |name: &str| {
        let value = json::member(&members, name);
        value.and_then(json::text).map(Cow::into_owned).unwrap_or_default()
    };
    let digits = json::member(&members, names::AMOUNT).and_then(amount::digits);
    Ok(Recipient {
        identity: Identity {
            client_reference: text(names::CLIENT_REFERENCE),
            account: text(names::ACCOUNT),
            bank: text(names::BANK),
            amount: digits.map(Cow::into_owned).unwrap_or_default(),
        },
        payload: body::body(WHAT, payouts::DETAILS, &members, element.len())?,
    })
}

#[cfg(test)]
mod tests;
