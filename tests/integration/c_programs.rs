//! Programs in C, compiled and run in every way: linked to the shared library and to the archive, under valgrind, and
//! with the sanitizers in C and Rust together.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;

use crate::support::capi::{HANG, with};
use crate::support::server::{Connection, OK, Server};
use crate::support::{ASAN, Link, Stage, VALGRIND, header, output_of, root, run, sanitized};

const C89: &[&str] = &["-std=c89", "-pedantic"];

fn source(name: &str) -> PathBuf {
    root().join("tests/c").join(name)
}

fn under_valgrind(stage: &Stage, program: &PathBuf) -> Command {
    let mut command = stage.command(VALGRIND[0].as_ref());
    command.args(&VALGRIND[1..]).arg(program);
    command
}

/// Runs a program in every way; `run` is handed the command, to be given its arguments and its peer, and whether it is
/// one that makes everything slow.
fn in_every_way(name: &str, flags: &[&str], include: Option<(&str, String)>, run: impl Fn(Command, bool)) {
    let stage = Stage::new();
    if let Some((file, text)) = include {
        std::fs::write(stage.path().join(file), text).unwrap();
    }
    let shared = stage.cc(&source(name), Link::Shared, &[C89, flags].concat());
    run(stage.command(&shared), false);
    run(under_valgrind(&stage, &shared), true);
    let (archive, sanitizers) = match sanitized::archive() {
        Some(_) => (Link::Sanitized, &[][..]),
        None => (Link::Static, ASAN),
    };
    run(stage.command(&stage.cc(&source(name), archive, &[flags, sanitizers].concat())), false);
}

#[test]
fn the_boundary_holds_and_leaks_nothing() {
    in_every_way("boundary.c", &[], None, |mut command, _| drop(run(&mut command)));
}

#[test]
fn no_function_follows_null_or_takes_text_that_is_not_utf8() {
    let text = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let functions = xtask::interface::functions(&text);
    // The same functions as another reading of the header finds.
    let names: std::collections::BTreeSet<_> = functions.iter().map(|function| function.name.as_str()).collect();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '('));
    let called = words.filter_map(|word| word.strip_suffix('(').or(word.split_once('(').map(|(name, _)| name)));
    let code: std::collections::BTreeSet<_> = called.filter(|name| name.starts_with("paysvc_")).collect();
    assert!(names.is_subset(&code) && names.len() >= paysvc_spec::ENDPOINTS.len() + 20, "{names:?}");
    in_every_way("nulls.c", &[], Some(("header.inc", header::inc(&functions))), |mut command, _| {
        run(&mut command);
    });
}

/// Answers with as many bytes as the reference asks for.
fn answer_at_length(mut c: Connection) {
    while let Some(request) = c.read_request() {
        let asked = request.split_once("\"answer ").and_then(|(_, rest)| rest.split('"').next()?.parse::<usize>().ok());
        let (open, close) = (r#"{"status":true,"message":"done","data":""#, "\"}");
        match asked {
            Some(length) => {
                c.answer("200 OK", "", &format!("{open}{}{close}", "x".repeat(length - open.len() - close.len())));
            }
            None => c.answer("200 OK", "", OK),
        }
    }
}

#[test]
fn lengths_up_to_the_limits_and_past_them() {
    let server = Server::start(answer_at_length);
    let mut config = server.config();
    config["timeout_ms"] = 300_000.into();
    in_every_way("limits.c", &[], None, |mut command, slow| {
        // Valgrind would take a minute for megabytes.
        run(command.arg(config.to_string()).arg(if slow { "65536" } else { "1048576" }));
    });
}

#[test]
fn planted_leaks_are_found() {
    let stage = Stage::new();
    let output = under_valgrind(&stage, &stage.cc(&source("leak.c"), Link::Shared, &[])).output().unwrap();
    assert_eq!(output.status.code(), Some(9), "valgrind missed a leak\n{}", output_of(&output));
    let mut programs: Vec<_> = [Link::Shared, Link::Static].map(|link| stage.cc(&source("leak.c"), link, ASAN)).into();
    programs.extend(sanitized::archive().map(|_| stage.cc(&source("leak.c"), Link::Sanitized, &[])));
    for program in programs {
        let output = stage.command(&program).output().unwrap();
        assert!(stderr(&output).contains("LeakSanitizer"), "ASAN missed a leak\n{}", output_of(&output));
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A defect that only a library with the sanitizer in it can see: the wrong access is in the Rust code itself.
#[test]
fn the_sanitizers_are_in_c_and_in_rust() {
    let Some(archive) = sanitized::archive() else { return };
    let symbols = run(Command::new("nm").arg(archive).stderr(std::process::Stdio::null()));
    let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
    for (object, report) in
        [("paysvc.", "__asan_report_load"), ("-bcm.o", "__asan_report_load"), ("-bcm.o", "__ubsan_handle")]
    {
        assert!(sanitized::objects(&symbols, object, report) > 0, "no object like {object} calls {report}");
    }

    let stage = Stage::new();
    let planted = |link, flags: &[&str], defect: &str| {
        stage.command(&stage.cc(&source("planted.c"), link, flags)).arg(defect).output().unwrap()
    };
    for (defect, report, frame) in [
        ("short-text", "heap-buffer-overflow", "boundary.rs"),
        ("freed-reply", "heap-use-after-free", "reply.rs"),
        ("freed-token", "heap-use-after-free", "call.rs"),
        ("c-overflow", "runtime error: signed integer overflow", "planted.c"),
        ("c-shift", "runtime error: shift exponent", "planted.c"),
    ] {
        let output = planted(Link::Sanitized, &[], defect);
        let text = stderr(&output);
        assert!(
            !output.status.success() && text.contains(report) && text.contains(frame),
            "{defect}\n{}",
            output_of(&output)
        );
    }
    // The same access, with the sanitizer in the C alone: it is not seen. So the Rust code made the report.
    let output = planted(Link::Static, ASAN, "freed-reply");
    assert!(!stderr(&output).contains("AddressSanitizer"), "{}", output_of(&output));
    assert!(planted(Link::Sanitized, &[], "none").status.success());
}

/// Runs it with a service that holds slow requests until it reads one with "go"; the program gets a byte for each that
/// is held.
fn with_a_slow_service(mut command: Command) {
    let (held, holds) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new((Mutex::new(0_u64), Condvar::new()));
    let held = Mutex::new(held);
    let server = Server::start(move |mut c| {
        let (round, opened) = &*gate;
        while let Some(request) = c.read_request() {
            if request.contains("slow") {
                let rounds = round.lock().unwrap();
                let this = *rounds;
                held.lock().unwrap().send(()).unwrap();
                drop(opened.wait_timeout_while(rounds, HANG, |round| *round == this).unwrap());
            } else if request.contains("go\"") {
                *round.lock().unwrap() += 1;
                opened.notify_all();
            }
            c.answer_ok();
        }
    });
    let mut child = command
        .arg(with(server.config(), json!({"timeout_ms": 600_000})).to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::spawn(move || {
        for () in holds {
            // The program may have ended.
            let _ = input.write_all(b"x");
        }
    });
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
}

#[test]
fn handles_are_freed_and_calls_cancelled_at_any_time() {
    in_every_way("lifetimes.c", &["-pthread", "-std=gnu89"], None, |command, _| with_a_slow_service(command));
}

#[test]
fn callbacks_may_call_the_library() {
    let server = Server::start(|mut c| {
        while let Some(request) = c.read_request() {
            match ["refused", "lost", "busy"].iter().find(|word| request.contains(**word)) {
                Some(&"refused") => c.answer("400 Bad Request", "", r#"{"status":false,"message":"no"}"#),
                Some(&"busy") => c.answer("429 Too Many Requests", "retry-after: 1\r\n", r#"{"status":false}"#),
                Some(_) => return,
                None => c.answer_ok(),
            }
        }
    });
    in_every_way("callbacks.c", &[], None, |mut command, _| {
        run(command.arg(server.config().to_string()));
    });
}
