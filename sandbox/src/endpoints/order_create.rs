//! Order create: an order, a charge by card, or both.

use super::{Call, card_input, new_order, order_pay, success, transactions};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Method, Order, PaymentState, SavedCard};
use crate::util::json::{Json, object};
use crate::util::money::Money;

/// It depends on the payment option, which is not known yet. Strict clients read an integer.
const FEE_RATE: u64 = 0;

/// Creates an order from `order`, charges `card`, or does both.
pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let input = &call.input;
    let has_card = input.get("card").is_some_and(Json::is_object);
    // Without a card or a payment option it is an order, even if `order` is missing.
    if input.get("order").is_some_and(Json::is_object) || (!has_card && input.get("paymentoption").is_none()) {
        let new = new_order::read(input)?;
        if !has_card {
            let reference = state.create_order(new)?.reference.clone();
            return Ok(Answer::ok(&created(state, state.order(&reference)?)));
        }
        // Checked before the order is created: a refused request must not change anything.
        let card = card_input::read(call, "order.reference")?;
        new_order::prepare_card_payment(state, new)?;
        return order_pay::by_card(state, call, &card);
    }
    let mut fields = Fields::of(input);
    fields.no_amount_but_at(&[], new_order::WHERE_THE_PRICE_IS);
    let option = fields.required("paymentoption");
    if !option.is_empty() && Method::of_code(&option) != Some(Method::Card) {
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
    let card = card_input::read(call, "reference")?;
    // Only the order has a price.
    state.check_named(&card.reference)?;
    order_pay::by_card(state, call, &card)
}

fn created(state: &State, order: &Order) -> Json {
    let option = |method: Method| object! { "code": method.code(), "name": method.name(), "currency": &order.currency };
    let email = order.customer.as_ref().and_then(|customer| customer.email.as_deref());
    let saved = email.map(|email| state.saved_cards_of(email).map(saved_card).collect::<Vec<_>>());
    let name = order.description.as_deref().unwrap_or(&order.reference);
    let narration = order.description.clone().unwrap_or_default();
    let data = object! {
        "order": object! {
            "reference": &order.reference,
            "processorReference": &order.processor_reference,
            "amount": order.amount,
            // The fee depends on the payment option, which is not known yet.
            "fee": Json::Number("0".to_string()),
            "feeRate": FEE_RATE,
            "statusId": PaymentState::Initiated.id(),
            "status": PaymentState::Initiated.name(),
            "currency": &order.currency,
            "currencyId": crate::state::currency::id(&order.currency),
            "narration": &narration,
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
        "customer": transactions::customer_of_create(order),
        "payment": object! { "redirectUrl": Json::Null, "source": "API" },
        "otherPaymentOptions": state.offered_in(&order.currency).map(option).collect::<Vec<_>>(),
        "savedCards": saved.unwrap_or_default(),
        "subsidiaryOrderSummary": object! {
            "totalAmount": order.amount,
            "reference": &order.reference,
            "currency": &order.currency,
            "orderName": name,
            "orderItems": vec![object! { "name": name, "amount": order.amount }],
        },
        "id": order.id,
        "ns": Json::Null,
        "isDiscounted": false,
        "oldAmount": order.amount,
        "newAmount": order.amount,
        "discountAmount": Money::ZERO,
        "mandateCode": Json::Null,
    };
    success("01", "Order created successfully", data)
}

fn saved_card(card: &SavedCard) -> Json {
    object! { "cardToken": &card.token, "cardNumber": &card.number }
}
