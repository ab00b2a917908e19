//! The rule that a change would break. A change that is refused leaves the state as it was.

use crate::money::Money;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    MandateNotFound,
    MandateExists,
    /// The account for a new mandate is not known.
    BankAccountNotFound,

    OrderNotFound,
    OrderExists,
    OrderPaid,
    OrderNotPaid,
    OrderRefunded,
    RefundTooLarge {
        amount: Money,
        left: Money,
    },

    /// The mandate that a payment names.
    PayingMandateNotFound,
    PayingMandateInactive,
    OtpNotSent,
    OtpWrong,
    OtpExpired,
    OtpUsed,
    PaymentNotFound,
    PaymentNotAwaiting,

    VirtualAccountNotFound,
    SessionNotFound,
    SessionExists,

    /// The account of one payout of a batch, from 0.
    PayoutAccountNotFound {
        index: usize,
    },
    BalanceTooLow {
        index: usize,
    },
    BatchNotFound,
}
