//! What a request is answered when the state refuses it: the only place where a broken rule becomes HTTP.

use crate::answer::Refusal;
use crate::state::RuleError;

impl From<RuleError> for Refusal {
    fn from(error: RuleError) -> Refusal {
        let otp = |text: &str| Refusal::field("directDebitPaymentRequest.otp", text);
        match error {
            RuleError::MandateNotFound => Refusal::not_found("mandateCode", "Mandate"),
            RuleError::MandateExists => Refusal::field("mandateCode", "A mandate with this code exists already."),
            RuleError::BankAccountNotFound => Refusal::not_found("accountNumber", "Account"),

            RuleError::OrderNotFound => Refusal::not_found("reference", "Order"),
            RuleError::OrderExists => Refusal::field("reference", "An order with this reference exists already."),
            RuleError::OrderPaid => Refusal::field("reference", "The order is paid already."),
            RuleError::OrderNotPaid => {
                Refusal::field("reference", "The order is not paid: there is nothing to refund.")
            }
            RuleError::OrderRefunded => Refusal::field("reference", "The order is refunded in full already."),
            RuleError::RefundTooLarge { amount, left } => {
                Refusal::field("amount", format!("The amount {amount} is more than the {left} left to refund."))
            }

            RuleError::PayingMandateNotFound => Refusal::not_found("directDebitPaymentRequest.mandateCode", "Mandate"),
            RuleError::PayingMandateInactive => {
                Refusal::field("directDebitPaymentRequest.mandateCode", "The mandate is not active.")
            }
            RuleError::OtpNotSent => otp("No one-time code was sent for this mandate."),
            RuleError::OtpWrong => otp("The one-time code is wrong."),
            RuleError::OtpExpired => otp("The one-time code has expired."),
            RuleError::OtpUsed => otp("The one-time code was used before."),
            RuleError::PaymentNotFound => Refusal::not_found("paymentReference", "Payment"),
            RuleError::PaymentNotAwaiting => {
                Refusal::field("paymentReference", "The payment does not await confirmation.")
            }

            RuleError::VirtualAccountNotFound => Refusal::not_found("accountNumber", "Virtual account"),
            RuleError::SessionNotFound => Refusal::not_found("sessionId", "Transaction"),
            RuleError::SessionExists => Refusal::field("sessionId", "A session with this id exists already."),

            RuleError::PayoutAccountNotFound { index } => {
                Refusal::not_found(&format!("payoutDetails.{index}.accountNumber"), "Account")
            }
            RuleError::BalanceTooLow { index } => {
                Refusal::field(&format!("payoutDetails.{index}.amount"), "The balance is too low for this batch.")
            }
            RuleError::BatchNotFound => Refusal::not_found("batchReference", "Payout batch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_404_and_what_is_not_allowed_is_400() {
        let answer = |error: RuleError| {
            let answer = Refusal::from(error).into_answer();
            (answer.status, String::from_utf8(answer.body).unwrap(), answer.assumed)
        };
        let (status, body, assumed) = answer(RuleError::PayoutAccountNotFound { index: 3 });
        assert_eq!((status, assumed), (404, true));
        assert!(body.contains(r#""errors":{"payoutDetails.3.accountNumber":"Account not found at the moment."}"#));
        let (status, body, assumed) = answer(RuleError::OtpUsed);
        assert_eq!((status, assumed), (400, true));
        assert!(body.contains(r#""errors":{"directDebitPaymentRequest.otp":"The one-time code was used before."}"#));
    }
}
