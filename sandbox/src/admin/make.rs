//! Admin calls that create orders, mandates and funding sessions without a request to an endpoint.

use crate::answer::ApiError;
use crate::fields::Fields;
use crate::json::{Json, object};
use crate::state::State;
use crate::state::funding::NewFunding;
use crate::state::mandates::NewMandate;
use crate::state::model::Customer;
use crate::state::orders::NewOrder;

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
    };
    fields.finish()?;
    let reference = new.reference.clone();
    state.create_order(new)?;
    if is_paid {
        state.pay_without_card(&reference)?;
    }
    let order = state.order(&reference)?;
    Ok(object! {
        "reference": &order.reference,
        "amount": order.amount.to_string(),
        "currency": &order.currency,
        "orderId": order.id,
        "paid": order.is_paid(),
    })
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

/// Funds an account by its number, or by its alias; an unknown alias gets an account first.
pub fn funding(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let alias = fields.optional("alias");
    let number =
        if alias.is_some() { fields.optional("accountNumber") } else { Some(fields.required("accountNumber")) };
    if alias.is_some() && number.is_some() {
        fields.error("alias", "Say either the alias or the accountNumber.".to_string());
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
    if let Some(alias) = alias {
        new.account_number = state.virtual_account(&alias, None, None).number.clone();
    }
    let session = state.fund(new)?;
    Ok(object! { "sessionId": &session.id })
}
