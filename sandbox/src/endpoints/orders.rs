//! Orders: status, verify and fee.

use super::payment_answer::remarks;
use super::{Call, success, transactions};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::model::{Method, Order};
use crate::state::{State, currency};
use crate::util::json::{Json, object};
use crate::util::money::Money;

/// The order that is looked at.
fn known_order<'a>(state: &'a mut State, input: &Json) -> Result<&'a Order, ApiError> {
    let mut fields = Fields::of(input);
    let reference = fields.required("reference");
    fields.finish()?;
    state.refunds_looked_at(&reference);
    Ok(state.order(&reference)?)
}

/// `status` is the state of the payment here, not the result of the call.
pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = known_order(state, &call.input)?;
    let (now, payment) = (order.state(), order.decisive_payment());
    // Texts even before a payment: strict clients read no null there.
    let (paid_with, code, message) = match payment {
        Some(payment) => (payment.method.code(), payment.code, payment.message),
        None => ("", transactions::status_code(now), now.name()),
    };
    let data = object! {
        "isFinalStatus": now.is_final(),
        "requeryNeeded": !now.is_final(),
        "orderSummary": object! {
            "id": order.id,
            "reference": &order.reference,
            "orderReference": &order.reference,
            "paymentReference": &order.processor_reference,
            "paymentType": paid_with,
            "currencyId": currency::id(&order.currency),
            "paymentResponseCode": code,
            "paymentResponseMessage": message,
            "narration": order.description.clone().unwrap_or_default(),
            "remarks": payment.map_or("", remarks),
            "totalChargedAmount": order.total(),
            "fee": order.fee(),
            "statusId": now.id(),
            "status": now.name(),
            "dateCreated": order.created.seven_digits(),
        },
        "orderPayments": transactions::order_payments(order),
    };
    let body = object! { "data": data, "status": now.name(), "statusCode": transactions::status_code(now), "message": now.name() };
    Ok(Answer::ok(&body))
}

/// Success and `00` mean that the order was found; `data.statusId` is its payment state.
pub fn verify(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let found = transactions::of_order(known_order(state, &call.input)?);
    Ok(Answer::ok(&success("00", "Order details fetched successfully", found)))
}

pub fn fee(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let amount = fields.required_amount("amount");
    let currency = fields.optional("currency");
    let option = fields.optional("paymentoption");
    fields.no_amount_but_at(&["amount"], "the amount is read at amount");
    fields.finish()?;
    let method = option.map_or(Ok(Method::Card), |option| method_at("paymentoption", &option))?;
    state.check_new(method, currency.as_deref())?;
    let fee = state.settings.fee.of(method, amount);
    let total = amount.plus(fee);
    let data = object! {
        "amount": amount,
        "fee": fee,
        "total": total,
        "totalChargedAmount": total,
        "customerFee": fee,
        "subsidiaryFee": Money::ZERO,
        "paymentOption": method.code(),
    };
    Ok(Answer::ok(&success("00", "Fee fetched successfully", data)))
}

/// The payment option that a field names; an unknown one is an error with all options.
pub fn method_at(path: &str, option: &str) -> Result<Method, ApiError> {
    Method::of_code(option).ok_or_else(|| {
        let text = format!("The {path} field must be a payment option, one of {}.", Method::codes());
        ApiError::invalid(vec![(path.to_string(), text)])
    })
}
