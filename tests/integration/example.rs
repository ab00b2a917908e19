//! The examples, as `make demo` runs them: what is in the sandbox's ledger afterwards, and that they do not hand over
//! the goods if the payment differs from the order.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use crate::support::sandbox::Sandbox;
use crate::support::server::{Connection, Server, read_message};
use crate::support::{Link, Stage, bindings, build, output_of, root};

#[test]
fn a_till_in_c_collects_a_payment() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("examples/collect.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    let start = || with_flag(&stage, &program);
    collects(&start, 12);
    passes_names_on(&start);
}

#[test]
fn a_till_in_cpp_collects_a_payment() {
    let stage = Stage::new();
    let source = root().join("bindings/cpp/examples/collect.cpp");
    let program = stage.cpp(&source, Link::Shared, &["-std=c++11"]);
    collects(&|| with_flag(&stage, &program), 11);
}

#[test]
fn a_till_in_go_collects_a_payment() {
    let stage = Stage::new();
    let program = stage.go_build("examples/collect");
    collects(&|| with_flag(&stage, &program), 12);
}

#[test]
fn a_till_in_python_collects_a_payment() {
    collects(
        &|| {
            let mut command = bindings::python("examples/collect.py");
            command.arg("--sandbox");
            command
        },
        11,
    );
}

#[test]
fn the_library_passes_every_scenario_of_certify() {
    let client = bindings::python("examples/certify.py");
    let mut certify = Command::new(build().join("bin/paysvc-sandbox"));
    certify.args(["--seed", "1", "certify", "--"]).arg(client.get_program()).args(client.get_args());
    certify.envs(client.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = certify.output().unwrap();
    let told = output_of(&output);
    assert!(output.status.success() && told.contains("passed lost_answer\n") && !told.contains("FAILED"), "{told}");
}

fn with_flag(stage: &Stage, program: &Path) -> Command {
    let mut command = stage.command(program);
    command.arg("--sandbox");
    command
}

/// Runs the example; gives what it printed, and whether it exited with 0.
fn play(start: &dyn Fn() -> Command, sandbox: &Sandbox, base_url: &str) -> (String, bool) {
    let mut command = start();
    sandbox.configure(&mut command).env("PAYSVC_BASE_URL", base_url);
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", output_of(&output));
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

/// All steps, of which there are that many, succeed.
fn collects(start: &dyn Fn() -> Command, steps: usize) {
    settles(start, steps);
    keeps_the_goods(start);
}

fn settles(start: &dyn Fn() -> Command, steps: usize) {
    let sandbox = Sandbox::start(&[]);
    let (told, content) = play(start, &sandbox, sandbox.text("base_url"));
    assert!(content, "{told}");
    assert_eq!(told.matches(" CONFIRMED ").count(), steps, "{told}");
    // The debit is under way; the transfer and the card have paid.
    assert_eq!(told.matches("): keep the goods: the payment is not final").count(), 1, "{told}");
    assert_eq!(told.matches("; hand over the goods\n").count(), 2, "{told}");
    assert!(told.contains("paid: 2500.5 NGN for FLAT-7; hand over the goods"), "{told}");
    assert!(told.contains("accepted, not done yet: no endpoint tells how it ends"), "{told}");
    assert!(told.contains("To use the real service"), "{told}");
    for (effect, times) in [
        ("order_created", 2),
        ("mandate_created", 1),
        ("otp_sent", 1),
        ("charge_made", 2),
        ("virtual_account_created", 1),
        ("funding_received", 1),
        ("refund_made", 1),
    ] {
        assert_eq!(sandbox.effects(effect), times, "{effect} in {:?}", sandbox.ledger());
    }
}

/// Names with quotes and accents, in UTF-8 and in Windows-1252, come back from the service as they were typed; the
/// prices are those that were set; and the list of payments is read.
fn passes_names_on(start: &dyn Fn() -> Command) {
    let sandbox = Sandbox::start(&[]);
    let (told, _) = play(start, &sandbox, sandbox.text("base_url"));
    for line in [
        "customer: firstName=Zoë \"Ada\" lastName=Okonkwọ mobileNumber=+2348000000000 countryShortName=NG emailAddress=ada@example.com",
        "customer: firstName=Renée lastName=O’Brien – \"Müller\" mobileNumber=+2348000000000 countryShortName=NG emailAddress=ada@example.com",
        "payment 1: NDD is Successful",
        "payment 1: C is Successful",
    ] {
        assert_eq!(told.matches(&format!(" {line}\n")).count(), 1, "{line} in\n{told}");
    }
    let state = sandbox.get("/sandbox/state");
    let orders: Vec<_> = state["orders"].as_array().unwrap().iter().map(|order| &order["amount"]).collect();
    assert!(orders.contains(&&"98000.00".into()) && orders.contains(&&"620.10".into()), "{orders:?}");
}

/// A change of a response that keeps its length, and what the example then prints.
const ALTERED: &[(&str, &str, &str)] = &[
    (
        "\"totalAmountCharged\":2500.50",
        "\"totalAmountCharged\":2500.05",
        "NOT PAID (SUCCESSFUL): keep the goods: the amount differs",
    ),
    (
        "\"currencyName\":\"NGN\"",
        "\"currencyName\":\"USD\"",
        "NOT PAID (SUCCESSFUL): keep the goods: the currency differs",
    ),
    (
        "\"accountReference\":\"FLAT-7\"",
        "\"accountReference\":\"FLAT-8\"",
        "NOT PAID (SUCCESSFUL): keep the goods: it is a payment for another order",
    ),
    // 620.10 and a fee of 9.
    ("\"totalAmount\":629.10", "\"totalAmount\":629.00", "NOT PAID (SUCCESSFUL): keep the goods: the amount differs"),
    ("\"amount_refunded\":\"25.50\"", "\"amount_refunded\":\"25.05\"", "RESPONSE"),
];

fn keeps_the_goods(start: &dyn Fn() -> Command) {
    let sandbox = Sandbox::start(&[]);
    let address = sandbox.text("base_url").strip_prefix("http://").unwrap().to_owned();
    for &(from, to, expected) in ALTERED {
        sandbox.post("/sandbox/reset", &serde_json::Value::Null);
        let address = address.clone();
        let between = Server::start(move |connection| relay(connection, &address, from, to));
        let (told, content) = play(start, &sandbox, &format!("http://127.0.0.1:{}", between.port));
        assert!(told.contains(expected) && !content, "{from} became {to}:\n{told}");
        let handed = told.matches("; hand over the goods\n").count();
        assert_eq!(handed, if from.contains("refunded") { 2 } else { 1 }, "{from} became {to}:\n{told}");
    }
}

/// Passes requests on, and answers back with something changed in them.
fn relay(mut connection: Connection, address: &str, from: &str, to: &str) {
    let mut service = TcpStream::connect(address).unwrap();
    while let Some(request) = connection.read_request() {
        service.write_all(request.as_bytes()).unwrap();
        connection.write(&read_message(&mut service).unwrap_or_default().replace(from, to));
    }
}
