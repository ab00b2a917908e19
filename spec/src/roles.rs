//! The shared list of roles: what fields with these names mean if a row does not define it, and in responses without a row.

use crate::schema::{Place, Reference, Role};

/// A set of places.
#[derive(Clone, Copy)]
pub struct Places(u8);

impl Places {
    const fn of(places: &[Place]) -> Places {
        let (mut bits, mut index) = (0, 0);
        while index < places.len() {
            bits |= 1 << places[index] as u8;
            index += 1;
        }
        Places(bits)
    }

    pub const fn contains(self, place: Place) -> bool {
        self.0 & 1 << place as u8 != 0
    }
}

/// A name, and what it means in each place. Elsewhere it means nothing.
pub struct KnownName {
    pub name: &'static str,
    pub roles: &'static [(Role, Places)],
    /// Rows may define it otherwise.
    pub by_row: bool,
}

impl KnownName {
    pub fn role(&self, place: Place) -> Option<Role> {
        self.roles.iter().find(|(_, places)| places.contains(place)).map(|(role, _)| *role)
    }

    /// Its meaning wherever it stands: the number of a state, or what was accepted.
    pub const fn at_any_depth(&self) -> Option<Role> {
        match self.roles {
            [(role @ (Role::StateNumber | Role::Accepted), _)] | [_, (role @ Role::Accepted, _)] => Some(*role),
            _ => None,
        }
    }
}

use Place::{Attempt, Data, Element, Error, Order, Payment, Root, Summary};

const ROOT: Places = Places::of(&[Root]);
const IN_DATA: Places = Places::of(&[Data]);
const ENVELOPE: Places = Places::of(&[Root, Data]);
const SCALARS: Places = Places::of(&[Data, Payment, Summary, Order]);
const STATES: Places = Places::of(&[Data, Payment, Summary, Order, Attempt, Element]);
const ALL: Places = Places::of(&[Root, Data, Payment, Summary, Order, Attempt, Element]);
const FINALITY: Places = Places::of(&[Root, Data, Summary, Order, Attempt]);

const fn known(name: &'static str, roles: &'static [(Role, Places)]) -> KnownName {
    KnownName { name, roles, by_row: false }
}

const fn by_row(name: &'static str, roles: &'static [(Role, Places)]) -> KnownName {
    KnownName { name, roles, by_row: true }
}

pub const SHARED: &[KnownName] = &[
    known("fee", &[(Role::Fee, SCALARS)]),
    known("code", &[(Role::Code, ALL), (Role::ErrorCode, Places::of(&[Error]))]),
    known(DATA, &[(Role::Object(Data), ROOT)]),
    known("alias", &[(Role::Reference(Reference::Alias), ENVELOPE)]),
    known("error", &[(Role::Error, Places::of(&[Root, Element]))]),
    known("order", &[(Role::Object(Order), IN_DATA)]),
    // In the response that creates an order.
    by_row("amount", &[]),
    known("errors", &[(Role::Errors, Places::of(&[Root, Element]))]),
    known("status", &[(Role::Status, ROOT), (Role::StateWord, STATES)]),
    known("batchId", &[(Role::Accepted, ALL)]),
    known("message", &[(Role::Message, Places::of(&[Root, Data, Error]))]),
    known("success", &[(Role::Success, Places::of(&[Root, Data, Element]))]),
    known("currency", &[(Role::Currency, SCALARS)]),
    known("statusId", &[(Role::StateNumber, STATES)]),
    known("isSuccess", &[(Role::IsSuccess, Places::of(&[Root, Data, Element]))]),
    // Guessed: if there is no `orderReference` beside it.
    by_row("reference", &[(Role::ReferenceAlone(Reference::Order), Places::of(&[Summary, Order]))]),
    known("sessionId", &[(Role::Reference(Reference::Session), IN_DATA)]),
    known("statusCode", &[(Role::Code, ALL)]),
    known("status_code", &[(Role::Code, ALL)]),
    known("mandateCode", &[(Role::Reference(Reference::Mandate), IN_DATA)]),
    known("description", &[(Role::Description, Places::of(&[Error]))]),
    known("orderAmount", &[(Role::Price, SCALARS)]),
    known("totalAmount", &[(Role::Charged, Places::of(&[Payment]))]),
    known("currencyName", &[(Role::Currency, SCALARS)]),
    known("orderPayment", &[(Role::Object(Payment), IN_DATA)]),
    known("orderSummary", &[(Role::Object(Summary), IN_DATA)]),
    known("responseCode", &[(Role::Code, ALL)]),
    known("accountNumber", &[(Role::AccountNumber, ENVELOPE)]),
    known("isFinalStatus", &[(Role::Final, FINALITY)]),
    known("orderPayments", &[(Role::History, IN_DATA)]),
    known("paymentStatus", &[(Role::PaymentWord, STATES)]),
    known("requeryNeeded", &[(Role::Requery, FINALITY)]),
    known("account_number", &[(Role::AccountNumber, IN_DATA)]),
    known("batchReference", &[(Role::Reference(Reference::Batch), ENVELOPE), (Role::Accepted, ALL)]),
    known("orderReference", &[(Role::Reference(Reference::Order), Places::of(&[Data, Payment, Summary]))]),
    known("amount_refunded", &[(Role::Reference(Reference::Refunded), IN_DATA)]),
    known("payoutReference", &[(Role::Accepted, ALL)]),
    known("paymentReference", &[(Role::ServiceReference, IN_DATA)]),
    known("accountReference", &[(Role::Reference(Reference::Account), ENVELOPE)]),
    known("totalAmountCharged", &[(Role::Charged, SCALARS)]),
    known("totalChargedAmount", &[(Role::Charged, SCALARS)]),
    known("paymentResponseCode", &[(Role::PaymentCode, ALL)]),
    known("orderPaymentReference", &[(Role::Reference(Reference::Payment), Places::of(&[Payment, Attempt]))]),
    known("orderPaymentResponseCode", &[(Role::PaymentCode, ALL)]),
];

/// The field of an envelope that holds the data.
pub const DATA: &str = "data";

/// An envelope reports success, code or message by a field of that name, beside its data.
pub fn is_of_envelope(name: &str) -> bool {
    let told = SHARED.iter().find(|known| known.name == name).and_then(|known| known.role(Root));
    matches!(told, Some(Role::Status | Role::IsSuccess | Role::Success | Role::Code | Role::Message))
}

/// The fields of a request without a row that hold a reference, in any case; also of each element of a list.
pub const OF_REQUEST: &[(&[&str], Reference)] = &[
    (&["reference"], Reference::Order),
    (&["orderReference"], Reference::Order),
    (&["order", "reference"], Reference::Order),
    (&["sessionId"], Reference::Session),
    (&["mandateCode"], Reference::Mandate),
    (&["directDebitPaymentRequest", "mandateCode"], Reference::Mandate),
    (&["batchReference"], Reference::Batch),
    (&["alias"], Reference::Alias),
    (&["orderPaymentReference"], Reference::Payment),
    (&["payoutDetails", "clientReference"], Reference::Recipient),
    (&["clientReference"], Reference::Recipient),
];

/// The fields of a request that hold an amount, where no row names them, in any case; also of each element of a list.
pub const AMOUNTS_OF_REQUEST: &[&[&str]] = &[&[AMOUNT], &[ORDER, AMOUNT], &["payoutDetails", AMOUNT]];
/// The field that holds an order, and what a request that charges one must have in it.
pub const ORDER: &str = "order";
pub const AMOUNT: &str = "amount";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;
    use crate::schema::Member;

    fn check(row: &str, members: &[Member]) {
        for member in members {
            let known = SHARED.iter().find(|known| known.name == member.name);
            assert!(member.role.is_none() || known.is_some_and(|known| known.by_row), "{row}: {}", member.name);
            check(row, member.kind.members());
        }
    }

    /// The reader looks for names of this list only.
    #[test]
    fn members_with_a_role_have_names_that_the_shared_list_leaves_to_rows() {
        ENDPOINTS.iter().for_each(|row| check(row.name, row.answer.members));
    }

    #[test]
    fn the_list_has_no_name_twice() {
        for (index, known) in SHARED.iter().enumerate() {
            assert!(SHARED[..index].iter().all(|other| !other.name.eq_ignore_ascii_case(known.name)), "{}", known.name);
        }
    }
}
