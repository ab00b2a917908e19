//! Data that must never leave: an encrypted endpoint's payload unencrypted, the secret key where it does not belong,
//! anything to a peer without a valid certificate, and bytes that would change the request around them.

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Endpoint, Field, Kind, Location, Method};
use paysvc_spec::settings::CONFIG;
use serde_json::{Map, Value, json};

use crate::support::capi::{Client, HANG, Reply, with, within};
use crate::support::memory::Needles;
use crate::support::root;
use crate::support::server::Server;
use crate::support::tls::{Authority, serve};

const SECRET: &str = "PGW-SECRETKEY-GUARD";
const PUBLIC: &str = "PGW-PUBLICKEY-GUARD";

/// A key that carries every field of every row in one request.
const LARGE_KEY: &str = include_str!("../vectors/rsa8192-spki.pem");

fn config(server: &Server) -> Value {
    with(server.config(), json!({"public_key": PUBLIC, "secret_key": SECRET, "encryption_key": LARGE_KEY}))
}

fn without(mut config: Value, member: &str) -> Value {
    config.as_object_mut().unwrap().remove(member);
    config
}

/// A request with every field of the row, each text this one.
fn request(row: &Endpoint, text: &str) -> Value {
    fn members(fields: &[Field], text: &str) -> Map<String, Value> {
        let value = |kind: Kind| match kind {
            Kind::Text => text.into(),
            Kind::Amount(_) => "100.10".into(),
            Kind::Integer => 7.into(),
            Kind::Flag => true.into(),
            Kind::Any => Value::Null,
            Kind::Object(fields) => members(fields, text).into(),
            Kind::List(fields) => json!([members(fields, text)]),
        };
        fields.iter().map(|field| (field.name.to_owned(), value(field.kind))).collect()
    }
    members(row.fields, text).into()
}

fn call(config: &Value, row: &Endpoint, text: &str) -> Reply {
    Client::new(config).call(row.name, &request(row, text))
}

#[test]
fn an_encrypted_payload_never_leaves_in_clear() {
    let server = Server::ok();
    for row in ENDPOINTS.iter().filter(|row| row.encrypted) {
        let keyless = without(config(&server), "encryption_key");
        let seen = server.seen().len();
        call(&keyless, row, "4111111111111111").expect("E_CONFIG NOT_SENT");
        assert_eq!(server.seen().len(), seen, "{}: something was sent without a key", row.name);

        call(&config(&server), row, "4111111111111111").expect("OK CONFIRMED");
        let sent = server.seen().pop().unwrap();
        // A field in the path is not encrypted.
        let body = sent.split_once("\r\n\r\n").unwrap().1;
        assert!(!body.contains("4111111111111111"), "{sent}");
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["data"], "{}", row.name);

        let path = row.path.replace(['{', '}'], "");
        let raw =
            json!({"method": row.method.name(), "path": path, "key": "public", "body": {"a": "4111111111111111"}});
        Client::new(&config(&server)).call("request", &raw).expect("E_ARGUMENT NOT_SENT");
        assert_eq!(server.seen().len(), seen + 1, "{}: paysvc_request sent it", row.name);
    }
}

#[test]
fn each_endpoint_gets_its_own_key_and_no_other() {
    let server = Server::ok();
    for row in ENDPOINTS {
        call(&config(&server), row, "x").expect("OK CONFIRMED");
        let sent = server.seen().pop().unwrap();
        let (own, other) = if row.key == ApiKey::Secret { (SECRET, PUBLIC) } else { (PUBLIC, SECRET) };
        assert_eq!((sent.matches(own).count(), sent.matches(other).count()), (1, 0), "{}: {sent}", row.name);

        // With the other key alone nothing is sent.
        let seen = server.seen().len();
        call(&without(config(&server), row.key.setting()), row, "x").expect("E_CONFIG NOT_SENT");
        assert_eq!(server.seen().len(), seen, "{}", row.name);
    }
}

/// The API key and the headers that a row's requests carry where a setting overrides the row.
#[test]
fn a_setting_changes_the_key_and_the_headers_of_its_row_and_nothing_else() {
    let server = Server::ok();
    let sent = |config: &Value, row: &Endpoint| {
        call(config, row, "x").expect("OK CONFIRMED");
        let sent = server.seen().pop().unwrap().to_ascii_lowercase();
        let has =
            |(name, value): &(&str, &str)| sent.contains(&format!("\r\n{name}: {value}\r\n").to_ascii_lowercase());
        let key = |key: &str| sent.contains(&format!("\r\napi-key: {key}\r\n").to_ascii_lowercase());
        (key(PUBLIC), key(SECRET), row.headers.iter().filter(|header| has(header)).count())
    };
    let own = |row: &Endpoint| (row.key == ApiKey::Public, row.key == ApiKey::Secret, row.headers.len());
    let (mut keys, mut headers) = (0, 0);
    for row in ENDPOINTS {
        assert_eq!(sent(&config(&server), row), own(row), "{}", row.name);
        if let Some(setting) = row.key_setting {
            keys += 1;
            let (public, secret, count) = own(row);
            let with_key = |key: ApiKey| with(config(&server), json!({setting: key.name()}));
            assert_eq!(sent(&with_key(row.key), row), own(row), "{}", row.name);
            let other = if row.key == ApiKey::Secret { ApiKey::Public } else { ApiKey::Secret };
            assert_eq!(sent(&with_key(other), row), (!public, !secret, count), "{}", row.name);
            // The error names the key that is needed now.
            let reply = call(&without(with_key(other), other.setting()), row, "x");
            reply.expect("E_CONFIG NOT_SENT");
            assert!(reply.message().contains(&format!("{} is not configured", other.setting())), "{}", reply.message());
        }
        if let Some(setting) = row.headers_setting {
            headers += 1;
            let (public, secret, _) = own(row);
            for (value, count) in [(true, row.headers.len()), (false, 0)] {
                let config = with(config(&server), json!({setting: value}));
                assert_eq!(sent(&config, row), (public, secret, count), "{}", row.name);
            }
        }
        // The settings of other rows do not matter here.
        if row.key_setting.is_none() && row.headers_setting.is_none() {
            let mut all = config(&server);
            for other in ENDPOINTS {
                let key = if other.key == ApiKey::Secret { ApiKey::Public } else { ApiKey::Secret };
                other.key_setting.iter().for_each(|setting| all[*setting] = key.name().into());
                other.headers_setting.iter().for_each(|setting| all[*setting] = false.into());
            }
            assert_eq!(sent(&all, row), own(row), "{}", row.name);
        }
    }
    assert!(keys > 0 && headers > 0, "no row has such a setting");
}

#[test]
fn text_of_a_caller_stays_within_its_place_in_the_request() {
    let server = Server::ok();
    let evil = "x\r\nx-evil: 1\r\n\r\nGET /evil HTTP/1.1\r\n#?&=/a%2e%2f\u{0}\u{85}é";
    for row in ENDPOINTS.iter().filter(|row| row.method == Method::Get) {
        let reply = call(&config(&server), row, evil);
        reply.expect("OK CONFIRMED");
        let sent = server.seen().pop().unwrap();
        let head = sent.split("\r\n\r\n").next().unwrap();
        let (line, headers) = head.split_once("\r\n").unwrap();
        assert_eq!(line.split(' ').count(), 3, "{line}");
        assert!(line.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{line}");
        assert!(!headers.contains("evil"), "{headers}");
        let target = line.split(' ').nth(1).unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        assert_eq!(path.split('/').count(), row.path.split('/').count(), "{path}");
        let in_query = row.fields.iter().filter(|field| field.location == Location::Query).count();
        assert_eq!(query.matches('=').count(), in_query, "{query}");
    }
    for name in ["public_key", "secret_key", "user_agent"] {
        for evil in ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\u{0}b", "a\u{7f}b", "aéb"] {
            let reply = Client::try_new(&with(config(&server), json!({name: evil}))).err().expect(evil);
            reply.expect("E_CONFIG NOT_SENT");
            assert!(reply.message().contains(name) && !reply.message().contains("evil"), "{}", reply.message());
        }
    }
    let raw = |headers: Value| json!({"method": "GET", "path": "/x", "key": "public", "headers": headers});
    for headers in [
        json!({"x": "a\r\nx-evil: 1"}),
        json!({"x\r\nx-evil": "1"}),
        json!({"x: y": "1"}),
        json!({"": "1"}),
        json!({"API-Key": "mine"}),
        json!({"host": "evil.example"}),
        json!({"Transfer-Encoding": "chunked"}),
    ] {
        let reply = Client::new(&config(&server)).call("request", &raw(headers.clone()));
        assert_eq!(reply.verdict(), "E_ARGUMENT NOT_SENT", "{headers}");
    }
}

/// No field of the configuration, whatever other clients call it, and no variable of the environment.
#[test]
fn certificate_checks_cannot_be_turned_off() {
    let names = CONFIG.iter().map(|field| field.name);
    let flags: Vec<_> =
        CONFIG.iter().filter(|field| matches!(field.kind, Kind::Flag)).map(|field| field.name).collect();
    assert_eq!(
        flags,
        ["allow_http", "journal_create", "payout_encryption_header"],
        "a new switch: does it weaken anything?"
    );
    assert!(names.clone().all(|name| !name.contains("verif") && !name.contains("insecure") && !name.contains("trust")));
    for name in [
        "insecure",
        "verify",
        "verify_tls",
        "ssl_verify",
        "verify_ssl",
        "skip_verify",
        "check_hostname",
        "accept_invalid_certs",
        "reject_unauthorized",
        "tls",
    ] {
        let reply = Client::try_new(&json!({"base_url": "https://pay.example", name: false})).err().expect(name);
        reply.expect("E_CONFIG NOT_SENT");
    }
}

const TURN_OFF: &[(&str, &str)] = &[
    ("CURL_INSECURE", "1"),
    ("GIT_SSL_NO_VERIFY", "1"),
    ("NODE_TLS_REJECT_UNAUTHORIZED", "0"),
    ("PYTHONHTTPSVERIFY", "0"),
    ("SSL_VERIFY", "0"),
    ("SSL_CERT_VERIFY", "false"),
];

#[test]
fn the_environment_does_not_turn_certificate_checks_off() {
    let (trusted, other) = (Authority::new(), Authority::new());
    let server = serve(Authority::server(&other.leaf(&["localhost"]), rustls::ALL_VERSIONS, None));
    let config = json!({
        "base_url": format!("https://localhost:{}", server.port), "secret_key": SECRET, "ca_file": trusted.file(),
    });
    let stage = crate::support::Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), crate::support::Link::Shared, &[]);
    let mut command = stage.command(&program);
    command.envs(TURN_OFF.iter().copied());
    let mut driver = crate::support::driver::Driver::start(&mut command, &config);
    let row = ENDPOINTS.iter().find(|row| row.key == ApiKey::Secret && !row.encrypted).unwrap();
    let reply = driver.call(row.name, &request(row, "x"));
    assert_eq!(reply.verdict(), ("E_TRANSPORT", "NOT_SENT"), "{}", reply.message);
    assert!(reply.message.contains("certificate"), "{}", reply.message);
    driver.finish();
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn plain_http_goes_to_loopback_only_unless_it_is_allowed() {
    for (url, refused) in [
        ("http://127.0.0.1:1", false),
        ("http://[::1]:1", false),
        ("http://localhost:1", false),
        ("http://192.0.2.1:1", true),
        ("http://pay.example", true),
        ("http://localhost.pay.example", true),
        ("http://[2001:db8::1]:1", true),
        ("http://0.0.0.0:1", true),
    ] {
        let made = Client::try_new(&json!({"base_url": url, "secret_key": SECRET}));
        assert_eq!(made.is_err(), refused, "{url}");
        assert!(Client::try_new(&json!({"base_url": url, "secret_key": SECRET, "allow_http": true})).is_ok(), "{url}");
    }
}

/// A proxy on another machine would read it.
#[test]
fn plain_http_goes_through_no_proxy_elsewhere() {
    let row = ENDPOINTS.iter().find(|row| row.key == ApiKey::Secret && !row.encrypted).unwrap();
    for proxy in ["http://192.0.2.1:3128", "socks5://192.0.2.1:1080"] {
        let config = json!({"base_url": "http://127.0.0.1:1", "secret_key": SECRET, "proxy": proxy});
        let reply = call(&config, row, "x");
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains("192.0.2.1 is not this machine"), "{}", reply.message());
    }
}

const CARD: &str = "5399413078825962";
const OTP: &str = "864213";

/// The forms in which a service may repeat a card number: the characters in between, and the digits.
fn disguises(card: &str) -> Vec<String> {
    let set_apart = |between: &str, size: usize| {
        card.as_bytes().chunks(size).map(String::from_utf8_lossy).collect::<Vec<_>>().join(between)
    };
    let mut all: Vec<_> = [
        "", " ", "-", "\t", "\r\n", ".", "/", ",", "\u{a0}", "\u{2009}", "\u{202f}", "\u{2011}", "\u{2013}",
        "\u{2014}", "\u{200b}", "\u{200d}", "\u{2060}", "\u{feff}", "\u{ad}", "\u{200f}", "\u{202e}", "\u{2066}",
        "\u{61c}",
    ]
    .iter()
    .flat_map(|between| [set_apart(between, 1), set_apart(between, 4)])
    .collect();
    for zero in [0xff10, 0x660, 0x966] {
        all.push(card.chars().map(|c| char::from_u32(zero + c.to_digit(10).unwrap()).unwrap()).collect());
    }
    all
}

/// A service that repeats what it was given, in its message, its code, its content type, or as a page, does not get it
/// into a text of the library.
#[test]
fn a_secret_is_masked_in_messages_in_any_notation() {
    let answer = std::sync::Arc::new(std::sync::Mutex::new((String::new(), String::new())));
    let server = Server::start({
        let answer = std::sync::Arc::clone(&answer);
        move |mut connection| {
            while connection.read_request().is_some() {
                let (kind, body) = answer.lock().unwrap().clone();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
                connection.write(&(head + &body));
            }
        }
    });
    let client = Client::new(&config(&server));
    let needles = Needles::new(&[("card", CARD.to_owned()), ("code", OTP.to_owned())]);
    let encrypted = ENDPOINTS.iter().find(|row| row.encrypted && row.allows_extra).unwrap();
    let mut open = request(encrypted, "x");
    open["further"] = json!({"number": CARD, "once": OTP});
    let free = |members: Value| {
        let request = json!({"method": "POST", "path": "/payment/new", "key": "public"});
        with(request, members)
    };
    let calls = [
        (encrypted.name, open),
        ("request", free(json!({"body": {"a": [{"b": CARD}], "once": 864213}}))),
        ("request", free(json!({"body": CARD, "query": {"once": OTP}}))),
        ("request", free(json!({"query": {"a": CARD}, "headers": {"x-code": OTP}}))),
        ("request", free(json!({"path": format!("/payment/new/{CARD}"), "body": {"once": OTP}}))),
    ];
    let mut masked = 0;
    for (function, request) in &calls {
        for card in disguises(CARD) {
            let said = format!("card {card} with {OTP} declined");
            let header: String = said.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
            let json =
                |message: &str, code: &str| json!({"status": true, "message": message, "code": code}).to_string();
            for (kind, body) in [
                ("application/json".to_owned(), json(&said, "00")),
                ("application/json".to_owned(), json("declined", &said)),
                (format!("text/html; {header}"), "<html>".to_owned()),
            ] {
                *answer.lock().unwrap() = (kind.clone(), body.clone());
                let reply = client.call(function, request);
                let own = if body == "<html>" { reply.body() } else { "" };
                for text in [reply.message(), reply.code(), own] {
                    let found = needles.found_in(text.as_bytes());
                    assert!(found.is_empty(), "{found:?} in {text:?}, {kind}");
                    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}');
                    assert!(!text.contains(hidden) && !text.chars().any(char::is_control), "{text:?}");
                    masked += text.matches("***").count();
                }
            }
        }
    }
    assert!(masked >= calls.len() * disguises(CARD).len() * 3, "{masked}");
    // Text that harms nobody stays readable.
    *answer.lock().unwrap() =
        ("application/json".into(), json!({"status": true, "message": "true: NGN 12 for card, 2 of 3"}).to_string());
    let harmless =
        free(json!({"body": {"ok": "true", "currency": "NGN", "by": "card", "count": 12, "of": 3, "really": true}}));
    assert_eq!(client.call("request", &harmless).message(), "true: NGN 12 for card, 2 of 3");
}

/// 4 MB of a one-time code once took 58 seconds.
#[test]
fn a_message_of_megabytes_is_cut_before_it_is_masked() {
    let body = json!({"status": true, "message": format!("{OTP} ").repeat(600_000)}).to_string();
    let server = Server::always("200 OK", "", &body);
    let client = Client::new(&with(config(&server), json!({"timeout_ms": 20_000})));
    let request = json!({"method": "POST", "path": "/payment/new", "key": "public", "body": {"once": OTP}});
    let reply = within(HANG / 4, || client.call("request", &request));
    reply.expect("OK CONFIRMED");
    assert!(reply.message().starts_with("*** ***") && !reply.message().contains(OTP), "{}", reply.message());
    assert!(reply.message().len() <= 500);
}

#[test]
fn nothing_is_repeated_at_or_below_the_path_of_what_changes_something() {
    let server = Server::ok();
    let client = Client::new(&config(&server));
    for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
        for below in ["", "/ORDER-1", "/status/ORDER-1"] {
            for method in ["GET", "POST", "PUT", "DELETE"] {
                let path = format!("{}{below}", row.path.replace(['{', '}'], ""));
                let is_row = |row: &&Endpoint| row.read_only() && row.method.name() == method && row.path == path;
                if ENDPOINTS.iter().any(|row| is_row(&row)) {
                    continue;
                }
                let mut request = json!({"method": method, "path": path, "read_only": true});
                request["key"] = row.key.setting().trim_end_matches("_key").into();
                if method != "GET" && row.encrypted {
                    request["body"] = json!({});
                    request["encrypt"] = true.into();
                }
                client.call("request", &request).expect("E_ARGUMENT NOT_SENT");
            }
        }
    }
    assert_eq!(server.seen().len(), 0);
}
