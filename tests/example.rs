//! `examples/collect.c`, as `make demo` runs it, and what it left in the sandbox's ledger.

mod support;

use support::sandbox::Sandbox;
use support::{Link, Stage, root, run};

#[test]
fn a_till_collects_a_payment() {
    let stage = Stage::new();
    let sandbox = Sandbox::start(&[]);
    let program = stage.cc(&root().join("examples/collect.c"), Link::Shared, &["-std=c99", "-pedantic"]);
    let mut command = stage.command(&program);
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
