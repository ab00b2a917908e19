//! Rules that every table of verdicts follows.

use std::collections::BTreeSet;

use super::resolution::{self, LINES, Question};
use super::{After429, CHANGING, Condition, READING, StateRule, StatusRule};
use crate::status::{Outcome, Status};
use Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};

#[test]
fn a_number_and_a_condition_stand_for_one_line() {
    let answers = [CHANGING, READING].map(|lines| lines.iter().map(|line| (line.number, line.words())).collect());
    let resolving = LINES.iter().map(|line| (line.number, format!("{}: {}", line.question(), line.words())));
    for lines in answers.into_iter().chain([resolving.collect::<Vec<_>>()]) {
        let numbers: BTreeSet<_> = lines.iter().map(|(number, _)| number).collect();
        let words: BTreeSet<_> = lines.iter().map(|(_, words)| words).collect();
        assert_eq!((numbers.len(), words.len()), (lines.len(), lines.len()), "{lines:?}");
    }
}

#[test]
fn the_last_line_always_holds() {
    for lines in [CHANGING, READING] {
        assert_eq!(lines.last().unwrap().conditions, [Condition::Otherwise]);
    }
    for question in [Charge, Order, Attempt, Refund, Batch, Account, Final] {
        let last = LINES.iter().rfind(|line| line.about.is_empty() || line.about.contains(&question)).unwrap();
        assert_eq!(last.conditions, [resolution::Condition::Otherwise], "{question:?}");
    }
}

#[test]
fn a_reading_is_of_the_service_as_it_is_now() {
    for line in READING {
        assert!(matches!(line.after_429, After429::Same), "{}: no attempt before it has done anything", line.number);
        assert!(line.state == StateRule::None || line.outcome == Outcome::Confirmed, "{}", line.number);
    }
}

#[test]
fn only_these_lines_of_a_resolution_are_better_than_unknown() {
    for line in LINES {
        let (confirmed, rejected) = (line.outcome == Outcome::Confirmed, line.outcome == Outcome::Rejected);
        assert_eq!(confirmed, line.status == StatusRule::Is(Status::Ok), "{}", line.number);
        assert_eq!(rejected, line.status == StatusRule::Is(Status::Rejected), "{}", line.number);
        assert!(!rejected || matches!(line.about, [Charge, Final] | [Charge] | [Attempt]), "{}", line.number);
        let is_open = line.outcome == Outcome::Unknown;
        assert!(is_open || !line.again, "{}: what is settled is not asked again", line.number);
        assert!(line.outcome != Outcome::NotSent && !line.explanation.is_empty(), "{}", line.number);
        let may_repeat = line.explanation.contains("may be sent again");
        assert!(!may_repeat || line.about.iter().all(|about| matches!(about, Order | Account)), "{}", line.number);
    }
}
