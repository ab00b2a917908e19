//! The same against the sandbox, whose ledger has the executed requests.

use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Call, Client, Reply};
use crate::support::sandbox::Sandbox;

const STATUS: &str = "/payment/order/status";
const PAY: &str = "/payment/order/pay";
const CREATE: &str = "/payment/order/create";
/// A card that the sandbox declines.
const DECLINED: &str = "4000000000000002";

struct Shop {
    sandbox: Sandbox,
    client: Client,
}

impl Shop {
    fn new() -> Shop {
        let sandbox = Sandbox::start(&[]);
        let client = Client::new(&sandbox.config_with(json!({"max_attempts": 1})));
        sandbox.post("/sandbox/mandates", &json!({"mandateCode": "MDTC-1"}));
        Shop { sandbox, client }
    }

    fn order(&self, reference: &str) {
        self.sandbox.post("/sandbox/orders", &json!({"reference": reference, "amount": "100.10"}));
    }

    /// Debits a mandate; the one-time code decides whether it is accepted.
    fn pay(&self, reference: &str, otp: &str) -> Reply {
        let debit = json!({"otp": otp, "mandateCode": "MDTC-1", "accountName": "Ada", "bankCode": "044"});
        self.client.call(
            "order_pay",
            &json!({"paymentOption": "NDD", "reference": reference, "directDebitPaymentRequest": debit}),
        )
    }

    fn card(&self, reference: &str, number: &str) -> Reply {
        let card = json!({"cardnumber": number, "expirymonth": "01", "expiryyear": "39", "cvv": "193"});
        self.client
            .call("order_create", &json!({"reference": reference, "paymentoption": "C", "country": "NG", "card": card}))
    }

    fn resolve(&self, endpoint: &str, request: Value, attempts: Option<u32>) -> Reply {
        let mut call = json!({"endpoint": endpoint, "request": request});
        if let Some(attempts) = attempts {
            call["attempts"] = attempts.into();
        }
        self.client.call("resolve", &call)
    }

    fn charges(&self, reference: &str) -> usize {
        self.sandbox.effects_with_key("charge_made", reference)
    }
}

#[test]
fn a_charge_whose_answer_was_lost_is_found() {
    let shop = Shop::new();
    for fault in ["commit_then_reset", "commit_then_500", "truncate"] {
        let reference = format!("O-{fault}");
        shop.order(&reference);
        shop.sandbox.arm(PAY, fault);
        assert_eq!(shop.pay(&reference, "000000").outcome(), Outcome::Unknown);
        let found = shop.resolve("order_pay", json!({"reference": reference}), None);
        found.expect("OK CONFIRMED");
        assert_eq!((found.state(), shop.charges(&reference)), (5, 1), "{}", found.message());
        assert!(found.message().contains("the order is paid, perhaps by another attempt"), "{}", found.message());
        let waited = shop
            .client
            .call("order_wait", &json!({"reference": reference, "expect": {"amount": "100.10", "currency": "NGN"}}));
        waited.expect("OK CONFIRMED");
        let dearer = shop.client.call("order_wait", &json!({"reference": reference, "expect": {"amount": "100.11"}}));
        dearer.expect("E_UNRESOLVED UNKNOWN");
        assert_eq!((waited.state(), dearer.state()), (5, 5));
    }
}

#[test]
fn a_charge_that_never_arrived_stays_unknown() {
    let shop = Shop::new();
    shop.order("O-1");
    for reference in ["O-1", "O-2"] {
        shop.sandbox.arm(PAY, "reset_without_commit");
        shop.pay(reference, "000000");
        for attempts in [None, Some(1)] {
            let found = shop.resolve("order_pay", json!({"reference": reference}), attempts);
            assert_eq!(found.outcome(), Outcome::Unknown, "{}", found.message());
        }
        assert_eq!(shop.charges(reference), 0);
    }
}

#[test]
fn a_declined_card_is_rejected_only_as_the_only_attempt() {
    let shop = Shop::new();
    shop.order("O-1");
    let kept = json!({"reference": "O-1", "card": {}});
    let resolve = |attempts| shop.resolve("order_create", kept.clone(), attempts);
    shop.sandbox.arm(CREATE, "commit_then_reset");
    shop.card("O-1", DECLINED);
    resolve(None).expect("E_UNRESOLVED UNKNOWN");
    resolve(Some(2)).expect("E_UNRESOLVED UNKNOWN");
    let found = resolve(Some(1));
    found.expect("E_REJECTED REJECTED");
    assert_eq!((found.state(), shop.charges("O-1")), (4, 0));
    // Another attempt pays, and only the status query shows it.
    shop.sandbox.arm(CREATE, "commit_then_reset");
    shop.card("O-1", "4111111111111111");
    let found = resolve(Some(2));
    found.expect("OK CONFIRMED");
    assert_eq!((found.state(), shop.charges("O-1")), (5, 1));
}

/// The response of order_status names no currency; order_verify does, with the secret key.
#[test]
fn a_currency_is_proved_by_another_endpoint_or_not_at_all() {
    let shop = Shop::new();
    shop.order("O-1");
    shop.pay("O-1", "000000").expect("OK CONFIRMED");
    let secretless = Client::new(&shop.sandbox.config_with(json!({"max_attempts": 1, "secret_key": null})));
    let ask = |client: &Client, more: Value| {
        let call = json!({"endpoint": "order_pay", "request": {"reference": "O-1"}});
        client.call("resolve", &crate::support::capi::with(call, more))
    };
    ask(&shop.client, json!({"expect": {"currency": "NGN"}})).expect("OK CONFIRMED");
    ask(&shop.client, json!({"expect": {"currency": "USD"}})).expect("E_UNRESOLVED UNKNOWN");
    let unproved = ask(&secretless, json!({"expect": {"currency": "NGN"}}));
    unproved.expect("E_UNRESOLVED UNKNOWN");
    assert!(unproved.message().contains("the response has no currency"), "{}", unproved.message());
    let order = json!({"reference": "O-1", "order": {"currency": "NGN"}});
    ask(&secretless, json!({"request": order, "expect": {"currency": "NGN"}})).expect("OK CONFIRMED");
    ask(&secretless, json!({"request": order, "expect": {"currency": "USD"}})).expect("E_UNRESOLVED UNKNOWN");
    let wait = json!({"reference": "O-1", "request": {"order": {"currency": "NGN"}}, "expect": {"currency": "NGN"}});
    secretless.call("order_wait", &wait).expect("OK CONFIRMED");
}

#[test]
fn a_look_up_that_fails_once_is_repeated_with_wait() {
    let shop = Shop::new();
    shop.order("O-1");
    shop.sandbox.arm(PAY, "commit_then_close");
    shop.pay("O-1", "000000");
    shop.sandbox.arm(STATUS, "status_503");
    let call = json!({"endpoint": "order_pay", "request": {"reference": "O-1"}, "wait": true, "interval_ms": 10});
    let found = shop.client.call("resolve", &call);
    found.expect("OK CONFIRMED");
    assert_eq!((found.state(), found.attempts()), (5, 2));
}

/// Whatever happens to the status query, its result is never the opposite of the truth.
#[test]
fn no_fault_of_the_look_up_makes_its_answer_wrong() {
    let shop = Shop::new();
    // The faults that act on the status query itself.
    let names: Vec<_> = shop.sandbox.faults().into_iter().filter(|name| !name.starts_with("tls_")).collect();
    assert!(names.len() > 40, "{names:?}");
    shop.order("PAID");
    shop.pay("PAID", "000000").expect("OK CONFIRMED");
    shop.order("OPEN");
    shop.card("DECLINED", DECLINED).expect("E_REJECTED REJECTED");
    let settled = |timeout_ms: i32| {
        let mut settled = 0;
        for name in &names {
            for (reference, may, state) in
                [("PAID", Outcome::Confirmed, 5), ("OPEN", Outcome::Unknown, 1), ("DECLINED", Outcome::Rejected, 4)]
            {
                shop.sandbox.send("DELETE", "/sandbox/faults", "");
                shop.sandbox.arm(STATUS, name);
                let call = json!({"endpoint": "order_pay", "request": {"reference": reference}, "attempts": 1});
                let found = shop.client.call_with("resolve", &call, Some(&Call::with_timeout_ms(timeout_ms)));
                let is_settled = found.outcome() == may && found.state() == state;
                settled += usize::from(is_settled);
                let message = found.message();
                assert!(
                    is_settled || found.outcome() == Outcome::Unknown,
                    "{reference}, {name}: {} {message}",
                    found.verdict()
                );
            }
        }
        settled
    };
    // A busy machine needs the second, in which the faults that stall take a minute.
    assert!([700, 3000].into_iter().any(|timeout_ms| settled(timeout_ms) > names.len() / 2), "too few are settled");
}
