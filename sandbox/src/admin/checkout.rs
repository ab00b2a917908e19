//! The page of the hosted checkout: shows an order, pays it or declines it.

use super::index::escaped;
use crate::http::answer::{Answer, ApiError};
use crate::state::State;
use crate::state::attempt::Made;
use crate::state::model::Order;
use crate::util::json::object;

/// What the form or a program asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Pay,
    Decline,
}

pub fn show(state: &State, id: &str) -> Answer {
    match order(state, id) {
        Ok(order) => Answer::page(200, page(order)),
        Err(error) => error.into_answer(),
    }
}

/// Ends the payment. A browser is sent to the merchant's page; a program gets JSON.
pub fn act(state: &mut State, id: &str, act: Act, is_browser: bool) -> Result<Answer, ApiError> {
    let reference = order(state, id)?.reference.clone();
    let made = if act == Act::Pay { Made::Paid } else { Made::Pending };
    let made = state.make_payment(&reference, made, None)?;
    let payment = made.payments.last().map(|payment| payment.reference.clone()).unwrap_or_default();
    let order = match act {
        Act::Pay => state.order(&reference)?,
        Act::Decline => state.decline_payment(&payment)?,
    };
    let back = order.redirect_url.clone().filter(|url| url.starts_with("http://") || url.starts_with("https://"));
    if !is_browser {
        return Ok(Answer::ok(&object! {
            "reference": reference,
            "orderPaymentReference": payment,
            "status": order.state().name(),
            "redirectUrl": back,
        }));
    }
    Ok(match back {
        Some(url) => {
            let mut answer = Answer::page(303, String::new());
            answer.headers.push(("location", url));
            answer
        }
        None => Answer::page(200, page(order)),
    })
}

fn order<'a>(state: &'a State, id: &str) -> Result<&'a Order, ApiError> {
    let id = id.parse().map_err(|_| ApiError::not_found("orderId", "Order"))?;
    Ok(state.order_by_id(id)?)
}

fn page(order: &Order) -> String {
    let rows = [
        ("Order", order.reference.clone()),
        ("Description", order.description.clone().unwrap_or_default()),
        ("Amount", format!("{} {}", order.amount, order.currency)),
        ("Total with fee", format!("{} {}", order.total(), order.currency)),
        ("State", order.state().name().to_string()),
    ];
    let rows = rows.map(|(name, value)| format!("<tr><th>{name}</th><td>{}</td></tr>", escaped(&value)));
    let button = |act: &str, label: &str| {
        format!("<form method=\"post\" action=\"/sandbox/checkout/{}/{act}\"><button>{label}</button></form>", order.id)
    };
    let buttons = match order.is_paid() {
        true => String::new(),
        false => button("pay", "Pay") + &button("decline", "Decline"),
    };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Checkout</title></head>\
         <body><h1>Sandbox checkout</h1><p>No real money is moved.</p><table>{}</table>{buttons}</body></html>",
        rows.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::orders::NewOrder;
    use crate::state::test_state;
    use crate::util::money::Money;

    #[test]
    fn the_page_escapes_what_the_merchant_wrote() {
        let mut state = test_state();
        let description = Some("<script>alert('1 & \"2\"')</script>".to_string());
        state.create_order(NewOrder { description, ..NewOrder::of("A", Money::whole(5)) }).unwrap();
        let page = String::from_utf8(show(&state, "5001").body).unwrap();
        assert!(page.contains("&lt;script&gt;alert('1 &amp; &quot;2&quot;')&lt;/script&gt;"), "{page}");
        assert!(page.contains("5.08 NGN") && page.contains("/sandbox/checkout/5001/pay"), "{page}");
        assert_eq!((show(&state, "5002").status, show(&state, "x").status), (404, 404));
    }
}
