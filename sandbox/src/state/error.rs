//! Rules of the state that a request can break. A refused request changes nothing.

use crate::util::money::Money;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleError {
    MandateNotFound,
    MandateExists,
    /// The bank account of a new mandate is unknown.
    BankAccountNotFound,

    OrderNotFound,
    OrderExists,
    /// The order exists, with another amount or currency.
    OrderDiffers {
        amount: Money,
        currency: String,
    },
    OrderPaid,
    /// There is no such currency.
    CurrencyUnknown,
    /// The account does not have the payment option in the order's currency.
    OptionNotOffered {
        option: &'static str,
        currency: String,
    },
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
    PaymentReferenceExists,
    AuthorizationNotFound,
    AuthorizationNotAwaiting,
    CardCodeWrong,
    CardCodeExpired,
    NothingToCapture,
    CaptureTooLarge {
        amount: Money,
        reserved: Money,
    },
    RefundNotFound,
    RefundNotPending,
    /// The temporary account of a bank transfer.
    TransferOver,
    TransferDiffers {
        total: Money,
        currency: String,
    },
    /// The order was not paid by card.
    NoCardToSave,
    CardNotFound,
    CardExists,

    VirtualAccountNotFound,
    SessionNotFound,
    SessionExists,

    /// The bank account of the payout at this index of a batch is unknown.
    PayoutAccountNotFound {
        index: usize,
    },
    BalanceTooLow {
        index: usize,
    },
    BatchNotFound,
    BatchExists,
    /// Neither a batch nor a payout.
    PayoutNotFound,
    PayoutFinal,
}
