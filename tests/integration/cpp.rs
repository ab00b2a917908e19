//! The C++ binding: who frees what, every standard, and a library of another ABI.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::bindings::{CPP, header_of_another_abi};
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::{ASAN, Link, Stage, VALGRIND, output_of, root, run};

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
            assert_eq!(sandbox.effects("payout_made"), paid, "{what}: {:?}", sandbox.ledger());
        }
    }
}

/// The program, as a client of the sandbox.
fn configured(stage: &Stage, program: &Path, sandbox: &Sandbox) -> Command {
    let mut command = stage.command(program);
    sandbox.configure(&mut command);
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
        assert_eq!(sandbox.requests().len(), sent, "{whose}: {:?}", sandbox.requests());
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
fn answers_are_read_whatever_is_in_them_and_outlive_their_reply() {
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

/// Compiles one line in a main function. GCC checks some results only when it makes code.
fn syntax(stage: &Stage, flags: &[&str], line: &str) -> std::process::Output {
    let source = format!("#include <paysvc.hpp>\n#include <paysvc.hpp>\nint main() {{ {line} }}\n");
    std::fs::write(stage.path().join("line.cpp"), source).unwrap();
    let mut command = Command::new("c++");
    command.args(CPP).args(flags).args(["-c", "-o", "line.o", "-Ibuild/include", "line.cpp"]);
    command.current_dir(stage.path()).output().unwrap()
}

#[test]
fn every_standard_compiles_it_with_and_without_exceptions() {
    let stage = Stage::new();
    let line = "const paysvc::client with; auto got = with.order_refund(\"{}\"); return got.ok();";
    for standard in ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"] {
        for flags in [&[standard, "-Wconversion"][..], &[standard, "-Wconversion", "-fno-exceptions", "-fno-rtti"]] {
            let output = syntax(&stage, flags, line);
            assert!(output.status.success(), "{}", output_of(&output));
        }
    }
}

/// Where nothing is thrown, a reply that is dropped is an UNKNOWN that nobody has seen.
#[test]
fn a_reply_that_is_not_thrown_cannot_be_dropped() {
    let stage = Stage::new();
    let (thrown, returned) = ("-fexceptions", "-fno-exceptions");
    for (mode, line, compiles) in [
        (thrown, "paysvc::client().order_refund(\"{}\");", true),
        (returned, "paysvc::client().order_refund(\"{}\");", false),
        (returned, "return paysvc::client().order_refund(\"{}\").ok();", true),
        (returned, "paysvc::client().check();", false),
        (returned, "paysvc::call().set_key(\"K\");", false),
        (thrown, "paysvc::client().invoke(\"order_refund\", \"{}\");", false),
        (returned, "paysvc::client().invoke(\"order_refund\", \"{}\");", false),
    ] {
        let output = syntax(&stage, &["-std=c++11", mode], line);
        assert_eq!(output.status.success(), compiles, "{mode} {line}\n{}", output_of(&output));
    }
}

/// One program, of a file that is compiled with exceptions and one without: each gets the methods that it was compiled for.
#[test]
fn files_with_and_without_exceptions_can_be_linked() {
    let stage = Stage::new();
    let file = |name: &str, flag: &str, text: &str| {
        std::fs::write(stage.path().join(name), format!("#include <paysvc.hpp>\n{text}")).unwrap();
        let mut command = Command::new("c++");
        command.args(CPP).args(["-std=c++11", flag, "-c", "-Ibuild/include", name]);
        run(command.current_dir(stage.path()));
    };
    file(
        "returns.cpp",
        "-fno-exceptions",
        "bool returns() { return paysvc::client(\"{}\").order_refund(\"{}\").ok(); }\n",
    );
    file(
        "throws.cpp",
        "-fexceptions",
        "bool returns();\nint main() {\n    if (returns()) { return 1; }\n    const paysvc::client with(\"{}\");\n    \
         try { with.order_refund(\"{}\"); } catch (const paysvc::not_sent &) { return 0; }\n    return 2;\n}\n",
    );
    for files in [["returns.o", "throws.o"], ["throws.o", "returns.o"]] {
        let mut command = Command::new("c++");
        command.args(files).args(["-Lbuild/lib", "-lpaysvc", "-o", "both"]);
        run(command.current_dir(stage.path()));
        run(&mut stage.command(&stage.path().join("both")));
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
        ("paysvc::direct_debit_create_request().recurring_payment_id(7);", true),
        ("paysvc::direct_debit_create_request().recurring_payment_id(7ull);", true),
        ("paysvc::direct_debit_create_request().recurring_payment_id(7.0);", false),
        ("paysvc::direct_debit_create_request().recurring_payment_id(true);", false),
        ("paysvc::config().allow_http(\"false\");", false),
    ] {
        let output = syntax(&stage, &["-std=c++11"], line);
        assert_eq!(output.status.success(), compiles, "{line}\n{}", output_of(&output));
    }
}

/// It would only ask whether the flag is there.
#[test]
fn a_flag_that_may_be_absent_is_no_condition() {
    let stage = Stage::new();
    for (condition, compiles) in [
        ("reply.answer().requery_needed", false),
        ("reply.answer().requery_needed.has_value()", true),
        ("reply.answer().order_summary", true),
    ] {
        let line = format!("auto reply = paysvc::client().order_status(\"{{}}\"); if ({condition}) {{}}");
        let output = syntax(&stage, &["-std=c++11"], &line);
        assert_eq!(output.status.success(), compiles, "{condition}\n{}", output_of(&output));
    }
}

#[test]
fn another_abi_is_refused_when_it_is_compiled_and_when_it_runs() {
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, &["-std=c++11"]);
    let preload = stage.preload("other_abi.c");
    stage.replace_header(&header_of_another_abi());
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
        (event("O-2").to_string(), "503"),
        (r#"{},"ask":false"#.to_owned(), "400"),
        ("\"\\".to_owned(), "400"),
    ] {
        let output = run(configured(&stage, &program, &sandbox).arg(&body));
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{body}");
    }
}
