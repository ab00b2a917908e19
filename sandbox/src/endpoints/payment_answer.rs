//! The response about a payment, to pay and to the steps after it.

use super::{Call, success};
use crate::http::answer::{Answer, ApiError};
use crate::state::model::{Awaits, Method, Order, Payment, PaymentState};
use crate::state::virtual_accounts::{BANK, BANK_CODE};
use crate::util::json::{Json, object};

/// A payment as a response reports it.
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
    let as_it_is = Report { status: "success", status_code: code, message, state, code, detail: message, remarks: "" };
    match (payment.method, state) {
        // A direct debit is answered as initiated, although it is complete at once; order verify returns its final state.
        (Method::DirectDebit, PaymentState::Successful) => Report {
            status_code: "02",
            message: "Direct debit order created successfully",
            state: PaymentState::Initiated,
            code: "01",
            detail: "Initiated",
            remarks: "Order payment initiated",
            ..as_it_is
        },
        (_, PaymentState::Failed) => Report { status: "failed", remarks: "Order payment failed", ..as_it_is },
        // Accepted and under way: neither paid nor failed.
        (_, PaymentState::Pending) => Report { remarks: next_step(payment.awaits), ..as_it_is },
        _ => Report { remarks: "Order payment successful", ..as_it_is },
    }
}

/// `remarks` of a payment, the same in every response.
pub fn remarks(payment: &Payment) -> &'static str {
    report(payment).remarks
}

fn next_step(awaits: Awaits) -> &'static str {
    match awaits {
        Awaits::Holder => "Send the customer to redirectUrl, or authorize with the one-time code",
        Awaits::Transfer => "The customer transfers the total to bankAccount",
        Awaits::Customer => "The customer confirms the payment",
        Awaits::Capture => "Capture the reserved amount",
        Awaits::Nothing => "Order payment pending",
    }
}

/// The response to a payment that was just added. Only the one for a direct debit is documented.
pub fn answer_newest(order: &Order, call: &Call) -> Result<Answer, ApiError> {
    answer(order, order.payments.len().saturating_sub(1), call).map(Answer::assumed)
}

pub fn answer(order: &Order, index: usize, call: &Call) -> Result<Answer, ApiError> {
    let payment = order.payments.get(index).ok_or_else(|| ApiError::not_found("reference", "Payment"))?;
    let report = report(payment);
    let is_pending = payment.state == PaymentState::Pending;
    // A bank transfer, too: clients read a text there.
    let has_page = matches!(payment.awaits, Awaits::Holder | Awaits::Transfer) || payment.method == Method::Opay;
    let redirect =
        (is_pending && has_page).then(|| format!("{}/sandbox/payments/{}/confirm", call.base_url, payment.reference));
    let instrument = (payment.method == Method::Card).then(|| payment.instrument.clone());
    let transfer = (payment.awaits == Awaits::Transfer).then(|| {
        object! {
            "bankAccount": &payment.instrument,
            "bankName": BANK,
            "bankCode": BANK_CODE,
            "accountName": format!("SANDBOX/{}", order.reference),
        }
    });
    let recipient = if transfer.is_some() { &payment.instrument } else { "Sandbox Merchant" };
    let fee = order.fee_of(payment);
    let data = object! {
        "paymentDetail": object! {
            "redirectUrl": redirect,
            "recipientAccount": recipient,
            "paymentReference": &payment.detail_reference,
            "cardToken": Json::Null,
        },
        "bankTransferDetails": transfer,
        "orderPayment": object! {
            "orderId": order.id,
            "orderPaymentReference": &payment.reference,
            "currency": &order.currency,
            "statusId": report.state.id(),
            "orderPaymentResponseCode": report.code,
            "orderPaymentResponseMessage": report.detail,
            "orderPaymentInstrument": instrument,
            "remarks": report.remarks,
            "totalAmount": payment.amount.plus(fee).shortest(),
            "fee": fee.shortest(),
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
