//! The parts that several payloads have in common: an order, a card, a payment option.

use super::Call;
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Customer, Method};
use crate::state::orders::NewOrder;
use crate::state::payments::CardPay;
use crate::util::json::Json;

/// Texts of `card.authOption` that the sandbox acts on, in any case. The service's own list is not known.
const RESERVES: [&str; 2] = ["PREAUTH", "PREAUTHORIZE"];
const ASKS_HOLDER: [&str; 3] = ["3DS", "3DS2", "OTP"];
const WITH_PIN: &str = "PIN";
const PLAIN: [&str; 2] = ["NONE", "NOAUTH"];

/// Validates the card without looking at the order; `reference_at` is the path of the order reference.
pub fn card(call: &Call, reference_at: &str) -> Result<CardPay, ApiError> {
    let input = &call.input;
    let mut fields = Fields::of(input);
    let reference = fields.required(reference_at);
    check_country(&mut fields);
    if input.get("card").is_none_or(|card| !card.is_object()) {
        fields.error("card", "The card field is required.".to_string());
    }
    let number = fields.required_card_number("card.cardnumber");
    let month = fields.required_digits("card.expirymonth", 2..=2);
    let year = fields.required_digits("card.expiryyear", 2..=4);
    fields.required_digits("card.cvv", 3..=4);
    if month.len() == 2 && !("01"..="12").contains(&month.as_str()) {
        fields.error("card.expirymonth", "The card.expirymonth field must be 01 to 12.".to_string());
    }
    if year.len() == 3 {
        fields.error("card.expiryyear", "The card.expiryyear field must be 2 or 4 digits.".to_string());
    }
    let option = fields.optional("card.authOption").unwrap_or_default().to_ascii_uppercase();
    if option == WITH_PIN || input.at("card.pin").is_some_and(|pin| *pin != Json::Null) {
        fields.required_digits("card.pin", 4..=4);
    }
    fields.finish()?;
    let is = |options: &[&str]| options.contains(&option.as_str());
    let (is_reserved, needs_holder) = (is(&RESERVES), is(&ASKS_HOLDER));
    if !(is_reserved || needs_holder || is(&PLAIN) || option.is_empty() || option == WITH_PIN) {
        call.note("card.authOption is not one that the sandbox knows; it has no effect");
    }
    Ok(CardPay { reference, number, is_reserved, needs_holder })
}

pub fn check_country(fields: &mut Fields) {
    let two_letters = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if fields.optional("country").is_some_and(|country| !two_letters(&country)) {
        fields.error("country", "The country field must be a two-letter country code.".to_string());
    }
}

/// The payment option that a field names; an unknown one is an error with all options.
pub fn method_at(path: &str, option: &str) -> Result<Method, ApiError> {
    Method::of_code(option).ok_or_else(|| {
        let text = format!("The {path} field must be a payment option, one of {}.", Method::codes());
        ApiError::invalid(vec![(path.to_string(), text)])
    })
}

pub const WHERE_THE_PRICE_IS: &str = "the price is read at order.amount";

pub fn new_order(input: &Json) -> Result<NewOrder, ApiError> {
    let mut fields = Fields::of(input);
    fields.no_amount_but_at(&["order.amount"], WHERE_THE_PRICE_IS);
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
        redirect_url: fields.optional("payment.RedirectUrl"),
    };
    fields.finish()?;
    Ok(new)
}

/// Makes the order known before a card pays it: creates it, or checks that it is the same. A request that cannot be
/// charged changes nothing.
pub fn prepare_card_payment(state: &mut State, new: NewOrder) -> Result<(), ApiError> {
    match state.orders.get(&new.reference) {
        // A card must not be charged with another amount than the one that is asked for.
        Some(known) => known.check_price(new.amount, new.currency.as_deref())?,
        None => {
            state.check_new(Method::Card, new.currency.as_deref())?;
            state.create_order(new)?;
        }
    }
    Ok(())
}
