//! The library in processes with signals, forks, many threads, and a client that is freed during calls.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::support::capi::with;
use crate::support::server::{Connection, Server};
use crate::support::tls::{Authority, serve};
use crate::support::{ASAN, Link, Stage, encryption_key, left_out, output_of, root, run, sanitized};

/// `scripts/tsan.sh` runs these tests with ThreadSanitizer in every program.
fn program(stage: &Stage, name: &str) -> PathBuf {
    let source = root().join("tests/c").join(name);
    match sanitized::races() {
        Some(races) => races.cc(stage, &source),
        None => stage.cc(&source, Link::Shared, &["-pthread"]),
    }
}

/// The same with the sanitizers in C and Rust, where they can be had; else in C alone.
fn sanitized_program(stage: &Stage, name: &str) -> PathBuf {
    if sanitized::races().is_some() {
        return program(stage, name);
    }
    let source = root().join("tests/c").join(name);
    match sanitized::archive() {
        Some(_) => stage.cc(&source, Link::Sanitized, &["-pthread"]),
        None => stage.cc(&source, Link::Static, &[&["-pthread"], ASAN].concat()),
    }
}

#[test]
fn signals_change_nothing_but_the_remaining_time() {
    let server = Server::start(|mut c| {
        while let Some(request) = c.read_request() {
            if request.contains("silent") {
                return c.hold();
            }
            // Long enough for signals to strike before, between and within the pieces.
            for piece in ["HTTP/1.1 200 OK\r\ncontent-le", "ngth: 25\r\n\r\n{\"status\"", ":true,", "\"data\":{}}"] {
                std::thread::sleep(Duration::from_millis(3));
                c.write(piece);
            }
        }
    });
    let stage = Stage::new();
    for program in [program(&stage, "signals.c"), sanitized_program(&stage, "signals.c")] {
        for host in ["127.0.0.1", "localhost"] {
            let config = json!({"base_url": format!("http://{host}:{}", server.port), "secret_key": "s"});
            run(stage.command(&program).args([&config.to_string(), "50"]));
        }
    }
}

#[test]
fn a_forked_child_opens_its_own_connections() {
    let stage = Stage::new();
    // Not under AddressSanitizer: a child sometimes hung there, and never without it.
    let program = program(&stage, "fork.c");
    let plain = Server::ok();
    run(stage.command(&program).arg(plain.config().to_string()));
    // Its own handles of the journal's file, too: SQLite's locks are not inherited, and what it knows of them is.
    let folder = tempfile::TempDir::new_in(root().join("build")).unwrap();
    let journal = json!({"journal": folder.path().join("pay.db"), "journal_create": true});
    run(stage.command(&program).arg(with(plain.config(), journal).to_string()).arg("keys"));

    let authority = Authority::new();
    let tls = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None));
    let config =
        json!({"base_url": format!("https://127.0.0.1:{}", tls.port), "secret_key": "s", "ca_file": authority.file()});
    run(stage.command(&program).arg(config.to_string()));
    // On kept connections; above, each call has a handshake of its own, so that every child is forked in the middle of
    // some.
    let config = with(config, json!({"connection_reuse": "all"}));
    run(stage.command(&program).arg(config.to_string()));
}

/// A service that answers with the request's reference as message, refuses "busy" ones for now, and never answers
/// "stalled" ones.
fn echo(mut c: Connection) {
    while let Some(request) = c.read_request() {
        let reference = request.split_once("\"reference\":\"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
        // Long enough for calls at the same time to meet, and for a cancel to come while one waits.
        std::thread::sleep(Duration::from_millis(1));
        match reference {
            "stalled" => return c.hold(),
            "busy" => c.answer("429 Too Many Requests", "retry-after: 20\r\n", r#"{"status":false}"#),
            _ => c.answer("200 OK", "", &json!({"status": true, "message": reference}).to_string()),
        }
    }
}

#[test]
fn a_signal_handler_may_cancel() {
    let (stage, server) = (Stage::new(), Server::start(echo));
    // Fewer if every instruction is checked.
    let calls = if sanitized::races().is_some() { "1000" } else { "4000" };
    let mut ways = vec![(program(&stage, "cancel.c"), None, calls)];
    if sanitized::races().is_none() {
        ways.push((sanitized_program(&stage, "cancel.c"), None, "1000"));
        ways.push((program(&stage, "cancel.c"), Some("valgrind"), "300"));
    }
    for (program, under, calls) in ways {
        let mut command = stage.command(under.map_or(&program, Path::new));
        if under.is_some() {
            command.args(["--quiet", "--error-exitcode=9"]).arg(&program);
        }
        run(command.args([&server.config().to_string(), calls, "20261"]));
    }
}

#[test]
fn a_child_made_without_fork_handlers_opens_its_own_connections() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/clone.c"), Link::Shared, &["-ldl"]);
    for how in ["clone", "_Fork"] {
        for (reuse, connections) in [("all", 4), ("reads", 80)] {
            let server = Server::start(echo);
            let config = with(server.config(), json!({"connection_reuse": reuse}));
            let output = stage.command(&program).args([&config.to_string(), how]).output().unwrap();
            if how == "_Fork" && output.status.code() == Some(77) {
                left_out("_Fork is NOT tried: this C library has none");
                continue;
            }
            assert!(output.status.success(), "{how}: {}", output_of(&output));
            // No child uses either of the parent's two.
            assert_eq!((server.seen().len(), server.connections()), (80, connections), "{how}, {reuse}");
        }
    }
}

#[test]
fn a_child_forked_in_the_middle_of_anything_does_not_hang() {
    let stage = Stage::new();
    let config = json!({"base_url": "http://127.0.0.1:1", "public_key": "p", "secret_key": "s", "encryption_key": encryption_key()});
    // ThreadSanitizer takes long for a fork; whether it can follow several threads that fork at once was not tried.
    let (children, forking) = if sanitized::races().is_some() { ("20", "1") } else { ("400", "8") };
    let folder = tempfile::TempDir::new_in(root().join("build")).unwrap();
    let journal = json!({"journal": folder.path().join("pay.db"), "journal_create": true});
    let program = program(&stage, "fork_busy.c");
    run(stage.command(&program).args([&config.to_string(), children, "1"]));
    run(stage.command(&program).args([&with(config, journal).to_string(), children, forking]));
}

/// Proves that `scripts/tsan.sh` finds races: there is one in the C and one in the library.
#[test]
fn planted_races_are_reported_under_thread_sanitizer() {
    if sanitized::races().is_none() {
        return;
    }
    let stage = Stage::new();
    let program = program(&stage, "races.c");
    for (race, frame) in [("c", "races.c"), ("reply", "reply.rs")] {
        let output = stage.command(&program).arg(race).output().unwrap();
        let text = output_of(&output);
        assert!(
            output.status.code() == Some(66) && text.contains("data race") && text.contains(frame),
            "{race}: {text}"
        );
    }
    run(stage.command(&program).arg("none"));
}

#[test]
fn python_multiprocessing_works_on_an_inherited_client() {
    let (stage, server) = (Stage::new(), Server::ok());
    let mut python = Command::new("python3");
    python.arg(root().join("tests/python_fork.py")).arg(stage.path().join("build/lib/libpaysvc.so"));
    run(python.arg(server.config().to_string()));
    assert_eq!(server.seen().len(), 42);
    assert!(server.connections() >= 2, "no child uses its parent's connection");
}

#[test]
fn sixty_four_threads_share_a_client() {
    let stage = Stage::new();
    for program in [program(&stage, "threads.c"), sanitized_program(&stage, "threads.c")] {
        // The slow request is answered only after the client has been freed.
        let (got_it, wait) = std::sync::mpsc::channel();
        let (freed, answer) = std::sync::mpsc::channel::<()>();
        let (got_it, answer) = (std::sync::Mutex::new(got_it), std::sync::Mutex::new(answer));
        let server = Server::start(move |mut c| {
            while let Some(request) = c.read_request() {
                if request.contains("slow") {
                    got_it.lock().unwrap().send(()).unwrap();
                    let _ = answer.lock().unwrap().recv_timeout(Duration::from_secs(30));
                }
                c.answer_ok();
            }
        });
        let mut command = stage.command(&program);
        let config = with(server.config(), json!({"connection_reuse": "all"}));
        command.args([config.to_string().as_str(), "20"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait.recv_timeout(Duration::from_secs(120)).expect("the last request");
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        // The program frees its client without waiting; a moment later the response comes.
        std::thread::sleep(Duration::from_millis(50));
        freed.send(()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output_of(&output));
        assert!(server.connections() <= 65, "{} connections for 64 threads", server.connections());
    }
}
