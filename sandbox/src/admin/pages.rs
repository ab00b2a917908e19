//! Pages: the hosted checkout, which shows an order, pays it or declines it; and the task of a client that is being
//! certified.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::index::escaped;
use crate::browser;
use crate::certify::Paid;
use crate::crypto::envelope::open_plain;
use crate::endpoints::answers;
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::service::sandbox::Sandbox;
use crate::state::State;
use crate::state::accounts::BANK;
use crate::state::model::{Awaits, Method, Order, Payment, PaymentState};
use crate::state::payments::Made;
use crate::util::json::{Json, object};
use crate::util::named::named;

named! {
    /// The action that the form or a program requests.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Act {
        Pay = "pay",
        Decline = "decline",
        /// Offers a temporary account for a bank transfer.
        Transfer = "transfer",
        /// The transfer arrives.
        Arrive = "arrive",
        /// It does not arrive in time.
        Expire = "expire",
    }
}

/// The page, or the object of order verify for a script that asks for JSON.
pub fn show(state: &State, id: &str, wants_json: bool) -> Answer {
    match order(state, id) {
        Ok(order) if wants_json => Answer::ok(&answers::of_order(order)),
        Ok(order) => browser::html(page(state, order)),
        Err(error) => error.into_answer(),
    }
}

/// Pays or declines. A browser is sent to the merchant's page when the order is final; a program gets JSON.
pub fn act(state: &mut State, id: &str, act: Act, is_browser: bool) -> Result<Answer, ApiError> {
    let reference = order(state, id)?.reference.clone();
    let newest = |order: &Order| order.payments.last().map(|payment| payment.reference.clone()).unwrap_or_default();
    let payment = match act {
        Act::Pay => newest(state.make_payment(&reference, Made::Paid, None)?),
        Act::Transfer => newest(state.pay_by_transfer(&reference)?),
        Act::Decline => {
            let made = newest(state.make_payment(&reference, Made::Pending, None)?);
            state.decline_payment(&made)?;
            made
        }
        Act::Arrive | Act::Expire => {
            let awaited = awaited_transfer(state.order(&reference)?).map(|payment| payment.reference.clone());
            let awaited =
                awaited.ok_or_else(|| ApiError::field("orderId", "No bank transfer of this order is awaited."))?;
            match act {
                Act::Arrive => state.confirm_payment(&awaited)?,
                _ => state.expire_payment(&awaited)?,
            };
            awaited
        }
    };
    let order = state.order(&reference)?;
    let back = order.redirect_url.as_deref().filter(|url| url.starts_with("http://") || url.starts_with("https://"));
    let back = back.map(|url| returned(url, order));
    if !is_browser {
        return Ok(Answer::ok(&object! {
            "reference": reference,
            "orderPaymentReference": payment,
            "status": order.state().name(),
            "redirectUrl": back,
        }));
    }
    // Its own page by GET, so that it can be loaded again.
    let target = back.filter(|_| order.state().is_final()).unwrap_or_else(|| format!("/sandbox/checkout/{}", order.id));
    Ok(Answer::page(303, String::new()).header("location", target))
}

/// The merchant's address with the order's reference and state. A query and a fragment that it has stay.
fn returned(url: &str, order: &Order) -> String {
    let (url, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    let separator = if url.contains('?') { '&' } else { '?' };
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    let (reference, status) = (utf8_percent_encode(&order.reference, KEPT), order.state().name().to_lowercase());
    format!("{url}{separator}reference={reference}&status={status}{fragment}")
}

fn order<'a>(state: &'a State, id: &str) -> Result<&'a Order, ApiError> {
    let id = id.parse().map_err(|_| ApiError::not_found("orderId", "Order"))?;
    Ok(state.order_by_id(id)?)
}

fn awaited_transfer(order: &Order) -> Option<&Payment> {
    let is_it = |payment: &&Payment| payment.state == PaymentState::Pending && payment.awaits == Awaits::Transfer;
    order.payments.iter().rev().find(is_it)
}

fn page(state: &State, order: &Order) -> String {
    let awaited = awaited_transfer(order);
    let total = |method| format!("{} {}", order.amount.plus(order.fee_by(method)), order.currency);
    // The fee depends on the option, which an order without a payment does not have yet.
    let paying = order.decisive_payment().map(|_| {
        let fee = format!("{} {}", order.fee(), order.currency);
        [("Fee", fee), ("Total", format!("{} {}", order.total(), order.currency))]
    });
    let account = awaited.map(|payment| [("Bank", BANK.to_string()), ("Account", payment.instrument.clone())]);
    let rows = [("Order", order.reference.clone()), ("Description", order.description.clone().unwrap_or_default())];
    let rows = rows
        .into_iter()
        .chain(paying.into_iter().flatten())
        .chain(account.into_iter().flatten())
        .filter(|(_, value)| !value.is_empty());
    let rows = rows.map(|(name, value)| format!("<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escaped(&value)));
    let button = |act: &str, label: &str| {
        let action = format!("/sandbox/checkout/{}/{act}", order.id);
        format!("<form method=\"post\" action=\"{action}\"><button class=\"{act}\">{}</button></form>", escaped(label))
    };
    let has_transfer = || state.offered_in(&order.currency).any(|method| method == Method::BankTransfer);
    let buttons = match (order.is_paid(), awaited) {
        (true, _) => String::new(),
        (false, Some(_)) => {
            button("arrive", &format!("I have sent {}", total(Method::BankTransfer)))
                + &button("expire", "Send nothing until it expires")
        }
        (false, None) => {
            let by_transfer = || button("transfer", &format!("Pay {} by bank transfer", total(Method::BankTransfer)));
            let transfer = if has_transfer() { by_transfer() } else { String::new() };
            button("pay", &format!("Pay {}", total(Method::Card))) + &transfer + &button("decline", "Decline")
        }
    };
    let (amount, currency, state) = (order.amount, escaped(&order.currency), order.state().name());
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Checkout</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"/sandbox/page/icon.svg\">\
         <link rel=\"stylesheet\" href=\"/sandbox/page/style.css\">\
         <link rel=\"stylesheet\" href=\"/sandbox/page/checkout.css\"><script type=\"module\" src=\"/sandbox/page/checkout.js\">\
         </script></head><body class=\"checkout\"><main><h1>Sandbox checkout</h1><p class=\"price\">{amount} {currency}</p>\
         <p><span class=\"chip {state}\" data-status>{state}</span></p><table>{}</table><div class=\"buttons\">{buttons}</div>\
         <p class=\"note\">A simulated service: no real money is moved.</p></main></body></html>",
        rows.collect::<String>()
    )
}

pub fn task(sandbox: &Sandbox, incoming: &Incoming) -> Result<Answer, ApiError> {
    let step = sandbox.desk.step();
    let Some(step) = step.as_ref() else { return Ok(Answer::ok(&object! { "scenario": Json::Null })) };
    if !incoming.accepts_html() {
        return Ok(Answer::ok(&step.json()));
    }
    let rows = [
        ("scenario", step.scenario),
        ("order", &step.reference),
        ("amount", step.amount),
        ("currency", step.currency),
        ("card", step.card),
        ("event", step.event.as_deref().unwrap_or("none")),
    ];
    let rows = rows.map(|(name, value)| format!("<tr><th>{name}<td>{}\n", escaped(value))).concat();
    let buttons = [("true", "It is paid"), ("false", "It is certainly not paid"), ("unknown", "It is not known")];
    let buttons = buttons.map(|(paid, label)| {
        format!(
            "<form method=\"post\" action=\"/sandbox/certify/result?paid={paid}\"><button>{label}</button></form>\n"
        )
    });
    let (instruction, buttons) = (step.instruction, buttons.concat());
    Ok(Answer::page(
        200,
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>certify: {0}</title>\n\
             <style>:root{{color-scheme:light dark}}body{{font-family:sans-serif;margin:2em}}th{{text-align:left;padding-right:1em}}td{{overflow-wrap:anywhere}}form{{margin:.5em 0}}</style>\n\
             <h1>{0}</h1>\n<p>{instruction}\n<table>{rows}</table>\n{buttons}</html>\n",
            step.scenario
        ),
    ))
}

/// `{"reference":…,"paid":true}`; or, from the page, the same in the query.
pub fn tell(sandbox: &Sandbox, incoming: &Incoming) -> Result<Answer, ApiError> {
    let query = incoming.query_json();
    let is_form = query.get("paid").is_some();
    let body = if is_form { query } else { open_plain(incoming.body()?).1? };
    let words = "The paid field must be true, false or \"unknown\".";
    let paid = body.get("paid").and_then(Paid::of).ok_or_else(|| ApiError::field("paid", words))?;
    let mut step = sandbox.desk.step();
    let step = step.as_mut().ok_or_else(none)?;
    if body.get("reference").and_then(Json::as_text).is_some_and(|reference| reference != step.reference) {
        return Err(ApiError::field("reference", format!("The order of this scenario is {}.", step.reference)));
    }
    step.told = Some(paid);
    let answer = object! { "scenario": step.scenario, "told": true };
    Ok(match is_form && incoming.accepts_html() {
        true => Answer::page(303, String::new()).header("location", "/sandbox/certify"),
        false => Answer::ok(&answer),
    })
}

fn none() -> ApiError {
    ApiError::new(404, "No scenario is under way: start the program with certify.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::orders::NewOrder;
    use crate::state::test_state;
    use crate::util::money::Money;

    #[test]
    fn the_customer_comes_back_with_reference_and_status() {
        let mut state = test_state();
        state.create_order(NewOrder::of("A&1", Money::whole(5))).unwrap();
        let order = state.order("A&1").unwrap();
        for (url, expected) in [
            ("https://a.example/back", "https://a.example/back?reference=A%261&status=initiated"),
            ("https://a.example/?x=1#top", "https://a.example/?x=1&reference=A%261&status=initiated#top"),
        ] {
            assert_eq!(returned(url, order), expected);
        }
    }

    #[test]
    fn the_page_escapes_what_the_merchant_wrote() {
        let mut state = test_state();
        let description = Some("<script>alert('1 & \"2\"')</script>".to_string());
        state.create_order(NewOrder { description, ..NewOrder::of("A", Money::whole(5)) }).unwrap();
        let page = String::from_utf8(show(&state, "5001", false).body).unwrap();
        assert!(page.contains("&lt;script&gt;alert('1 &amp; &quot;2&quot;')&lt;/script&gt;"), "{page}");
        assert!(page.contains("Pay 5.00 NGN") && page.contains("/sandbox/checkout/5001/pay"), "{page}");
        let program = String::from_utf8(show(&state, "5001", true).body).unwrap();
        assert!(program.contains(r#""orderReference":"A""#), "{program}");
        assert_eq!((show(&state, "5002", false).status, show(&state, "x", false).status), (404, 404));
    }
}
