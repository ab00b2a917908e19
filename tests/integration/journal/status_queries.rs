//! The status query of a call with a journal before it charges its order, through the C functions: it is no attempt, and
//! nothing of the request is repeated that the service repeats.

use serde_json::{Value, json};

use super::folder;
use crate::support::capi::{Call, Client, Reply, with};
use crate::support::long_encryption_key;
use crate::support::server::Server;

const NUMBER: &str = "5123450000000008";
const CVV: &str = "1937";

/// The service's response to status queries about the order; charges get CHARGED.
fn order(state: u8, is_final: bool) -> String {
    json!({
        "message": format!("card {NUMBER} with code {CVV}"),
        "data": {
            "orderSummary": {"orderReference": "ORD-1", "statusId": state, "orderAmount": "25.50"},
            "isFinalStatus": is_final, "requeryNeeded": !is_final, "orderPayments": [],
        },
    })
    .to_string()
}

const CHARGED: &str = r#"{"status":"success","statusCode":"00","data":{"orderReference":"ORD-1","statusId":5}}"#;

struct Till {
    server: Server,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Till {
    /// Without `charged`, the connection of each charge ends without a response.
    fn new(charged: Option<&'static str>, status: impl Fn() -> (&'static str, String) + Send + Sync + 'static) -> Till {
        let server = Server::start(move |mut connection| {
            while let Some(request) = connection.read_request() {
                let is_query = request.lines().next().unwrap().contains("/status");
                let (line, body) = match charged {
                    _ if is_query => status(),
                    Some(charged) => ("200 OK", charged.to_owned()),
                    None => return,
                };
                connection.answer(line, "", &body);
            }
        });
        let folder = folder();
        let config = json!({
            "encryption_key": long_encryption_key(), "max_attempts": 1, "timeout_ms": 5000,
            "journal": folder.path().join("pay.db"), "journal_create": true,
        });
        let client = Client::new(&with(server.config(), config));
        Till { server, client, _folder: folder }
    }

    /// The log of the call, too, without the times, whose digits may be those of a code.
    fn charge(&self) -> (Reply, Vec<Value>) {
        self.charge_within(5000)
    }

    /// A shorter time ends while an earlier charge may still be under way.
    fn charge_within(&self, ms: i32) -> (Reply, Vec<Value>) {
        let call = Call::with_timeout_ms(ms);
        call.keep_log(4);
        let reply = self.client.call_with("order_create", &charge(), Some(&call));
        let mut log = call.log();
        log.iter_mut().for_each(|line| _ = line.as_object_mut().unwrap().remove("time"));
        (reply, log)
    }

    /// Status queries and charges, as they came.
    fn paths(&self) -> Vec<String> {
        let path = |request: &String| request.split(' ').nth(1).unwrap().rsplit('/').next().unwrap().to_owned();
        self.server.seen().iter().map(path).collect()
    }
}

fn charge() -> Value {
    json!({
        "reference": "ORD-1", "paymentoption": "C", "country": "NG",
        "card": {"cardnumber": NUMBER, "expirymonth": "01", "expiryyear": "39", "cvv": CVV},
        "order": {"reference": "ORD-1", "amount": "25.50", "currency": "NGN", "description": "tea"},
    })
}

#[test]
fn a_status_query_is_no_attempt_of_a_charge() {
    let till = Till::new(Some(CHARGED), || ("404 Not Found", r#"{"status":"failed","message":"no order"}"#.into()));
    let (reply, log) = till.charge();
    reply.expect("OK CONFIRMED");
    assert_eq!(till.paths(), ["status", "create"], "the order is asked for before it is charged");
    assert_eq!(reply.attempts(), 1, "one request may have moved money");
    let about = |log: &[Value], http_status: u16| {
        let lines: Vec<_> = log.iter().filter(|line| line["http_status"] == http_status).collect();
        assert!(lines.len() == 1 && lines[0]["reference"] == "ORD-1", "{log:?}");
        lines[0]["level"].clone()
    };
    assert_eq!((about(&log, 404), about(&log, 200)), (json!(4), json!(3)), "that there is none is no news");
    let failing = Till::new(Some(CHARGED), || ("503 Service Unavailable", "{}".into()));
    assert_eq!(about(&failing.charge().1, 503), 2);

    // A call that it refuses, or replays, has sent nothing that may move money.
    let till = Till::new(Some(CHARGED), || ("200 OK", order(2, false)));
    let (reply, _) = till.charge();
    reply.expect("E_UNRESOLVED UNKNOWN");
    assert_eq!((till.paths().len(), reply.attempts()), (1, 0));
    let till = Till::new(Some(CHARGED), || ("200 OK", order(5, true)));
    let (reply, _) = till.charge();
    reply.expect("OK CONFIRMED");
    assert!(!till.paths().contains(&"create".to_owned()), "it is paid already: {:?}", till.paths());
    assert_eq!(reply.attempts(), 0);

    // A call that only reads counts its own requests.
    let reply = till.client.call("order_status", &json!({"reference": "ORD-1"}));
    assert_eq!(reply.attempts(), 1);
    let resolved = json!({"endpoint": "order_create", "request": charge()});
    assert_eq!(till.client.call("resolve", &resolved).attempts(), 1);
}

/// The attempts of one charge are what proves that it is REJECTED.
#[test]
fn the_attempts_of_a_charge_prove_that_it_failed() {
    let failed = json!({
        "data": {
            "orderSummary": {"orderReference": "ORD-1", "statusId": 4, "orderAmount": "25.50"},
            "isFinalStatus": true, "requeryNeeded": false,
            "orderPayments": [{"orderPaymentReference": "PAY-1", "statusId": 4}],
        },
    });
    let queries = std::sync::atomic::AtomicUsize::new(0);
    let till = Till::new(None, move || match queries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => ("404 Not Found", r#"{"status":"failed","message":"no order"}"#.into()),
        _ => ("200 OK", failed.to_string()),
    });
    let (lost, _) = till.charge();
    lost.expect("E_TRANSPORT UNKNOWN");
    let wait = json!({"reference": "ORD-1", "attempts": lost.attempts(), "interval_ms": 10});
    let waited = till.client.call_with("order_wait", &wait, Some(&Call::with_timeout_ms(1000)));
    waited.expect("E_REJECTED REJECTED");
}

/// Before the first charge, after one whose response was lost, and in place of one that is recorded.
#[test]
fn nothing_of_the_request_is_repeated_from_the_answer_to_a_status_query() {
    fn check(reply: &Reply, log: &[Value], at: &str) {
        let told = format!("{} {} {log:?}", reply.message(), reply.code());
        assert!(!told.contains(NUMBER) && !told.contains(CVV), "{at}: {told}");
        assert!(reply.message().contains("card "), "{at}: what the service wrote is in it: {}", reply.message());
    }
    let till = Till::new(None, || ("200 OK", order(2, false)));
    let (reply, log) = till.charge();
    reply.expect("E_UNRESOLVED UNKNOWN");
    check(&reply, &log, "asked before the first charge");

    let queries = std::sync::atomic::AtomicUsize::new(0);
    let till = Till::new(None, move || match queries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => ("404 Not Found", r#"{"status":"failed","message":"no order"}"#.into()),
        1 => ("200 OK", order(2, false)),
        2 => ("404 Not Found", format!(r#"{{"status":"failed","message":"card {NUMBER} {CVV}","code":"{NUMBER}"}}"#)),
        _ => ("200 OK", order(5, true)),
    });
    till.charge().0.expect("E_TRANSPORT UNKNOWN");
    for at in ["open: in progress", "open: unknown"] {
        let (reply, log) = till.charge_within(1000);
        reply.expect("E_UNRESOLVED UNKNOWN");
        check(&reply, &log, at);
    }
    for at in ["open: paid", "recorded"] {
        let (reply, log) = till.charge();
        reply.expect("OK CONFIRMED");
        check(&reply, &log, at);
    }
}
