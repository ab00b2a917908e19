//! Pay: an order is paid by card, by bank transfer, under a mandate, or with an option that the customer confirms elsewhere.

use super::payment_answer::{answer, answer_newest};
use super::{Call, banks, card_input, orders};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::Method;
use crate::state::ways_to_pay::{CardPay, MandatePay};
use crate::util::json::Json;

const WHERE_THE_PRICE_IS: &str =
    "the price is that of the order, which order.amount of POST /payment/order/create sets";

pub fn pay(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let option = fields.required("paymentOption");
    fields.no_amount_but_at(&[], WHERE_THE_PRICE_IS);
    fields.finish()?;
    match orders::method_at("paymentOption", &option)? {
        Method::Card => {
            let card = card_input::read(call, "reference")?;
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
            if bank.is_some_and(|code| !banks::is_known(&code)) {
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
    card_input::check_country(&mut fields);
    fields.finish()?;
    state.check_named(&reference)?;
    Ok(reference)
}
