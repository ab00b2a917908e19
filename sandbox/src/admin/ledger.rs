//! The ledger as JSON.

use super::listing::Wanted;
use crate::state::ledger::{Entry, Ledger};
use crate::util::json::{Json, object};

pub fn entries(ledger: &Ledger, wanted: &Wanted) -> Json {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::ledger::Effect;
    use crate::util::money::Money;

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
