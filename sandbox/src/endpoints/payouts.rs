//! Payouts: name enquiry, initiate, status and balance.

use super::Call;
use crate::answer::{Answer, ApiError};
use crate::fields::Fields;
use crate::json::{Json, object};
use crate::magic;
use crate::state::model::{Batch, NewPayout, Payout};
use crate::state::{DEFAULT_CURRENCY, State};

pub fn name_enquiry(_: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let bank_code = fields.required("bankCode");
    let account_number = fields.required("accountNumber");
    fields.finish()?;
    if magic::account(&account_number) == magic::Account::Unknown {
        return Err(ApiError::not_found("accountNumber", "Account"));
    }
    let body =
        object! { "bankCode": bank_code, "accountNumber": account_number, "accountName": "Sandbox Account Holder" };
    Ok(Answer::ok(&body))
}

pub fn initiate(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let details = match call.input.get("payoutDetails") {
        Some(Json::Array(details)) if !details.is_empty() => details,
        _ => {
            let text = "The payoutDetails field is required and holds at least one payout.".to_string();
            return Err(ApiError::invalid(vec![("payoutDetails".to_string(), text)]));
        }
    };
    let new = details.iter().map(new_payout).collect::<Result<Vec<_>, ApiError>>()?;
    let batch = state.pay_out(new)?;
    Ok(Answer::ok(&object! {
        "data": batch.payouts.iter().map(shown).collect::<Vec<_>>(),
        "batchId": batch.id,
        "batchReference": &batch.reference,
        "status": "success",
        "statusCode": "01",
        "message": "Payout initiated successfully",
    }))
}

fn new_payout(details: &Json) -> Result<NewPayout, ApiError> {
    let mut fields = Fields::of(details);
    let credit = fields.optional("creditCurrency");
    let debit = fields.optional("debitCurrency");
    let new = NewPayout {
        client_reference: fields.optional("clientReference"),
        account_number: fields.required("accountNumber"),
        account_name: fields.required("accountName"),
        bank_code: fields.required("bankCode"),
        amount: fields.required_amount("amount"),
        currency: debit.or(credit).unwrap_or_else(|| DEFAULT_CURRENCY.to_string()),
        description: fields.optional("description"),
    };
    fields.finish()?;
    Ok(new)
}

fn shown(payout: &Payout) -> Json {
    let details = &payout.details;
    object! {
        "clientReference": details.client_reference.clone(),
        "payoutReference": &payout.reference,
        "accountNumber": &details.account_number,
        "accountName": &details.account_name,
        "bankCode": &details.bank_code,
        "amount": details.amount,
        "currency": &details.currency,
        "description": details.description.clone(),
        "statusId": 5_u64,
        "status": "Successful",
    }
}

pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let batch: &Batch = state.batch(call.path_value("batchReference"))?;
    Ok(Answer::ok(&object! {
        "data": batch.payouts.iter().map(shown).collect::<Vec<_>>(),
        "batchId": batch.id,
        "batchReference": &batch.reference,
        "status": "success",
        "statusCode": "00",
        "message": "Payout batch fetched successfully",
    }))
}

pub fn balance(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let currency = fields.optional("currency").unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
    fields.finish()?;
    let available = state.balance(&currency);
    Ok(Answer::ok(&object! { "currency": currency, "availableBalance": available }))
}
