//! The C++ binding: who frees what, every standard, a row that is made up, and a library of another ABI.

use std::path::Path;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Answer, Certainty, Endpoint, Member};
use serde_json::{Value, json};

use crate::support::bindings::CPP;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::{ASAN, Link, Stage, VALGRIND, cpp_answers, made_up, output_of, root, run};

#[test]
fn every_handle_is_freed_once() {
    let stage = Stage::new();
    let source = root().join("tests/cpp/ownership.cpp");
    let plain = stage.cpp(&source, Link::Shared, &["-std=c++11"]);
    run(&mut in_valgrind(&stage, &plain));
    for (standard, link) in [("-std=c++11", Link::Static), ("-std=c++20", Link::Shared)] {
        run(&mut stage.command(&stage.cpp(&source, link, &[&[standard], ASAN].concat())));
    }
}

#[test]
fn progress_that_stops_or_throws_stops_the_call_and_keeps_the_report() {
    let stage = Stage::new();
    let source = root().join("tests/cpp/steps.cpp");
    let sandbox = Sandbox::start(&["--pay-twice"]);
    for (standard, link) in [("-std=c++11", Link::Static), ("-std=c++20", Link::Shared)] {
        let program = stage.cpp(&source, link, &[&[standard], ASAN].concat());
        // On a disk: the library refuses a file system in memory.
        let folder = tempfile::tempdir_in(root().join("build")).unwrap();
        for (what, paid) in [("stops", 5), ("throws", 5), ("waits", 0)] {
            sandbox.post("/sandbox/reset", &Value::Null);
            run(configured(&stage, &program, &sandbox).arg(what).arg(folder.path().join(what)));
            let ledger = sandbox.get("/sandbox/ledger")["ledger"].take();
            let made = ledger.as_array().unwrap().iter().filter(|entry| entry["effect"] == "payout_made").count();
            assert_eq!(made, paid, "{what}: {ledger}");
        }
    }
}

/// The program, as a client of the sandbox.
fn configured(stage: &Stage, program: &Path, sandbox: &Sandbox) -> Command {
    let mut command = stage.command(program);
    for member in ["base_url", "public_key", "secret_key", "encryption_key"] {
        command.env(format!("PAYSVC_{}", member.to_uppercase()), sandbox.text(member));
    }
    command
}

#[test]
fn a_reference_that_the_client_made_is_charged_without_a_look_up() {
    let (stage, sandbox) = (Stage::new(), Sandbox::start(&[]));
    let program = stage.cpp(&root().join("tests/cpp/steps.cpp"), Link::Shared, &[&["-std=c++11"], ASAN].concat());
    // On a disk: the library refuses a file system in memory.
    let folder = tempfile::tempdir_in(root().join("build")).unwrap();
    for (whose, sent) in [("its own", 1), ("another's", 2)] {
        sandbox.post("/sandbox/reset", &Value::Null);
        let mut command = configured(&stage, &program, &sandbox);
        run(command.arg("remembers").arg(folder.path().join(whose)).arg(whose));
        let requests = sandbox.get("/sandbox/requests")["requests"].take();
        assert_eq!(requests.as_array().unwrap().len(), sent, "{whose}: {requests}");
    }
}

fn in_valgrind(stage: &Stage, program: &Path) -> Command {
    let mut command = stage.command(VALGRIND[0].as_ref());
    command.args(&VALGRIND[1..]).arg(program);
    command
}

/// A server that answers a refund with the text of its reason, and with the request's traceparent.
fn echo() -> Server {
    Server::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            let body = request.split("\r\n\r\n").nth(1).unwrap();
            let body: Value = serde_json::from_str(body).unwrap();
            let trace = request.lines().find(|line| line.to_ascii_lowercase().starts_with("traceparent:"));
            let headers = trace.map(|line| format!("{line}\r\n")).unwrap_or_default();
            connection.answer("200 OK", &headers, body["reason"].as_str().unwrap());
        }
    })
}

fn address(server: &Server) -> String {
    format!("http://127.0.0.1:{}", server.port)
}

#[test]
fn answers_are_read_whatever_is_in_them_and_as_long_as_their_reply_lives() {
    let (stage, server) = (Stage::new(), echo());
    let source = root().join("tests/cpp/answers.cpp");
    let plain = stage.cpp(&source, Link::Shared, &["-std=c++11"]);
    run(in_valgrind(&stage, &plain).arg(address(&server)));
    let without = ["-std=c++14", "-fno-exceptions", "-fno-rtti"];
    run(stage.command(&stage.cpp(&source, Link::Shared, &without)).arg(address(&server)));
    for (standard, link) in [("-std=c++17", Link::Static), ("-std=c++20", Link::Shared)] {
        let flags = [&[standard, "-fsanitize=undefined", "-fno-sanitize-recover=undefined"], ASAN].concat();
        run(stage.command(&stage.cpp(&source, link, &flags)).arg(address(&server)));
    }
}

/// Compiles one line in a main function.
fn syntax(stage: &Stage, flags: &[&str], line: &str) -> std::process::Output {
    let source = format!("#include <paysvc.hpp>\n#include <paysvc.hpp>\nint main() {{ {line} }}\n");
    std::fs::write(stage.path().join("line.cpp"), source).unwrap();
    let mut command = Command::new("c++");
    command.args(CPP).args(flags).args(["-fsyntax-only", "-Ibuild/include", "line.cpp"]);
    command.current_dir(stage.path()).output().unwrap()
}

#[test]
fn every_standard_compiles_it_with_and_without_exceptions() {
    let stage = Stage::new();
    for standard in ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"] {
        let output = syntax(&stage, &[standard], "paysvc::client with; with.order_refund(\"{}\");");
        assert!(output.status.success(), "{}", output_of(&output));
        let line =
            "paysvc::reply why; paysvc::client with(std::nothrow, why); with.order_refund(std::nothrow, \"{}\");";
        let output = syntax(&stage, &[standard, "-fno-exceptions", "-fno-rtti"], line);
        assert!(output.status.success(), "{}", output_of(&output));
    }
}

/// An editor or a tool that looks at one header at a time.
#[test]
fn each_header_compiles_alone() {
    let stage = Stage::new();
    for header in std::fs::read_dir(root().join("bindings/cpp")).unwrap().map(|entry| entry.unwrap().path()) {
        if header.extension().is_some_and(|extension| extension == "hpp") {
            let line = format!("#include <{}>\n", header.file_name().unwrap().display());
            std::fs::write(stage.path().join("alone.cpp"), line).unwrap();
            let mut command = Command::new("c++");
            command.args(CPP).args(["-std=c++11", "-fsyntax-only", "-Ibuild/include", "alone.cpp"]);
            run(command.current_dir(stage.path()));
        }
    }
}

#[test]
fn money_and_numbers_take_no_floating_point() {
    let stage = Stage::new();
    for (line, compiles) in [
        ("paysvc::order_refund_request().amount(\"25.50\");", true),
        ("paysvc::order_refund_request().amount(25.50);", false),
        ("paysvc::direct_debit_create_request().recurringPaymentId(7);", true),
        ("paysvc::direct_debit_create_request().recurringPaymentId(7.0);", false),
        ("paysvc::config().allow_http(\"false\");", false),
    ] {
        let output = syntax(&stage, &["-std=c++11"], line);
        assert_eq!(output.status.success(), compiles, "{line}\n{}", output_of(&output));
    }
}

/// Puts headers for other rows in the place of those that were built.
fn replace_headers(stage: &Stage, rows: &[Endpoint]) {
    stage.replace_header(&made_up::header());
    for (name, text) in [
        ("paysvc_answers.hpp", xtask::codegen::cpp::answers::render(rows)),
        ("paysvc_endpoints.hpp", xtask::codegen::cpp::render(rows)),
    ] {
        let header = stage.path().join("build/include").join(name);
        std::fs::remove_file(&header).unwrap(); // It is a link to the one that was built.
        std::fs::write(header, text).unwrap();
    }
}

#[test]
fn a_row_is_all_that_a_new_endpoint_needs() {
    let stage = Stage::new();
    replace_headers(&stage, made_up::ROWS);
    let line = "paysvc::call token(std::chrono::seconds(1)); const paysvc::client with; \
                with.made_up(paysvc::made_up_request().batchId(\"B\").page_size(\"5\").amount(\"1.50\").count(2).urgent(true)\
                .payee(paysvc::made_up_payee().class_(\"A\").extra(\"x\", paysvc::raw(\"1\"))).extra(\"memo\", paysvc::raw(\"[]\"))\
                .payees({paysvc::made_up_payees().class_(\"B\").bankId(7), paysvc::made_up_payees()}).others({paysvc::made_up_others()}), token);\
                std::vector<paysvc::made_up_payees> many; many.push_back(paysvc::made_up_payees()); paysvc::made_up_request().payees(many);";
    for standard in ["-std=c++11", "-std=c++20"] {
        let output = syntax(&stage, &[standard], line);
        assert!(output.status.success(), "{}", output_of(&output));
    }
}

const INNER: &[Member] = &[Member::integer("a-b", ""), Member::integer("a_b", ""), Member::object("value", &[], "")];

/// Members of every kind whose names mean something else in C++ or in the header, or are no names in C++.
const MEMBERS: &[Member] = &[
    Member::text("class", ""),
    Member::integer("raw", ""),
    Member::amount("present", ""),
    Member::decimal("value", ""),
    Member::flag("std", ""),
    Member::time("paysvc", ""),
    Member::any("view", ""),
    Member::text("reply", ""),
    Member::text("a/b~c\"d\\e", ""),
    Member::text("unix", "").certainty(Certainty::Guessed),
    Member::object("detail", &[Member::text("pointer", ""), Member::list("reader", INNER, "")], ""),
    Member::list("list", &[Member::list("3ds", INNER, ""), Member::object("at", INNER, "")], ""),
    // Their classes would have one name.
    Member::object("x", &[Member::object("y_z", &[Member::text("t", "")], "")], ""),
    Member::object("x_y", &[Member::object("z", &[Member::flag("t", "")], "")], ""),
];

const READ: &str = r#"
#include "dump.hpp"
#include <iostream>
const struct { const char *name; void (*read)(const paysvc::reply &, dump &); } answers[] = {
#include "made_up.inc"
};
int main(int, char **argv) {
    const paysvc::client with(paysvc::config().base_url(argv[1]).secret_key("secret"));
    dump out;
    answers[0].read(with.order_refund(std::nothrow, paysvc::order_refund_request().reference("R").reason(argv[2])), out);
    std::cout << out.json();
}
"#;

#[test]
fn members_of_answers_may_have_any_name() {
    let (stage, server) = (Stage::new(), echo());
    let row = Endpoint { answer: Answer { members: MEMBERS, ..Endpoint::ANSWER }, ..made_up::ROWS[0] };
    replace_headers(&stage, &[ENDPOINTS, &[row]].concat());
    std::fs::write(stage.path().join("made_up.inc"), cpp_answers::inc(&[row])).unwrap();
    std::fs::write(stage.path().join("read.cpp"), READ).unwrap();
    let tests = format!("-I{}", root().join("tests/cpp").display());
    let program = stage.cpp(&stage.path().join("read.cpp"), Link::Shared, &["-std=c++11", &tests]);
    let inner = json!({"a-b": 1, "a_b": 2, "value": {}});
    let answer = json!({
        "class": "c", "raw": "7", "present": 1.5, "value": "01.0", "std": true, "paysvc": "2026-11-22 10:00:00", "view": [],
        "reply": 5, "a/b~c\"d\\e": "odd", "unix": "not typed", "detail": {"pointer": "p", "reader": [inner]},
        "list": [{"3ds": [inner, 5], "at": inner}, {"at": 5}], "x": {"y_z": {"t": "t"}}, "x_y": {"z": {"t": false}},
    });
    let output = run(stage.command(&program).arg(address(&server)).arg(answer.to_string()));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected: Value = serde_json::from_str(
        r#"{
        "/class": "c", "/raw": "7", "/present": "1.5", "/value": "1.0", "/std": "true",
        "/paysvc": "2026-11-22T10:00:00.000000Z", "/view": "array", "/reply": "5", "/a~1b~0c\"d\\e": "odd",
        "/detail": "{}", "/detail/pointer": "p", "/detail/reader": "[1]", "/detail/reader/0": "{}",
        "/detail/reader/0/a-b": "1", "/detail/reader/0/a_b": "2", "/detail/reader/0/value": "{}",
        "/list": "[2]", "/list/0": "{}", "/list/0/3ds": "[2]",
        "/list/0/3ds/0": "{}", "/list/0/3ds/0/a-b": "1", "/list/0/3ds/0/a_b": "2", "/list/0/3ds/0/value": "{}",
        "/list/0/3ds/1": false, "/list/0/3ds/1/a-b": false, "/list/0/3ds/1/a_b": false, "/list/0/3ds/1/value": false,
        "/list/0/at": "{}", "/list/0/at/a-b": "1", "/list/0/at/a_b": "2", "/list/0/at/value": "{}",
        "/list/1": "{}", "/list/1/3ds": null,
        "/list/1/at": false, "/list/1/at/a-b": false, "/list/1/at/a_b": false, "/list/1/at/value": false,
        "/x": "{}", "/x/y_z": "{}", "/x/y_z/t": "t", "/x_y": "{}", "/x_y/z": "{}", "/x_y/z/t": "false"
    }"#,
    )
    .unwrap();
    assert_eq!(found, expected);
}

#[test]
fn a_view_of_a_reply_that_is_gone_does_not_compile() {
    let stage = Stage::new();
    let keep = "paysvc::client with; auto reply = with.order_refund(\"{}\"); reply.answer().data().status();";
    for (line, compiles) in [
        (keep, true),
        ("paysvc::client with; with.order_refund(\"{}\").answer();", false),
        ("paysvc::client with; paysvc::order_refund_answer answer(with.order_refund(\"{}\"));", false),
        ("paysvc::client with; paysvc::order_refund_answer answer(with.encrypt(\"{}\"));", false),
        ("paysvc::client with; auto r = with.order_status(\"{}\"); if (r.answer().data().requeryNeeded()) {}", false),
        (
            "paysvc::client with; auto r = with.order_status(\"{}\"); if (r.answer().data().requeryNeeded().has_value()) {}",
            true,
        ),
    ] {
        let output = syntax(&stage, &["-std=c++11"], line);
        assert_eq!(output.status.success(), compiles, "{line}\n{}", output_of(&output));
    }
}

#[test]
fn another_abi_is_refused_when_it_is_compiled_and_when_it_runs() {
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, &["-std=c++11"]);
    let preload = stage.preload("other_abi.c");
    stage.replace_header(&made_up::header_of_another_abi());
    let output = syntax(&stage, &["-std=c++11"], "");
    assert!(
        !output.status.success() && output_of(&output).contains("this header is for PAYSVC_ABI"),
        "{}",
        output_of(&output)
    );
    let output = run(stage.command(&program).env("LD_PRELOAD", preload).stdin(std::process::Stdio::null()));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.starts_with("E_ARGUMENT\tUNKNOWN\t") && told.lines().count() == 1, "{told}");
}

const ON_EVENT: &str = r#"
bool settle(const paysvc::reply &reply) {
    std::cout << (reply.state() == paysvc::state::successful ? "settled " : "");
    return true;
}
int main(int, char **argv) { std::cout << on_event(paysvc::client(), argv[1]); }
"#;

#[test]
fn the_readme_is_true() {
    let stage = Stage::new();
    let readme = std::fs::read_to_string(root().join("bindings/cpp/README.md")).unwrap();
    let block = |language: &str, number: usize| {
        readme.split(&format!("```{language}\n")).nth(number).unwrap().split("```").next().unwrap()
    };
    std::fs::write(stage.path().join("charge.cpp"), block("cpp", 1)).unwrap();
    run(Command::new("sh").args(["-c", block("sh", 1).trim()]).current_dir(stage.path()));
    let mut command = stage.command(&stage.path().join("charge"));
    let output = run(command.env_clear().env("LD_LIBRARY_PATH", stage.path().join("build/lib")));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("nothing was sent, it may be repeated: order_create: E_CONFIG"), "{printed}");
    crate::support::charge::check(&|| stage.command(&stage.path().join("charge")));
    let answers = format!("paysvc::client client;\n{}", block("cpp", 2));
    let output = syntax(&stage, &["-std=c++11", "-include", "iostream"], &answers);
    assert!(output.status.success(), "{}", output_of(&output));
    let events = format!("#include <paysvc.hpp>\n#include <iostream>\n{}{ON_EVENT}", block("cpp", 3));
    std::fs::write(stage.path().join("events.cpp"), events).unwrap();
    let program = stage.cpp(&stage.path().join("events.cpp"), Link::Shared, &["-std=c++11"]);
    let sandbox = Sandbox::start(&[]);
    sandbox.post("/sandbox/orders", &json!({"reference": "O-1", "amount": "25.50", "paid": true}));
    let event = |reference: &str| json!({"data": {"orderReference": reference, "orderAmount": 25.5, "statusId": 5}});
    for (body, printed) in [
        (event("O-1").to_string(), "settled 200"),
        (event("O-2").to_string(), "200"),
        (r#"{},"ask":false"#.to_owned(), "400"),
        ("\"\\".to_owned(), "400"),
    ] {
        let output = run(configured(&stage, &program, &sandbox).arg(&body));
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{body}");
    }
}
