//! Payouts: name enquiry, initiate, status and balance.

use super::Call;
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::magic;
use crate::state::model::{Batch, NewPayout, Payout};
use crate::state::{DEFAULT_CURRENCY, State};
use crate::util::json::{Json, object};

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

/// The batch is accepted, not paid.
pub fn initiate(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let batch = state.pay_out(details(&call.input)?, None)?;
    let data = batch.payouts.iter().map(accepted).collect::<Vec<_>>();
    Ok(Answer::ok(&of_batch(batch, "Your payout has been logged for processing", data)))
}

/// The fields of `payoutDetails`.
pub fn details(input: &Json) -> Result<Vec<NewPayout>, ApiError> {
    let count = match input.get("payoutDetails") {
        Some(Json::Array(details)) => details.len(),
        _ => 0,
    };
    let mut fields = Fields::of(input);
    if count == 0 {
        fields.error("payoutDetails", "The payoutDetails field is required and holds at least one payout.".to_string());
    }
    let new = (0..count).map(|index| new_payout(&mut fields, index)).collect();
    fields.finish()?;
    Ok(new)
}

fn new_payout(fields: &mut Fields, index: usize) -> NewPayout {
    let at = |name: &str| format!("payoutDetails.{index}.{name}");
    let credit = fields.optional(&at("creditCurrency"));
    let debit = fields.optional(&at("debitCurrency"));
    let currency = debit.or(credit.clone()).unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
    NewPayout {
        client_reference: fields.optional(&at("clientReference")),
        account_number: fields.required(&at("accountNumber")),
        account_name: fields.required(&at("accountName")),
        bank_code: fields.required(&at("bankCode")),
        amount: fields.required_amount(&at("amount")),
        credit_currency: credit.unwrap_or_else(|| currency.clone()),
        currency,
        description: fields.optional(&at("description")),
    }
}

fn of_batch(batch: &Batch, message: &str, data: Vec<Json>) -> Json {
    object! {
        "data": data,
        "batchId": batch.id,
        "batchReference": &batch.reference,
        "status": "success",
        "statusCode": "00",
        "message": message,
    }
}

/// As the service documents it: without the client's reference, and with its spelling of the last field.
fn accepted(payout: &Payout) -> Json {
    let details = &payout.details;
    object! {
        "accountName": &details.account_name,
        "accountNumber": &details.account_number,
        "bankCode": &details.bank_code,
        "bankId": details.bank_code.parse::<u64>().ok().map(|id| Json::Number(id.to_string())),
        "amount": details.amount,
        "description": details.description.clone(),
        "category": Json::Null,
        "payoutReference": &payout.reference,
        "creditCurrency": &details.credit_currency,
        "debitCurrency": &details.currency,
        "beneficiayAddress": Json::Null,
    }
}

/// With its state: in the response of the status call, and in webhooks.
pub fn with_state(payout: &Payout) -> Json {
    accepted(payout).and(object! {
        "statusId": payout.state.id(),
        "status": payout.state.name(),
        "dateCreated": payout.created.seven_digits(),
        "dateUpdated": payout.updated.seven_digits(),
    })
}

/// The payouts as they are now; what is pending may be paid or fail after this response.
pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let batch: &Batch = state.batch(call.path_value("batchReference"))?;
    let data = batch.payouts.iter().map(with_state).collect::<Vec<_>>();
    let answer = Answer::ok(&of_batch(batch, "Payout batch fetched successfully", data));
    state.settle_shown(call.path_value("batchReference"));
    Ok(answer)
}

pub fn balance(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let currency = fields.optional("currency").unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
    fields.finish()?;
    let available = state.balance(&currency);
    Ok(Answer::ok(&object! { "currency": currency, "availableBalance": available }))
}
