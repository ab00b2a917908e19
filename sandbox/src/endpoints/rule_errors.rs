//! Converts the state's rule errors to HTTP responses.

use crate::http::answer::ApiError;
use crate::state::RuleError;

impl From<RuleError> for ApiError {
    fn from(error: RuleError) -> ApiError {
        let otp = |text: &str| ApiError::field("directDebitPaymentRequest.otp", text);
        match error {
            RuleError::MandateNotFound => ApiError::not_found("mandateCode", "Mandate"),
            RuleError::MandateExists => ApiError::field("mandateCode", "A mandate with this code already exists."),
            RuleError::BankAccountNotFound => ApiError::not_found("accountNumber", "Account"),

            RuleError::OrderNotFound => ApiError::not_found("reference", "Order"),
            RuleError::OrderExists => ApiError::field("reference", "An order with this reference already exists."),
            RuleError::OrderDiffers { amount, currency } => {
                ApiError::field("order.amount", format!("An order with this reference exists, of {amount} {currency}."))
            }
            RuleError::OrderPaid => ApiError::field("reference", "The order is already paid."),
            RuleError::CurrencyUnknown => {
                ApiError::field("order.currency", "The currency is not a currency code such as NGN.")
            }
            RuleError::OptionNotOffered { option, currency } => {
                ApiError::field("paymentOption", format!("The payment option {option} is not offered in {currency}."))
            }
            RuleError::OrderNotPaid => {
                ApiError::field("reference", "The order is not paid: there is nothing to refund.")
            }
            RuleError::OrderRefunded => ApiError::field("reference", "The order has already been refunded in full."),
            RuleError::RefundTooLarge { amount, left } => {
                ApiError::field("amount", format!("The amount {amount} is more than the {left} left to refund."))
            }

            RuleError::PayingMandateNotFound => ApiError::not_found("directDebitPaymentRequest.mandateCode", "Mandate"),
            RuleError::PayingMandateInactive => {
                ApiError::field("directDebitPaymentRequest.mandateCode", "The mandate is not active.")
            }
            RuleError::OtpNotSent => otp("No one-time code was sent for this mandate."),
            RuleError::OtpWrong => otp("The one-time code is wrong."),
            RuleError::OtpExpired => otp("The one-time code has expired."),
            RuleError::OtpUsed => otp("The one-time code was used before."),
            RuleError::PaymentNotFound => ApiError::not_found("paymentReference", "Payment"),
            RuleError::PaymentNotAwaiting => {
                ApiError::field("paymentReference", "The payment does not await confirmation.")
            }

            RuleError::PaymentReferenceExists => {
                ApiError::field("paymentReference", "A payment with this reference already exists.")
            }
            RuleError::AuthorizationNotFound => ApiError::not_found("orderPaymentReference", "Payment"),
            RuleError::AuthorizationNotAwaiting => {
                ApiError::field("orderPaymentReference", "The payment does not await its card holder.")
            }
            RuleError::CardCodeWrong => ApiError::field("otp", "The one-time code is wrong."),
            RuleError::CardCodeExpired => ApiError::field("otp", "The one-time code has expired."),
            RuleError::NothingToCapture => ApiError::field("reference", "The order has no reserved amount to capture."),
            RuleError::CaptureTooLarge { amount, reserved } => {
                ApiError::field("Amount", format!("The amount {amount} is more than the {reserved} reserved."))
            }
            RuleError::RefundNotFound => ApiError::not_found("reference", "Refund"),
            RuleError::RefundNotPending => ApiError::field("reference", "The order has no pending refund."),
            RuleError::TransferOver => {
                ApiError::field("accountNumber", "The temporary account no longer takes transfers.")
            }
            RuleError::TransferDiffers { total, currency } => ApiError::field(
                "amount",
                format!("The temporary account takes exactly {total} {currency}, the fee included."),
            ),
            RuleError::NoCardToSave => ApiError::field("reference", "The order was not paid by card."),
            RuleError::CardNotFound => ApiError::not_found("authorization.cardToken", "Saved card"),
            RuleError::CardExists => ApiError::field("cardToken", "A card with this token already exists."),

            RuleError::VirtualAccountNotFound => ApiError::not_found("accountNumber", "Virtual account"),
            RuleError::SessionNotFound => ApiError::not_found("sessionId", "Transaction"),
            RuleError::SessionExists => ApiError::field("sessionId", "A session with this id already exists."),

            RuleError::PayoutAccountNotFound { index } => {
                ApiError::not_found(&format!("payoutDetails.{index}.accountNumber"), "Account")
            }
            RuleError::BalanceTooLow { index } => {
                ApiError::field(&format!("payoutDetails.{index}.amount"), "The balance is too low for this batch.")
            }
            RuleError::BatchNotFound => ApiError::not_found("batchReference", "Payout batch"),
            RuleError::BatchExists => ApiError::field("batchReference", "A batch with this reference already exists."),
            RuleError::PayoutNotFound => ApiError::not_found("reference", "Payout"),
            RuleError::PayoutFinal => ApiError::field("reference", "No payout with this reference is pending."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_404_and_what_is_not_allowed_is_400() {
        let answer = |error: RuleError| {
            let answer = ApiError::from(error).into_answer();
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
