//! Each line of the table, and what decides between several ends of a claim.

use super::*;
use crate::ledger::digest::digests;
use crate::ledger::row::{By, Claim, End, Kind};
use paysvc_spec::status::{Outcome, State};

const NOW: u64 = 1_000_000;

/// Rows as they are appended.
#[derive(Default)]
struct Journal(Vec<Row>);

impl Journal {
    fn add(mut self, key: &str, kind: Kind) -> Journal {
        let seq = 1 + self.0.iter().filter(|row| row.key == key).count() as u32;
        let id = format!("id-{}", self.0.len());
        self.0.push(Row { key: key.into(), seq, id, time_ms: 0, order: Some("ORD".into()), open: false, kind });
        self
    }

    /// A claim whose call is over.
    fn claim(self, key: &str, step: Step) -> Journal {
        self.claim_until(key, step, 0)
    }

    fn claim_until(self, key: &str, step: Step, until_ms: u64) -> Journal {
        let id = format!("id-{}", self.0.len());
        let claim = Claim {
            step,
            function: "order_pay".into(),
            explicit: !key.starts_with("ORD"),
            has_page: false,
            until_ms,
            digests: digests(&id, &members("1")),
            list: None,
            request: String::new(),
            amount: None,
            currency: None,
        };
        self.add(key, Kind::Claim(claim))
    }

    /// Of the last claim.
    fn end(self, outcome: Outcome, is_final: bool, by: By, http_status: u16) -> Journal {
        let claim = self.0.iter().rfind(|row| matches!(row.kind, Kind::Claim(_))).unwrap();
        let (of, key) = (claim.id.clone(), claim.key.clone());
        let end = End {
            of,
            by,
            outcome,
            state: State::NONE,
            is_final,
            http_status,
            payment_reference: None,
            batch_reference: None,
            recipients: 0,
        };
        self.add(&key, Kind::End(end))
    }

    fn sent(self, outcome: Outcome, is_final: bool) -> Journal {
        self.end(outcome, is_final, By::Sender, 200)
    }

    fn settled(self, outcome: Outcome) -> Journal {
        self.end(outcome, false, By::Person { who: "A".into(), why: "B".into() }, 0)
    }

    fn decide(&self, key: &str, step: Step, fresh: bool) -> &'static str {
        let explicit = !key.starts_with("ORD");
        let wanted = Candidate { key, step, explicit, members: &members("1"), fresh };
        Claims::of(&self.0).decide(&wanted, NOW).line.number
    }
}

fn members(amount: &str) -> Vec<(String, String)> {
    vec![("amount".to_owned(), amount.to_owned())]
}

fn journal() -> Journal {
    Journal::default()
}

use Outcome::{Confirmed, NotSent, Rejected, Unknown};
use Step::{Authorization, Charge, Order, Other};

#[test]
fn every_line_is_taken() {
    let charged = || journal().claim("ORD", Charge);
    let mut taken = Vec::new();
    let mut check = |expected: &'static str, decided: &'static str| {
        assert_eq!(decided, expected);
        taken.push(expected);
    };
    check("j2", journal().claim("K", Charge).sent(Rejected, true).decide("K", Charge, false));
    check("j2", journal().claim("K", Charge).settled(Rejected).decide("K", Charge, false));
    let given = charged().sent(Confirmed, false).claim("Z", Authorization).sent(Confirmed, false);
    check("j2", given.decide("Z", Authorization, false));
    check("j3", charged().decide("ORD order", Order, false));
    let authorizes = || charged().settled(Rejected).claim("ORD z", Authorization);
    check("j3", authorizes().decide("ORD order", Order, false));
    check("j3", authorizes().sent(Confirmed, true).decide("ORD order", Order, false));
    check("j3", authorizes().settled(Confirmed).decide("ORD order", Order, false));
    check("j3", charged().sent(Confirmed, true).decide("ORD order", Order, false));
    check("j4", charged().sent(Rejected, true).decide("ORD order", Order, false));
    check("j5", charged().sent(Confirmed, true).decide("ORD", Charge, false));
    check("j5", charged().sent(Confirmed, true).decide("K", Charge, false));
    check("j5", charged().settled(Confirmed).decide("ORD", Charge, false));
    check("j5", journal().claim("R", Other).sent(Confirmed, false).decide("R", Other, false));
    check("j6", journal().claim_until("ORD", Charge, NOW + 1).decide("ORD", Charge, false));
    check("j6", journal().claim_until("ORD", Charge, NOW + 1).decide("K", Charge, false));
    check("j7", charged().decide("ORD", Charge, true));
    check("j7", charged().sent(Unknown, false).decide("ORD", Charge, true));
    check("j7", charged().sent(Confirmed, false).decide("ORD", Charge, true));
    check("j7", journal().claim_until("ORD", Charge, NOW + 1).sent(Unknown, false).decide("ORD", Charge, false));
    check("j7", charged().claim("ORD z", Authorization).decide("ORD z", Authorization, false));
    check("j8", charged().sent(Confirmed, false).decide("ORD z", Authorization, false));
    let authorized = charged().sent(Confirmed, false).claim("ORD z", Authorization);
    check("j8", authorized.sent(Confirmed, false).decide("ORD z", Authorization, false));
    check("j9", journal().decide("ORD z", Authorization, false));
    check("j9", charged().sent(Rejected, true).decide("ORD z", Authorization, false));
    check("j10", journal().decide("ORD", Charge, true));
    check("j10", charged().sent(NotSent, false).decide("ORD", Charge, true));
    check("j11", journal().decide("ORD", Charge, false));
    check("j11", charged().sent(NotSent, false).decide("ORD", Charge, false));
    check("j12", charged().settled(Rejected).decide("ORD", Charge, true));
    check("j13", charged().sent(Rejected, true).decide("ORD", Charge, true));
    check("j13", journal().claim("K", Charge).sent(Rejected, true).decide("L", Charge, true));
    check("j13", journal().claim("K", Charge).end(Rejected, true, By::Sender, 429).decide("K", Charge, true));
    check("j14", journal().decide("R", Other, false));
    check("j14", journal().claim("R", Other).sent(NotSent, false).decide("R", Other, false));
    check("j14", journal().claim("R", Other).end(Rejected, true, By::Sender, 401).decide("R", Other, false));
    check("j14", charged().decide("R", Other, false));
    let wanted = Candidate { key: "K", step: Other, explicit: true, members: &members("2"), fresh: false };
    let rows = journal().claim("K", Other).sent(Confirmed, true);
    let decision = Claims::of(&rows.0).decide(&wanted, NOW);
    check("j1", decision.line.number);
    assert_eq!(decision.differing, ["amount"]);
    taken.dedup();
    let mut all: Vec<_> = LINES.iter().map(|line| line.number).collect();
    all.rotate_left(1);
    assert_eq!(taken, all);
}

/// The rank of ends: confirmed for good, then the proof of no execution, then the last statement without proof.
#[test]
fn the_strongest_end_counts_whenever_it_was_written() {
    let charge = || journal().claim("ORD", Charge);
    for (rows, expected) in [
        (charge(), ClaimState::NoEnd),
        (charge().sent(Unknown, false), ClaimState::Unknown),
        (charge().sent(Confirmed, true).sent(Unknown, false), ClaimState::Confirmed),
        (charge().sent(Rejected, true).sent(Confirmed, true), ClaimState::Confirmed),
        (charge().sent(Rejected, true).sent(Unknown, false), ClaimState::Rejected),
        (charge().sent(Confirmed, false).sent(NotSent, false), ClaimState::NotSent),
        (charge().settled(Rejected).sent(Confirmed, true), ClaimState::Confirmed),
        (charge().settled(Rejected).sent(Confirmed, false), ClaimState::ConfirmedForNow),
        (charge().sent(Confirmed, false).settled(Rejected), ClaimState::SettledAsNotDone),
        (charge().settled(Confirmed).sent(Unknown, false), ClaimState::SettledAsDone),
        (charge().settled(Confirmed).sent(Rejected, true), ClaimState::Rejected),
        (charge().end(Rejected, true, By::Sender, 429), ClaimState::NotAccepted),
    ] {
        assert_eq!(Claims::of(&rows.0).claims()[0].state(), expected, "{:?}", rows.0);
    }
}
