//! The Go package: its own tests in every way they can be run, who frees what, another ABI.

mod windows;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::bindings::header_of_another_abi;
use crate::support::driver::Driver;
use crate::support::sandbox::Sandbox;
use crate::support::{Stage, build, output_of, root, run};

fn module() -> std::path::PathBuf {
    root().join("bindings/go")
}

/// The go command, with what its tests need to find the sandbox.
fn go(stage: &Stage, words: &[&str]) -> Command {
    let mut command = stage.go(&module());
    command.args(words).env("PAYSVC_SANDBOX", build().join("bin/paysvc-sandbox"));
    command
}

/// Without this test a missing or old Go would fail with a message that does not name it.
#[test]
fn go_is_here_and_new_enough() {
    let stage = Stage::new();
    let output = stage.go(&module()).args(["env", "GOVERSION"]).output();
    let output = output.expect("Go 1.21 or newer is needed: put it on the PATH, or name it in GO (see scripts/go.sh)");
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let minor = version.trim().strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    assert!(minor >= Some(21), "Go 1.21 or newer is needed, this is {version:?}: see scripts/go.sh");
}

#[test]
fn it_is_formatted_and_vetted() {
    let stage = Stage::new();
    let gofmt = run(&mut go(&stage, &["env", "GOROOT"])).stdout;
    let gofmt = Path::new(String::from_utf8(gofmt).unwrap().trim()).join("bin/gofmt");
    let output = run(Command::new(gofmt).args(["-l", "."]).current_dir(module()));
    assert!(output.stdout.is_empty(), "not as gofmt writes it: {}", output_of(&output));
    run(&mut go(&stage, &["vet", "./..."]));
}

#[test]
fn its_tests_pass() {
    run(&mut go(&Stage::new(), &["test", "-count=1", "./..."]));
}

#[test]
#[ignore = "compiles Go's own libraries again: `.ci/run` and `make harden` run it, with the oldest Go and the newest"]
fn its_tests_pass_under_the_race_detector() {
    run(&mut go(&Stage::new(), &["test", "-count=1", "-race", "./..."]));
}

/// Modules of their own, so that the package needs no other module.
fn a_module_passes(folder: &str, words: &[&str]) {
    let stage = Stage::new();
    let mut command = stage.go(&module().join(folder));
    run(command.args(words).env("PAYSVC_SANDBOX", build().join("bin/paysvc-sandbox")));
}

#[test]
fn the_module_for_opentelemetry_passes_its_tests() {
    a_module_passes("otelpaysvc", &["vet", "./..."]);
    a_module_passes("otelpaysvc", &["test", "-count=1", "./..."]);
}

/// The store for PostgreSQL with a real server, and the example with it.
#[test]
fn the_outbox_and_its_store_pass_their_tests() {
    a_module_passes("examples/outbox", &["vet", "./..."]);
    a_module_passes("examples/outbox", &["test", "-count=1", "./..."]);
}

#[test]
#[ignore = "compiles all that they use again: `make harden` runs it"]
fn its_modules_pass_their_tests_under_the_race_detector() {
    for folder in ["otelpaysvc", "examples/outbox"] {
        a_module_passes(folder, &["test", "-count=1", "-race", "./..."]);
    }
}

#[test]
#[ignore = "compiles Go's own libraries again: `make harden` runs it"]
fn its_tests_pass_with_every_pointer_that_c_gets_checked() {
    run(go(&Stage::new(), &["test", "-count=1", "./..."]).env("GOEXPERIMENT", "cgocheck2"));
}

#[test]
fn its_tests_pass_with_the_archive() {
    let stage = Stage::new();
    let program = stage.path().join("archive.test");
    run(go(&stage, &["test", "-tags", "paysvc_static", "-c", "-o"]).arg(&program).arg("."));
    let output = run(Command::new("readelf").arg("-dW").arg(&program));
    let needed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!needed.contains("libpaysvc"), "it needs the shared library: {needed}");
    let mut command = Command::new(&program);
    run(command.env("PAYSVC_SANDBOX", build().join("bin/paysvc-sandbox")).env_remove("LD_LIBRARY_PATH"));
}

/// Without any shared library: neither ours nor libgcc_s, which has no archive.
#[test]
fn a_program_that_is_linked_wholly_statically_runs() {
    let stage = Stage::new();
    if !crate::support::has_static_c(&stage) {
        return;
    }
    let program = stage.path().join("driver");
    let flags = ["build", "-tags", "paysvc_static", "-ldflags", "-linkmode external -extldflags -static", "-o"];
    run(go(&stage, &flags).arg(&program).arg("./internal/driver"));
    let output = run(Command::new("readelf").arg("-lW").arg(&program));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("INTERP"), "it needs a dynamic linker");
    let sandbox = Sandbox::start(&[]);
    let mut driver = Driver::start(Command::new(&program).env_clear(), &sandbox.config());
    let reply = driver.call("direct_debit_history", &json!({"emailAddress": "none@example.com"}));
    assert_eq!(reply.verdict(), ("OK", "CONFIRMED"), "{}", reply.message);
    driver.finish();
}

/// It is the only error, for the package and for a program that uses it.
#[test]
fn without_cgo_the_compiler_says_what_is_needed() {
    let stage = Stage::new();
    for what in [".", "./examples/collect"] {
        let output = go(&stage, &["build", what]).env("CGO_ENABLED", "0").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let errors: Vec<_> = told.lines().filter(|line| line.contains("undefined")).collect();
        assert!(!output.status.success() && errors.len() == 1, "{}", output_of(&output));
        assert!(errors[0].contains("needs_cgo_set_CGO_ENABLED_to_1"), "{told}");
    }
}

#[test]
fn every_handle_is_freed_once() {
    let stage = Stage::new();
    let program = stage.path().join("ownership.test");
    run(go(&stage, &["test", "-c", "-o"]).arg(&program).arg("."));
    let notes = stage.path().join("notes");
    let mut command = stage.command(&program);
    command.env("PAYSVC_SANDBOX", build().join("bin/paysvc-sandbox"));
    run(command.env("LD_PRELOAD", stage.preload("ownership.c")).env("TEST_OWNERSHIP", &notes));

    let (mut alive, mut made) = (BTreeMap::new(), BTreeMap::<String, usize>::new());
    for line in std::fs::read_to_string(notes).unwrap().lines() {
        let [what, kind, handle] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let handle = (kind.to_owned(), handle.to_owned());
        if what == "made" {
            *made.entry(kind.to_owned()).or_default() += 1;
            assert!(alive.insert(handle, ()).is_none(), "made twice: {line}");
        } else {
            assert!(alive.remove(&handle).is_some(), "freed twice: {line}");
        }
    }
    assert!(alive.is_empty(), "never freed: {alive:?}");
    assert!(made["client"] > 10 && made["call"] > 10_000 && made["reply"] > 10_000, "{made:?}");
}

/// A copy of the package with another header.
fn copy(stage: &Stage, header: &str) -> std::path::PathBuf {
    let folder = stage.path().join("copy");
    std::fs::create_dir(&folder).unwrap();
    for entry in std::fs::read_dir(module()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_file() && !name.ends_with("_test.go") {
            std::fs::copy(&path, folder.join(name)).unwrap();
        }
    }
    // Go's cache knows the files of the package, but not the header that pkg-config finds.
    std::fs::write(folder.join("fresh.h"), format!("/* {} */\n", folder.display())).unwrap();
    stage.replace_header(header);
    folder
}

#[test]
fn another_abi_is_refused_when_it_is_compiled_and_when_it_runs() {
    let stage = Stage::new();
    let folder = copy(&stage, &header_of_another_abi());
    let output = stage
        .go(&folder)
        .env("PKG_CONFIG_PATH", stage.path().join("build/lib/pkgconfig"))
        .args(["build", "."])
        .output()
        .unwrap();
    assert!(
        !output.status.success() && output_of(&output).contains("this Go package is for PAYSVC_ABI"),
        "{}",
        output_of(&output)
    );

    let mut command = stage.command(&stage.go_build("internal/driver"));
    let output = run(command.env("LD_PRELOAD", stage.preload("other_abi.c")).stdin(Stdio::null()));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.starts_with("E_CONFIG\tNOT_SENT\t") && told.contains("has ABI 99, this program was built for"),
        "{told}"
    );
}

/// A test that runs three blocks of the README: two that read a response, and one that is the body of a test.
fn test_of_blocks(answer: &str, of_error: &str, sandbox: &str) -> String {
    format!(
        r#"package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestAnswer(t *testing.T) {{
	for _, payment := range []string{{`{{"fee":"1.50"}}`, `null`}} {{
		reply := &paysvc.OrderPayReply{{}}
		if err := json.Unmarshal([]byte(`{{"order_payment":`+payment+`}}`), &reply.Answer); err != nil {{
			t.Fatal(err)
		}}
{answer}
	}}
}}

func TestAnswerOfError(t *testing.T) {{
	told := json.RawMessage(`{{"order_payment":{{"order_payment_response_message":"declined"}}}}`)
	failure := &paysvc.Error{{Reply: paysvc.Reply{{AnswerOf: "order_pay", AnswerJSON: told}}}}
{of_error}
}}

func TestSandbox(t *testing.T) {{
{sandbox}
}}
"#
    )
}

#[test]
fn the_readme_is_true() {
    let stage = Stage::new();
    let folder = stage.path().join("charge");
    std::fs::create_dir(&folder).unwrap();
    let readme = std::fs::read_to_string(module().join("README.md")).unwrap();
    let blocks = |language: &str| -> Vec<String> {
        let begins = format!("```{language}\n");
        readme.split(&begins).skip(1).map(|part| part.split("```").next().unwrap().to_owned()).collect()
    };
    let block = |language: &str| blocks(language).remove(0);
    std::fs::write(folder.join("main.go"), block("go")).unwrap();
    run(stage.go(&folder).args(["mod", "init", "example.com/charge"]));
    let edit = block("sh").replace("../libpaysvc/bindings/go", module().to_str().unwrap());
    run(stage.go(&folder).args(edit.trim().strip_prefix("go ").unwrap().split(' ')));
    let [_, answer, of_error, sandbox] = &blocks("go")[..] else { panic!("each block needs a test") };
    std::fs::write(folder.join("blocks_test.go"), test_of_blocks(answer, of_error, sandbox)).unwrap();
    let output =
        run(stage.go(&folder).args(["test", "-v", "."]).env("PAYSVC_SANDBOX", build().join("bin/paysvc-sandbox")));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("\nthe fee is 1.50\nthe response has no fee\n"), "{printed}");
    assert!(printed.contains("\ndeclined\n"), "{printed}");
    run(stage.go(&folder).args(["build", "-o", "charge", "."]));
    let output = run(&mut stage.command(&folder.join("charge")));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("nothing was sent, it may be repeated: paysvc: order_create: E_CONFIG"), "{printed}");
    crate::support::charge::check(&|| stage.command(&folder.join("charge")));
}
