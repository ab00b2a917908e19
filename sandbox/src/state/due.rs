//! What happens later by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::util::clock::Moment;

/// How long the temporary account of a bank transfer lives.
pub const TRANSFER_LIVES: Duration = Duration::from_secs(30 * 60);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Due {
    /// The refund is complete.
    Refund { order: String, refund: String },
    /// The payment was not made in time.
    Expiry { payment: String },
}

/// In the order of their moments.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<(Moment, Due)>", into = "Vec<(Moment, Due)>")]
pub struct Agenda {
    entries: BTreeMap<(Moment, u64), Due>,
    added: u64,
}

impl Agenda {
    pub fn add(&mut self, at: Moment, due: Due) {
        self.added += 1;
        self.entries.insert((at, self.added), due);
    }

    /// Takes the next one whose moment has come.
    pub fn take(&mut self, now: Moment) -> Option<Due> {
        let first = self.entries.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }
}

impl From<Vec<(Moment, Due)>> for Agenda {
    fn from(entries: Vec<(Moment, Due)>) -> Agenda {
        let mut agenda = Agenda::default();
        entries.into_iter().for_each(|(at, due)| agenda.add(at, due));
        agenda
    }
}

impl From<Agenda> for Vec<(Moment, Due)> {
    fn from(agenda: Agenda) -> Vec<(Moment, Due)> {
        agenda.entries.into_iter().map(|((at, _), due)| (at, due)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_first_and_none_before_its_time() {
        let (mut agenda, now) = (Agenda::default(), Moment::now());
        let due = |payment: &str| Due::Expiry { payment: payment.to_string() };
        agenda.add(now.after(Duration::from_secs(2)), due("second"));
        agenda.add(now.after(Duration::from_secs(1)), due("first"));
        agenda.add(now.after(Duration::from_secs(2)), due("third"));
        assert_eq!(agenda.take(now), None);
        let later = now.after(Duration::from_secs(2));
        assert_eq!(
            [agenda.take(later), agenda.take(later), agenda.take(later), agenda.take(later)],
            [Some(due("first")), Some(due("second")), Some(due("third")), None]
        );
    }
}
