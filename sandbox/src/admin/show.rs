//! The state, the ledger and the deliveries as JSON: names in snake case, amounts as text; and which entries of a list
//! a call returns: by `reference`, `search`, `before`, `limit` and `show` in the query.

use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::service::request_log::Kept;
use crate::service::router::Router;
use crate::service::sandbox::Shared;
use crate::state::State;
use crate::state::ledger::{Entry, Ledger};
use crate::state::model::{Batch, Mandate, Order, Payment, Payout, Refund, SavedCard, Session, VirtualAccount};
use crate::util::json::{Json, object};
use crate::util::money::Money;
use crate::webhook::Webhooks;
use crate::webhook::deliveries::{Delivery, attempts};
use crate::webhook::message::Form;

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
        "webhooks": attempts(&deliveries(&shared.webhooks, wanted)),
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
    found.map(|it| account(it).and(object! { "funded": funded(&it.number).to_string() })).collect()
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

pub fn ledger(ledger: &Ledger, wanted: &Wanted) -> Json {
    let found = wanted.of_list(ledger.entries.iter().rev(), |entry| entry.seq, |entry| entry.references());
    object! { "ledger": found.into_iter().map(entry).collect::<Vec<_>>() }
}

fn entry(entry: &Entry) -> Json {
    object! {
        "seq": entry.seq,
        "effect": entry.effect.name(),
        "key": &entry.key,
        "amount": entry.amount.map(|amount| amount.to_string()),
        "fee": entry.fee.map(|fee| fee.to_string()),
        "currency": entry.currency.clone(),
        "reference": &entry.reference,
        "request_id": entry.request_id,
        "at": entry.at.millis_utc(),
    }
}

pub fn duplicates(ledger: &Ledger) -> Json {
    let shown = |groups: Vec<Vec<&Entry>>| groups.iter().map(|entries| duplicate(entries)).collect::<Vec<_>>();
    object! { "duplicates": shown(ledger.duplicates()), "repeated": shown(ledger.repeated()) }
}

fn duplicate(entries: &[&Entry]) -> Json {
    let first = entries[0];
    object! {
        "effect": first.effect.name(),
        "key": &first.key,
        "count": entries.len(),
        "amount": first.amount.map(|amount| amount.to_string()),
        "currency": first.currency.clone(),
        "seqs": entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(),
        "request_ids": entries.iter().map(|entry| Json::from(entry.request_id)).collect::<Vec<_>>(),
    }
}

pub struct Wanted {
    /// Entries that name one of these; the first one is what was asked for.
    references: Option<Vec<String>>,
    /// In lower case.
    search: Option<String>,
    /// Entries with a smaller number.
    before: Option<u64>,
    limit: usize,
    /// A kind of entry, by the name that it has in its list.
    pub show: Option<String>,
}

impl Wanted {
    pub fn of(query: &Json, state: &State) -> Result<Wanted, ApiError> {
        let mut fields = Fields::of(query);
        let limit = fields.optional_count("limit").map_or(usize::MAX, |limit| limit as usize);
        let before = fields.optional_count("before");
        let reference = fields.optional("reference");
        let search = fields.optional("search").map(|text| text.trim().to_lowercase());
        let show = fields.optional("show");
        fields.finish()?;
        Ok(Wanted { references: reference.map(|reference| state.related(&reference)), search, before, limit, show })
    }

    /// The newest entries that are wanted, in the order in which they were made. `newest_first` is in reverse order.
    pub fn of_list<T>(
        &self,
        newest_first: impl Iterator<Item = T>,
        number: impl Fn(&T) -> u64,
        names: impl Fn(&T) -> Vec<String>,
    ) -> Vec<T> {
        let meant = newest_first
            .filter(|entry| self.before.is_none_or(|before| number(entry) < before))
            .filter(|entry| self.names_it(|| names(entry)));
        let mut found: Vec<T> = meant.take(self.limit).collect();
        found.reverse();
        found
    }

    /// Nothing in the query chooses.
    pub fn is_everything(&self) -> bool {
        self.references.is_none() && self.search.is_none() && self.before.is_none() && self.limit == usize::MAX
    }

    fn names_it(&self, names: impl FnOnce() -> Vec<String>) -> bool {
        if self.references.is_none() && self.search.is_none() {
            return true;
        }
        let names = names();
        let is_one = |references: &Vec<String>| names.iter().any(|name| references.contains(name));
        let has = |words: &String| names.iter().any(|name| name.to_lowercase().contains(words));
        self.references.as_ref().is_none_or(is_one) && self.search.as_ref().is_none_or(has)
    }

    /// Tells whether an entry that is kept as JSON has one of the references as a value or in its path.
    pub fn in_text(&self) -> impl Fn(&str) -> bool {
        let quoted = |text: &String| Json::from(text).to_string();
        let values = |reference: &String| [quoted(reference), format!("/{}", &quoted(reference)[1..])];
        let references: Option<Vec<String>> = self.references.as_ref().map(|all| all.iter().flat_map(values).collect());
        let within = |quoted: String| quoted[1..quoted.len() - 1].to_string();
        let search = self.search.as_ref().map(|words| within(quoted(words)));
        move |json| {
            references.as_ref().is_none_or(|all| all.iter().any(|value| json.contains(value)))
                && search.as_ref().is_none_or(|words| json.to_lowercase().contains(words))
        }
    }

    pub fn is_before(&self, number: u64) -> bool {
        self.before.is_none_or(|before| number < before)
    }

    pub fn limit(&self) -> usize {
        self.limit
    }
}

/// The behaviour and the newest deliveries.
pub fn webhooks(webhooks: &Webhooks, wanted: &Wanted) -> Json {
    webhooks.behaviour.json().and(object! {
        "forms": Form::ALL.iter().map(|form| form.name()).collect::<Vec<_>>(),
        "deliveries": deliveries(webhooks, wanted).into_iter().map(Delivery::json).collect::<Vec<_>>(),
    })
}

pub fn deliveries<'a>(webhooks: &'a Webhooks, wanted: &Wanted) -> Vec<&'a Delivery> {
    wanted.of_list(webhooks.deliveries.newest_first(), |it| it.id, |it| vec![it.message.key.clone()])
}

/// All payouts in the order of their batches; `clientReference` in the query selects those with this reference.
pub fn payouts(state: &State, query: &Json, wanted: &Wanted) -> Json {
    let client_reference = query.get("clientReference").and_then(Json::as_text);
    let mut batches: Vec<&Batch> = state.batches.values().collect();
    batches.sort_by_key(|batch| batch.id);
    let all = batches.into_iter().flat_map(|batch| batch.payouts.iter().map(move |payout| (batch, payout)));
    let is_meant =
        |payout: &Payout| client_reference.is_none() || payout.details.client_reference.as_deref() == client_reference;
    let numbered = (1_u64..).zip(all).filter(|(_, (_, payout))| is_meant(payout)).collect::<Vec<_>>();
    let names = |(_, (batch, payout)): &(u64, (&Batch, &Payout))| {
        let client = payout.details.client_reference.clone();
        [batch.reference.clone(), payout.reference.clone()].into_iter().chain(client).collect()
    };
    let found = wanted.of_list(numbered.into_iter().rev(), |(number, _)| *number, names);
    let shown = found.into_iter().map(|(number, (batch, payout))| listed_payout(batch, payout, number));
    object! { "payouts": shown.collect::<Vec<_>>() }
}

pub fn payout(payout: &Payout) -> Json {
    let details = &payout.details;
    object! {
        "payoutReference": &payout.reference,
        "clientReference": details.client_reference.clone(),
        "accountNumber": &details.account_number,
        "bankCode": &details.bank_code,
        "amount": details.amount.to_string(),
        "currency": &details.currency,
        "statusId": payout.state.id(),
        "status": payout.state.name(),
    }
}

fn listed_payout(batch: &Batch, made: &Payout, number: u64) -> Json {
    let of_list = object! { "number": number, "accepted": batch.accepted.millis_utc() };
    object! { "batchReference": &batch.reference }.and(payout(made)).and(of_list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::ledger::Effect;

    #[test]
    fn duplicates_name_their_entries_and_requests() {
        let mut ledger = Ledger::default();
        for request in [7, 8] {
            ledger.begin(Some(request));
            ledger.commit_money(Effect::RefundMade, "A/5.00".into(), "r", Money::hundredths(500), None, "NGN");
            ledger.commit(Effect::MandateCreated, "A".into(), "M");
        }
        assert_eq!(
            duplicates(&ledger).to_string(),
            concat!(
                r#"{"duplicates":[{"effect":"refund_made","key":"A/5.00","count":2,"amount":"5.00","currency":"NGN","seqs":[1,3],"request_ids":[7,8]}],"#,
                r#""repeated":[{"effect":"mandate_created","key":"A","count":2,"amount":null,"currency":null,"seqs":[2,4],"request_ids":[7,8]}]}"#
            )
        );
    }
}
