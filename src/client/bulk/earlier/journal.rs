//! The steps of a run, as the callback for progress got them. They show what a run did if it left no report.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::super::report::{Batch, Report, Row, is_undone};
use super::strict::{Damage, batch, consistent, report, rows, text, whole};
use crate::json::{self, Members};
use crate::util::memory;
use paysvc_spec::status::Outcome;

/// Reads the steps of one run or of several, in their order; among them may be their reports.
pub fn read(value: &RawValue) -> Result<Report, Damage> {
    let mut journal = Journal::default();
    for (index, entry) in json::items(value).map_err(|error| error.to_string())?.into_iter().enumerate() {
        journal.entry(entry).map_err(|damage| format!("is damaged: entry {index} {damage}"))?;
    }
    Ok(journal.report)
}

#[derive(Default)]
struct Journal {
    report: Report,
    /// The rows by their clients' references.
    places: HashMap<String, usize>,
}

impl Journal {
    fn entry(&mut self, entry: &RawValue) -> Result<(), Damage> {
        let members = json::members(entry).map_err(|error| error.to_string())?;
        if json::member(&members, "step").is_none() {
            let report = report(entry)?;
            consistent(&report)?;
            return self.replace(report);
        }
        match text(&members, "step")?.as_str() {
            "before" => self.before(&members),
            "after" => self.after(&members),
            "look" => Ok(()),
            _ => Err("is an unknown step".into()),
        }
    }

    /// The batch was begun. Without its second step, nobody knows what became of it.
    fn before(&mut self, members: &Members<'_>) -> Result<(), Damage> {
        if whole(members, "batch")? != self.report.batches.len() {
            return Err("is not the next batch".into());
        }
        self.report.batches.try_reserve(1).map_err(|_| memory::LACK)?;
        self.report.batches.push(Batch::begun(whole(members, "recipients")?));
        self.rows(members, |known| is_undone(known.outcome))
    }

    fn after(&mut self, members: &Members<'_>) -> Result<(), Damage> {
        let index = whole(members, "batch")?;
        let is_last = Some(index) == self.report.batches.len().checked_sub(1);
        let ended = batch(members)?;
        let begun = self.report.batches.last_mut().filter(|_| is_last).ok_or("is not the batch that was begun")?;
        if begun.outcome != Outcome::Unknown || begun.recipients != ended.recipients {
            return Err("is not the batch that was begun".into());
        }
        *begun = ended;
        self.rows(members, |known| known.outcome == Outcome::Unknown && known.batch == Some(index))
    }

    /// Takes over the rows of a step; `may_change` says whether what is known about a recipient may change.
    fn rows(&mut self, members: &Members<'_>, may_change: impl Fn(&Row) -> bool) -> Result<(), Damage> {
        let last = self.report.batches.len() - 1;
        let rows = rows(members, &self.report.batches)?;
        if rows.len() != self.report.batches[last].recipients || rows.iter().any(|row| row.batch != Some(last)) {
            return Err("does not have the payouts of its batch".into());
        }
        for row in rows {
            match self.places.get(&row.identity.client_reference) {
                Some(&place) => {
                    let known = &mut self.report.rows[place];
                    if !may_change(known) || known.identity.difference(&row.identity).is_some() {
                        return Err("contradicts what was known about a payout".into());
                    }
                    *known = row;
                }
                None => {
                    self.places.try_reserve(1).map_err(|_| memory::LACK)?;
                    self.report.rows.try_reserve(1).map_err(|_| memory::LACK)?;
                    self.places.insert(row.identity.client_reference.clone(), self.report.rows.len());
                    self.report.rows.push(row);
                }
            }
        }
        Ok(())
    }

    /// The report of a run stands for all its steps.
    fn replace(&mut self, report: Report) -> Result<(), Damage> {
        let places = report.rows.iter().enumerate().map(|(place, row)| (row.identity.client_reference.clone(), place));
        let mut by_reference: HashMap<String, usize> = memory::map(report.rows.len()).ok_or(memory::LACK)?;
        by_reference.extend(places);
        let places = by_reference;
        for known in self.report.rows.iter().filter(|row| !is_undone(row.outcome)) {
            let now = places.get(&known.identity.client_reference).map(|&place| &report.rows[place]);
            if now.is_none_or(|now| now.outcome != known.outcome || now.payout_reference != known.payout_reference) {
                return Err("contradicts the steps before it".into());
            }
        }
        (self.report, self.places) = (report, places);
        Ok(())
    }
}
