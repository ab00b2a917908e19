//! Each line of the table, and what decides between several ends of a claim.

use super::*;
use crate::ledger::digest::digests;
use crate::ledger::row::{By, Claim, End, Kind, Lease};
use paysvc_spec::status::{State, Status};

/// The clock of the boot on which all claims are made.
fn at(ms: u64) -> Moment {
    Moment { boot: "boot".into(), ms }
}

fn accounts() -> Accounts {
    Accounts::new("test", "", Some("public"), &[])
}

/// Rows as they are appended.
#[derive(Default)]
struct Journal(Vec<Row>);

impl Journal {
    fn add(mut self, key: &str, kind: Kind) -> Journal {
        let seq = 1 + self.0.iter().filter(|row| row.key == Name::new(key)).count() as u32;
        let (id, account) = (format!("id-{}", self.0.len()), accounts().own());
        self.0.push(Row { id, account, order: Some(Name::new("ORD")), ..Row::of(key, seq, kind) });
        self
    }

    /// A claim whose call is over.
    fn claim(self, key: &str, step: Step) -> Journal {
        self.claim_for(key, step, 0)
    }

    /// A claim whose call began at 1000 ms and lasts that long.
    fn claim_for(self, key: &str, step: Step, for_ms: u64) -> Journal {
        self.claim_of(key, step, "1", for_ms)
    }

    /// "all" names no amount.
    fn claim_of(self, key: &str, step: Step, amount: &str, for_ms: u64) -> Journal {
        let id = format!("id-{}", self.0.len());
        let claim = Claim {
            explicit: !key.starts_with("ORD"),
            lease: Lease { from: at(1000), for_ms },
            digests: digests(&id, &members(amount)),
            amount: Some(amount.to_owned()).filter(|amount| amount != "all"),
            request: if step == Other { String::new() } else { "{}".to_owned() },
            ..Claim::of(step)
        };
        self.add(key, Kind::Claim(claim))
    }

    /// Ends the last claim.
    fn end(self, outcome: Outcome, is_final: bool, by: By, http_status: u16) -> Journal {
        let claim = self.0.iter().rfind(|row| matches!(row.kind, Kind::Claim(_))).unwrap();
        let (of, key) = (claim.id.clone(), claim.key.given.clone());
        self.add(&key, Kind::End(End { is_final, http_status, ..End::new(&of, by, outcome) }))
    }

    fn sent(self, outcome: Outcome, is_final: bool) -> Journal {
        self.end(outcome, is_final, By::Sender, 200)
    }

    /// The response that confirms the last claim reports this amount as charged, with or without that fee.
    fn charged_as(self, amount: &str, fee: Option<&str>, currency: &str) -> Journal {
        let mut journal = self.end(Confirmed, true, By::LookUp, 200);
        if let Some(Row { kind: Kind::End(end), .. }) = journal.0.last_mut() {
            (end.amount, end.fee) = (Some(amount.to_owned()), fee.map(str::to_owned));
            end.currency = Some(currency.to_owned());
        }
        journal
    }

    fn settled(self, outcome: Outcome) -> Journal {
        self.end(outcome, false, By::Person { who: "A".into(), why: "B".into(), sender_ended: false }, 0)
    }

    /// Ends the last claim, with the state of a refund that was done.
    fn successful(self) -> Journal {
        let mut journal = self.end(Confirmed, true, By::LookUp, 200);
        if let Some(Row { kind: Kind::End(end), .. }) = journal.0.last_mut() {
            end.state = State::SUCCESSFUL;
        }
        journal
    }

    fn decide(&self, key: &str, step: Step, fresh: bool) -> &'static str {
        self.decision(key, "ORD", step, fresh, "1", &at(2000)).line.number
    }

    fn decision(&self, key: &str, order: &str, step: Step, fresh: bool, amount: &str, now: &Moment) -> Decision<'_> {
        let explicit = !key.starts_with("ORD");
        let (key, order, accounts) = (&Name::new(key), Some(&Name::new(order)), &accounts());
        let members = &members(amount);
        let (amount, currency) = (Some(amount).filter(|amount| *amount != "all"), None);
        let wanted = Candidate { key, order, step, explicit, amount, currency, members, fresh, accounts };
        Claims::of(&self.0).decide(&wanted, now)
    }
}

fn members(amount: &str) -> Vec<(String, String)> {
    vec![("amount".to_owned(), amount.to_owned())]
}

fn journal() -> Journal {
    Journal::default()
}

use Outcome::{Confirmed, NotSent, Rejected, Unknown};
use Step::{Authorization, Capture, Charge, Order, Other, Refund};

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
    check("j6", journal().claim_for("ORD", Charge, 5000).decide("ORD", Charge, false));
    check("j6", journal().claim_for("ORD", Charge, 5000).decide("K", Charge, false));
    check("j6", journal().claim_for("ORD", Charge, 5000).sent(Unknown, false).decide("ORD", Charge, false));
    check("j7", charged().decide("ORD", Charge, true));
    check("j7", charged().sent(Unknown, false).decide("ORD", Charge, true));
    check("j7", charged().sent(Confirmed, false).decide("ORD", Charge, true));
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
    for http_status in [401, 403, 429] {
        let refused = journal().claim("R", Other).end(Rejected, true, By::Sender, http_status);
        check("j14", refused.decide("R", Other, false));
    }
    check("j14", charged().decide("R", Other, false));
    let done = journal().claim("K", Other).sent(Confirmed, true);
    let decision = done.decision("K", "ORD", Other, false, "2", &at(2000));
    check("j1", decision.line.number);
    assert_eq!(decision.differing, ["amount"]);
    assert_eq!(
        journal().claim("K", Other).sent(NotSent, false).decision("K", "ORD", Other, false, "2", &at(2000)).line.number,
        "j14"
    );
    let pays = |journal: &Journal, key: &str, amount: &str| {
        let decision = journal.decision(key, "ORD", Charge, false, amount, &at(2000));
        (decision.line.number, decision.differing.join(" "))
    };
    let is = |number: &'static str, differing: &str| (number, differing.to_owned());
    // Nothing more can be found out.
    for (step, expected) in [(Other, "j7"), (Refund, "j7"), (Charge, "j6")] {
        let lost = journal().claim_for("K", step, 5000);
        check("j6", lost.decide("K", step, false));
        check(expected, lost.sent(Unknown, false).decide("K", step, false));
    }
    let paid = charged().sent(Confirmed, true);
    assert_eq!(pays(&paid, "ORD", "2"), is("j04", "amount"));
    assert_eq!(pays(&paid, "K", "2"), is("j04", "amount"));
    assert_eq!([pays(&paid, "ORD", "01.0"), pays(&paid, "ORD", "all")], [is("j5", ""), is("j5", "")]);
    assert_eq!(pays(&charged().settled(Confirmed), "ORD", "2"), is("j04", "amount"));
    assert_eq!(pays(&charged(), "ORD", "2"), is("j7", ""), "what is open is looked up first");
    // The amount that the service reports as charged counts, not the one that a request named.
    for (amount, fee, wanted, expected) in [
        ("2", None, "1", is("j04", "amount")),
        ("2", None, "2.00", is("j5", "")),
        ("2.10", Some("0.10"), "2", is("j5", "")),
        ("2.10", Some("0.1"), "2.1", is("j5", "")),
        ("2.10", Some("0.2"), "2", is("j04", "amount")),
        ("2.10", None, "2", is("j04", "amount")),
    ] {
        for claim in ["1", "all"] {
            let paid = journal().claim_of("ORD", Charge, claim, 0).charged_as(amount, fee, "NGN");
            assert_eq!(pays(&paid, "ORD", wanted), expected, "{amount} {fee:?} {wanted}");
        }
    }
    let in_dollars = journal().claim_of("ORD", Charge, "1", 0).charged_as("1", None, "USD");
    let charge = Claims::of(&in_dollars.0).claims()[0].clone();
    assert_eq!(["NGN", "usd"].map(|wanted| charge.differs_in_currency(wanted)), [true, false]);
    // The charge is open, and the amount in an authorization's end counts.
    let authorized = charged().sent(Unknown, false).claim_of("ORD A", Authorization, "all", 0);
    assert_eq!(pays(&authorized.charged_as("1", None, "NGN"), "ORD", "1"), is("j5", ""));
    let authorized = charged().sent(Unknown, false).claim_of("ORD A", Authorization, "all", 0);
    assert_eq!(pays(&authorized.charged_as("2", None, "NGN"), "ORD", "2"), is("j04", "amount"));
    for outcome in [Rejected, NotSent] {
        assert!(!["j04", "j1"].contains(&pays(&charged().sent(outcome, true), "ORD", "2").0), "a basket may change");
    }
    check("j04", pays(&paid, "ORD", "2").0);
    for (first, second, while_open, once_done) in [
        ("all", "all", "j7", "j5"),
        ("all", "1", "j7", "j06"),
        ("1", "all", "j7", "j05"),
        ("1", "1.00", "j7", "j14"),
        ("1", "2", "j14", "j14"),
    ] {
        let refund = || journal().claim_of("R", Refund, first, 0);
        let decide = |journal: Journal| journal.decision("S", "ORD", Refund, false, second, &at(2000)).line.number;
        assert_eq!(decide(refund()), while_open, "{first} {second}");
        assert_eq!(decide(refund().sent(Confirmed, true)), once_done, "{first} {second}");
        for outcome in [Rejected, NotSent] {
            assert_eq!(decide(refund().sent(outcome, true)), "j14", "{first} {second}");
        }
        assert_eq!(decide(refund().settled(Rejected)), "j14", "{first} {second}");
        assert_eq!(decide(journal().claim_of("R", Charge, first, 0).sent(Confirmed, true)), "j14", "no refund");
        check(once_done, decide(refund().sent(Confirmed, true)));
    }
    let partly = journal().claim_of("R", Refund, "30.00", 0).sent(Confirmed, true);
    let decision = partly.decision("S", "ORD", Refund, false, "all", &at(2000));
    assert_eq!(decision.detail.as_deref(), Some("30.00 is refunded already"));
    assert_eq!((decision.line.status, decision.line.outcome), (Status::Argument, NotSent));
    let again = partly.claim_of("S", Refund, "all", 0).sent(Rejected, true);
    assert_eq!(again.decision("S", "ORD", Refund, false, "all", &at(2000)).line.number, "j2", "its own end before all");
    let captured = |journal: Journal| journal.decide("D", Capture, false);
    assert_eq!(captured(journal().claim("C", Capture)), "j7");
    assert_eq!(captured(journal().claim("C", Capture).sent(Confirmed, true)), "j14");
    assert_eq!(captured(charged()), "j14");
    let other = |account: &str| {
        let mut journal = charged().sent(Rejected, true);
        journal.0[1].account = account.to_owned();
        journal.decide("ORD", Charge, false)
    };
    check("j01", other(&Accounts::new("test", "", Some("other"), &[]).own()));
    assert_eq!(other(&Accounts::new("", "", None, &[]).own()), "j13", "what is not known is no other account");
    for (key, order) in [("ord", "ORD"), ("K", "ord")] {
        let decision = charged().decision(key, order, Charge, false, "1", &at(2000)).line.number;
        check("j02", decision);
    }
    let ended = |step, outcome| {
        let kind = Kind::Tombstone(Tombstone { step, outcome, state: State::NONE });
        let mut journal = journal().add(&Tombstone::name_of("k"), kind);
        journal.0[0].order = Some(Name::new(&Tombstone::name_of("ord")));
        journal
    };
    check("j03", ended(Charge, Rejected).decide("K", Charge, true));
    check("j03", ended(Charge, Confirmed).decide("ORD", Charge, true));
    check("j03", ended(Charge, Confirmed).decide("ORD order", Order, true));
    check("j03", ended(Refund, Confirmed).decide("R", Refund, true));
    assert_eq!(ended(Refund, Confirmed).decide("ORD", Charge, true), "j10");
    assert_eq!(ended(Charge, Rejected).decide("ORD", Charge, true), "j10");
    assert_eq!(ended(Other, Confirmed).decide("ORD", Charge, true), "j10");
    let all: Vec<_> = LINES.iter().map(|line| line.number).collect();
    taken.sort_by_key(|number| all.iter().position(|other| other == number));
    taken.dedup();
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

/// A refund that was accepted, and that failed afterwards: a person knows it.
#[test]
fn a_person_overrules_what_was_accepted_and_nothing_that_was_done() {
    let accepted = |step| journal().claim("R", step).sent(Confirmed, true);
    for (rows, expected) in [
        (accepted(Other).settled(Rejected), ClaimState::SettledAsNotDone),
        (accepted(Other).settled(Rejected).sent(Unknown, false), ClaimState::SettledAsNotDone),
        (accepted(Charge).settled(Rejected), ClaimState::Confirmed),
        (accepted(Other).settled(Confirmed), ClaimState::Confirmed),
        (accepted(Other).settled(Rejected).settled(Confirmed), ClaimState::SettledAsDone),
        // The service reports that it was done, before or after; or accepts it after the settlement.
        (journal().claim("R", Other).successful().settled(Rejected), ClaimState::Confirmed),
        (accepted(Other).settled(Rejected).successful(), ClaimState::Confirmed),
        (journal().claim("R", Other).settled(Rejected).sent(Confirmed, true), ClaimState::Confirmed),
    ] {
        let found = Claims::of(&rows.0);
        assert_eq!(found.claims()[0].state(), expected, "{:?}", rows.0);
        assert!(!found.claims()[0].is_open());
    }
    let decide = |rows: Journal, key: &str| rows.decide(key, Other, false);
    assert_eq!(decide(accepted(Other).settled(Rejected), "R"), "j2", "the caller's key names one attempt");
    let payout = |rows: Journal| decide(rows, "ORD-payout");
    assert_eq!(payout(journal().claim("ORD-payout", Other).sent(Confirmed, true)), "j5");
    assert_eq!(payout(journal().claim("ORD-payout", Other).sent(Confirmed, true).settled(Rejected)), "j14");
}

/// A lease is measured on a clock of the machine, on which a person sets nothing.
#[test]
fn a_lease_ends_on_the_clock_on_which_it_began_or_on_one_that_has_seen_it() {
    let other = |ms| Moment { boot: "other".into(), ms };
    let under_way = |journal: &Journal, now: &Moment| Claims::of(&journal.0).claims()[0].may_be_under_way(now);
    let is_new = |journal: &Journal, now: &Moment| Claims::of(&journal.0).claims()[0].is_new_to(now);
    let begun = journal().claim_for("ORD", Charge, 5000);
    for (now, expected) in
        [(at(1000), true), (at(6000), true), (at(6001), false), (at(999), true), (other(u64::MAX), true)]
    {
        assert_eq!(under_way(&begun, &now), expected, "{now:?}");
        assert_eq!(is_new(&begun, &now), now.boot == "other" || now.ms == 999, "{now:?}");
    }
    let seen = begun.add("ORD", Kind::Seen { of: "id-0".into(), at: other(50) });
    for (now, expected) in
        [(other(5050), true), (other(5051), false), (other(49), true), (at(6000), true), (at(6001), false)]
    {
        assert_eq!(under_way(&seen, &now), expected, "{now:?}");
    }
    assert!(!is_new(&seen, &other(51)) && is_new(&seen, &Moment { boot: "third".into(), ms: 51 }));
    for (outcome, expected) in [(Unknown, true), (Confirmed, false), (Rejected, false), (NotSent, false)] {
        let ended = journal().claim_for("ORD", Charge, 5000).end(outcome, false, By::Sender, 200);
        assert_eq!(under_way(&ended, &at(1001)), expected, "{outcome:?}");
        let looked_up = journal().claim_for("ORD", Charge, 5000).end(outcome, false, By::LookUp, 200);
        assert!(under_way(&looked_up, &at(1001)), "{outcome:?}");
    }
}
