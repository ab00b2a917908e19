//! Events: the fields that the body of a webhook may have, their meaning, and the endpoint that verifies it.
//!
//! The service documents neither names nor shapes, and signs nothing. Integrations have seen the object of an order's
//! or a session's response, within `data` or `Data` or at the top level, with names in camel or Pascal case.

use crate::schema::{Answer, Member, Reference, Role};

/// Largest body that is read. The largest event that was seen has 3 KB.
pub const MAX_LENGTH: usize = 256 * 1024;

/// Delay before the sender should resend an event that is not decided, where the service gives none.
pub const RETRY_AFTER_SECONDS: u64 = 30;

/// Constants that the receivers of webhooks in all languages share: the name, the number, and what it is.
pub const RECEIVER: &[(&str, usize, &str)] = &[
    ("max_length", MAX_LENGTH, "Largest body that is read, in bytes: the library's own limit."),
    ("verify_seconds", 10, "Time limit of a verification."),
    (
        "retry_after_seconds",
        RETRY_AFTER_SECONDS as usize,
        "When the sender should try again after a failure of the handler.",
    ),
    ("remembered", 10_000, "Handled events that are remembered."),
];

named! {
    /// The subject of an event.
    pub enum Subject(name) {
        Order = "order",
        /// A payment into a virtual account.
        Session = "session",
        Payout = "payout",
    }
}

/// The field in which the event's object may be wrapped, in any case.
pub const WRAPPER: &str = "data";

const ORDER: Role = Role::Reference(Reference::Order);
const SESSION: Role = Role::Reference(Reference::Session);
const BATCH: Role = Role::Reference(Reference::Batch);

/// An event's object, which is read as a response is. Its names may be in any case; what has no role is ignored.
pub const EVENT: &Answer = &Answer { success_is_state: true, members: MEMBERS, ..*Answer::UNKNOWN };

const MEMBERS: &[Member] = &[
    Member::text("orderReference", "reference of the order").role(ORDER),
    Member::text("reference", "reference of the order").role(ORDER).guessed(),
    Member::text("sessionId", "identifier of a payment into a virtual account").role(SESSION),
    Member::text("accountReference", "the Reference that was given when the virtual account was generated")
        .role(Role::Reference(Reference::Account)),
    Member::text("paymentReference", "the service's reference of the payment").role(Role::ServiceReference),
    Member::text("batchReference", "reference of a batch of payouts").role(BATCH).guessed(),
    Member::text("payoutReference", "the service's reference of a payout").role(Role::Accepted).guessed(),
    Member::amount("orderAmount", "price of the order, without the fee").role(Role::Price).reported(),
    Member::amount("totalAmountCharged", "what was paid; the fee may be included").role(Role::Charged),
    Member::amount("totalChargedAmount", "what was paid; the fee may be included").role(Role::Charged).integrated(),
    Member::amount("fee", "fee").role(Role::Fee),
    Member::text("currencyName", "currency code").role(Role::Currency),
    Member::text("currency", "currency code").role(Role::Currency).guessed(),
    Member::integer("statusId", "state, as a number").role(Role::StateNumber),
    Member::text("status", "state, as a word, e.g. Successful or Success").role(Role::StateWord),
];

/// The verification of an event about a subject.
#[derive(Clone, Copy, Debug)]
pub struct Verification {
    pub subject: Subject,
    /// An event with a field of one of these roles is about this subject.
    pub names: &'static [Role],
    /// Identifies what is asked for. Without it the service cannot be asked.
    pub by: Reference,
    /// Name of the row that is asked.
    pub endpoint: &'static str,
    /// The field of its request.
    pub member: &'static str,
    /// The form of its response is known. Otherwise the response is returned, and no such event is authentic.
    pub confirms: bool,
}

/// The first that fits counts: payouts come first, because no event about one is authentic.
pub const VERIFICATIONS: &[Verification] = &[
    Verification {
        subject: Subject::Payout,
        names: &[BATCH, Role::Accepted],
        by: Reference::Batch,
        endpoint: "payout_status",
        member: "batchReference",
        confirms: false,
    },
    Verification {
        subject: Subject::Session,
        names: &[SESSION],
        by: Reference::Session,
        endpoint: "transaction_details",
        member: "sessionId",
        confirms: true,
    },
    Verification {
        subject: Subject::Order,
        names: &[ORDER],
        by: Reference::Order,
        endpoint: "order_verify",
        member: "reference",
        confirms: true,
    },
];

/// Values compared with the service's response, by their names in the list of differences, however it spells them. A
/// `Reference` that the event names must be in the response; other texts are compared where both have them.
pub const COMPARED: &[(&str, Role)] = &[
    ("reference", ORDER),
    ("sessionId", SESSION),
    ("accountReference", Role::Reference(Reference::Account)),
    ("paymentReference", Role::ServiceReference),
    ("amount", Role::Price),
    ("total", Role::Charged),
    ("currency", Role::Currency),
    ("state", Role::StateNumber),
];

/// Fields of `expect`, and the part of the service's response that must be equal: those that are compared, by their names.
pub const EXPECTED: &[&str] = &["reference", "amount", "currency", "accountReference"];

/// The fields that a verified response has in front of its own.
pub const ADDED: &[&str] = &["authentic", "match", "differences", "event", "about", "key", "respond", "retry_after"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint;
    use crate::operations::{Body, operation};
    use crate::schema::{Certainty, Kind};

    #[test]
    fn every_member_has_a_role_and_every_name_is_given_once() {
        for (index, member) in MEMBERS.iter().enumerate() {
            let same = |other: &Member| other.name.eq_ignore_ascii_case(member.name);
            let is_new = !MEMBERS[..index].iter().any(same) && !member.name.eq_ignore_ascii_case(WRAPPER);
            assert!(is_new && member.role.is_some(), "{}", member.name);
        }
        for name in EXPECTED {
            assert!(COMPARED.iter().any(|(known, _)| known == name), "{name}");
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
            assert_eq!(verification.confirms, is_known, "{}: only a known response confirms an event", row.name);
        }
    }

    #[test]
    fn the_operation_answers_with_what_is_added() {
        let Body::Own(members) = operation("webhook_verify").answer else { panic!("it has fields of its own") };
        assert_eq!(members.iter().map(|member| member.name).collect::<Vec<_>>(), ADDED);
    }

    #[test]
    fn the_operation_takes_what_is_compared() {
        let expect = operation("webhook_verify").members.iter().find(|field| field.name == "expect").unwrap();
        let Kind::Object(fields) = expect.kind else { panic!("expect is no object") };
        let names: Vec<_> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names, EXPECTED);
    }
}
