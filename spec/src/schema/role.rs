//! What a member of an answer means: one reader takes every answer apart by the roles of its members.

/// What a reference names. An answer that names a different one from its request is not the answer to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Order,
    /// A payment into a virtual account.
    Session,
    Mandate,
    /// Of payouts.
    Batch,
    /// The label of a virtual account.
    Alias,
    /// The `Reference` that was given when the virtual account was generated.
    Account,
    /// One attempt to pay an order.
    Payment,
    /// A recipient of payouts: no answer repeats it.
    Recipient,
    /// The refunded amount. It is not a name, but an answer with a different amount is not the answer either. Compared
    /// as a decimal.
    Refunded,
}

impl Reference {
    pub const ALL: &[Reference] = &[
        Reference::Order,
        Reference::Session,
        Reference::Mandate,
        Reference::Batch,
        Reference::Alias,
        Reference::Account,
        Reference::Payment,
        Reference::Recipient,
        Reference::Refunded,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Reference::Order => "order",
            Reference::Session => "session",
            Reference::Mandate => "mandate",
            Reference::Batch => "batch",
            Reference::Alias => "alias",
            Reference::Account => "account reference",
            Reference::Payment => "payment",
            Reference::Recipient => "recipient",
            Reference::Refunded => "refunded amount",
        }
    }
}

/// An object of an answer that the reader knows. What a member means depends on its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Place {
    Root,
    Data,
    /// This attempt to pay.
    Payment,
    /// The order, in the answer that tells its state.
    Summary,
    /// The order, in the answer that created it.
    Order,
    /// An attempt in the history of an order.
    Attempt,
    /// An element of `data`, where that is a list.
    Element,
    /// The `error` of a failure.
    Error,
}

/// What a member means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing, although the shared list knows the name.
    Nothing,
    /// Votes for success or failure: the `status` of the whole answer.
    Status,
    /// Votes for success or failure: `isSuccess`.
    IsSuccess,
    /// Votes for failure only: `success`.
    Success,
    Error,
    Errors,
    Message,
    /// Of an `error`, if it has no message.
    Description,
    Code,
    /// The code of an `error`: shown, but not evidence.
    ErrorCode,
    /// The code of a payment.
    PaymentCode,
    StateNumber,
    /// A state as a word; in `data`, where it may be about the request, "false" is a vote for failure.
    StateWord,
    /// A state as a word that is only about the payment.
    PaymentWord,
    Reference(Reference),
    /// As `Reference`, unless a member of the kind `Reference` stands beside it.
    ReferenceAlone(Reference),
    /// The service's own reference of a payment, which no request names: an event and its confirmation have the same.
    ServiceReference,
    /// Without the fee.
    Price,
    /// What was charged; the fee may be included.
    Charged,
    Fee,
    Currency,
    /// Whether the state can no longer change.
    Final,
    /// Whether to ask again.
    Requery,
    /// The number of a bank account.
    AccountNumber,
    /// The service's number of what it has accepted: at any depth it names progress.
    Accepted,
    /// The object of that place; for `Data` a list of elements as well.
    Object(Place),
    /// The list of attempts to pay an order.
    History,
}

impl Role {
    /// For documentation; empty if the member's name says it.
    pub fn words(self) -> String {
        let text = match self {
            Role::Status | Role::IsSuccess | Role::Success | Role::Error | Role::Errors => "success or failure",
            Role::Code | Role::ErrorCode => "code",
            Role::PaymentCode => "code of the payment",
            Role::StateNumber | Role::StateWord | Role::PaymentWord => "state",
            Role::Reference(kind) | Role::ReferenceAlone(kind) => return format!("reference: {}", kind.name()),
            Role::Price => "price",
            Role::Charged => "charged total",
            Role::Fee => "fee",
            Role::Currency => "currency",
            Role::Final | Role::Requery => "whether the state is final",
            Role::Message | Role::Description => "message",
            Role::Accepted => "accepted",
            Role::History => "history",
            Role::AccountNumber => "account",
            Role::Nothing | Role::Object(_) | Role::ServiceReference => "",
        };
        text.to_owned()
    }
}
