//! Rules of the state that a request can break. A refused request changes nothing.

use crate::util::money::Money;

/// The kind of a broken rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The thing it names does not exist.
    Missing,
    /// The current state does not allow it.
    Refused,
}

/// The rules, a row each: the field of the request, and what is missing or why it is refused.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $({ $($part:ident: $kind:ty),* })? $how:ident $field:literal $text:literal;)*) => {
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum RuleError { $($(#[$doc])* $name $({ $($part: $kind),* })?),* }

        impl RuleError {
            /// With the name of the field, and the words of the row.
            pub fn words(&self) -> (Broken, String, String) {
                match self {
                    $(RuleError::$name $({ $($part),* })? => (Broken::$how, format!($field), format!($text))),*
                }
            }
        }
    };
}

rules! {
    MandateNotFound Missing "mandateCode" "Mandate";
    MandateExists Refused "mandateCode" "A mandate with this code already exists.";
    /// The bank account of a new mandate is unknown.
    BankAccountNotFound Missing "accountNumber" "Account";

    OrderNotFound Missing "reference" "Order";
    OrderExists Refused "reference" "An order with this reference already exists.";
    OrderDiffers { amount: Money, currency: String } Refused "order.amount"
        "An order with this reference exists, of {amount} {currency}.";
    OrderPaid Refused "reference" "The order is already paid.";
    CurrencyUnknown Refused "order.currency" "The currency is not a currency code such as NGN.";
    OptionNotOffered { option: &'static str, currency: String } Refused "paymentOption"
        "The payment option {option} is not offered in {currency}.";
    OrderNotPaid Refused "reference" "The order is not paid: there is nothing to refund.";
    OrderRefunded Refused "reference" "The order has already been refunded in full.";
    RefundTooLarge { amount: Money, left: Money } Refused "amount"
        "The amount {amount} is more than the {left} left to refund.";

    /// The mandate that a payment names.
    PayingMandateNotFound Missing "directDebitPaymentRequest.mandateCode" "Mandate";
    PayingMandateInactive Refused "directDebitPaymentRequest.mandateCode" "The mandate is not active.";
    OtpNotSent Refused "directDebitPaymentRequest.otp" "No one-time code was sent for this mandate.";
    OtpWrong Refused "directDebitPaymentRequest.otp" "The one-time code is wrong.";
    OtpExpired Refused "directDebitPaymentRequest.otp" "The one-time code has expired.";
    OtpUsed Refused "directDebitPaymentRequest.otp" "The one-time code was used before.";
    PaymentNotFound Missing "paymentReference" "Payment";
    PaymentNotAwaiting Refused "paymentReference" "The payment does not await confirmation.";
    PaymentReferenceExists Refused "paymentReference" "A payment with this reference already exists.";
    AuthorizationNotFound Missing "orderPaymentReference" "Payment";
    AuthorizationNotAwaiting Refused "orderPaymentReference" "The payment does not await its card holder.";
    CardCodeWrong Refused "otp" "The one-time code is wrong.";
    CardCodeExpired Refused "otp" "The one-time code has expired.";
    NothingToCapture Refused "reference" "The order has no reserved amount to capture.";
    CaptureTooLarge { amount: Money, reserved: Money } Refused "Amount"
        "The amount {amount} is more than the {reserved} reserved.";
    RefundNotFound Missing "reference" "Refund";
    RefundNotPending Refused "reference" "The order has no pending refund.";
    TransferOver Refused "accountNumber" "The temporary account no longer takes transfers.";
    TransferDiffers { total: Money, currency: String } Refused "amount"
        "The temporary account takes exactly {total} {currency}, the fee included.";
    NoCardToSave Refused "reference" "The order was not paid by card.";
    CardNotFound Missing "authorization.cardToken" "Saved card";
    CardExists Refused "cardToken" "A card with this token already exists.";

    VirtualAccountNotFound Missing "accountNumber" "Virtual account";
    SessionNotFound Missing "sessionId" "Transaction";
    SessionExists Refused "sessionId" "A session with this id already exists.";

    /// The bank account of the payout at this index of a batch is unknown.
    PayoutAccountNotFound { index: usize } Missing "payoutDetails.{index}.accountNumber" "Account";
    BalanceTooLow { index: usize } Refused "payoutDetails.{index}.amount" "The balance is too low for this batch.";
    BatchNotFound Missing "batchReference" "Payout batch";
    BatchExists Refused "batchReference" "A batch with this reference already exists.";
    /// Neither a batch nor a payout.
    PayoutNotFound Missing "reference" "Payout";
    PayoutFinal Refused "reference" "No payout with this reference is pending.";
}
