//! Orders: create (with or without a card), status, verify and fee.

use super::{Call, pay, success, transactions};
use crate::answer::{Answer, ApiError};
use crate::fields::Fields;
use crate::json::{Json, object};
use crate::state::model::{Customer, Order, PaymentState};
use crate::state::orders::NewOrder;
use crate::state::{DEFAULT_CURRENCY, State};

/// Creates an order from `order`, charges `card`, or does both.
pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let input = &call.input;
    let has_card = input.get("card").is_some_and(Json::is_object);
    if input.get("order").is_some_and(Json::is_object) {
        let new = new_order(input)?;
        if !has_card {
            return Ok(Answer::ok(&created(state.create_order(new)?)));
        }
        // Checked before the order is created: a refused request must not change anything.
        pay::check_card(call, "order.reference")?;
        match state.orders.get(&new.reference) {
            // A card must not be charged with another amount than the one that is asked for.
            Some(known) => known.check_price(new.amount, new.currency.as_deref())?,
            None => _ = state.create_order(new)?,
        }
        return pay::card(state, call, "order.reference");
    }
    let mut fields = Fields::of(input);
    let option = fields.required("paymentoption");
    if !option.is_empty() && !option.eq_ignore_ascii_case("C") {
        fields.error(
            "paymentoption",
            "The paymentoption field must be C; without a payment the payload needs an order.".to_string(),
        );
    }
    fields.required("reference");
    if !has_card {
        fields.error("card", "The card field is required.".to_string());
    }
    fields.finish()?;
    pay::card(state, call, "reference")
}

fn new_order(input: &Json) -> Result<NewOrder, ApiError> {
    let mut fields = Fields::of(input);
    let new = NewOrder {
        reference: fields.required("order.reference"),
        amount: fields.required_amount("order.amount"),
        currency: fields.optional("order.currency"),
        description: fields.optional("order.description"),
        customer: Some(Customer {
            firstname: fields.optional("customer.firstname"),
            lastname: fields.optional("customer.lastname"),
            mobile: fields.optional("customer.mobile"),
            country: fields.optional("customer.country"),
            email: fields.optional("customer.email"),
        }),
    };
    fields.finish()?;
    Ok(new)
}

fn created(order: &Order) -> Json {
    let option = |code: &str, name: &str| object! { "code": code, "name": name, "currency": &order.currency };
    let data = object! {
        "order": object! {
            "reference": &order.reference,
            "amount": order.amount,
            "fee": order.fee(),
            "statusId": PaymentState::Initiated.id(),
            "status": PaymentState::Initiated.name(),
            "currency": &order.currency,
            "feeRate": Json::Number("1.5".to_string()),
            "processorReference": &order.processor_reference,
            "narration": order.description.clone(),
            "description": order.description.clone(),
            "dateCreated": order.created.seven_digits(),
        },
        "subsidiary": object! {
            "id": 1_u64,
            "name": "Sandbox Merchant",
            "country": "NG",
            "supportEmail": "support@sandbox.example",
            "customization": Json::Array(Vec::new()),
        },
        "customer": transactions::customer(order),
        "payment": object! { "redirectUrl": Json::Null, "source": Json::Null },
        "otherPaymentOptions": vec![option("C", "Card"), option("NDD", "Direct debit")],
        "savedCards": Json::Array(Vec::new()),
        "subsidiaryOrderSummary": object! {
            "reference": &order.reference, "totalAmount": order.amount, "currency": &order.currency,
        },
    };
    success("01", "Order created successfully", data)
}

fn known_order<'a>(state: &'a State, input: &Json) -> Result<&'a Order, ApiError> {
    let mut fields = Fields::of(input);
    let reference = fields.required("reference");
    fields.finish()?;
    Ok(state.order(&reference)?)
}

/// `status` is the state of the payment here, not the result of the call.
pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = known_order(state, &call.input)?;
    let (now, payment) = (order.state(), order.decisive_payment());
    let data = object! {
        "isFinalStatus": now.is_final(),
        "requeryNeeded": !now.is_final(),
        "orderSummary": object! {
            "id": order.id,
            "reference": &order.reference,
            "orderReference": &order.reference,
            "paymentReference": &order.processor_reference,
            "paymentType": payment.map(|payment| payment.method.code()),
            "currencyId": 1_u64,
            "currencyName": &order.currency,
            "paymentResponseCode": payment.map(|payment| payment.code),
            "paymentResponseMessage": payment.map(|payment| payment.message),
            "narration": order.description.clone(),
            "remarks": Json::Null,
            "statusId": now.id(),
            "status": now.name(),
            "amount": order.amount,
            "totalChargedAmount": order.total(),
            "fee": order.fee(),
            "dateCreated": order.created.seven_digits(),
        },
        "orderPayments": transactions::order_payments(order),
    };
    let body = object! { "data": data, "status": now.name(), "statusCode": transactions::status_code(now), "message": now.name() };
    Ok(Answer::ok(&body))
}

/// Success and `00` mean that the order was found; `data.statusId` is its payment state.
pub fn verify(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = known_order(state, &call.input)?;
    Ok(Answer::ok(&success("00", "Order details fetched successfully", transactions::of_order(order))))
}

pub fn fee(_: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let amount = fields.required_amount("amount");
    let currency = fields.optional("currency").unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
    let option = fields.optional("paymentoption");
    fields.finish()?;
    let data = object! {
        "amount": amount,
        "fee": amount.fee(),
        "totalAmount": amount.plus(amount.fee()),
        "currency": currency,
        "paymentOption": option,
    };
    Ok(Answer::ok(&success("00", "Fee fetched successfully", data)))
}
