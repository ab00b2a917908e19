//! Admin calls for payouts: list, make, complete and fail.

use super::listing::Wanted;
use crate::endpoints::payouts;
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::model::{Batch, Payout, PayoutState};
use crate::util::json::{Json, object};

/// All payouts in the order of their batches; `clientReference` in the query selects those with this reference.
pub fn list(state: &State, query: &Json, wanted: &Wanted) -> Json {
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
    let shown = found.into_iter().map(|(number, (batch, payout))| of_batch(batch, payout, number));
    object! { "payouts": shown.collect::<Vec<_>>() }
}

/// Accepts a batch; `batchReference` chooses its reference.
pub fn make(state: &mut State, body: &Json) -> Result<Json, ApiError> {
    let mut fields = Fields::of(body);
    let reference = fields.optional("batchReference");
    fields.finish()?;
    let batch = state.pay_out(payouts::details(body)?, reference)?;
    let payouts = batch.payouts.iter().map(shown).collect::<Vec<_>>();
    Ok(object! { "batchReference": &batch.reference, "batchId": batch.id, "payouts": payouts })
}

/// `reference` is that of a batch or of one payout.
pub fn end(state: &mut State, reference: &str, end: PayoutState) -> Result<Json, ApiError> {
    let ended = state.end_payouts(reference, end)?;
    Ok(object! { "payouts": ended.into_iter().map(shown).collect::<Vec<_>>() })
}

pub fn shown(payout: &Payout) -> Json {
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

fn of_batch(batch: &Batch, payout: &Payout, number: u64) -> Json {
    let mut shown = shown(payout);
    if let Json::Object(members) = &mut shown {
        members.insert(0, ("batchReference".to_string(), (&batch.reference).into()));
        members.push(("number".to_string(), number.into()));
        members.push(("accepted".to_string(), batch.accepted.millis_utc().into()));
    }
    shown
}
