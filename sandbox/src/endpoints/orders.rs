//! Orders: create, hosted checkout, status, verify, fee and refund.

use super::answers::{self, remarks};
use super::input::{self, method_at};
use super::{Call, order_pay, success};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::model::{Customer, Method, Order, PaymentState, SavedCard};
use crate::state::orders::NewOrder;
use crate::state::{State, currency};
use crate::util::json::{Json, object};
use crate::util::money::Money;

/// The order that is looked at.
fn known_order<'a>(state: &'a mut State, call: &Call) -> Result<&'a Order, ApiError> {
    let reference = call.required("reference")?;
    state.refunds_looked_at(&reference);
    Ok(state.order(&reference)?)
}

/// `status` is the state of the payment here, not the result of the call.
pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = known_order(state, call)?;
    let (now, payment) = (order.state(), order.decisive_payment());
    // Texts even before a payment: strict clients read no null there.
    let (paid_with, code, message) = match payment {
        Some(payment) => (payment.method.code(), payment.code, payment.message),
        None => ("", answers::status_code(now), now.name()),
    };
    let data = object! {
        "isFinalStatus": now.is_final(),
        "requeryNeeded": !now.is_final(),
        "orderSummary": object! {
            "id": order.id,
            "reference": &order.reference,
            "orderReference": &order.reference,
            "paymentReference": &order.processor_reference,
            "paymentType": paid_with,
            "currencyId": currency::id(&order.currency),
            "paymentResponseCode": code,
            "paymentResponseMessage": message,
            "narration": order.description.clone().unwrap_or_default(),
            "remarks": payment.map_or("", remarks),
            "totalChargedAmount": order.total(),
            "fee": order.fee(),
            "statusId": now.id(),
            "status": now.name(),
            "dateCreated": order.created.seven_digits(),
        },
        "orderPayments": answers::order_payments(order),
    };
    let body =
        object! { "data": data, "status": now.name(), "statusCode": answers::status_code(now), "message": now.name() };
    Ok(Answer::ok(&body))
}

/// Success and `00` mean that the order was found; `data.statusId` is its payment state.
pub fn verify(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let found = answers::of_order(known_order(state, call)?);
    Ok(Answer::ok(&success("00", "Order details fetched successfully", found)))
}

pub fn fee(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let amount = fields.required_amount("amount");
    let currency = fields.optional("currency");
    let option = fields.optional("paymentoption");
    fields.no_amount_but_at(&["amount"], "the amount is read at amount");
    fields.finish()?;
    let method = option.map_or(Ok(Method::Card), |option| method_at("paymentoption", &option))?;
    state.check_new(method, currency.as_deref())?;
    let fee = state.settings.fee.of(method, amount);
    let total = amount.plus(fee);
    let data = object! {
        "amount": amount,
        "fee": fee,
        "total": total,
        "totalChargedAmount": total,
        "customerFee": fee,
        "subsidiaryFee": Money::ZERO,
        "paymentOption": method.code(),
    };
    Ok(Answer::ok(&success("00", "Fee fetched successfully", data)))
}

/// It depends on the payment option, which is not known yet. Strict clients read an integer.
const FEE_RATE: u64 = 0;

/// Creates an order from `order`, charges `card`, or does both.
pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let input = &call.input;
    let has_card = input.get("card").is_some_and(Json::is_object);
    // Without a card or a payment option it is an order, even if `order` is missing.
    if input.get("order").is_some_and(Json::is_object) || (!has_card && input.get("paymentoption").is_none()) {
        let new = input::new_order(input)?;
        if !has_card {
            let reference = state.create_order(new)?.reference.clone();
            return Ok(Answer::ok(&created(state, state.order(&reference)?)));
        }
        // Checked before the order is created: a refused request must not change anything.
        let card = input::card(call, "order.reference")?;
        input::prepare_card_payment(state, new)?;
        return order_pay::by_card(state, call, &card);
    }
    let mut fields = Fields::of(input);
    fields.no_amount_but_at(&[], input::WHERE_THE_PRICE_IS);
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
    let card = input::card(call, "reference")?;
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
        "customer": answers::customer_of_create(order),
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

pub fn create_checkout(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = state.create_order(input::new_order(&call.input)?)?;
    Ok(opened(order, call))
}

/// The widget script's request: the options that the merchant's page gave it.
pub fn open_widget(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let key = fields.required("encryptionKey");
    if !key.is_empty() && key.trim() != &*call.encryption_key {
        let text = "The encryptionKey is not the one of this sandbox, which is encryption_key in its start line.";
        fields.error("encryptionKey", text.to_string());
    }
    // Only the names are known: whether the order has this reference or the merchant's, nothing shows.
    let merchant_reference = fields.optional("merchantReference");
    let reference = match (fields.optional("reference"), &merchant_reference) {
        (None, Some(reference)) => reference.clone(),
        _ => fields.required("reference"),
    };
    if merchant_reference.is_some_and(|other| other != reference) {
        call.note("merchantReference differs from reference: the order has the reference; the evidence names both");
    }
    let new = NewOrder {
        reference,
        amount: fields.required_amount("amount"),
        currency: fields.optional("currency"),
        description: fields.optional("description"),
        customer: Some(Customer {
            firstname: fields.optional("firstName"),
            lastname: fields.optional("lastName"),
            mobile: fields.optional("mobile"),
            country: fields.optional("country"),
            email: Some(fields.required("email")),
        }),
        redirect_url: fields.optional("redirectUrl"),
    };
    fields.finish()?;
    Ok(opened(state.open_order(new)?, call))
}

fn opened(order: &Order, call: &Call) -> Answer {
    Answer::ok(&object! {
        "isSuccess": true,
        "redirectUrl": format!("{}/sandbox/checkout/{}", call.base_url, order.id),
        "orderId": order.id,
        "message": "Order created successfully, please proceed to url",
    })
}

pub fn refund(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let reference = fields.required("reference");
    let reason = fields.optional("reason");
    // The service's template lists `Amount` with an empty text, which counts as absent.
    let amount = fields.optional_amount("amount");
    fields.no_amount_but_at(&["amount"], "the amount of a partial refund is read at amount");
    fields.finish()?;
    let refund = state.refund(&reference, amount, reason)?;
    Ok(Answer::ok(&object! {
        "status": true,
        "message": "Refund has been initiated",
        "data": object! {
            "reference": reference,
            "amount_refunded": refund.amount.to_string(),
            "status": refund.state.name(),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::test_state;

    fn open(options: &str) -> (State, Result<Answer, ApiError>, Vec<String>) {
        let input = Json::parse(options.as_bytes()).unwrap();
        let call = Call { input, encryption_key: "KEY".into(), ..Call::default() };
        let mut state = test_state();
        let answer = open_widget(&mut state, &call);
        (state, answer, call.take_notes())
    }

    #[test]
    fn the_options_of_the_widget_make_an_order() {
        let options = r#"{"encryptionKey":" KEY\n","reference":"A","merchantReference":"B","amount":"5.50","email":"a@b.example","redirectUrl":"x"}"#;
        let (state, answer, notes) = open(options);
        assert_eq!(answer.unwrap().status, 200);
        assert_eq!(state.orders["A"].amount.to_string(), "5.50");
        assert_eq!(state.orders["A"].redirect_url.as_deref(), Some("x"));
        assert!(notes[0].contains("merchantReference"), "{notes:?}");
        let (state, _, notes) = open(&options.replace(r#""reference":"A","#, ""));
        assert!(state.orders.contains_key("B") && notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let (state, answer, _) = open(r#"{"encryptionKey":"OTHER","amount":"0.30000000000000004"}"#);
        let text = String::from_utf8(answer.unwrap_err().into_answer().body).unwrap();
        for words in
            ["not the one of this sandbox", "more than two decimals", "The reference field is required", "The email"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(state.orders.is_empty() && !text.contains("OTHER"), "{text}");
    }
}
