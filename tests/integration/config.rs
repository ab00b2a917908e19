//! The configuration from the environment, as a program finds it: every field has its variable.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::settings::CONFIG;
use serde_json::json;

use crate::support::capi::{Call, Client, with};
use crate::support::driver::Driver;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::target::target;
use crate::support::{Link, Stage, root};

/// A C program whose configuration names nothing.
fn program(stage: &Stage) -> Command {
    stage.command(&stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]))
}

/// The sandbox's output for a shell is all that a program needs, `PAYSVC_CA_FILE` of a private CA included.
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
fn a_variable_that_cannot_be_used_is_named() {
    let stage = Stage::new();
    for (name, value, part) in [
        ("PAYSVC_TIMEOUT_MS", &b"5s"[..], "the environment: PAYSVC_TIMEOUT_MS must be a whole number"),
        ("PAYSVC_BASE_URL", b"https://pay.example/\xff", "the environment: PAYSVC_BASE_URL "),
        ("PAYSVC_CA_FILE", b"/no/such/file", "the environment: PAYSVC_CA_FILE cannot be read"),
        ("PAYSVC_ENCRYPTION_KEY", b"no key", "the environment: PAYSVC_ENCRYPTION_KEY is neither base64"),
        ("PAYSVC_CLIENT_KEY_FILE", b"/key", "client_cert_file is required with PAYSVC_CLIENT_KEY_FILE"),
        (
            "PAYSVC_JOURNEL",
            b"/j",
            "the environment: PAYSVC_JOURNEL is no setting of the library; did you mean PAYSVC_JOURNAL?",
        ),
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

/// A file that is missing is missing for plain http, too.
#[test]
fn files_are_looked_for_without_tls() {
    for (member, also) in [("ca_file", "ca_file"), ("client_cert_file", "client_key_file")] {
        let config = json!({"base_url": "http://127.0.0.1:9", also: "/k", member: "/no/such/file"});
        let reply = Client::try_new(&config).err().expect(member);
        reply.expect("E_CONFIG NOT_SENT");
        assert!(reply.message().contains(&format!("{member} cannot be read: /no/such/file")), "{}", reply.message());
    }
}

/// The check names the journal, and only the client that has made it reports that.
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
