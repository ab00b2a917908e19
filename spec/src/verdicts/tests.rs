//! Rules that every table of verdicts follows.

use std::collections::BTreeSet;

use super::resolution::{LINES, LookUp, Question};
use super::{After429, CHANGING, Line, READING, Signs, StateRule, StatusRule};
use crate::status::{Outcome, State, Status};
use Question::{Account, Attempt, Batch, Charge, Final, Order, Refund};

#[test]
fn a_number_and_its_words_stand_for_one_line() {
    let answers = [CHANGING, READING].map(|lines| lines.iter().map(|line| (line.number, line.words.into())).collect());
    let resolving = LINES.iter().map(|line| (line.number, format!("{}: {}", line.question(), line.words)));
    for lines in answers.into_iter().chain([resolving.collect::<Vec<_>>()]) {
        let numbers: BTreeSet<_> = lines.iter().map(|(number, _)| number).collect();
        let words: BTreeSet<_> = lines.iter().map(|(_, words)| words).collect();
        assert_eq!((numbers.len(), words.len()), (lines.len(), lines.len()), "{lines:?}");
    }
}

#[test]
fn the_last_line_always_holds() {
    for lines in [CHANGING, READING] {
        let last = lines.last().unwrap();
        assert!(last.words == "otherwise" && (last.holds)(&Signs::default()), "{last:?}");
    }
    for question in [Charge, Order, Attempt, Refund, Batch, Account, Final] {
        let last = LINES.iter().rfind(|line| line.is_about(question)).unwrap();
        let nothing = LookUp {
            question,
            signs: Signs::default(),
            unsendable: false,
            answered: false,
            named: false,
            differs: false,
            amount_agrees: false,
            may_change: false,
            said_to_be_final: false,
            every_entry_failed: false,
            attempts: None,
            entry: State::NONE,
            own_entry: State::NONE,
            has_elements: false,
            element_refused: false,
            own_account: false,
        };
        assert!(last.words == "otherwise" && (last.holds)(&nothing), "{question:?}");
    }
}

/// The statuses that a text names: "HTTP 400, 401 or 404".
fn named(words: &str) -> Option<BTreeSet<u16>> {
    let (_, list) = words.rsplit_once("HTTP ")?;
    list.split([',', ' ', ';']).filter(|word| !matches!(*word, "" | "or")).map(|word| word.parse().ok()).collect()
}

/// The documentation names the statuses, and the code has them once more.
#[test]
fn words_and_function_name_the_same_statuses() {
    let signs = |http_status: u16| {
        let mut signs = Signs { http_status, ..Signs::default() };
        (signs.failure.exact, signs.failure.any_case) = (true, true);
        signs
    };
    let check = |line: &Line, words: &str, holds: fn(&Signs) -> bool| {
        let Some(statuses) = named(words) else { return 0 };
        let is_denied = words.starts_with("not HTTP");
        let found: BTreeSet<_> = (100..700).filter(|status| holds(&signs(*status)) != is_denied).collect();
        assert_eq!(found, statuses, "line {}", line.number);
        1
    };
    let mut checked = 0;
    for line in CHANGING.iter().chain(READING) {
        checked += check(line, line.words, line.holds) + check(line, line.again.words, line.again.holds);
        if let After429::RejectedIf(when) = line.after_429 {
            checked += check(line, when.words, when.holds);
        }
    }
    assert_eq!(checked, 9);
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
