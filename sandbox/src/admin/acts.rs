//! Admin calls that change something, or do what else a request to an endpoint cannot.

use super::show::payout;
use crate::endpoints;
use crate::faults::{Chosen, rules, table};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::http::incoming::{Headers, Incoming};
use crate::service::decide::{Origin, decide};
use crate::service::sandbox::{Sandbox, Shared};
use crate::state::State;
use crate::state::accounts::NewFunding;
use crate::state::mandates::NewMandate;
use crate::state::model::{Customer, PayoutState};
use crate::state::orders::NewOrder;
use crate::state::payments::Made;
use crate::util::clock::{self, Moment};
use crate::util::json::{Json, object};
use crate::webhook::Webhooks;
use crate::webhook::message::forged;

pub fn order(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let email = fields.optional("email");
    let is_paid = fields.optional_bool("paid").unwrap_or(false);
    let new = NewOrder {
        reference: fields.required("reference"),
        amount: fields.required_amount("amount"),
        currency: fields.optional("currency"),
        description: fields.optional("description"),
        customer: email.map(|email| Customer { email: Some(email), ..Customer::default() }),
        redirect_url: None,
    };
    let made = match fields.optional("payment").as_deref() {
        None => is_paid.then_some(Made::Paid),
        Some("pending") if !is_paid => Some(Made::Pending),
        Some("preauthorized") if !is_paid => Some(Made::Preauthorized),
        Some(_) => {
            fields.error(
                "payment",
                "The payment is pending or preauthorized, for an order that is not paid.".to_string(),
            );
            None
        }
    };
    let payment_reference = fields.optional("paymentReference");
    fields.finish()?;
    let reference = new.reference.clone();
    if made.is_some() {
        state.check_new_payment(new.currency.as_deref(), payment_reference.as_deref())?;
    }
    state.create_order(new)?;
    if let Some(made) = made {
        state.make_payment(&reference, made, payment_reference)?;
    }
    let order = state.order(&reference)?;
    let json = object! {
        "reference": &order.reference,
        "amount": order.amount.to_string(),
        "currency": &order.currency,
        "order_id": order.id,
        "paid": order.is_paid(),
    };
    Ok(match order.payments.last().filter(|_| !is_paid) {
        Some(payment) => json.and(object! { "orderPaymentReference": &payment.reference }),
        None => json,
    })
}

pub fn mandate(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let or = |text: Option<String>, other: &str| text.unwrap_or_else(|| other.to_string());
    let code = fields.required("mandateCode");
    let active = fields.optional_bool("active").unwrap_or(true);
    let new = NewMandate {
        order_reference: or(fields.optional("orderReference"), &code),
        bank_name: or(fields.optional("bankName"), "Sandbox Bank"),
        bank_code: or(fields.optional("bankCode"), "058"),
        account_number: or(fields.optional("accountNumber"), "0690000031"),
    };
    fields.finish()?;
    let mandate = state.make_mandate(code, active, new)?;
    Ok(object! { "mandateCode": &mandate.code, "active": mandate.active, "accountNumber": &mandate.account_number })
}

pub fn card(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let token = fields.required("cardToken");
    let number = match fields.optional("cardnumber") {
        Some(_) => fields.required_card_number("cardnumber"),
        None => "4111111111111111".to_string(),
    };
    let email = fields.optional("email");
    fields.finish()?;
    let card = state.make_card(token, &number, email)?;
    Ok(object! { "cardToken": &card.token, "cardNumber": &card.number })
}

/// Funds an account by its number, or by its alias; an unknown alias gets an account first.
pub fn funding(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let alias = fields.optional("alias");
    let number =
        if alias.is_some() { fields.optional("accountNumber") } else { Some(fields.required("accountNumber")) };
    if alias.is_some() && number.is_some() {
        fields.error("alias", "Give either the alias or the accountNumber.".to_string());
    }
    let mut new = NewFunding {
        account_number: number.unwrap_or_default(),
        amount: fields.required_amount("amount"),
        sender_name: fields.required("senderName"),
        sender_account: fields.optional("senderAccountNumber"),
        narration: fields.optional("narration"),
        session_id: fields.optional("sessionId"),
    };
    fields.finish()?;
    if state.is_transfer_account(&new.account_number) {
        return transfer(state, &new);
    }
    if let Some(alias) = alias {
        new.account_number = state.virtual_account(&alias, None, None).number.clone();
    }
    let session = state.fund(new)?;
    Ok(object! { "sessionId": &session.id })
}

/// A transfer to the temporary account of an order.
fn transfer(state: &mut State, new: &NewFunding) -> Result<Json, ApiError> {
    let (order, index) = state.receive_transfer(&new.account_number, new.amount)?;
    Ok(object! {
        "sessionId": Json::Null,
        "reference": &order.reference,
        "orderPaymentReference": order.payments.get(index).map(|payment| payment.reference.clone()),
        "status": order.state().name(),
    })
}

/// Accepts a batch; `batchReference` chooses its reference.
pub fn payouts(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let reference = fields.optional("batchReference");
    fields.finish()?;
    let batch = state.pay_out(endpoints::payouts::details(body)?, reference)?;
    let payouts = batch.payouts.iter().map(payout).collect::<Vec<_>>();
    Ok(object! { "batchReference": &batch.reference, "batchId": batch.id, "payouts": payouts })
}

/// `reference` is that of a batch or of one payout.
pub fn end_payouts(state: &mut State, reference: &str, end: PayoutState) -> Result<Json, ApiError> {
    let ended = state.end_payouts(reference, end)?;
    Ok(object! { "payouts": ended.into_iter().map(payout).collect::<Vec<_>>() })
}

/// Sets the fields that are given; what was held back is sent.
pub fn set_webhooks(webhooks: &mut Webhooks, body: &Json) -> Result<Json, ApiError> {
    webhooks.behaviour = webhooks.behaviour.changed(body)?;
    webhooks.release();
    Ok(webhooks.behaviour.json())
}

pub fn resend(webhooks: &mut Webhooks, id: &str) -> Result<Json, ApiError> {
    let again = id.parse().ok().and_then(|id| webhooks.resend(id));
    let id = again.ok_or_else(|| ApiError::not_found("id", "Delivery"))?;
    Ok(object! { "id": id })
}

pub fn forge(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let mut shared = sandbox.lock();
    let Shared { state, webhooks, .. } = &mut *shared;
    let message = forged(state, body, webhooks.behaviour.form)?;
    let id = webhooks.send_forged(message);
    Ok(object! { "id": id })
}

/// Runs a call that may commit effects; they have no request id.
pub fn change<T>(sandbox: &Sandbox, act: impl FnOnce(&mut Shared) -> Result<T, ApiError>) -> Result<T, ApiError> {
    let mut shared = sandbox.lock();
    shared.calls += 1;
    shared.state.ledger.begin(None);
    let result = act(&mut shared);
    shared.state.ledger.end();
    sandbox.send_events(&mut shared);
    result
}

/// Confirms, declines or expires a payment, by either of its references.
pub fn end_payment(state: &mut State, reference: &str, how: &str) -> Result<Json, ApiError> {
    let order = match how {
        "confirm" => state.confirm_payment(reference)?,
        "decline" => state.decline_payment(reference)?,
        _ => state.expire_payment(reference)?,
    };
    Ok(object! { "paymentReference": reference, "reference": &order.reference, "status": order.state().name() })
}

/// Completes or fails a refund by its reference, or all pending ones of an order.
pub fn end_refunds(state: &mut State, reference: &str, how: &str) -> Result<Json, ApiError> {
    let order = state.end_refunds(reference, how == "complete")?;
    let refunds = order.refunds.iter().map(|refund| {
        object! {
            "reference": &refund.reference, "amount": refund.amount.to_string(), "status": refund.state.name(),
        }
    });
    Ok(object! {
        "reference": &order.reference,
        "status": order.state().name(),
        "refunds": refunds.collect::<Vec<_>>(),
    })
}

const FAULT: &str = "commit_then_reset";
const PATH: &str = "/payment/order/create";
const CARD: &str = "4111111111111111";

/// Creates the order if there is an `amount`, then charges a card for it. The request is the one of a till, and is logged,
/// but nobody gets the response.
pub async fn lose_charge(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let reference = fields.required("reference");
    fields.finish()?;
    if body.get("amount").is_some_and(|amount| *amount != Json::Null) {
        change(sandbox, |shared| order(&mut shared.state, body))?;
    }
    let card = object! { "cardnumber": CARD, "expirymonth": "01", "expiryyear": "39", "cvv": "193" };
    let payload = object! { "paymentoption": "C", "country": "NG", "reference": &reference, "card": card };
    let request = request(sandbox, &payload)?;
    let chosen = table::named(FAULT).map(|fault| Chosen::new(fault, None));
    // No connection has this number.
    let decided = decide(sandbox, &request, Origin { connection: 0, on_connection: 1 }, chosen, true).await;
    match decided.answer {
        Some(answer) if answer.status < 400 => Ok(object! { "reference": reference, "fault": FAULT }),
        refused => Err(ApiError::field("reference", words_of(refused.map(|answer| answer.body).unwrap_or_default()))),
    }
}

fn request(sandbox: &Sandbox, payload: &Json) -> Result<Incoming, ApiError> {
    let data = sandbox.encryption.encrypt(payload.to_string().as_bytes());
    let data = data.map_err(|problem| ApiError::field("reference", problem))?;
    let body = object! { "data": data }.to_string();
    let headers = Headers {
        api_key: Some(sandbox.keys.public.clone()),
        content_type: Some("application/json".to_string()),
        user_agent: Some("paysvc-sandbox lost-charge".to_string()),
        ..Headers::default()
    };
    let (body_bytes, body) = (body.len(), Some(body.into()));
    let (method, path, target) = ("POST".to_string(), PATH.to_string(), PATH.to_string());
    Ok(Incoming { method, path, target, query: Vec::new(), headers, body, body_bytes })
}

fn words_of(answer: Vec<u8>) -> String {
    let json = Json::parse(&answer).unwrap_or_default();
    json.get("message").and_then(Json::as_text).unwrap_or("The charge was refused.").to_string()
}

pub fn clock() -> Json {
    object! { "now": Moment::now().millis_utc(), "ahead_ms": clock::ahead_ms() }
}

/// Moves the clock, and does what is due then.
pub fn advance_clock(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    fields.only(&["advance_ms"]);
    if body.get("advance_ms").is_none() {
        fields.error("advance_ms", "The advance_ms field is required.".to_string());
    }
    let ms = fields.optional_count("advance_ms");
    fields.finish()?;
    let far = || ApiError::field("advance_ms", "The clock cannot be more than ten years ahead.");
    clock::advance(ms.unwrap_or_default()).ok_or_else(far)?;
    state.settle_due();
    Ok(clock())
}

pub fn settle(state: &mut State) -> Json {
    let (payouts, refunds) = state.settle_now();
    object! { "payouts": payouts, "refunds": refunds }
}

/// Encrypts the bytes as they were sent.
pub fn encrypt(sandbox: &Sandbox, payload: &[u8]) -> Result<Json, ApiError> {
    let data = sandbox.encryption.encrypt(payload).map_err(|problem| ApiError::field("body", problem))?;
    Ok(object! { "data": data })
}

pub fn pem(sandbox: &Sandbox) -> Result<Answer, ApiError> {
    let body = sandbox.encryption.pem().map_err(|problem| ApiError::new(500, problem))?.into_bytes();
    Ok(Answer { content_type: "application/x-pem-file".into(), body, ..Answer::ok(&Json::Null) })
}

pub fn faults(sandbox: &Sandbox) -> Json {
    sandbox.lock().faults.json()
}

pub fn add_fault(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let rule = rules::parse(body, sandbox.speaks_tls(), &sandbox.router.paths())?;
    Ok(sandbox.lock().faults.add(rule).json())
}

pub fn clear_faults(sandbox: &Sandbox) -> Json {
    object! { "cleared": sandbox.lock().faults.clear() }
}

/// Removes one rule by its number, or the rules of one fault by its name.
pub fn remove_fault(sandbox: &Sandbox, name: &str) -> Result<Json, ApiError> {
    if let Ok(id) = name.parse() {
        return match sandbox.lock().faults.remove_rule(id) {
            0 => Err(ApiError::new(404, format!("There is no rule {id}."))),
            cleared => Ok(object! { "cleared": cleared }),
        };
    }
    let fault = table::named(name).ok_or_else(|| ApiError::new(404, table::unknown(name)))?;
    Ok(object! { "cleared": sandbox.lock().faults.remove(fault) })
}
