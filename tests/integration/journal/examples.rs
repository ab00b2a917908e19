//! The tills in examples/, killed while they wait for a response and started again, with a service that would charge
//! twice.

use std::process::{Command, Output, Stdio};

use super::folder;
use crate::support::capi::eventually;
use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, bindings, output_of, root};

const PATH: &str = "/payment/order/create";

#[test]
fn the_till_in_c_charges_an_order_once() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("examples/till.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    charges_once(&|| stage.command(&program));
}

#[test]
fn the_till_in_go_charges_an_order_once() {
    let stage = Stage::new();
    let program = stage.go_build("examples/till");
    charges_once(&|| stage.command(&program));
}

#[test]
fn the_till_in_python_charges_an_order_once() {
    charges_once(&|| bindings::python("examples/till.py"));
}

fn charges_once(start: &dyn Fn() -> Command) {
    let folder = folder();
    let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
    let till = |order: &str| {
        let mut command = start();
        sandbox.configure(&mut command);
        let journal = folder.path().join("pay.db");
        command.env("PAYSVC_JOURNAL_CREATE", if journal.exists() { "false" } else { "true" });
        command.env("PAYSVC_JOURNAL", journal).arg(order);
        command
    };
    let finish = |order: &str, code: i32| {
        // The time that the next run waits for an attempt whose response was lost.
        let output = till(order).env("PAYSVC_TIMEOUT_MS", "10000").output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", output_of(&output));
        printed(&output)
    };
    let charges = || sandbox.effects("charge_made");
    let requests = || sandbox.requests().iter().filter(|request| request["path"] == PATH).count();
    // Executed, and the response never comes: the program waits when it is killed.
    let killed = |order: &str| {
        sandbox.arm(PATH, "commit_then_timeout");
        let before = charges();
        let mut child = till(order).env("PAYSVC_TIMEOUT_MS", "3000").stdout(Stdio::null()).spawn().unwrap();
        eventually("a charge is executed", || charges() > before);
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it has ended by itself");
    };

    // The second run looks it up, although the first one's time is not over.
    killed("ORDER-1");
    assert_eq!(charges(), 1);
    let told = finish("ORDER-1", 0);
    assert!(told.starts_with("charge ORDER-1: CONFIRMED: "), "{told}");
    assert!(told.ends_with("\npaid, by an earlier run\n"), "{told}");
    assert_eq!(finish("ORDER-1", 0), "paid, by an earlier run\n");
    assert_eq!((charges(), requests()), (1, 1));

    // The same, and the till is switched on later, for another customer.
    killed("ORDER-2");
    let told = finish("ORDER-3", 0);
    assert!(told.starts_with("charge ORDER-2: CONFIRMED: ") && told.ends_with("\npaid\n"), "{told}");
    assert_eq!(finish("ORDER-2", 0), "paid, by an earlier run\n");
    assert_eq!((charges(), requests()), (3, 3));

    // Not executed. Nobody can know that, so it is not sent again.
    sandbox.arm(PATH, "reset_without_commit");
    assert!(finish("ORDER-4", 2).starts_with("UNKNOWN, do not charge it in any other way: "));
    let told = finish("ORDER-4", 2);
    assert!(told.starts_with("charge ORDER-4: UNKNOWN: "), "{told}");
    assert!(told.contains("\nUNKNOWN, do not charge it in any other way: "), "{told}");
    assert_eq!((charges(), requests()), (3, 4));

    let output = till("ORDER-5").env_remove("PAYSVC_JOURNAL").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", output_of(&output));
    assert_eq!(charges(), 3, "without a journal it sells nothing");
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}
