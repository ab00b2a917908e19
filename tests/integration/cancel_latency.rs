//! The time that a cancel takes to end a call, wherever the call waits. The figures are printed; a call that goes on fails.

use serde_json::{Value, json};

use crate::support::capi::with;
use crate::support::deaf::Deaf;
use crate::support::platform::foreign;
use crate::support::server::{Connection, Server};
use crate::support::tls::Authority;
use crate::support::{Link, Stage, root, run};

const CALLS: &str = "10";

fn silent(mut c: Connection) {
    while c.read_request().is_some() {}
}

/// `make libs-check` reads the lines that begin with "cancel of".
#[test]
fn a_cancel_ends_a_call_at_once() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/latency.c"), Link::Shared, &["-pthread"]);
    let (read, wait, deaf, authority) = (
        Server::start(silent),
        Server::always("429 Too Many Requests", "retry-after: 50\r\n", "{}"),
        Deaf::start(),
        Authority::new(),
    );
    let leaf = authority.leaf(&["127.0.0.1"]);
    let tls = Server::start_tls(Authority::server(&leaf, rustls::ALL_VERSIONS, None), silent);
    let https = json!({"base_url": format!("https://127.0.0.1:{}", tls.port), "ca_file": authority.file()});
    let connect = json!({"base_url": format!("http://127.0.0.1:{}", deaf.port), "connect_timeout_ms": 60_000});
    let common = |config: Value| with(config, json!({"secret_key": "s", "timeout_ms": 60_000}));
    for (waits, config, verdict) in [
        ("a blocked read", read.config(), "E_CANCELLED UNKNOWN"),
        ("a blocked read under TLS", https, "E_CANCELLED UNKNOWN"),
        ("a connect", connect, "E_CANCELLED NOT_SENT"),
        ("a wait between attempts", wait.config(), "E_CANCELLED REJECTED"),
    ] {
        let config = common(config).to_string();
        let config = foreign().map_or(config.clone(), |platform| platform.config(&config));
        let after = |before_ms: &str| {
            let output = run(stage.command(&program).args([&config, CALLS, before_ms]));
            let printed = String::from_utf8(output.stdout).unwrap();
            let (times, said) = printed.trim().split_once(" E_").unwrap_or_else(|| panic!("{printed}"));
            (times.to_owned(), format!("E_{said}"))
        };
        // On a slow machine the call does not yet wait there.
        let mut tries = ["200", "1000"].into_iter().map(&after);
        let (times, said) = tries.find(|(_, said)| said == verdict).unwrap_or_else(|| after("5000"));
        assert_eq!(said, verdict, "{waits}");
        let mut times: Vec<f64> = times.split(' ').map(|time| time.parse().unwrap()).collect();
        times.sort_by(f64::total_cmp);
        println!("cancel of {waits}: {:.2} ms, at most {:.2}", times[times.len() / 2], times[times.len() - 1]);
    }
}
