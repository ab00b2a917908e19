//! The state as JSON: names in snake case, amounts as text.

use crate::http::answer::ApiError;
use crate::service::router::Router;
use crate::service::sandbox::Shared;
use crate::state::State;
use crate::state::model::{Batch, Mandate, Order, Payment, Refund, SavedCard, Session, VirtualAccount};
use crate::util::json::{Json, object};

pub fn otp(state: &State, code: &str) -> Result<Json, ApiError> {
    let mandate = state.mandate(code)?;
    let sent = mandate.otp.as_ref().ok_or_else(|| ApiError::not_found("mandateCode", "One-time code"))?;
    Ok(object! { "mandateCode": code, "otp": &sent.code, "used": sent.used })
}

pub fn state(shared: &Shared) -> Json {
    let state = &shared.state;
    object! {
        "pay_twice": state.settings.pay_twice,
        "mandates": state.mandates.values().map(mandate).collect::<Vec<_>>(),
        "orders": state.orders.values().map(order).collect::<Vec<_>>(),
        "virtual_accounts": state.accounts.values().map(account).collect::<Vec<_>>(),
        "sessions": state.sessions.values().map(session).collect::<Vec<_>>(),
        "saved_cards": state.saved_cards.values().map(saved_card).collect::<Vec<_>>(),
        "payout_batches": state.batches.values().map(batch).collect::<Vec<_>>(),
        "webhooks": shared.webhooks.deliveries.attempts(),
    }
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
