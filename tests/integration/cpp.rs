//! The C++ binding: who frees what, every standard, a row that is made up, and a library of another ABI.

use std::process::Command;

use crate::support::bindings::CPP;
use crate::support::{ASAN, Link, Stage, VALGRIND, made_up, output_of, root, run};

#[test]
fn every_handle_is_freed_once() {
    let stage = Stage::new();
    let source = root().join("tests/cpp/ownership.cpp");
    let plain = stage.cpp(&source, Link::Shared, &["-std=c++11"]);
    let mut command = stage.command(VALGRIND[0].as_ref());
    let output = command.args(&VALGRIND[1..]).arg(&plain).output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
    for (standard, link) in [("-std=c++11", Link::Static), ("-std=c++20", Link::Shared)] {
        run(&mut stage.command(&stage.cpp(&source, link, &[&[standard], ASAN].concat())));
    }
}

/// Compiles one line in a main function against the headers of a folder.
fn syntax(stage: &Stage, headers: &str, flags: &[&str], line: &str) -> std::process::Output {
    let source = format!("#include <paysvc.hpp>\n#include <paysvc.hpp>\nint main() {{ {line} }}\n");
    std::fs::write(stage.path().join("line.cpp"), source).unwrap();
    let mut command = Command::new("c++");
    command.args(CPP).args(flags).args(["-fsyntax-only", &format!("-I{headers}"), "-Ibuild/include", "line.cpp"]);
    command.current_dir(stage.path()).output().unwrap()
}

#[test]
fn every_standard_compiles_it_with_and_without_exceptions() {
    let stage = Stage::new();
    for standard in ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"] {
        let output = syntax(&stage, "build/include", &[standard], "paysvc::client with; with.order_refund(\"{}\");");
        assert!(output.status.success(), "{}", output_of(&output));
        let line =
            "paysvc::reply why; paysvc::client with(std::nothrow, why); with.order_refund(std::nothrow, \"{}\");";
        let output = syntax(&stage, "build/include", &[standard, "-fno-exceptions", "-fno-rtti"], line);
        assert!(output.status.success(), "{}", output_of(&output));
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
        let output = syntax(&stage, "build/include", &["-std=c++11"], line);
        assert_eq!(output.status.success(), compiles, "{line}\n{}", output_of(&output));
    }
}

#[test]
fn a_row_is_all_that_a_new_endpoint_needs() {
    let stage = Stage::new();
    let new = stage.path().join("new");
    std::fs::create_dir(&new).unwrap();
    for name in ["paysvc.hpp", "paysvc_json.hpp"] {
        std::fs::copy(root().join("bindings/cpp").join(name), new.join(name)).unwrap();
    }
    std::fs::write(new.join("paysvc_endpoints.hpp"), xtask::codegen::cpp::render(made_up::ROWS)).unwrap();
    stage.replace_header(&made_up::header());
    let line = "paysvc::call token(std::chrono::seconds(1)); const paysvc::client with; \
                with.made_up(paysvc::made_up_request().batchId(\"B\").page_size(\"5\").amount(\"1.50\").count(2).urgent(true)\
                .payee(paysvc::made_up_payee().class_(\"A\").extra(\"x\", paysvc::raw(\"1\"))).extra(\"memo\", paysvc::raw(\"[]\")), token);";
    for standard in ["-std=c++11", "-std=c++20"] {
        let output = syntax(&stage, "new", &[standard], line);
        assert!(output.status.success(), "{}", output_of(&output));
    }
}

#[test]
fn another_abi_is_refused_when_it_is_compiled_and_when_it_runs() {
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, &["-std=c++11"]);
    let preload = stage.preload("other_abi.c");
    stage.replace_header(&made_up::header_of_another_abi());
    let output = syntax(&stage, "build/include", &["-std=c++11"], "");
    assert!(
        !output.status.success() && output_of(&output).contains("this header is for PAYSVC_ABI"),
        "{}",
        output_of(&output)
    );
    let output = run(stage.command(&program).env("LD_PRELOAD", preload).stdin(std::process::Stdio::null()));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.starts_with("E_ARGUMENT\tUNKNOWN\t") && told.lines().count() == 1, "{told}");
}

#[test]
fn the_readme_is_true() {
    let stage = Stage::new();
    let readme = std::fs::read_to_string(root().join("bindings/cpp/README.md")).unwrap();
    let block = |language: &str| readme.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
    std::fs::write(stage.path().join("charge.cpp"), block("cpp")).unwrap();
    run(Command::new("sh").args(["-c", block("sh").trim()]).current_dir(stage.path()));
    let mut command = stage.command(&stage.path().join("charge"));
    let output = run(command.env_clear().env("LD_LIBRARY_PATH", stage.path().join("build/lib")));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("nothing was sent, it may be repeated: order_create: E_CONFIG"), "{printed}");
    crate::support::charge::check(&|| stage.command(&stage.path().join("charge")));
}
