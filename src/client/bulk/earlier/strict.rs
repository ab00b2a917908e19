//! Reads a report, and the parts of it that stand in the steps of a run. Anything that a run would not write is damage.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::value::RawValue;

use super::super::names;
use super::super::report::{Batch, Identity, OUTCOMES, Report, Row, SETTLED, count_name, is_undone, word};
use crate::json::{self, Members, Type};
use crate::request::amount;
use crate::response::decimal::Decimal;
use crate::util::memory;
use paysvc_spec::status::Outcome;

/// What is wrong with it.
pub type Damage = String;

pub fn report(value: &RawValue) -> Result<Report, Damage> {
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
    let counted = OUTCOMES.iter().map(|&outcome| {
        let count = whole(&members, &count_name(outcome)).map_err(damaged)?;
        Ok(count == report.count(outcome))
    });
    let counted = counted.collect::<Result<Vec<bool>, Damage>>()?;
    if total != report.rows.len() || counted.contains(&false) {
        return Err(damaged("its counts do not match its payouts".into()));
    }
    Ok(report)
}

fn damaged(damage: Damage) -> Damage {
    format!("is damaged: {damage}")
}

pub fn rows(members: &Members<'_>, batches: &[Batch]) -> Result<Vec<Row>, Damage> {
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
        outcome: outcome(&members)?,
        batch: optional(&members, "batch", whole)?,
        payout_reference: optional(&members, names::PAYOUT_REFERENCE, text)?,
        settled: optional(&members, SETTLED, flag)?.unwrap_or(false),
        state: None,
        message: optional(&members, "message", text)?,
    };
    if row.settled {
        return match row.outcome == Outcome::Confirmed && row.batch.is_none() {
            true => Ok(row),
            false => Err("is settled, but is not accepted or has a batch".into()),
        };
    }
    let batch = match row.batch {
        Some(batch) => Some(batches.get(batch).ok_or("names a batch that does not exist")?),
        None => None,
    };
    let of_batch = batch.map_or(Outcome::NotSent, |batch| batch.outcome);
    // A batch that was accepted may have recipients that were not.
    if of_batch != row.outcome && (of_batch, row.outcome) != (Outcome::Confirmed, Outcome::Unknown) {
        return Err("has a different outcome from its batch".into());
    }
    if row.outcome == Outcome::Confirmed {
        let reference = text(&members, names::BATCH_REFERENCE)?;
        if row.payout_reference.is_none() || batch.and_then(|batch| batch.reference.as_ref()) != Some(&reference) {
            return Err("is accepted, but lacks its payout reference or the reference of its batch".into());
        }
    }
    Ok(row)
}

/// A batch, from the members of a report's or of a step.
pub fn batch(members: &Members<'_>) -> Result<Batch, Damage> {
    let batch = Batch {
        outcome: outcome(members)?,
        status: text(members, "status")?,
        recipients: whole(members, "recipients")?,
        reference: optional(members, names::BATCH_REFERENCE, text)?,
        id: optional(members, names::BATCH_ID, text)?,
        message: optional(members, "message", text)?.unwrap_or_default(),
        state: None,
    };
    match batch.outcome == Outcome::Confirmed && batch.reference.is_none() {
        true => Err("is accepted, but has no reference".into()),
        false => Ok(batch),
    }
}

/// Whether each recipient appears once, and each batch that may have been executed is complete.
pub fn consistent(report: &Report) -> Result<(), Damage> {
    let mut references = HashSet::new();
    let mut seen = HashSet::new();
    references.try_reserve(report.rows.len()).map_err(|_| memory::LACK)?;
    seen.try_reserve(report.rows.len() + report.batches.len()).map_err(|_| memory::LACK)?;
    let mut sizes = memory::list(report.batches.len()).ok_or(memory::LACK)?;
    sizes.resize(report.batches.len(), 0);
    for row in &report.rows {
        if !references.insert(row.identity.client_reference.as_str()) {
            return Err(damaged("a clientReference appears twice".into()));
        }
        if let Some(size) = row.batch.and_then(|batch| sizes.get_mut(batch)) {
            *size += 1;
        }
    }
    let of_service = report.rows.iter().filter_map(|row| row.payout_reference.as_deref());
    let mut of_service = of_service.chain(report.batches.iter().filter_map(|batch| batch.reference.as_deref()));
    if !of_service.all(|reference| seen.insert(reference)) {
        return Err(damaged("a reference of the service appears twice".into()));
    }
    for (index, (batch, size)) in report.batches.iter().zip(sizes).enumerate() {
        if size > batch.recipients || size < batch.recipients && !is_undone(batch.outcome) {
            return Err(damaged(format!(
                "batches.{index} has {} recipients, but {size} payouts name it",
                batch.recipients
            )));
        }
    }
    Ok(())
}

fn items<'a>(members: &Members<'a>, name: &str) -> Result<Vec<&'a RawValue>, Damage> {
    let value = json::member(members, name).ok_or_else(|| format!("is not the report of a run: it has no {name}"))?;
    json::items(value).map_err(|_| damaged(format!("{name} is not a list")))
}

fn outcome(members: &Members<'_>) -> Result<Outcome, Damage> {
    let given = text(members, "outcome")?;
    OUTCOMES.into_iter().find(|&outcome| word(outcome) == given).ok_or_else(|| "has no known outcome".into())
}

/// A text that is not empty.
pub fn text(members: &Members<'_>, name: &str) -> Result<String, Damage> {
    let text = json::member(members, name).and_then(json::text).map(Cow::into_owned);
    text.filter(|text| !text.is_empty()).ok_or_else(|| format!("has no {name}"))
}

fn flag(members: &Members<'_>, name: &str) -> Result<bool, Damage> {
    json::member(members, name).and_then(|value| value.get().parse().ok()).ok_or_else(|| format!("has no {name}"))
}

pub fn whole(members: &Members<'_>, name: &str) -> Result<usize, Damage> {
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
