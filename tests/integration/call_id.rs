//! The call ID (`kept_log`: it is in every line of the call's log), and the service's own data about the request.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::capi::{Call, Client, Reply, refund, with};
use crate::support::encryption_key;
use crate::support::server::{Connection, Server};

/// The call, and its log without the beginnings of attempts.
fn logged(client: &Client, function: &str, request: &Value) -> (Reply, Vec<String>) {
    let call = Call::new();
    call.keep_log(3);
    let reply = client.call_with(function, request, Some(&call));
    (reply, call.log().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect())
}

/// A service whose first response is "try again", each with these headers.
fn busy_once(headers: &'static str) -> Server {
    Server::start(move |mut c: Connection| {
        while c.read_request().is_some() {
            match c.index {
                0 => c.answer("429 busy", &format!("retry-after: 0\r\n{headers}"), "{}"),
                _ => c.answer("200 OK", headers, crate::support::server::OK),
            }
        }
    })
}

#[test]
fn no_two_replies_have_the_same_number() {
    let server = busy_once("");
    let client = Client::new(&server.config());
    let mut numbers = HashSet::new();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..8)
            .map(|thread| {
                let client = &client;
                scope.spawn(move || {
                    let replies = (0..20).map(|index| match (thread + index) % 3 {
                        0 => client.call("order_refund", &refund()),
                        1 => client.call("order_refund", &"no JSON"),
                        _ => client.encrypt(&json!({})),
                    });
                    replies.map(|reply| reply.call_id().to_owned()).collect::<Vec<_>>()
                })
            })
            .collect();
        for call in calls {
            numbers.extend(call.join().unwrap());
        }
    });
    numbers.insert(Client::try_new(&"{}[]").err().unwrap().call_id().to_owned());
    assert_eq!(numbers.len(), 161);
    for number in &numbers {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
        assert!((18..=40).contains(&number.len()) && number.chars().all(allowed), "{number}");
    }
    let prefixes: HashSet<_> = numbers.iter().map(|number| number.split_once('-').unwrap().0).collect();
    assert_eq!(prefixes.len(), 1, "one process");
}

#[test]
fn the_services_date_and_numbers_are_in_the_log() {
    let server = busy_once(
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Request-Id: req-7f\r\ncf-ray: 8f1-LOS\r\nx-other: other\r\n",
    );
    let (reply, said) = logged(&Client::new(&server.config()), "order_refund", &refund());
    for line in said.iter().filter(|line| line.contains(" attempt ")) {
        let expected = "; date Sun, 06 Nov 1994 08:49:37 GMT; x-request-id req-7f; cf-ray 8f1-LOS";
        assert!(line.ends_with(expected), "{line}");
    }
    assert_eq!(said.len(), 3);
    assert_eq!(reply.request_id(), "req-7f");
}

/// Whatever a service puts into these headers: no secret of the request, no key, no second line, nothing long.
#[test]
fn what_a_service_disguises_as_a_number_stays_out_of_the_log() {
    const OTP: &str = "739154";
    const MANDATE: &str = "MDTC-5399413078825962";
    let request = json!({"paymentOption": "NDD", "reference": "O-1",
        "directDebitPaymentRequest": {"otp": OTP, "mandateCode": MANDATE, "accountName": "Ada Canary", "bankCode": "044"}});
    let key = "PUBLICKEY-5f2d8a31c7";
    let long = "9".repeat(500);
    for (value, shown) in [
        (OTP.to_owned(), Some("***")),
        (format!("id={OTP};a"), Some("id=***;a")),
        (MANDATE.to_owned(), Some("***")),
        (MANDATE.to_lowercase().replace('-', "_"), Some("***")),
        (key.to_owned(), Some("***")),
        (format!("x{key}x"), None),
        (long, None),
        ("two words".to_owned(), None),
        ("tab\tin-it".to_owned(), None),
        ("\u{e9}".to_owned(), None),
        ("req-1".to_owned(), Some("req-1")),
    ] {
        let answer = format!("x-request-id: {value}\r\ndate: {value}\r\ntraceparent: 00-{value}\r\n");
        let server = Server::always("400 no", &answer, "{}");
        let config = with(server.config(), json!({"public_key": key}));
        // Not encrypted, so that no key is needed: the secrets of the request are the same.
        let raw = json!({"method": "POST", "path": "/some/where", "key": "public", "body": request});
        let (reply, said) = logged(&Client::new(&config), "request", &raw);
        let [line] = said.as_slice() else { panic!("{said:?}") };
        let number = reply.request_id();
        assert!(number.is_empty() || line.contains(&format!(" {number}")), "{number:?}: {line}");
        for secret in [OTP, MANDATE, "5399413078825962", key, "999999"] {
            assert!(!line.to_lowercase().contains(&secret.to_lowercase()), "{secret} in {line}");
        }
        assert!(!line.contains("; date") && !line.contains("words") && !line.contains("in-it"), "{line}");
        if let Some(shown) = shown {
            assert!(line.contains(&format!("; x-request-id {shown}")), "{value:?}: {line}");
        }
        assert!(line.is_ascii() && line.len() < 300 && !line.contains(char::is_control), "{line}");
    }
}

/// The service repeats the fields of the earlier request in all parts of its response to the status query.
#[test]
fn a_look_up_masks_the_secrets_of_the_request_that_it_is_about() {
    const CARD: &str = "5399413078825962";
    let order = json!({"endpoint": "order_pay", "attempts": 1, "request": {"reference": "O-1", "paymentOption": "C",
        "card": {"cardnumber": CARD, "expirymonth": "12", "expiryyear": "29", "cvv": "193"}}});
    for (status, own) in [("200 OK", ""), ("400 no", ""), ("400 no", r#""statusCode":"SECRET","#)] {
        let body = format!(r#"{{"status":false,{own}"message":"SECRET: no such thing"}}"#).replace("SECRET", CARD);
        let trace = format!("x-request-id: {CARD}\r\n");
        let server = Server::always(status, &trace, &body);
        let client = Client::new(&with(server.config(), json!({"encryption_key": encryption_key()})));
        let (reply, said) = logged(&client, "resolve", &order);
        assert!(reply.attempts() > 0, "{}", reply.message());
        assert!(reply.message().contains("***") && !reply.message().contains(CARD), "{}", reply.message());
        assert!(!reply.code().contains(CARD), "{}", reply.code());
        let said = said.join("\n");
        assert!(said.contains("x-request-id ***") && !said.contains(CARD), "{said}");
    }
}
