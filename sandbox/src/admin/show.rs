//! The state as JSON: names in snake case, amounts as text.

use super::listing::Wanted;
use super::webhooks;
use crate::http::answer::{Answer, ApiError};
use crate::service::request_log::Kept;
use crate::service::router::Router;
use crate::service::sandbox::Shared;
use crate::state::State;
use crate::state::model::{Batch, Mandate, Order, Payment, Refund, SavedCard, Session, VirtualAccount};
use crate::util::json::{Json, object};
use crate::util::money::Money;
use crate::webhook::deliveries::attempts;

pub fn otp(state: &State, code: &str) -> Result<Json, ApiError> {
    let mandate = state.mandate(code)?;
    let sent = mandate.otp.as_ref().ok_or_else(|| ApiError::not_found("mandateCode", "One-time code"))?;
    Ok(object! { "mandateCode": code, "otp": &sent.code, "used": sent.used })
}

/// Everything, in the order of the references; the newest of each list if the query limits it.
pub fn state(shared: &Shared, wanted: &Wanted) -> Json {
    let state = &shared.state;
    let (mandates, orders) = (mandates(state, wanted), orders(state, wanted));
    let sessions = chosen(wanted, state.sessions.values(), |it| it.order_id, |it| vec![it.id.clone()]);
    let batches = chosen(wanted, state.batches.values(), |it| it.id, batch_references);
    // Neither has a number: they stay in the order of their names.
    let accounts = chosen(wanted, state.accounts.values(), |_| 0, |it| vec![it.alias.clone(), it.number.clone()]);
    let cards = chosen(wanted, state.saved_cards.values(), |_| 0, |it| vec![it.token.clone()]);
    object! {
        "pay_twice": state.settings.pay_twice,
        "any_reference": state.settings.any_reference,
        "currencies": state.settings.currencies.to_string().split(',').map(Json::from).collect::<Vec<_>>(),
        "fee": state.settings.fee.to_string(),
        "mandates": mandates,
        "orders": orders,
        "virtual_accounts": accounts.into_iter().map(account).collect::<Vec<_>>(),
        "sessions": sessions.into_iter().map(session).collect::<Vec<_>>(),
        "saved_cards": cards.into_iter().map(saved_card).collect::<Vec<_>>(),
        "payout_batches": batches.into_iter().map(batch).collect::<Vec<_>>(),
        "webhooks": attempts(&webhooks::deliveries(&shared.webhooks, wanted)),
    }
}

pub fn orders(state: &State, wanted: &Wanted) -> Vec<Json> {
    let of_state = |order: &&Order| wanted.show.as_deref().is_none_or(|show| order.state().name() == show);
    let found = chosen(wanted, state.orders.values().filter(of_state), |order| order.id, |order| order.references());
    found.into_iter().map(order).collect()
}

pub fn mandates(state: &State, wanted: &Wanted) -> Vec<Json> {
    let all = state.mandates.values();
    chosen(wanted, all, |it| it.direct_debit_id, |it| it.references()).into_iter().map(mandate).collect()
}

/// Sorted by their numbers, which are digits.
pub fn accounts(state: &State, wanted: &Wanted) -> Vec<Json> {
    let mut all: Vec<&VirtualAccount> = state.accounts.values().collect();
    let number = |account: &&VirtualAccount| account.number.parse().unwrap_or_default();
    all.sort_by_key(|account| std::cmp::Reverse(number(account)));
    let names = |account: &&VirtualAccount| vec![account.alias.clone(), account.number.clone()];
    let found = wanted.of_list(all.into_iter(), number, names).into_iter();
    let funded = |number: &str| {
        let sessions = state.sessions.values().filter(|session| session.account_number == number);
        sessions.fold(Money::ZERO, |sum, session| sum.plus(session.amount))
    };
    found
        .map(|it| {
            let mut shown = account(it);
            if let Json::Object(members) = &mut shown {
                members.push(("funded".to_string(), funded(&it.number).to_string().into()));
            }
            shown
        })
        .collect()
}

fn batch_references(batch: &&Batch) -> Vec<String> {
    let payouts = batch.payouts.iter();
    let of_payouts = payouts.flat_map(|it| [Some(it.reference.clone()), it.details.client_reference.clone()]);
    [Some(batch.reference.clone())].into_iter().chain(of_payouts).flatten().collect()
}

/// Sorted by their numbers if the query chooses among them.
fn chosen<'a, T>(
    wanted: &Wanted,
    all: impl Iterator<Item = &'a T>,
    number: fn(&&'a T) -> u64,
    names: fn(&&'a T) -> Vec<String>,
) -> Vec<&'a T> {
    let mut all: Vec<&T> = all.collect();
    if wanted.is_everything() {
        return all;
    }
    all.sort_by_key(|it| std::cmp::Reverse(number(it)));
    wanted.of_list(all.into_iter(), number, names)
}

/// The requests that are wanted, as they are kept.
pub fn requests(shared: &Shared, wanted: &Wanted) -> Result<Answer, ApiError> {
    let is_meant: fn(&Kept) -> bool = match wanted.show.as_deref() {
        None => |_| true,
        Some("effects") => |kept| kept.has_effects,
        Some("errors") => |kept| kept.is_error,
        Some("faults") => |kept| kept.has_fault,
        Some(_) => return Err(ApiError::field("show", "The show field must be effects, errors or faults.")),
    };
    let in_text = wanted.in_text();
    let found =
        shared.requests.json(wanted.limit(), |kept| is_meant(kept) && wanted.is_before(kept.id) && in_text(&kept.text));
    Ok(Answer { body: format!("{{\"requests\":{found}}}").into_bytes(), ..Answer::ok(&Json::Null) })
}

pub fn endpoints(router: &Router) -> Json {
    let shown = router.all().map(|endpoint| {
        object! {
            "method": endpoint.method.as_ref(),
            "path": endpoint.path.as_ref(),
            "key": endpoint.key.name(),
            "envelope": endpoint.body.envelope(),
            "encryption_header": endpoint.body.header(),
            "assumed": endpoint.assumed,
            "canned": endpoint.is_canned(),
        }
    });
    object! { "endpoints": shown.collect::<Vec<_>>() }
}

fn mandate(mandate: &Mandate) -> Json {
    object! {
        "mandate_code": &mandate.code,
        "direct_debit_id": mandate.direct_debit_id,
        "order_reference": &mandate.order_reference,
        "account_number": &mandate.account_number,
        "bank_code": &mandate.bank_code,
        "bank_name": &mandate.bank_name,
        "amount": mandate.amount.to_string(),
        "active": mandate.active,
        "otp": mandate.otp.as_ref().filter(|otp| !otp.used).map(|otp| otp.code.clone()),
        "otp_waiting": mandate.otp.as_ref().is_some_and(|otp| !otp.used),
    }
}

fn order(order: &Order) -> Json {
    object! {
        "reference": &order.reference,
        "order_id": order.id,
        "amount": order.amount.to_string(),
        "assumed_amount": order.assumed,
        "fee": order.fee().to_string(),
        "total": order.total().to_string(),
        "created": order.created.millis_utc(),
        "currency": &order.currency,
        "status_id": order.state().id(),
        "status": order.state().name(),
        "paid": order.is_paid(),
        "refunded": order.refunded().to_string(),
        "payments": order.payments.iter().map(payment).collect::<Vec<_>>(),
        "refunds": order.refunds.iter().map(refund).collect::<Vec<_>>(),
    }
}

fn payment(payment: &Payment) -> Json {
    object! {
        "reference": &payment.reference,
        "payment_option": payment.method.code(),
        "status_id": payment.state.id(),
        "status": payment.state.name(),
        "awaits": payment.awaits.name(),
        "message": payment.message,
        "amount": payment.amount.to_string(),
        "account_name": payment.payer.clone(),
        "instrument": &payment.instrument,
    }
}

fn refund(refund: &Refund) -> Json {
    object! {
        "reference": &refund.reference,
        "amount": refund.amount.to_string(),
        "reason": refund.reason.clone(),
        "status": refund.state.name(),
    }
}

fn saved_card(card: &SavedCard) -> Json {
    object! { "card_token": &card.token, "card_number": &card.number, "email": card.email.clone() }
}

fn account(account: &VirtualAccount) -> Json {
    object! {
        "alias": &account.alias,
        "account_number": &account.number,
        "account_name": &account.name,
        "narration": account.narration.clone(),
        "reference": account.reference.clone(),
    }
}

fn session(session: &Session) -> Json {
    object! {
        "session_id": &session.id,
        "account_number": &session.account_number,
        "amount": session.amount.to_string(),
        "currency": &session.currency,
        "sender_name": &session.sender_name,
    }
}

fn batch(batch: &Batch) -> Json {
    let payouts = batch.payouts.iter().map(|payout| {
        object! {
            "reference": &payout.reference,
            "client_reference": payout.details.client_reference.clone(),
            "account_number": &payout.details.account_number,
            "bank_code": &payout.details.bank_code,
            "amount": payout.details.amount.to_string(),
            "currency": &payout.details.currency,
            "status_id": payout.state.id(),
            "status": payout.state.name(),
        }
    });
    object! { "batch_reference": &batch.reference, "batch_id": batch.id, "payouts": payouts.collect::<Vec<_>>() }
}
