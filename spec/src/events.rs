//! Events: what the body of a webhook may contain, what its members mean, and which endpoint knows whether it is true.
//!
//! The service documents neither names nor shapes, and signs nothing. Integrations have seen the object of an order's
//! or a session's answer, within `data` or `Data` or at the top level, with names in camel or Pascal case.

use crate::schema::{Certainty, doc};

/// Largest body that is read. The largest event that was seen has 3 KB.
pub const MAX_LENGTH: usize = 256 * 1024;

/// When the sender should send an event again that is not decided, where the service does not say it.
pub const RETRY_AFTER_SECONDS: u64 = 30;

/// What the receivers of webhooks in all languages have in common: the name, the number, and what it is.
pub const RECEIVER: &[(&str, usize, &str)] = &[
    ("max_length", MAX_LENGTH, "Largest body that is read, in bytes: the library's own limit."),
    ("verify_seconds", 10, "Time limit of a verification."),
    (
        "retry_after_seconds",
        RETRY_AFTER_SECONDS as usize,
        "When the sender should try again after a failure of the handler.",
    ),
    ("at_once", 4, "Verifications at once."),
    ("per_minute", 120, "Requests per minute of all verifications."),
    ("share_of_reference", 6, "Of one reference this share of the requests per minute may be about."),
    ("least_of_reference", 2, "Requests per minute that every reference may have."),
    ("remembered", 10_000, "References, bodies and handled events that are remembered."),
    ("forget_after_seconds", 60, "So long a body that was found not authentic is answered without a request."),
];

/// What an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Order,
    /// A payment into a virtual account.
    Session,
    Payout,
}

impl Subject {
    pub const fn name(self) -> &'static str {
        match self {
            Subject::Order => "order",
            Subject::Session => "session",
            Subject::Payout => "payout",
        }
    }
}

/// What a member of an event, or of the answer that verifies it, means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Of the order.
    Reference,
    Session,
    /// Given when the virtual account was generated.
    AccountReference,
    /// The service's own reference of the payment.
    PaymentReference,
    /// Of the batch that a payout belongs to.
    Batch,
    Payout,
    /// Without the fee.
    Price,
    /// The fee may be included.
    Total,
    Fee,
    Currency,
    StateNumber,
    StateWord,
}

impl Meaning {
    pub const ALL: &[Meaning] = &[
        Meaning::Reference,
        Meaning::Session,
        Meaning::AccountReference,
        Meaning::PaymentReference,
        Meaning::Batch,
        Meaning::Payout,
        Meaning::Price,
        Meaning::Total,
        Meaning::Fee,
        Meaning::Currency,
        Meaning::StateNumber,
        Meaning::StateWord,
    ];

    /// In the list of differences, whichever way the service spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Meaning::Reference => "reference",
            Meaning::Session => "sessionId",
            Meaning::AccountReference => "accountReference",
            Meaning::PaymentReference => "paymentReference",
            Meaning::Batch => "batchReference",
            Meaning::Payout => "payoutReference",
            Meaning::Price => "amount",
            Meaning::Total => "total",
            Meaning::Fee => "fee",
            Meaning::Currency => "currency",
            Meaning::StateNumber | Meaning::StateWord => "state",
        }
    }
}

/// A member that has a meaning. Others are ignored.
#[derive(Clone, Copy, Debug)]
pub struct EventMember {
    /// In an event in any case; in an answer exactly so.
    pub name: &'static str,
    pub meaning: Meaning,
    pub certainty: Certainty,
    pub doc: &'static str,
}

const fn member(name: &'static str, meaning: Meaning, certainty: Certainty, text: &'static str) -> EventMember {
    EventMember { name, meaning, certainty, doc: doc(text) }
}

/// The member in which the event's object may be wrapped, in any case.
pub const WRAPPER: &str = "data";

use Certainty::{Documented, Guessed, Integrated, Reported};

pub const MEMBERS: &[EventMember] = &[
    member("orderReference", Meaning::Reference, Documented, "reference of the order"),
    member("reference", Meaning::Reference, Guessed, "reference of the order"),
    member("sessionId", Meaning::Session, Documented, "identifier of a payment into a virtual account"),
    member(
        "accountReference",
        Meaning::AccountReference,
        Documented,
        "the Reference that was given when the virtual account was generated",
    ),
    member("paymentReference", Meaning::PaymentReference, Documented, "the service's reference of the payment"),
    member("batchReference", Meaning::Batch, Guessed, "reference of a batch of payouts"),
    member("payoutReference", Meaning::Payout, Guessed, "the service's reference of a payout"),
    member("orderAmount", Meaning::Price, Reported, "price of the order, without the fee"),
    member("totalAmountCharged", Meaning::Total, Documented, "what was paid; the fee may be included"),
    member("totalChargedAmount", Meaning::Total, Integrated, "what was paid; the fee may be included"),
    member("fee", Meaning::Fee, Documented, "fee"),
    member("currencyName", Meaning::Currency, Documented, "currency code"),
    member("currency", Meaning::Currency, Guessed, "currency code"),
    member("statusId", Meaning::StateNumber, Documented, "state, as a number"),
    member("status", Meaning::StateWord, Documented, "state, as a word, e.g. Successful or Success"),
];

/// How an event about a subject is verified.
#[derive(Clone, Copy, Debug)]
pub struct Verification {
    pub subject: Subject,
    /// An event that names one of these is about this subject.
    pub names: &'static [Meaning],
    /// Identifies what is asked for. Without it the service cannot be asked.
    pub by: Meaning,
    /// Name of the row that is asked.
    pub endpoint: &'static str,
    /// The member of its request.
    pub member: &'static str,
    /// JSON pointer of the object in its answer that has the members above. `None`: the form of the answer is not
    /// known, so it is returned, and no such event is authentic.
    pub answer: Option<&'static str>,
}

/// The first that fits counts: payouts come first, because no event about one is authentic.
pub const VERIFICATIONS: &[Verification] = &[
    Verification {
        subject: Subject::Payout,
        names: &[Meaning::Batch, Meaning::Payout],
        by: Meaning::Batch,
        endpoint: "payout_status",
        member: "batchReference",
        answer: None,
    },
    Verification {
        subject: Subject::Session,
        names: &[Meaning::Session],
        by: Meaning::Session,
        endpoint: "transaction_details",
        member: "sessionId",
        answer: Some("/data"),
    },
    Verification {
        subject: Subject::Order,
        names: &[Meaning::Reference],
        by: Meaning::Reference,
        endpoint: "order_verify",
        member: "reference",
        answer: Some("/data"),
    },
];

/// Members of `expect`, and the part of the service's answer that must be equal.
pub const EXPECTED: &[(&str, Meaning)] = &[
    ("reference", Meaning::Reference),
    ("amount", Meaning::Price),
    ("currency", Meaning::Currency),
    ("accountReference", Meaning::AccountReference),
];

/// The members that a verified answer has in front of its own.
pub const ADDED: &[&str] = &["authentic", "match", "differences", "event", "about", "key", "respond", "retry_after"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint;
    use crate::operations::{Body, operation};
    use crate::schema::Kind;

    #[test]
    fn every_meaning_has_a_member_and_every_name_is_given_once() {
        for meaning in Meaning::ALL {
            assert!(MEMBERS.iter().any(|member| member.meaning == *meaning), "{meaning:?}");
        }
        for (index, member) in MEMBERS.iter().enumerate() {
            let same = |other: &EventMember| other.name.eq_ignore_ascii_case(member.name);
            assert!(
                !MEMBERS[..index].iter().any(same) && !member.name.eq_ignore_ascii_case(WRAPPER),
                "{}",
                member.name
            );
        }
    }

    #[test]
    fn what_verifies_an_event_only_reads_and_takes_the_member() {
        for verification in VERIFICATIONS {
            let row = endpoint(verification.endpoint);
            assert!(row.read_only(), "{}", row.name);
            let required: Vec<_> = row.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
            assert_eq!(required, [verification.member], "{}", row.name);
            let is_known = row.answer.certainty < Certainty::Guessed;
            assert_eq!(verification.answer.is_some(), is_known, "{}: only a known answer confirms an event", row.name);
        }
    }

    #[test]
    fn the_operation_answers_with_what_is_added() {
        let Body::Own(members) = operation("webhook_verify").answer else { panic!("it has members of its own") };
        assert_eq!(members.iter().map(|member| member.name).collect::<Vec<_>>(), ADDED);
    }

    #[test]
    fn the_operation_takes_what_is_compared() {
        let expect = operation("webhook_verify").members.iter().find(|field| field.name == "expect").unwrap();
        let Kind::Object(fields) = expect.kind else { panic!("expect is no object") };
        let names: Vec<_> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names, EXPECTED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
