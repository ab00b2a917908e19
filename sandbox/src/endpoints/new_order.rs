//! The order in a payload of order create, hosted checkout and the charge of a saved card.

use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Customer, Method};
use crate::state::orders::NewOrder;
use crate::util::json::Json;

pub const WHERE_THE_PRICE_IS: &str = "the price is read at order.amount";

pub fn read(input: &Json) -> Result<NewOrder, ApiError> {
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
