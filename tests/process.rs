//! The library in a process with a life of its own: signals, forks, many threads, a client freed in the middle.

mod support;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use support::server::{Connection, Server};
use support::tls::{Authority, serve};
use support::{ASAN, Link, Stage, root, run, said, sanitized};

fn answer_all(mut c: Connection) {
    while c.read_request().is_some() {
        c.answer_ok();
    }
}

fn program(stage: &Stage, name: &str) -> PathBuf {
    stage.cc(&root().join("tests/c").join(name), Link::Shared, &["-pthread"])
}

/// The same with the sanitizers in C and Rust, where they can be had; else in C alone.
fn sanitized_program(stage: &Stage, name: &str) -> PathBuf {
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
    let plain = Server::start(answer_all);
    run(stage.command(&program).arg(plain.config().to_string()));

    let authority = Authority::new();
    let tls = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None));
    let config =
        json!({"base_url": format!("https://127.0.0.1:{}", tls.port), "secret_key": "s", "ca_file": authority.file()});
    run(stage.command(&program).arg(config.to_string()));
}

#[test]
fn python_multiprocessing_works_on_an_inherited_client() {
    let (stage, server) = (Stage::new(), Server::start(answer_all));
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
        command.args([server.config().to_string().as_str(), "20"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait.recv_timeout(Duration::from_secs(120)).expect("the last request");
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        // The program frees its client without waiting; a moment later the answer comes.
        std::thread::sleep(Duration::from_millis(50));
        freed.send(()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert!(server.connections() <= 65, "{} connections for 64 threads", server.connections());
    }
}
