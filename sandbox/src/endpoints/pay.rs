//! Pay: an order is paid under a mandate (`NDD`) or by card (`C`).

use super::{Call, success};
use crate::answer::{Answer, ApiError};
use crate::fields::Fields;
use crate::json::{Json, object};
use crate::state::State;
use crate::state::model::{Method, Order, Payment, PaymentState};
use crate::state::payments::{CardPay, MandatePay};

pub fn pay(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let option = fields.required("paymentOption");
    if option.eq_ignore_ascii_case("C") {
        return card(state, call, "reference");
    }
    if !option.is_empty() && !option.eq_ignore_ascii_case("NDD") {
        fields.error("paymentOption", "The paymentOption field must be NDD or C in the sandbox.".to_string());
    }
    let pay = MandatePay {
        reference: fields.required("reference"),
        otp: fields.required("directDebitPaymentRequest.otp"),
        mandate_code: fields.required("directDebitPaymentRequest.mandateCode"),
        account_name: fields.required("directDebitPaymentRequest.accountName"),
    };
    fields.required("directDebitPaymentRequest.bankCode");
    fields.finish()?;
    answer(state.pay_by_mandate(&pay)?, call)
}

/// Charges the card in a payload; `reference_at` is the path of the order reference.
pub fn card(state: &mut State, call: &Call, reference_at: &str) -> Result<Answer, ApiError> {
    let (reference, number) = card_fields(&call.input, reference_at)?;
    // Only the answer for a direct debit is documented.
    answer(state.pay_by_card(&CardPay { reference, number })?, call).map(Answer::assumed)
}

/// Validates the card members without looking at the order.
pub fn check_card(call: &Call, reference_at: &str) -> Result<(), ApiError> {
    card_fields(&call.input, reference_at).map(|_| ())
}

fn card_fields(input: &Json, reference_at: &str) -> Result<(String, String), ApiError> {
    let mut fields = Fields::of(input);
    let reference = fields.required(reference_at);
    let two_letters = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if fields.optional("country").is_some_and(|country| !two_letters(&country)) {
        fields.error("country", "The country field must be a two-letter country code.".to_string());
    }
    let number = fields.required_digits("card.cardnumber", 12..=19);
    let month = fields.required_digits("card.expirymonth", 2..=2);
    let year = fields.required_digits("card.expiryyear", 2..=4);
    fields.required_digits("card.cvv", 3..=4);
    if month.len() == 2 && !("01"..="12").contains(&month.as_str()) {
        fields.error("card.expirymonth", "The card.expirymonth field must be 01 to 12.".to_string());
    }
    if year.len() == 3 {
        fields.error("card.expiryyear", "The card.expiryyear field must be 2 or 4 digits.".to_string());
    }
    fields.finish()?;
    Ok((reference, number))
}

/// A payment as an answer reports it.
struct Report {
    status: &'static str,
    status_code: &'static str,
    message: &'static str,
    state: PaymentState,
    code: &'static str,
    detail: &'static str,
    remarks: &'static str,
}

fn report(payment: &Payment) -> Report {
    let Payment { state, code, message, .. } = *payment;
    match (payment.method, state) {
        // A direct debit is answered as initiated, although it is complete at once; order verify returns its final state.
        (Method::DirectDebit, PaymentState::Successful) => Report {
            status: "success",
            status_code: "02",
            message: "Direct debit order created successfully",
            state: PaymentState::Initiated,
            code: "01",
            detail: "Initiated",
            remarks: "Order payment initiated",
        },
        (_, PaymentState::Failed) => Report {
            status: "failed",
            status_code: code,
            message,
            state,
            code,
            detail: message,
            remarks: "Order payment failed",
        },
        (_, PaymentState::Awaiting) => Report {
            status: "pending",
            status_code: code,
            message,
            state,
            code,
            detail: message,
            remarks: "Send the customer to redirectUrl",
        },
        _ => Report {
            status: "success",
            status_code: code,
            message,
            state,
            code,
            detail: message,
            remarks: "Order payment successful",
        },
    }
}

fn answer(order: &Order, call: &Call) -> Result<Answer, ApiError> {
    let payment = order.payments.last().ok_or_else(|| ApiError::not_found("reference", "Payment"))?;
    let report = report(payment);
    let redirect = (payment.state == PaymentState::Awaiting)
        .then(|| format!("{}/sandbox/payments/{}/confirm", call.base_url, payment.reference));
    let instrument = (payment.method == Method::Card).then(|| payment.instrument.clone());
    let data = object! {
        "paymentDetail": object! {
            "redirectUrl": redirect,
            "recipientAccount": "Sandbox Merchant",
            "paymentReference": &payment.reference,
            "cardToken": Json::Null,
        },
        "bankTransferDetails": Json::Null,
        "orderPayment": object! {
            "orderId": order.id,
            "orderPaymentReference": &payment.reference,
            "currency": &order.currency,
            "statusId": report.state.id(),
            "orderPaymentResponseCode": report.code,
            "orderPaymentResponseMessage": report.detail,
            "orderPaymentInstrument": instrument,
            "remarks": report.remarks,
            "totalAmount": order.total(),
            "fee": order.fee(),
        },
    };
    let body = match report.status {
        "success" => success(report.status_code, report.message, data),
        status => {
            object! { "data": data, "status": status, "statusCode": report.status_code, "message": report.message }
        }
    };
    let answer = Answer::ok(&body);
    Ok(if report.status == "success" { answer } else { answer.assumed() })
}
