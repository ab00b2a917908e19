//! A machine whose clock is wrong: the library reports it, and neither panics nor trusts what it should not.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::server::Server;
use crate::support::tls::{Authority, serve};
use crate::support::{Link, Stage, output_of, root, run};

/// See tests/c/clock.c.
pub fn preloaded(stage: &Stage) -> PathBuf {
    let clock = stage.path().join("clock.so");
    let source = root().join("tests/c/clock.c");
    run(std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&clock).arg(source));
    clock
}

/// One refund on a machine whose clock is wrong by this many years; the line that the driver prints.
fn refund(stage: &Stage, config: &Value, years: i64) -> String {
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    let clock = preloaded(stage);
    let mut command = stage.command(&program);
    command.env("LD_PRELOAD", &clock).env("YEARS", years.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let text = format!("{config}\norder_refund\t{{\"reference\":\"R\"}}\n");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
    // The first line is the client's.
    String::from_utf8(output.stdout).unwrap().lines().last().unwrap().to_owned()
}

#[test]
fn a_wrong_clock_is_named_in_the_message() {
    let (authority, stage) = (Authority::new(), Stage::new());
    let server = serve(Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None));
    let config = json!({"base_url": format!("https://127.0.0.1:{}", server.port), "secret_key": "s", "ca_file": authority.file()});
    let right = refund(&stage, &config, 0);
    assert!(right.starts_with("OK\tCONFIRMED"), "{right}");
    for (years, part) in [
        (-80, "this machine's clock reads a time before 1970"),
        (-30, "this machine's clock reads"),
        (500, "this machine's clock reads"),
        (9_000, "this machine's clock reads a time after the year 9999"),
    ] {
        let line = refund(&stage, &config, years);
        assert!(line.starts_with("E_TRANSPORT\tNOT_SENT") && line.contains(part), "{years}: {line}");
    }
}

/// Where nothing depends on the clock, a wrong one changes nothing.
#[test]
fn plain_http_and_its_retries_need_no_clock() {
    let stage = Stage::new();
    for years in [-80, 9_000] {
        let server = Server::start(|mut c| {
            c.read_request();
            c.answer("429 x", "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\nconnection: close\r\n", "{}");
        });
        let line = refund(&stage, &with_attempts(&server, 1), years);
        assert!(line.starts_with("E_RATE_LIMITED\tREJECTED"), "{years}: {line}");
    }
}

fn with_attempts(server: &Server, attempts: u32) -> Value {
    crate::support::capi::with(server.config(), json!({"max_attempts": attempts}))
}
