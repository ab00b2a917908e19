//! The responses about a payment and an order, and the similar objects in funding details and in webhooks.

use super::{Call, success};
use crate::http::answer::{Answer, ApiError};
use crate::state::accounts::{BANK, BANK_CODE};
use crate::state::model::{Awaits, Method, Order, Payment, PaymentState, Session};
use crate::state::{State, currency};
use crate::util::clock::NO_DATE;
use crate::util::json::{Json, object};
use crate::util::money::Money;

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

/// `productName` of every order.
const PRODUCT: &str = "Collection";

pub fn details(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let session = state.session(call.path_value("sessionId"))?;
    Ok(Answer::ok(&object! {
        "message": "Transaction details fetched successfully",
        "code": "00",
        "status": true,
        "data": of_session(session),
    }))
}

pub fn status_code(state: PaymentState) -> &'static str {
    match state {
        PaymentState::Initiated => "01",
        PaymentState::Pending => "02",
        PaymentState::Failed => "04",
        PaymentState::Successful | PaymentState::Reversed => "00",
    }
}

pub fn of_session(session: &Session) -> Json {
    let date = session.created.seven_digits();
    let payment = object! {
        "orderId": session.order_id,
        "orderPaymentReference": &session.payment_reference,
        "paymentOptionId": Method::BankTransfer.id(),
        "paymentOption": Json::Null,
        "statusId": PaymentState::Successful.id(),
        "paymentStatus": PaymentState::Successful.name(),
        "responseCode": "00",
        "responseMessage": Json::Null,
        "orderPaymentInstrument": &session.account_number,
        "remarks": Json::Null,
        "dateCreated": &date,
        "dateUpdated": Json::Null,
    };
    Transaction {
        state: PaymentState::Successful,
        order_reference: None,
        payment_reference: Some(session.payment_reference.clone()),
        product: None,
        total: session.amount,
        fee: None,
        fee_rate: None,
        method: None,
        response: (None, None),
        narration: session.narration.clone(),
        currency: &session.currency,
        created: date.clone(),
        updated: date.clone(),
        confirmed: date,
        session: Some(session),
        payments: vec![payment],
        customer: Json::Null,
        cards: Json::Null,
    }
    .json()
}

pub fn of_order(order: &Order) -> Json {
    let state = order.state();
    let payment = order.decisive_payment();
    let confirmed = payment
        .filter(|payment| payment.state == PaymentState::Successful)
        .map(|payment| payment.updated.seven_digits());
    Transaction {
        state,
        order_reference: Some(order.reference.clone()),
        payment_reference: Some(order.processor_reference.clone()),
        product: Some(PRODUCT),
        total: order.total(),
        fee: Some(order.fee()),
        fee_rate: Some(order.fee_rule.rate(payment.map_or(Method::Card, |payment| payment.method))),
        method: payment.map(|payment| payment.method.paid_by()),
        response: (payment.map(|payment| payment.code), payment.map(|payment| payment.message)),
        narration: order.description.clone(),
        currency: &order.currency,
        created: order.created.seven_digits(),
        updated: order.updated.seven_digits(),
        confirmed: confirmed.unwrap_or_else(|| NO_DATE.to_string()),
        session: None,
        payments: order_payments(order),
        customer: customer(order),
        cards: cards(order),
    }
    .json()
    // The price, without the fee.
    .and(object! { "orderAmount": order.amount, "totalChargedAmount": order.total() })
}

pub fn order_payments(order: &Order) -> Vec<Json> {
    let payments = order.payments.iter().map(|payment| {
        object! {
            "orderId": order.id,
            "orderPaymentReference": &payment.reference,
            "orderPaymentResponseCode": payment.code,
            "orderPaymentResponseMessage": payment.message,
            "paymentOptionId": payment.method.id(),
            "paymentOption": payment.method.code(),
            "statusId": payment.state.id(),
            "status": payment.state.name(),
            "paymentStatus": payment.state.name(),
            "responseCode": payment.code,
            "responseMessage": payment.message,
            "orderPaymentInstrument": &payment.instrument,
            "remarks": remarks(payment),
            "providerReference": &payment.detail_reference,
            "providerResponseCode": payment.code,
            // Texts in every case: strict clients read no null here.
            "paymentUrl": "",
            "externalReference": "",
            "dateCreated": payment.created.seven_digits(),
            "dateUpdated": payment.updated.seven_digits(),
        }
    });
    payments.collect()
}

fn customer(order: &Order) -> Json {
    let Some(customer) = &order.customer else {
        return Json::Null;
    };
    object! {
        "firstName": customer.firstname.clone(),
        "lastName": customer.lastname.clone(),
        "mobileNumber": customer.mobile.clone(),
        "countryShortName": customer.country.clone(),
        "emailAddress": customer.email.clone(),
    }
}

/// As order create answers it.
pub fn customer_of_create(order: &Order) -> Json {
    let Some(customer) = &order.customer else {
        return Json::Null;
    };
    object! {
        "firstName": customer.firstname.clone(),
        "lastName": customer.lastname.clone(),
        "mobile": customer.mobile.clone(),
        "country": customer.country.clone(),
        "email": customer.email.clone(),
    }
}

/// The cards that were tried. The names of the fields are assumed.
fn cards(order: &Order) -> Json {
    let cards = order.payments.iter().filter(|payment| payment.method == Method::Card);
    let shown = cards.map(|payment| {
        object! {
            "maskedPan": &payment.instrument,
            "last4": payment.instrument.trim_start_matches('*'),
            "issuer": BANK,
            "countryShortName": "NG",
        }
    });
    shown.collect::<Vec<_>>().into()
}

/// The fields that differ between a funding session and an order.
struct Transaction<'a> {
    state: PaymentState,
    order_reference: Option<String>,
    payment_reference: Option<String>,
    product: Option<&'a str>,
    total: Money,
    fee: Option<Money>,
    /// In percent.
    fee_rate: Option<Money>,
    method: Option<&'a str>,
    response: (Option<&'a str>, Option<&'a str>),
    narration: Option<String>,
    currency: &'a str,
    created: String,
    updated: String,
    confirmed: String,
    session: Option<&'a Session>,
    payments: Vec<Json>,
    customer: Json,
    cards: Json,
}

impl Transaction<'_> {
    fn json(self) -> Json {
        let session = self.session;
        object! {
            "statusCode": status_code(self.state),
            "status": self.state.name(),
            "orderReference": self.order_reference,
            "paymentReference": self.payment_reference,
            "productName": self.product,
            "totalAmountCharged": self.total,
            "statusId": self.state.id(),
            "paymentMethod": self.method,
            "paymentResponseCode": self.response.0,
            "paymentResponseMessage": self.response.1,
            "narration": self.narration,
            "remarks": Json::Null,
            "currencyId": currency::id(self.currency),
            "currencyName": self.currency,
            "fee": self.fee,
            "feeRate": self.fee_rate,
            "subsidiaryFee": Json::Null,
            "customerFee": self.fee,
            "dateCreated": self.created,
            "dateUpdated": self.updated,
            "datePaymentConfirmed": self.confirmed,
            "sessionId": session.map(|session| session.id.clone()),
            "sourceAccountName": session.map(|session| session.sender_name.clone()),
            "sourceAccountNumber": session.and_then(|session| session.sender_account.clone()),
            "orderPayments": self.payments,
            "customer": self.customer,
            "cardDetails": self.cards,
            "paymentLink": Json::Null,
            "bank": session.map(|_| BANK),
            "accountReference": session.and_then(|session| session.account_reference.clone()),
        }
    }
}
