//! Hosted checkout: creates an order and answers with the page where the customer pays it.

use super::{Call, new_order};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Customer, Order};
use crate::state::orders::NewOrder;
use crate::util::json::object;

pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let order = state.create_order(new_order::read(&call.input)?)?;
    Ok(answer(order, call))
}

/// What the widget's script sends: the options that the merchant's page gave it.
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
    Ok(answer(state.open_order(new)?, call))
}

fn answer(order: &Order, call: &Call) -> Answer {
    Answer::ok(&object! {
        "isSuccess": true,
        "redirectUrl": format!("{}/sandbox/checkout/{}", call.base_url, order.id),
        "orderId": order.id,
        "message": "Order created successfully, please proceed to url",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::test_state;
    use crate::util::json::Json;

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
