//! `paysvc_client_check`: whether everything is ready for the first sale, and what is said about each thing that is
//! not.

use paysvc_spec::checks::{ASKED, CARD_PAYLOAD, Check};
use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Call, Client, HANG, Reply, with, within};
use crate::support::proxy::{Service, http_proxy};
use crate::support::sandbox::Sandbox;
use crate::support::server::{Server, closed_port};
use crate::support::tls::{Authority, serve};
use crate::support::{encryption_key, long_encryption_key};

/// The verdict, the checks that are not ok with their messages, and that all are there in their order.
fn not_ok(reply: &Reply) -> Vec<(String, String)> {
    assert_eq!(reply.outcome(), Outcome::NotSent);
    assert_eq!(reply.state(), 0);
    let body: Value = serde_json::from_str(reply.body()).unwrap();
    let checks = body["checks"].as_array().unwrap();
    let names: Vec<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(names, Check::ALL.iter().map(|check| check.name()).collect::<Vec<_>>());
    let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
    let wrong: Vec<_> = checks
        .iter()
        .filter(|check| check["ok"] != true)
        .map(|check| (text(check, "check"), text(check, "message")))
        .collect();
    assert_eq!(body["status"], wrong.is_empty());
    assert_eq!(body["message"], reply.message());
    if let Some((name, text)) = wrong.first() {
        assert!(reply.message().starts_with(&format!("{name}: {text}")), "{}", reply.message());
    }
    wrong
}

fn names(wrong: &[(String, String)]) -> Vec<&str> {
    wrong.iter().map(|(name, _)| name.as_str()).collect()
}

fn check(config: &Value) -> (String, Vec<(String, String)>) {
    let reply = within(HANG, || Client::new(config).check(None));
    let wrong = not_ok(&reply);
    (reply.status_name(), wrong)
}

#[test]
fn all_is_ok_with_the_sandbox_and_nothing_but_one_reading_is_sent() {
    for arguments in [&[][..], &["--tls"]] {
        let sandbox = Sandbox::start(arguments);
        let client = Client::new(&sandbox.config());
        let reply = client.check(None);
        assert_eq!(not_ok(&reply), [], "{arguments:?}");
        assert_eq!((reply.status_name().as_str(), reply.attempts()), ("OK", 1));
        let requests = sandbox.requests();
        let sent: Vec<_> = requests.iter().map(|request| request["path"].as_str().unwrap()).collect();
        assert_eq!(sent, [ASKED.path], "{arguments:?}");
    }
}

#[test]
fn what_is_missing_or_wrong_in_the_configuration_is_named_and_the_rest_is_checked() {
    let sandbox = Sandbox::start(&[]);
    let live = format!("PGW-SECRETKEY-{}", "0".repeat(32));
    for (changes, expected, part) in [
        (json!({"secret_key": null}), &["secret_key"][..], "PAYSVC_SECRET_KEY"),
        (json!({"encryption_key": null}), &["encryption_key"], "PAYSVC_ENCRYPTION_KEY"),
        (json!({"encryption_key": encryption_key()}), &["encryption_key"], "can encrypt 245 bytes"),
        (json!({"secret_key": live, "mode": null}), &["mode"], "public_key is a test key but secret_key is a live key"),
        (json!({"public_key": null}), &["public_key", "service", "clock"], "PAYSVC_PUBLIC_KEY"),
        (
            json!({"base_url": null}),
            &["base_url", "name_look_up", "connection", "tls", "service", "clock"],
            "PAYSVC_BASE_URL",
        ),
    ] {
        let (status, wrong) = check(&sandbox.config_with(changes.clone()));
        assert_eq!((status.as_str(), names(&wrong).as_slice()), ("E_CONFIG", expected), "{changes}");
        assert!(wrong[0].1.contains(part), "{wrong:?}");
        assert!(wrong[1..].iter().all(|(_, text)| text.starts_with("not checked: ")), "{wrong:?}");
        assert!(!wrong.iter().any(|(_, text)| text.contains(&live)), "{wrong:?}");
    }
}

#[test]
fn the_step_that_fails_on_the_way_to_the_service_is_named() {
    let authority = Authority::new();
    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None));
    let config = |base_url: String| {
        json!({"base_url": base_url, "public_key": "p", "secret_key": "s", "encryption_key": long_encryption_key(),
               "connect_timeout_ms": 2000})
    };
    // Without ca_file: the service's authority is not the system's.
    let (status, wrong) = check(&config(format!("https://127.0.0.1:{}", server.port)));
    assert_eq!((status.as_str(), names(&wrong)), ("E_TRANSPORT", vec!["tls", "service", "clock"]));
    assert!(wrong[0].1.contains("ca_file"), "{wrong:?}");
    let free = closed_port();
    let (status, wrong) = check(&config(format!("https://127.0.0.1:{free}")));
    assert_eq!((status.as_str(), names(&wrong)), ("E_TRANSPORT", vec!["connection", "tls", "service", "clock"]));
    let (status, wrong) = check(&config("https://no-such-host.invalid".into()));
    assert_eq!(
        (status.as_str(), names(&wrong)),
        ("E_TRANSPORT", vec!["name_look_up", "connection", "tls", "service", "clock"])
    );
}

/// The message of one of the checks.
fn said(reply: &Reply, name: &str) -> String {
    let body: Value = serde_json::from_str(reply.body()).unwrap();
    let check = body["checks"].as_array().unwrap().iter().find(|check| check["check"] == name).unwrap();
    check["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_way_through_a_proxy_is_said() {
    let service = Service::new();
    let (proxy, _) = http_proxy(service.server.port, None);
    let (host, port) = ("127.0.0.1", proxy.port);
    let config = with(service.config(host), json!({"proxy": format!("http://user:hunter2@{host}:{port}")}));
    let reply = Client::new(&config).check(None);
    assert_eq!(said(&reply, "connection"), format!("done, through the proxy {host} port {port} of proxy"));
    assert!(!reply.body().contains("hunter2"), "{}", reply.body());
    let reply = Client::new(&with(config, json!({"no_proxy": "*"}))).check(None);
    assert_eq!(said(&reply, "connection"), "done, without the proxy of proxy, because of no_proxy");
}

/// Once, in the log of the first call.
#[test]
fn a_time_limit_in_seconds_is_warned_about() {
    let server = Server::ok();
    let client = Client::new(&with(server.config(), json!({"connect_timeout_ms": 199})));
    let warned = || {
        let call = Call::new();
        call.keep_log(2);
        client.call_with("order_refund", &json!({"reference": "R"}), Some(&call)).expect("OK CONFIRMED");
        let said = call.log().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        // On a busy machine, an attempt to connect may take longer than that, which is a line, too.
        said.into_iter().filter(|line| !line.contains("E_TIMEOUT")).collect::<Vec<_>>()
    };
    let warning = "connect_timeout_ms is 199 ms: if you mean seconds, write 199000";
    assert_eq!(warned(), [format!("the configuration: {warning}")]);
    assert!(warned().is_empty());
    let reply = client.check(None);
    assert!(reply.message().contains(warning), "{}", reply.message());
}

/// A service that gives this response to everything.
fn service(status: &'static str, headers: &'static str, body: &'static str) -> (Server, Value) {
    let server = Server::always(status, headers, body);
    let config = with(server.config(), json!({"encryption_key": long_encryption_key()}));
    (server, config)
}

#[test]
fn the_services_answer_and_its_clock_are_judged() {
    const FINE: &str = r#"{"status":"success","data":[]}"#;
    let (_server, config) = service("200 OK", "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", FINE);
    let (status, wrong) = check(&config);
    assert_eq!((status.as_str(), names(&wrong)), ("E_CONFIG", vec!["clock"]));
    assert!(wrong[0].1.contains("the service's Sun, 06 Nov 1994 08:49:37 GMT: set this machine's clock"), "{wrong:?}");
    let (_server, config) = service("200 OK", "", FINE);
    assert_eq!(check(&config), ("OK".into(), vec![]), "no date to compare");
    let (_server, config) = service("401 x", "", r#"{"status":"failed","message":"unknown key"}"#);
    let (status, wrong) = check(&config);
    assert_eq!((status.as_str(), names(&wrong)), ("E_UNAUTHORIZED", vec!["service"]));
    assert!(wrong[0].1.contains("public_key"), "{wrong:?}");
    // A page of a hotel's network, and a service that is down: asked once.
    for (status, expected) in [("200 OK", "E_RESPONSE"), ("503 x", "E_SERVER")] {
        let (server, config) = service(status, "", "<html>");
        let (found, wrong) = check(&config);
        assert_eq!((found.as_str(), names(&wrong)), (expected, vec!["service"]));
        assert_eq!(server.seen().len(), 1);
    }
}

#[test]
fn a_cancelled_check_and_one_whose_time_is_over_end_at_once() {
    let server = Server::start(|mut connection| connection.hold());
    let config = with(server.config(), json!({"encryption_key": long_encryption_key(), "timeout_ms": 300}));
    let (status, wrong) = check(&config);
    assert_eq!((status.as_str(), names(&wrong)), ("E_TIMEOUT", vec!["service", "clock"]));
    let call = Call::new();
    call.cancel();
    let reply = Client::new(&config).check(Some(&call));
    assert_eq!(reply.status_name(), "E_CANCELLED");
    assert!(names(&not_ok(&reply)).contains(&"service"));
}

/// The number that keys are measured by is that of README's first charge.
#[test]
fn a_card_payment_needs_what_the_table_says() {
    let readme = std::fs::read_to_string(crate::support::root().join("README.md")).unwrap();
    let mut payload = Value::Null;
    for field in readme.split("{\"/").skip(1).map(|rest| rest.split('}').next().unwrap()) {
        let parts: Vec<_> = field.split('"').collect();
        let value = parts.get(2).map_or(format!("TILL-7-{}", "0".repeat(26)), |value| (*value).to_owned());
        let place = parts[0].split('/').fold(&mut payload, |place, member| &mut place[member]);
        // The library sends the amount as a number.
        *place = if parts[0] == "order/amount" { json!(value.parse::<f64>().unwrap()) } else { json!(value) };
    }
    let bytes = payload.to_string().len();
    assert!((CARD_PAYLOAD.abs_diff(bytes)) <= 8, "{bytes} bytes");
}
