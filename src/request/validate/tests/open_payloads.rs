//! The names that the rows' open payloads refuse and take.

use super::*;
use paysvc_spec::ENDPOINTS;

/// Each of these was passed on, and the card was charged in the currency of the merchant.
#[test]
fn every_open_payload_refuses_what_is_nearly_the_price_or_the_card() {
    for row in ENDPOINTS.iter().filter(|row| row.allows_extra) {
        let has = |name: &str| row.fields.iter().any(|field| field.name == name);
        let told = |text: &str| {
            let found = object(&Given::read(text), row.fields, Rules::OPEN, row.name, Status::Argument).err();
            found.map(|error| error.errors).unwrap_or_default()
        };
        let is_told =
            |text: &str, member: &str, known: &str| told(text).contains(&(member.to_owned(), did_you_mean(known)));
        if has("card") {
            assert!(is_told(r#"{"crad":{"cvv":"1"}}"#, "crad", "card"), "{}", row.name);
        }
        for name in
            ["curr", "ccy", "currencyCode", "currency_id", "CurrencyName", "curreny", "orderCurrency", "txn_currency"]
        {
            if has("order") {
                assert!(is_told(&format!(r#"{{"{name}":"USD"}}"#), name, "order.currency"), "{} {name}", row.name);
                let text = format!(r#"{{"order":{{"reference":"r","amount":1,"{name}":"USD"}}}}"#);
                assert!(is_told(&text, &format!("order.{name}"), "currency"), "{} {name}", row.name);
            }
        }
        for name in ["amt", "amnt", "ammount", "totalAmount", "orderAmount", "amountValue", "order_amount"] {
            assert!(
                !has("order") || is_told(&format!(r#"{{"{name}":1}}"#), name, "order.amount"),
                "{} {name}",
                row.name
            );
        }
    }
}

/// Members that integrations send beside the known ones, at the top and within the order.
#[test]
fn every_open_payload_takes_other_members() {
    let ordinary = "age address agent app attributes bank branch branchId browser callbackUrl car cart cashier category \
        channel city comment customerId customerName customerNote customization data date delivery device \
        deviceId discount dueDate extra fee fingerprint gift id invoice invoiceNumber ip items language lines \
        locale location merchant merchantId meta metadata mode name note notes orderId orderNumber pan phone \
        platform plan points product productName quantity rate reason receipt region role shipping source split \
        splits state store subsidiary tag tags tax terminal terminalId test till time timestamp tip title token \
        type url user userId version voucher webhookUrl zip";
    for row in ENDPOINTS.iter().filter(|row| row.allows_extra) {
        let known = KnownMembers::of(row.fields);
        for name in ordinary.split(' ') {
            for prefix in ["", "order."].into_iter().filter(|prefix| prefix.is_empty() || has_order(row)) {
                assert_eq!(known.meant(name, prefix), None, "{} {prefix}{name}", row.name);
            }
        }
    }
}

fn has_order(row: &Endpoint) -> bool {
    row.fields.iter().any(|field| field.name == "order")
}
