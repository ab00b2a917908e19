//! How a program finds out what became of a request whose outcome is unknown.

/// Which read-only endpoint tells what became of a request, and which parts of the request are needed to ask it and to
/// understand its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookUp {
    /// Name of the row that is asked.
    pub endpoint: &'static str,
    /// Each member of the look-up's request, and the JSON pointers into what was kept that may hold its value, first
    /// match first.
    pub members: &'static [(&'static str, &'static [&'static str])],
    /// All that a program keeps from a request in order to resolve it later. None of it is secret.
    pub keep: &'static [Keep],
    pub settles: Settles,
    /// JSON pointers, into what was kept, of the price. A refund with an amount is a partial one.
    pub amount: Option<&'static str>,
    pub currency: Option<&'static str>,
    /// Name of the row that tells the currency of an order, if the look-up's answer does not name it.
    pub currency_by: Option<&'static str>,
    /// JSON pointers of the members that make the request a charge, as does every member that its row does not list.
    pub charges_with: &'static [&'static str],
    /// What the look-up cannot tell; empty if there is nothing to add.
    pub limits: &'static str,
}

/// A value that a program keeps. Each has the JSON pointer at which it stands when the request is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The value of this member of the request, if it was given.
    Value(&'static str),
    /// Only that this object was given: it is kept as `{}`, because it holds secrets.
    Presence(&'static str),
    /// Not a member of the request: the caller adds it, from what it knows about the order or the batch.
    Added(&'static str),
}

impl Keep {
    pub const fn pointer(self) -> &'static str {
        match self {
            Keep::Value(pointer) | Keep::Presence(pointer) | Keep::Added(pointer) => pointer,
        }
    }
}

/// What the answer of the look-up must show for the question to be settled. `docs/verdicts.md` has the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settles {
    /// The state of the order, which was to be charged.
    Charge,
    /// That the order exists, with its price. Nothing was to be charged.
    Order,
    /// As `Charge`, unless the caller says that nothing was to be charged: then as `Order`.
    ChargeOrOrder,
    /// The state of the entry in the history of the order that has the request's `orderPaymentReference`.
    Attempt,
    /// The state reversed, for a refund without an amount. Nothing settles a partial refund.
    Refund,
    /// That the service has accepted the batch.
    Batch,
    /// That there is an account.
    Account,
}
