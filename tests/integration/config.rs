//! The configuration from the environment, as a program finds it: every field has its variable.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::settings::CONFIG;
use serde_json::json;

use crate::support::capi::{Call, Client, HANG, with, within};
use crate::support::driver::Driver;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::target::target;
use crate::support::{Link, Stage, root};

/// A C program whose configuration names nothing.
fn program(stage: &Stage) -> Command {
    stage.command(&stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]))
}

/// What the sandbox writes for a shell is all that a program needs, `PAYSVC_CA_FILE` of a private CA included.
#[test]
fn the_sandboxs_variables_configure_a_program() {
    let stage = Stage::new();
    let file = stage.path().join("sandbox.env");
    let sandbox = Sandbox::start(&["--tls", "--env-file", file.to_str().unwrap()]);
    let mut command = program(&stage);
    let text = std::fs::read_to_string(&file).unwrap();
    for line in text.lines() {
        let (name, value) = line.split_once('=').unwrap();
        command.env(name, value.trim_matches('\''));
    }
    assert!(text.contains("PAYSVC_CA_FILE="), "{text}");
    let mut driver = Driver::start(&mut command, &json!({}));
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    for row in ENDPOINTS {
        let reply = driver.call(row.name, &target(row, &sandbox).request);
        assert_eq!(reply.verdict(), ("OK", "CONFIRMED"), "{}: {}", row.name, reply.message);
    }
    driver.close();
    driver.finish();
}

#[test]
fn numbers_are_taken_from_variables_too() {
    let (stage, server) = (Stage::new(), Server::start(|mut connection| connection.hold()));
    let mut command = program(&stage);
    command.env("PAYSVC_BASE_URL", server.config()["base_url"].as_str().unwrap()).env("PAYSVC_SECRET_KEY", "secret");
    command.env("PAYSVC_TIMEOUT_MS", "300");
    let reply = within(HANG / 2, || {
        let mut driver = Driver::start(&mut command, &json!({"timeout_ms": 200}));
        let reply = driver.call("order_refund", &json!({"reference": "R"}));
        assert_eq!(reply.verdict(), ("E_TIMEOUT", "UNKNOWN"), "{}", reply.message);
        driver.close();
        driver.finish();
        let mut driver = Driver::start(&mut command, &json!({}));
        let reply = driver.call("order_refund", &json!({"reference": "R"}));
        driver.close();
        driver.finish();
        reply
    });
    assert_eq!(reply.verdict(), ("E_TIMEOUT", "UNKNOWN"), "{}", reply.message);
}

#[test]
fn a_variable_that_cannot_be_used_is_named() {
    let stage = Stage::new();
    for (name, value, part) in [
        ("PAYSVC_TIMEOUT_MS", &b"5s"[..], "the environment: PAYSVC_TIMEOUT_MS must be a whole number"),
        ("PAYSVC_ALLOW_HTTP", b"yes", "the environment: PAYSVC_ALLOW_HTTP must be true, false, 1 or 0"),
        ("PAYSVC_BASE_URL", b"https://pay.example/\xff", "the environment: PAYSVC_BASE_URL "),
        ("PAYSVC_CA_FILE", b"/no/such/file", "the environment: PAYSVC_CA_FILE cannot be read"),
        ("PAYSVC_ENCRYPTION_KEY", b"no key", "the environment: PAYSVC_ENCRYPTION_KEY is neither base64"),
        ("PAYSVC_CLIENT_KEY_FILE", b"/key", "client_cert_file is required with PAYSVC_CLIENT_KEY_FILE"),
        (
            "PAYSVC_JOURNEL",
            b"/j",
            "the environment: PAYSVC_JOURNEL is no setting of the library; did you mean PAYSVC_JOURNAL?",
        ),
        ("PAYSVC_INSECURE", b"1", "the environment: PAYSVC_INSECURE is no setting of the library"),
        ("PAYSVC_Timeout_ms", b"5", "did you mean PAYSVC_TIMEOUT_MS?"),
        ("PAYSVC_JOURNAL", b" ", "the environment: PAYSVC_JOURNAL must not be empty"),
        ("PAYSVC_JOURNAL_CREATE", b"1", "the environment: PAYSVC_JOURNAL_CREATE needs journal"),
    ] {
        let mut command = program(&stage);
        command.env(name, OsStr::from_bytes(value));
        // Without an address no certificate is read.
        if name != "PAYSVC_BASE_URL" {
            command.env("PAYSVC_BASE_URL", "https://pay.example");
        }
        let driver = Driver::start(&mut command, &json!({}));
        assert_eq!(driver.created.status, "E_CONFIG", "{name}: {}", driver.created.message);
        assert!(driver.created.message.contains(part), "{name}: {}", driver.created.message);
        driver.finish();
    }
}

/// A quoted live key is a live key, and a file that is missing is missing for plain http, too.
#[test]
fn settings_are_read_as_they_are_pasted() {
    let stage = Stage::new();
    let live = "PGW-SECRETKEY-0123456789abcdef0123456789abcdef";
    let created = |config: serde_json::Value| {
        let driver = Driver::start(&mut program(&stage), &config);
        let created = driver.created.clone();
        driver.finish();
        created
    };
    let http = "http://127.0.0.1:9";
    for (config, part) in [
        (json!({"mode": "test", "secret_key": format!("\"{live}\"")}), "secret_key is a live key, but mode is test"),
        (json!({"mode": "test", "secret_key": format!("{live}\r\n")}), "secret_key is a live key, but mode is test"),
        (json!({"secret_key": "/run/secrets/payment_key"}), "secret_key is a path"),
        (json!({"encryption_key": "/etc/paysvc/key.pem"}), "encryption_key is a path"),
        (json!({"encryption_key": "-----BEGIN PUBLIC KEY-----\nMIIB"}), "encryption_key is cut off"),
        (json!({"base_url": "https://pay.example\r/v1"}), "base_url holds a carriage return"),
        (json!({"base_url": http, "ca_file": "/no/such/file"}), "ca_file cannot be read: /no/such/file"),
        (
            json!({"base_url": http, "client_cert_file": "/no/such/file", "client_key_file": "/k"}),
            "client_cert_file cannot be read",
        ),
    ] {
        let reply = created(config.clone());
        assert_eq!(reply.status, "E_CONFIG", "{config}: {}", reply.message);
        assert!(reply.message.contains(part) && !reply.body.contains(live), "{config}: {}", reply.message);
    }
    for config in [
        json!({"base_url": "'https://pay.example/v1'\r\n", "mode": "\"live\"", "secret_key": format!("'{live}'")}),
        json!({"encryption_key": crate::support::encryption_key().replace('\n', "") + "\r"}),
    ] {
        assert_eq!(created(config.clone()).status, "OK", "{config}");
    }
}

/// The check names the journal, and only the client that has made it says so.
#[test]
fn it_is_said_whether_there_is_a_journal_and_which() {
    let (stage, server) = (Stage::new(), Server::ok());
    let path = stage.path().join("pay.db");
    let journal = json!({"journal": path, "journal_create": true});
    let made = format!("the journal {} was missing and has been made", path.display());
    for (config, expected, is_made) in [
        (json!({}), "there is none: a second call for the same payment can charge twice".to_owned(), false),
        (journal.clone(), format!("the file {}", path.display()), true),
        (journal, format!("the file {}", path.display()), false),
    ] {
        let client = Client::new(&with(server.config(), config));
        let call = Call::new();
        call.keep_log(2);
        let body: serde_json::Value = serde_json::from_str(client.check(Some(&call)).body()).unwrap();
        let journal = body["checks"].as_array().unwrap().iter().find(|check| check["check"] == "journal").unwrap();
        assert_eq!(journal, &json!({"check": "journal", "ok": true, "message": expected}));
        let said = call.log().iter().filter(|line| line["message"].as_str().unwrap().contains(&made)).count();
        assert_eq!(said, usize::from(is_made), "{:?}", call.log());
    }
}

#[test]
fn what_is_missing_is_named_with_its_variable() {
    let stage = Stage::new();
    let mut driver = Driver::start(&mut program(&stage), &json!({}));
    for row in ENDPOINTS {
        let reply = driver.call(row.name, &json!({}));
        assert_eq!(reply.verdict(), ("E_CONFIG", "NOT_SENT"), "{}", reply.message);
        let part = "base_url is not configured: set it in the configuration or as PAYSVC_BASE_URL";
        assert!(reply.message.contains(part), "{}", reply.message);
        let errors = &reply.json()["errors"];
        let key = row.key.setting();
        assert!(errors[key].as_str().is_some_and(|text| text.ends_with(&format!("PAYSVC_{}", key.to_uppercase()))));
        let named = errors["encryption_key"].as_str().is_some_and(|text| text.ends_with("PAYSVC_ENCRYPTION_KEY"));
        assert_eq!(named, row.encrypted, "{}: {errors}", row.name);
    }
    driver.close();
    driver.finish();
}

#[test]
fn the_page_names_every_variable() {
    let page = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    for field in CONFIG {
        assert!(page.contains(&format!("| `{}` | `PAYSVC_{}` |", field.name, field.name.to_uppercase())));
    }
}

/// The sandbox has test keys. The error names the field or the variable, and never the key.
#[test]
fn a_client_for_live_payments_takes_no_test_key() {
    let (stage, sandbox) = (Stage::new(), Sandbox::start(&[]));
    let mut command = program(&stage);
    let created = |command: &mut Command, config: &serde_json::Value| {
        let driver = Driver::start(command, config);
        let created = driver.created.clone();
        driver.finish();
        created
    };
    assert_eq!(created(&mut command, &sandbox.config_with(json!({"mode": "test"}))).status, "OK");
    for key in ["public_key", "secret_key"] {
        let text = sandbox.text(key);
        let given = created(&mut command, &json!({"mode": "live", key: text}));
        assert_eq!((given.status.as_str(), given.outcome.as_str()), ("E_CONFIG", "NOT_SENT"), "{}", given.message);
        assert!(given.message.contains(&format!("{key} is a test key, but mode is live")), "{}", given.message);
        assert!(!given.message.contains(text) && !given.body.contains(text), "{}", given.body);

        let mut command = program(&stage);
        let variable = format!("PAYSVC_{}", key.to_uppercase());
        command.env(&variable, text).env("PAYSVC_MODE", "live");
        let given = created(&mut command, &json!({}));
        assert_eq!(given.status, "E_CONFIG", "{}", given.message);
        assert!(given.message.contains(&format!("{variable} is a test key")), "{}", given.message);
    }
}
