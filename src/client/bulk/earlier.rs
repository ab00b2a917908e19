//! The report of an earlier run, or its steps: read strictly, because what it says is not sent again.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use super::list::{Identity, List};
use super::report::{Batch, Fate, Report, Row};
use super::{WHAT, names, no_memory};
use crate::request::amount;
use crate::response::decimal::Decimal;
use crate::util::json::{self, Members, Type};
use crate::util::limits::MAX_ERRORS;
use crate::util::memory;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

mod journal;
#[cfg(test)]
mod tests;

/// Reads a report, or the steps of a run; `member` is where it stands in the request.
pub fn read(value: &RawValue, member: &str) -> Result<Report, ValidationError> {
    let found = match Type::of(value) {
        Type::Object => report(value),
        Type::Array => journal::read(value),
        other => Err(format!("must be the body of a reply, or a list of the steps of a run; it is {}", other.name())),
    };
    let found = found.and_then(|report| consistent(&report).map(|()| report));
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
            Some(&index) => match difference(&resumed.rows[index].identity, &row.identity) {
                None => resumed.rows[index] = row,
                Some(member) => {
                    let text =
                        "is not the one in the earlier report; a changed payout needs a clientReference of its own";
                    errors.push((format!("{}.{index}.{member}", names::LIST), text.to_owned()));
                }
            },
            None if row.fate.is_undone() => {}
            None => {
                let reference = row.identity.client_reference.chars().take(MAX_REFERENCE).collect::<String>();
                let text = format!("says that {reference} is {}, and the list does not have it", row.fate.name());
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

/// The member in which two recipients differ.
fn difference(one: &Identity, other: &Identity) -> Option<&'static str> {
    let amount = |identity: &Identity| Decimal::parse(&identity.amount);
    match () {
        () if one.account != other.account => Some(names::ACCOUNT),
        () if one.bank != other.bank => Some(names::BANK),
        () if amount(one) != amount(other) => Some(names::AMOUNT),
        () => None,
    }
}

/// What is wrong with it.
type Damage = String;

fn report(value: &RawValue) -> Result<Report, Damage> {
    let members = json::members(value).map_err(|error| error.to_string())?;
    let items = items(&members, "batches")?;
    let mut report = Report { batches: memory::list(items.len()).ok_or(memory::LACK)?, rows: Vec::new() };
    for (index, value) in items.into_iter().enumerate() {
        let at = |damage| format!("is damaged: batches.{index} {damage}");
        let members = json::members(value).map_err(|error| at(error.to_string()))?;
        if whole(&members, "index").map_err(at)? != index {
            return Err(at("has another index".into()));
        }
        report.batches.push(batch(&members).map_err(at)?);
    }
    report.rows = rows(&members, &report.batches)?;
    let total = whole(&members, "total").map_err(damaged)?;
    let counted = Fate::ALL.iter().map(|&fate| {
        let count = whole(&members, fate.count_name()).map_err(damaged)?;
        Ok(count == report.count(fate))
    });
    let counted = counted.collect::<Result<Vec<bool>, Damage>>()?;
    if total != report.rows.len() || counted.contains(&false) {
        return Err(damaged("its numbers are not those of its payouts".into()));
    }
    Ok(report)
}

fn damaged(damage: Damage) -> Damage {
    format!("is damaged: {damage}")
}

fn rows(members: &Members<'_>, batches: &[Batch]) -> Result<Vec<Row>, Damage> {
    let items = items(members, "payouts")?;
    let mut rows = memory::list(items.len()).ok_or(memory::LACK)?;
    for (index, value) in items.into_iter().enumerate() {
        rows.push(row(value, batches).map_err(|damage| format!("is damaged: payouts.{index} {damage}"))?);
    }
    Ok(rows)
}

fn row(value: &RawValue, batches: &[Batch]) -> Result<Row, Damage> {
    let members = json::members(value).map_err(|error| error.to_string())?;
    let digits = json::member(&members, names::AMOUNT).and_then(amount::digits);
    let amount = digits.filter(|digits| Decimal::parse(digits).is_some()).ok_or("has no amount")?;
    let row = Row {
        identity: Identity {
            client_reference: text(&members, names::CLIENT_REFERENCE)?,
            account: text(&members, names::ACCOUNT)?,
            bank: text(&members, names::BANK)?,
            amount: amount.into_owned(),
        },
        fate: fate(&members)?,
        batch: optional(&members, "batch", whole)?,
        payout_reference: optional(&members, names::PAYOUT_REFERENCE, text)?,
        state: None,
        message: optional(&members, "message", text)?,
    };
    let batch = match row.batch {
        Some(batch) => Some(batches.get(batch).ok_or("names a batch that there is not")?),
        None => None,
    };
    let of_batch = batch.map_or(Fate::NotSent, |batch| batch.fate);
    // A batch that was accepted may have recipients that were not.
    if of_batch != row.fate && (of_batch, row.fate) != (Fate::Accepted, Fate::Unknown) {
        return Err("has another outcome than its batch".into());
    }
    if row.fate == Fate::Accepted {
        let reference = text(&members, names::BATCH_REFERENCE)?;
        if row.payout_reference.is_none() || batch.and_then(|batch| batch.reference.as_ref()) != Some(&reference) {
            return Err("does not have the references of what was accepted".into());
        }
    }
    Ok(row)
}

/// A batch, from the members of a report's or of a step.
fn batch(members: &Members<'_>) -> Result<Batch, Damage> {
    let batch = Batch {
        fate: fate(members)?,
        status: text(members, "status")?,
        recipients: whole(members, "recipients")?,
        reference: optional(members, names::BATCH_REFERENCE, text)?,
        id: optional(members, names::BATCH_ID, text)?,
        message: optional(members, "message", text)?.unwrap_or_default(),
        state: None,
    };
    match batch.fate == Fate::Accepted && batch.reference.is_none() {
        true => Err("is accepted, and has no reference".into()),
        false => Ok(batch),
    }
}

/// Whether everybody is there once, and each batch that may have been executed is whole.
fn consistent(report: &Report) -> Result<(), Damage> {
    let mut references = HashSet::new();
    let mut seen = HashSet::new();
    references.try_reserve(report.rows.len()).map_err(|_| memory::LACK)?;
    seen.try_reserve(report.rows.len() + report.batches.len()).map_err(|_| memory::LACK)?;
    let mut sizes = memory::list(report.batches.len()).ok_or(memory::LACK)?;
    sizes.resize(report.batches.len(), 0);
    for row in &report.rows {
        if !references.insert(row.identity.client_reference.as_str()) {
            return Err(damaged("a clientReference is there twice".into()));
        }
        if let Some(size) = row.batch.and_then(|batch| sizes.get_mut(batch)) {
            *size += 1;
        }
    }
    let of_service = report.rows.iter().filter_map(|row| row.payout_reference.as_deref());
    let mut of_service = of_service.chain(report.batches.iter().filter_map(|batch| batch.reference.as_deref()));
    if !of_service.all(|reference| seen.insert(reference)) {
        return Err(damaged("a reference of the service is there twice".into()));
    }
    for (index, (batch, size)) in report.batches.iter().zip(sizes).enumerate() {
        if size > batch.recipients || size < batch.recipients && !batch.fate.is_undone() {
            return Err(damaged(format!(
                "batches.{index} has {} recipients, and {size} payouts name it",
                batch.recipients
            )));
        }
    }
    Ok(())
}

fn items<'a>(members: &Members<'a>, name: &str) -> Result<Vec<&'a RawValue>, Damage> {
    let value = json::member(members, name).ok_or_else(|| format!("is no report of a run: it has no {name}"))?;
    json::items(value).map_err(|_| damaged(format!("{name} is no list")))
}

fn fate(members: &Members<'_>) -> Result<Fate, Damage> {
    let word = text(members, "outcome")?;
    Fate::ALL.into_iter().find(|fate| fate.name() == word).ok_or_else(|| "has no known outcome".into())
}

/// A text that is not empty.
fn text(members: &Members<'_>, name: &str) -> Result<String, Damage> {
    let text = json::member(members, name).and_then(json::text).map(Cow::into_owned);
    text.filter(|text| !text.is_empty()).ok_or_else(|| format!("has no {name}"))
}

fn whole(members: &Members<'_>, name: &str) -> Result<usize, Damage> {
    let digits = json::member(members, name).map(RawValue::get);
    let number =
        digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())).and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| format!("has no {name}"))
}

/// A member that may be absent or null, but not wrong.
fn optional<T>(
    members: &Members<'_>,
    name: &str,
    read: impl FnOnce(&Members<'_>, &str) -> Result<T, Damage>,
) -> Result<Option<T>, Damage> {
    match json::member(members, name).filter(|value| Type::of(value) != Type::Null) {
        Some(_) => read(members, name).map(Some),
        None => Ok(None),
    }
}
