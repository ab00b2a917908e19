//! Payments: an order is paid by card, by bank transfer, under a mandate, or with an option that the customer confirms
//! elsewhere; then authorize and capture, and saved cards.

use super::answers::{answer, answer_newest};
use super::{Call, accounts, input};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Method, PaymentState};
use crate::state::payments::{CardPay, MandatePay};
use crate::util::json::{Json, object};

const WHERE_THE_PRICE_IS: &str =
    "the price is that of the order, which order.amount of POST /payment/order/create sets";

pub fn pay(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let option = fields.required("paymentOption");
    fields.no_amount_but_at(&[], WHERE_THE_PRICE_IS);
    fields.finish()?;
    match input::method_at("paymentOption", &option)? {
        Method::Card => {
            let card = input::card(call, "reference")?;
            state.check_named(&card.reference)?;
            by_card(state, call, &card)
        }
        Method::DirectDebit => by_mandate(state, call),
        Method::BankTransfer => by_transfer(state, call),
        method => {
            let reference = reference(state, Fields::of(&call.input))?;
            call.note(format!("the fields that {} takes are not known: none of them is checked", method.code()));
            answer_newest(state.pay_elsewhere(&reference, method)?, call)
        }
    }
}

pub fn by_card(state: &mut State, call: &Call, card: &CardPay) -> Result<Answer, ApiError> {
    answer_newest(state.pay_by_card(card)?, call)
}

fn by_mandate(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let pay = MandatePay {
        reference: fields.required("reference"),
        otp: fields.required("directDebitPaymentRequest.otp"),
        mandate_code: fields.required("directDebitPaymentRequest.mandateCode"),
        account_name: fields.required("directDebitPaymentRequest.accountName"),
    };
    fields.required("directDebitPaymentRequest.bankCode");
    fields.finish()?;
    state.check_named(&pay.reference)?;
    let order = state.pay_by_mandate(&pay)?;
    answer(order, order.payments.len() - 1, call)
}

fn by_transfer(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    match call.input.get("BankTransfer") {
        None | Some(Json::Null) => call.note("BankTransfer is absent; known integrations send it, even if only as {}"),
        Some(Json::Object(_)) => {
            let bank = fields.optional("BankTransfer.bankcode");
            if bank.is_some_and(|code| !accounts::is_known(&code)) {
                call.note("BankTransfer.bankcode is not a bankCode of GET /payment/banks; it has no effect");
            }
        }
        Some(_) => fields.error("BankTransfer", "The BankTransfer field must be an object.".to_string()),
    }
    let reference = reference(state, fields)?;
    answer_newest(state.pay_by_transfer(&reference)?, call)
}

fn reference(state: &State, mut fields: Fields) -> Result<String, ApiError> {
    let reference = fields.required("reference");
    input::check_country(&mut fields);
    fields.finish()?;
    state.check_named(&reference)?;
    Ok(reference)
}

/// The one-time code of the card holder.
pub fn authorize(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("orderPaymentReference");
    let otp = fields.required("otp");
    fields.optional("message");
    fields.no_amount_but_at(&[], "the price is that of the order");
    fields.finish()?;
    let (order, index) = state.authorize_payment(&reference, &otp)?;
    answer(order, index, call)
}

/// Charges a reserved amount.
pub fn capture(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("reference");
    let amount = fields.required_amount("Amount");
    fields.no_amount_but_at(&["Amount"], "the amount is read at Amount");
    fields.finish()?;
    let (order, index) = state.capture(&reference, amount)?;
    answer(order, index, call)
}

/// Saves the card that paid an order.
pub fn save(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let reference = call.required("reference")?;
    let card = state.save_card(&reference)?;
    let data = object! { "reference": reference, "cardToken": &card.token, "cardNumber": &card.number };
    Ok(Answer::ok(&object! {
        "data": data,
        "status": PaymentState::Successful.name(),
        "statusCode": "00",
        "message": "Card saved successfully",
    }))
}

/// Creates an order and charges it to a saved card.
pub fn charge(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let token = fields.required("authorization.cardToken");
    let new = input::new_order(&call.input);
    fields.finish()?;
    let new = new?;
    if !state.saved_cards.contains_key(&token) {
        return Err(ApiError::not_found("authorization.cardToken", "Saved card"));
    }
    let reference = new.reference.clone();
    input::prepare_card_payment(state, new)?;
    answer_newest(state.pay_by_saved_card(&reference, &token)?, call)
}
