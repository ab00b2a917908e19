//! Webhooks through the C functions: the events that the sandbox sends, forged and repeated ones, and status queries that
//! fail.

mod document;
mod hostile;
mod limits;

use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Call, Client, Reply};
use crate::support::sandbox::Sandbox;

const FORMS: [&str; 5] = ["data", "pascal", "flat", "envelope", "status"];

struct Service {
    sandbox: Sandbox,
    client: Client,
}

impl Service {
    fn new() -> Service {
        let sandbox = Sandbox::start(&[]);
        let mut config = sandbox.config();
        // Many events in a moment; `limits` has those of an ordinary client.
        config["webhook_per_minute"] = json!(10_000);
        let client = Client::new(&config);
        Service { sandbox, client }
    }

    /// Events are written so from now on; nobody receives them, but they are logged.
    fn form(&self, form: &str) {
        self.sandbox.post("/sandbox/webhooks", &json!({"form": form}));
    }

    fn pay(&self, reference: &str, amount: &str) {
        self.charge(reference, amount, "4111111111111111").expect("OK CONFIRMED");
    }

    fn charge(&self, reference: &str, amount: &str, number: &str) -> Reply {
        let card = json!({"cardnumber": number, "expirymonth": "01", "expiryyear": "39", "cvv": "193"});
        let order = json!({"reference": reference, "amount": amount, "currency": "NGN"});
        let request =
            json!({"reference": reference, "paymentoption": "C", "country": "NG", "card": card, "order": order});
        self.client.call("order_create", &request)
    }

    /// Pays into a virtual account; returns the session.
    fn fund(&self, alias: &str, reference: &str, amount: &str) -> String {
        let account = self.client.call("virtual_account_generate", &json!({"Alias": alias, "Reference": reference}));
        let account = account.expect("OK CONFIRMED").get("/accountNumber").unwrap();
        let payment = json!({"accountNumber": account, "amount": amount, "senderName": "Ada"});
        self.sandbox.post("/sandbox/fund", &payment)["sessionId"].as_str().unwrap().to_owned()
    }

    /// The body of the newest event, as it is sent.
    fn body(&self) -> String {
        let log = self.sandbox.get("/sandbox/webhooks");
        log["deliveries"].as_array().unwrap().last().expect("an event")["body"].as_str().unwrap().to_owned()
    }

    fn forge(&self, event: Value) -> String {
        self.sandbox.post("/sandbox/webhooks/forge", &event);
        self.body()
    }

    fn verify(&self, body: &str) -> Reply {
        self.client.call("webhook_verify", &json!({"body": body}))
    }

    fn verify_expecting(&self, body: &str, expect: Value) -> Reply {
        self.client.call("webhook_verify", &json!({"body": body, "expect": expect}))
    }

    /// Paths of the requests that were received, the newest last.
    fn paths(&self) -> Vec<String> {
        self.sandbox.requests().iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect()
    }
}

fn findings(reply: &Reply) -> Value {
    let body: Value = serde_json::from_str(reply.body()).unwrap();
    assert!(body["differences"].is_array() && body["authentic"].is_boolean(), "{body}");
    assert_eq!(body.get("key").is_some(), body["authentic"] == true, "{body}");
    body
}

#[track_caller]
fn is_genuine(reply: &Reply) -> Value {
    reply.expect("OK CONFIRMED");
    let found = findings(reply);
    assert_eq!((&found["authentic"], &found["differences"]), (&json!(true), &json!([])), "{found}");
    found
}

/// Each field that differs.
#[track_caller]
fn is_forged(reply: &Reply) -> Vec<String> {
    let found = findings(reply);
    assert_eq!(found["authentic"], false, "{found}");
    let differences = found["differences"].as_array().unwrap();
    differences.iter().map(|difference| difference["member"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn genuine_events_of_orders_and_sessions_in_every_form() {
    let service = Service::new();
    for form in FORMS {
        service.form(form);
        let order = format!("ORDER-{form}");
        service.pay(&order, "600.00");
        let reply = service.verify(&service.body());
        let found = is_genuine(&reply);
        assert_eq!((&found["event"], reply.state(), reply.http_status()), (&json!("order"), 5, 200));
        assert_eq!(found["data"]["orderReference"], *order, "the service's response");

        let session = service.fund(&format!("A-{form}"), &format!("CUSTOMER-{form}"), "50.25");
        let reply = service.verify(&service.body());
        let found = is_genuine(&reply);
        assert_eq!((&found["event"], reply.state()), (&json!("session"), 5));
        assert_eq!(found["data"]["sessionId"], *session);
        assert_eq!(found["data"]["accountReference"], format!("CUSTOMER-{form}"));
        let expected = json!({"accountReference": format!("CUSTOMER-{form}"), "amount": "50.250", "currency": "NGN"});
        let reply = service.verify_expecting(&service.body(), expected);
        assert_eq!(is_genuine(&reply)["match"], true);
    }
    // Only those two endpoints are asked.
    let asked: Vec<_> =
        service.paths().into_iter().filter(|path| path.contains("verify") || path.contains("details")).collect();
    assert_eq!(asked.len(), 3 * FORMS.len(), "{asked:?}");
}

/// The caller may have parsed the event already.
#[test]
fn an_event_is_text_or_an_object() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let text = service.body();
    let of_text = service.verify(&text);
    let object: Value = serde_json::from_str(&text).unwrap();
    let of_object = service.client.call("webhook_verify", &json!({"body": object}));
    assert_eq!(is_genuine(&of_text)["key"], is_genuine(&of_object)["key"]);
    let marked = service.verify(&format!("\u{feff} {text}\n"));
    assert_eq!(is_genuine(&marked)["key"], is_genuine(&of_text)["key"]);
    assert_ne!(of_text.call_id(), of_object.call_id());
    assert_eq!(of_text.get("/data/statusId").as_deref(), Some("5"), "the values are found after the new members");
}

#[test]
fn forged_events_are_told_by_what_the_service_says() {
    let mut service = Service::new();
    service.pay("ORDER-1", "600.00");
    service.pay("ORDER-2", "9000.00");
    let session = service.fund("A-1", "CUSTOMER-1", "50.25");
    service.sandbox.post("/sandbox/orders", &json!({"reference": "ORDER-3", "amount": "10.00"}));
    service.charge("ORDER-4", "10.00", "4000000000000002").expect("E_REJECTED REJECTED");
    for form in FORMS {
        // Some events are the same in two forms, and a client remembers those that are forged.
        service.client = Client::new(&service.sandbox.config());
        for (event, differs) in [
            // The service says FAILED.
            (json!({"order": "ORDER-4", "change": {"statusId": 5, "status": "Successful"}}), vec!["state"]),
            // Not paid yet, and never for that price.
            (
                json!({"order": "ORDER-3", "change": {"paymentReference": null, "orderAmount": "100.00"}}),
                vec!["amount", "state"],
            ),
            (json!({"order": "ORDER-1", "change": {"orderAmount": "6000.00"}}), vec!["amount"]),
            (json!({"order": "ORDER-1", "change": {"currencyName": "USD"}}), vec!["currency"]),
            (json!({"order": "ORDER-1", "change": {"paymentReference": "PGW-X"}}), vec!["paymentReference"]),
            (json!({"order": "ORDER-1", "change": {"accountReference": "C-9"}}), vec!["accountReference"]),
            // An event of one order with the reference of another.
            (json!({"order": "ORDER-1", "change": {"orderReference": "ORDER-2"}}), vec!["paymentReference", "amount"]),
            (json!({"session": session, "change": {"totalAmountCharged": "5000"}}), vec!["amount"]),
            (json!({"session": session, "change": {"accountReference": "CUSTOMER-2"}}), vec!["accountReference"]),
            (json!({"session": session, "change": {"orderReference": "ORDER-1"}}), vec!["reference"]),
        ] {
            let mut event = event;
            event["form"] = json!(form);
            let body = service.forge(event.clone());
            let reply = service.verify(&body);
            reply.expect("OK CONFIRMED");
            assert_eq!(is_forged(&reply), differs, "{body}");
            assert_eq!(reply.get("/respond").as_deref(), Some("200"), "{body}");
            assert!(reply.message().starts_with("the event is not authentic ("), "{}", reply.message());
        }
    }
}

/// The event travels faster than the service's own state: then it is neither genuine nor forged, until the state is there.
#[test]
fn an_event_ahead_of_the_service_is_decided_later() {
    let service = Service::new();
    let order = json!({"reference": "ORDER-1", "amount": "10.00", "payment": "pending"});
    service.sandbox.post("/sandbox/orders", &order);
    service.sandbox.post("/sandbox/orders", &json!({"reference": "ORDER-2", "amount": "10.00"}));
    for (event, differs, http_status) in [
        (json!({"order": "ORDER-1", "change": {"statusId": 5, "status": "Successful"}}), vec!["state"], 200),
        (json!({"order": "ORDER-2", "change": {"paymentReference": null}}), vec!["state"], 200),
        (json!({"order": "ORDER-9"}), Vec::<&str>::new(), 404),
        (json!({"session": "000000000000000000000000000009"}), vec![], 404),
    ] {
        let body = service.forge(event);
        let reply = service.verify(&body);
        reply.expect("E_UNRESOLVED UNKNOWN");
        assert_eq!(is_forged(&reply), differs, "{body}");
        assert_eq!((reply.http_status(), reply.attempts()), (http_status, 1), "{body}");
        let responds = (reply.get("/respond"), reply.get("/retry_after"));
        assert_eq!(responds, (Some("503".into()), Some("30".into())), "{body}");
        assert!(reply.message().starts_with("the service does not confirm the event yet"), "{}", reply.message());
        assert!(reply.why_not_paid([Some("*"); 3]).contains("UNKNOWN"));
    }
    // The same body, once the service is as far.
    let ahead = service.forge(json!({"order": "ORDER-2", "change": {"paymentReference": null}}));
    service.verify(&ahead).expect("E_UNRESOLVED UNKNOWN");
    let card = json!({"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"});
    let pay = json!({"reference": "ORDER-2", "paymentOption": "C", "country": "NG", "card": card});
    service.client.call("order_pay", &pay).expect("OK CONFIRMED");
    let reply = service.verify(&ahead);
    is_genuine(&reply);
    assert_eq!((reply.state(), reply.get("/respond").as_deref()), (5, Some("200")));
}

#[test]
fn an_older_event_is_genuine_and_has_the_key_of_the_newer_state() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let paid = service.body();
    let key = is_genuine(&service.verify(&paid))["key"].clone();
    let pending = json!({"orderReference": "ORDER-1", "orderAmount": 600, "statusId": 2, "status": "Pending"});
    let reply = service.verify(&pending.to_string());
    let found = findings(reply.expect("OK CONFIRMED"));
    let difference = json!([{"member": "state", "event": 2, "service": 5}]);
    assert_eq!((&found["authentic"], &found["differences"]), (&json!(true), &difference));
    assert_eq!((&found["key"], reply.state()), (&key, 5), "each delivery has the same key");

    // Refunded since: the event with "paid" is older, and the key is another one.
    service.client.call("order_refund", &json!({"reference": "ORDER-1"})).expect("OK CONFIRMED");
    for _ in 0..600 {
        let reply = service.verify(&paid);
        let found = findings(reply.expect("OK CONFIRMED"));
        if reply.state() == 6 {
            assert_eq!((&found["authentic"], &found["differences"][0]["service"]), (&json!(true), &json!(6)));
            assert_ne!(found["key"], key);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the refund does not end");
}

#[test]
fn a_payout_is_never_authentic() {
    let service = Service::new();
    let payout = json!({"accountNumber": "0123456789", "bankCode": "000014", "amount": "250.00", "description": "rent",
        "accountName": "Ada", "creditCurrency": "NGN", "debitCurrency": "NGN"});
    let reply = service.client.call("payout_initiate", &json!({"payoutDetails": [payout]}));
    let batch = reply.expect("OK CONFIRMED").get("/batchReference").unwrap();
    let payout = reply.get("/data/0/payoutReference").unwrap();
    let before = service.paths().len();
    for form in FORMS {
        let body = service.forge(json!({"payout": payout, "form": form}));
        let reply = service.verify(&body);
        reply.expect("E_ARGUMENT NOT_SENT");
        assert_eq!((is_forged(&reply), findings(&reply)["event"].as_str()), (vec![], Some("payout")));
    }
    assert_eq!(service.paths().len(), before, "the service was not asked");
    // The batch can be looked up, and its response is returned.
    let body = service.forge(json!({"payout": payout, "change": {"batchReference": batch}}));
    let reply = service.verify(&body);
    reply.expect("OK CONFIRMED");
    assert_eq!(is_forged(&reply), Vec::<String>::new());
    assert!(service.paths().last().unwrap().contains(&batch));
    assert_eq!(reply.get("/data/0/payoutReference"), Some(payout));
}

/// Doubt stays doubt, whatever the event.
#[test]
fn a_look_up_that_fails_leaves_the_event_unverified() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let body = service.body();
    for (fault, verdict) in [
        ("commit_then_reset", "E_TRANSPORT UNKNOWN"),
        ("truncate", "E_RESPONSE UNKNOWN"),
        ("status_500", "E_SERVER UNKNOWN"),
        ("unauthorized", "E_UNAUTHORIZED REJECTED"),
    ] {
        let rule = json!({"path": "/payment/order/verify", "fault": fault, "count": 3});
        service.sandbox.post("/sandbox/faults", &rule);
        let reply = service.verify_expecting(&body, json!({"amount": "600"}));
        reply.expect(verdict);
        let found = findings(&reply);
        assert_eq!((&found["authentic"], &found["match"]), (&json!(false), &json!(false)), "{fault}: {found}");
        assert_eq!((&found["differences"], &found["event"]), (&json!([]), &json!("order")), "{fault}");
        service.sandbox.send("DELETE", "/sandbox/faults", "");
    }
    is_genuine(&service.verify(&body));
    let nobody = Client::new(&json!({"base_url": "http://127.0.0.1:1", "secret_key": "s", "max_attempts": 1}));
    let reply = nobody.call("webhook_verify", &json!({"body": body}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert_eq!(is_forged(&reply), Vec::<String>::new());
    let without_key = Client::new(&json!({"base_url": service.sandbox.text("base_url"), "public_key": "p"}));
    let reply = without_key.call("webhook_verify", &json!({"body": body}));
    reply.expect("E_CONFIG NOT_SENT");
    assert_eq!(is_forged(&reply), Vec::<String>::new());
}

#[test]
fn a_cancelled_call_and_a_deadline_end_a_verification() {
    let service = Service::new();
    service.pay("ORDER-1", "600.00");
    let request = json!({"body": service.body()});
    let call = Call::new();
    call.cancel();
    let reply = service.client.call_with("webhook_verify", &request, Some(&call));
    reply.expect("E_CANCELLED NOT_SENT");
    assert_eq!(is_forged(&reply), Vec::<String>::new());
    let rule = json!({"path": "/payment/order/verify", "fault": "commit_then_timeout", "count": 9});
    service.sandbox.post("/sandbox/faults", &rule);
    let reply = service.client.call_with("webhook_verify", &request, Some(&Call::with_timeout_ms(300)));
    reply.expect("E_TIMEOUT UNKNOWN");
    assert_eq!((reply.outcome(), is_forged(&reply)), (Outcome::Unknown, vec![]));
}
