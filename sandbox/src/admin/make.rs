//! Admin calls that create orders, mandates and funding sessions without a request to an endpoint.

use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::attempt::Made;
use crate::state::funding::NewFunding;
use crate::state::mandates::NewMandate;
use crate::state::model::Customer;
use crate::state::orders::NewOrder;
use crate::util::json::{Json, object};

pub fn order(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let email = fields.optional("email");
    let is_paid = fields.optional_bool("paid").unwrap_or(false);
    let new = NewOrder {
        reference: fields.required("reference"),
        amount: fields.required_amount("amount"),
        currency: fields.optional("currency"),
        description: fields.optional("description"),
        customer: email.map(|email| Customer { email: Some(email), ..Customer::default() }),
        redirect_url: None,
    };
    let made = match fields.optional("payment").as_deref() {
        None => is_paid.then_some(Made::Paid),
        Some("pending") if !is_paid => Some(Made::Pending),
        Some("preauthorized") if !is_paid => Some(Made::Preauthorized),
        Some(_) => {
            fields.error(
                "payment",
                "The payment is pending or preauthorized, for an order that is not paid.".to_string(),
            );
            None
        }
    };
    let payment_reference = fields.optional("paymentReference");
    fields.finish()?;
    let reference = new.reference.clone();
    if made.is_some() {
        state.check_new_payment(new.currency.as_deref(), payment_reference.as_deref())?;
    }
    state.create_order(new)?;
    if let Some(made) = made {
        state.make_payment(&reference, made, payment_reference)?;
    }
    let order = state.order(&reference)?;
    let mut json = object! {
        "reference": &order.reference,
        "amount": order.amount.to_string(),
        "currency": &order.currency,
        "order_id": order.id,
        "paid": order.is_paid(),
    };
    if let (Json::Object(members), Some(payment), false) = (&mut json, order.payments.last(), is_paid) {
        members.push(("orderPaymentReference".to_string(), Json::from(&payment.reference)));
    }
    Ok(json)
}

pub fn mandate(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let or = |text: Option<String>, other: &str| text.unwrap_or_else(|| other.to_string());
    let code = fields.required("mandateCode");
    let active = fields.optional_bool("active").unwrap_or(true);
    let new = NewMandate {
        order_reference: or(fields.optional("orderReference"), &code),
        bank_name: or(fields.optional("bankName"), "Sandbox Bank"),
        bank_code: or(fields.optional("bankCode"), "058"),
        account_number: or(fields.optional("accountNumber"), "0690000031"),
    };
    fields.finish()?;
    let mandate = state.make_mandate(code, active, new)?;
    Ok(object! { "mandateCode": &mandate.code, "active": mandate.active, "accountNumber": &mandate.account_number })
}

pub fn card(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let token = fields.required("cardToken");
    let number = match fields.optional("cardnumber") {
        Some(_) => fields.required_card_number("cardnumber"),
        None => "4111111111111111".to_string(),
    };
    let email = fields.optional("email");
    fields.finish()?;
    let card = state.make_card(token, &number, email)?;
    Ok(object! { "cardToken": &card.token, "cardNumber": &card.number })
}

/// Funds an account by its number, or by its alias; an unknown alias gets an account first.
pub fn funding(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let alias = fields.optional("alias");
    let number =
        if alias.is_some() { fields.optional("accountNumber") } else { Some(fields.required("accountNumber")) };
    if alias.is_some() && number.is_some() {
        fields.error("alias", "Give either the alias or the accountNumber.".to_string());
    }
    let mut new = NewFunding {
        account_number: number.unwrap_or_default(),
        amount: fields.required_amount("amount"),
        sender_name: fields.required("senderName"),
        sender_account: fields.optional("senderAccountNumber"),
        narration: fields.optional("narration"),
        session_id: fields.optional("sessionId"),
    };
    fields.finish()?;
    if state.is_transfer_account(&new.account_number) {
        return transfer(state, &new);
    }
    if let Some(alias) = alias {
        new.account_number = state.virtual_account(&alias, None, None).number.clone();
    }
    let session = state.fund(new)?;
    Ok(object! { "sessionId": &session.id })
}

/// A transfer to the temporary account of an order.
fn transfer(state: &mut State, new: &NewFunding) -> Result<Json, ApiError> {
    let (order, index) = state.receive_transfer(&new.account_number, new.amount)?;
    Ok(object! {
        "sessionId": Json::Null,
        "reference": &order.reference,
        "orderPaymentReference": order.payments.get(index).map(|payment| payment.reference.clone()),
        "status": order.state().name(),
    })
}
