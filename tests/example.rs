//! The examples in C, C++ and Go, as `make demo` runs them, and what they left in the sandbox's ledger. The one in Python
//! is run by the Python package's own tests.

mod support;

use std::path::Path;

use support::sandbox::Sandbox;
use support::{Link, Stage, root, run};

#[test]
fn a_till_in_c_collects_a_payment() {
    let stage = Stage::new();
    collects(&stage, &stage.cc(&root().join("examples/collect.c"), Link::Shared, &["-std=c99", "-pedantic"]));
}

#[test]
fn a_till_in_cpp_collects_a_payment() {
    let stage = Stage::new();
    let source = root().join("bindings/cpp/examples/collect.cpp");
    collects(&stage, &stage.cpp(&source, Link::Shared, &["-std=c++11"]));
}

#[test]
fn a_till_in_go_collects_a_payment() {
    let stage = Stage::new();
    collects(&stage, &stage.go_build("examples/collect"));
}

fn collects(stage: &Stage, program: &Path) {
    let sandbox = Sandbox::start(&[]);
    let mut command = stage.command(program);
    for (variable, member) in [
        ("PAYSVC_BASE_URL", "base_url"),
        ("PAYSVC_PUBLIC_KEY", "public_key"),
        ("PAYSVC_SECRET_KEY", "secret_key"),
        ("PAYSVC_ENCRYPTION_KEY", "encryption_key"),
    ] {
        command.env(variable, sandbox.text(member));
    }
    let told = String::from_utf8(run(command.arg("--sandbox")).stdout).unwrap();
    assert_eq!(told.matches(" CONFIRMED ").count(), 9, "{told}");
    assert!(told.contains("To use the real service"), "{told}");
    let ledger = sandbox.get("/sandbox/ledger");
    let effects: Vec<_> =
        ledger["ledger"].as_array().unwrap().iter().map(|entry| entry["effect"].as_str().unwrap()).collect();
    let count = |effect: &str| effects.iter().filter(|found| **found == effect).count();
    for (effect, times) in [
        ("mandate_created", 1),
        ("otp_sent", 1),
        ("charge_made", 2),
        ("virtual_account_created", 1),
        ("funding_received", 1),
        ("refund_made", 1),
    ] {
        assert_eq!(count(effect), times, "{effect} in {effects:?}");
    }
}
