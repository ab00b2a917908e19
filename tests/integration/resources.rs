//! Processes without descriptors, memory, threads or readable files: the library names what is missing, and works again
//! when it is there. Each runs in a process of its own, with lowered limits.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::capi::{Client, HANG, with};
use crate::support::server::Server;
use crate::support::strace::has_strace;
use crate::support::tls::Authority;
use crate::support::{Link, Stage, output_of, root, run, sanitized};

/// Returns the output of `tests/c/resources.c`, which must end well.
fn without(what: &str, config: &Value) -> Vec<String> {
    let stage = Stage::new();
    // AddressSanitizer itself needs address space, and a thread when it looks for leaks.
    let link = match sanitized::archive() {
        Some(_) if ["descriptors", "closed"].contains(&what) => Link::Sanitized,
        _ => Link::Shared,
    };
    let program = stage.cc(&root().join("tests/c/resources.c"), link, &[]);
    let config = with(config.clone(), json!({"connection_reuse": "all"}));
    let output = run(stage.command(&program).args([what, &config.to_string()]).stdin(Stdio::null()));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[track_caller]
fn starts(line: &str, start: &str, part: &str) {
    assert!(line.starts_with(start) && line.contains(part), "expected {start} … {part}\nfound    {line}");
}

#[test]
fn without_descriptors_nothing_is_sent_and_the_message_says_why() {
    const LACK: &str = "Too many open files";
    let server = Server::ok();
    let authority = Authority::new();
    for host in ["127.0.0.1", "localhost"] {
        let config = with(server.config(), json!({"base_url": format!("http://{host}:{}", server.port)}));
        let lines = without("descriptors", &config);
        let expected = [
            ("new: OK", "done"),
            ("without: E_TRANSPORT NOT_SENT", LACK),
            ("without, again: E_TRANSPORT NOT_SENT", LACK),
            ("with: OK CONFIRMED", "done"),
            ("on the kept connection: OK CONFIRMED", "done"),
            ("new without: OK", "done"),
            ("new with: OK", "done"),
            ("at last: OK CONFIRMED", "done"),
        ];
        assert_eq!(lines.len(), expected.len(), "{lines:?}");
        lines.iter().zip(expected).for_each(|(line, (start, part))| starts(line, start, part));
    }
    let config = json!({"base_url": "https://127.0.0.1:1", "secret_key": "s", "ca_file": authority.file()});
    let lines = without("descriptors", &config);
    starts(&lines[5], "new without: E_CONFIG NOT_SENT: the configuration: ca_file cannot be read", LACK);
    starts(&lines[6], "new with: OK", "done");
}

/// Nearly the limit of bytes and of values, in the shapes that take most memory to read.
fn large(kind: &str) -> String {
    const SIZE: usize = 10_400_000;
    let repeat = |text: &str| text.repeat(SIZE / text.len());
    let success = kind != "refused";
    let around = |middle: &str| format!(r#"{{"status":{success},"message":"done","data":{middle}}}"#);
    match kind {
        "members" => {
            let members: Vec<_> = (0..SIZE / 12).map(|n| format!(r#""{n:07}":0"#)).collect();
            around(&format!("{{{}}}", members.join(",")))
        }
        "items" => around(&format!("[{}0]", repeat("\"twelve\",  "))),
        "escaped" => around(&format!("\"{}\"", repeat("\\n"))),
        "named" => around(&format!("{{\"{}\":1}}", repeat("\\n"))),
        // Texts of `data` itself would be searched for doubt.
        "refused" => around(&format!("{{\"x\":\"{}\"}}", repeat("x"))),
        "nested" => around(&("[".repeat(SIZE / 12) + &" ".repeat(SIZE / 6 * 5) + &"]".repeat(SIZE / 12))),
        _ => around(&format!("\"{}\"", repeat("x"))),
    }
}

#[test]
fn an_answer_that_does_not_fit_into_memory_is_an_error() {
    let kinds = ["sized", "chunked", "members", "items", "escaped", "named", "nested", "refused"];
    let answers: std::collections::HashMap<_, _> = kinds.iter().map(|kind| (*kind, large(kind))).collect();
    let server = Server::start(move |mut c| {
        while let Some(request) = c.read_request() {
            match kinds.iter().find(|kind| request.contains(&format!("\"{kind}\""))) {
                None => c.answer_ok(),
                Some(&"refused") => c.answer("404 Not Found", "", &answers["refused"]),
                Some(&"chunked") => {
                    let text = &answers["chunked"];
                    c.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                    c.write(&format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len()));
                }
                Some(kind) => c.answer("200 OK", "", &answers[kind]),
            }
        }
    });
    let lines = without("memory", &with(server.config(), json!({"timeout_ms": 2 * HANG.as_millis() as u64})));
    let of =
        |kind: &str| -> Vec<&String> { lines.iter().filter(|line| line.starts_with(&format!("{kind} "))).collect() };
    for kind in kinds {
        let (refused, read): (Vec<_>, Vec<_>) = of(kind).into_iter().partition(|line| line.contains("memory"));
        assert!(!refused.is_empty() && !read.is_empty(), "{kind}: refused {refused:?}\nread {read:?}");
        for line in refused {
            assert!(line.contains("E_RESPONSE UNKNOWN"), "what was not read proves nothing: {line}");
        }
        for line in read {
            let verdict = if kind == "refused" { "REJECTED REJECTED" } else { "OK CONFIRMED: done" };
            assert!(line.contains(verdict), "{line}");
        }
    }
    for line in of("small") {
        assert!(line.contains("OK CONFIRMED: done"), "a small call goes on where a large one cannot: {line}");
    }
    let requests = of("request");
    assert!(
        requests
            .iter()
            .any(|line| line.contains("E_ARGUMENT NOT_SENT: order_refund is 9437200 bytes, which does not fit"))
    );
    assert!(requests.iter().any(|line| line.contains("OK CONFIRMED")), "{requests:?}");
}

/// Setting a value, many values, and making the text: with little memory an error, with enough of it none.
#[test]
fn a_request_that_does_not_fit_into_memory_is_an_error() {
    let lines = without("built", &json!({}));
    assert_eq!(lines.len(), 18, "{lines:?}");
    for line in &lines {
        let (what, result) = line.split_once(": ").unwrap();
        let refused = result.contains("there is not enough memory for it");
        // A text may not fit although its values did.
        assert!(result == "OK text " || (refused && result.contains(" NULL ")), "{line}");
        assert!(refused || !what.ends_with(" 2"), "{line}");
        assert!(!refused || !what.ends_with(" 600"), "{line}");
    }
}

/// The library opens no descriptor in the place of a closed standard one, so what a program prints goes nowhere.
#[test]
fn the_library_takes_no_closed_standard_descriptor() {
    let server = Server::ok();
    let lines = without("closed", &server.config());
    assert_eq!(lines[0], "new: OK NOT_SENT: done, nothing was sent");
    assert_eq!(lines[1..4], ["call: OK CONFIRMED: done"; 3]);
    assert_eq!(lines[4..], [0, 1, 2].map(|number| format!("descriptor {number} is closed")));
    let seen = server.seen();
    assert_eq!((seen.len(), server.connections()), (3, 1));
    for request in &seen {
        assert!(request.starts_with("POST ") && request.ends_with(r#"{"reference":"R"}"#), "{request}");
        assert!(!request.contains("printed"), "{request}");
    }
}

/// Only a DNS lookup needs a thread; where it gets none, the message names that.
#[test]
fn without_threads_only_a_name_look_up_fails() {
    let server = Server::ok();
    let lines = without("threads", &server.config());
    assert_eq!(
        lines[1..4],
        ["without", "with", "on the kept connection"].map(|what| format!("{what}: OK CONFIRMED: done"))
    );
    assert_eq!(lines[4], "threads: 1");
    let config = with(server.config(), json!({"base_url": format!("http://localhost:{}", server.port)}));
    let lines = without("threads", &config);
    starts(&lines[1], "without: E_TRANSPORT NOT_SENT: the DNS lookup could not be started", "temporarily unavailable");
    starts(&lines[2], "with: OK CONFIRMED", "done");
    starts(&lines[3], "on the kept connection: OK CONFIRMED", "done");
}

/// Each field that names a file, with every kind of unusable file; the message names the field and the file.
#[test]
fn files_that_cannot_be_used_are_named() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let authority = Authority::new();
    for (name, text) in [("empty", ""), ("text", "no certificate"), ("cut", "-----BEGIN CERTIFICATE-----\nAAAA")] {
        std::fs::write(at(name), text).unwrap();
    }
    std::fs::write(at("key"), rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
    std::fs::write(at("junk"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    symlink(at("nothing"), at("dangling")).unwrap();
    symlink(at("loop"), at("loop")).unwrap();
    let good = std::fs::read(authority.file()).unwrap();
    std::fs::write(at("secret"), &good).unwrap();
    std::fs::set_permissions(at("secret"), Permissions::from_mode(0o000)).unwrap();
    std::fs::write(at("read-only"), &good).unwrap();
    std::fs::set_permissions(at("read-only"), Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();

    let config = |member: &str, file: &Path| {
        let mut config = json!({"base_url": "https://127.0.0.1:1", "secret_key": "s"});
        if member.starts_with("client") {
            config["client_cert_file"] = json!(authority.file());
            config["client_key_file"] = json!(at("key"));
        }
        config[member] = file.to_str().unwrap().into();
        config
    };
    for member in ["ca_file", "client_cert_file", "client_key_file"] {
        for (name, why) in [
            ("absent", "No such file"),
            ("dangling", "No such file"),
            ("loop", "symbolic links"),
            ("folder", "Is a directory"),
            ("empty", ""),
            ("text", ""),
            ("cut", ""),
            ("junk", ""),
        ] {
            let reply = Client::try_new(&config(member, &at(name))).err().unwrap_or_else(|| panic!("{member} {name}"));
            reply.expect("E_CONFIG NOT_SENT");
            let said = reply.message();
            assert!(said.starts_with(&format!("the configuration: {member} ")) && said.contains(why), "{name}: {said}");
            assert!(name == "junk" || said.contains(at(name).to_str().unwrap()), "{name}: {said}");
        }
        let lines = without("nobody", &config(member, &at("secret")));
        starts(
            &lines[0],
            &format!("new: E_CONFIG NOT_SENT: the configuration: {member} cannot be read"),
            "ermission denied",
        );
    }
    drop(Client::new(&config("ca_file", &at("read-only"))));
}

/// A client opens no file for writing, from start to end.
#[test]
fn the_library_writes_no_file() {
    if !has_strace("that the library writes no file is NOT tested") {
        return;
    }
    let server = Server::ok();
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    let mut strace = stage.command("strace".as_ref());
    strace.args([
        "-f",
        "-e",
        "trace=open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,truncate",
    ]);
    let mut child =
        strace.arg(&program).env_remove("HOME").current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
    child = child.stderr(Stdio::piped());
    let mut child = child.spawn().expect("strace");
    let config = with(server.config(), json!({"base_url": format!("http://localhost:{}", server.port)}));
    let text = format!("{config}\norder_refund\t{{\"reference\":\"R\"}}\n");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let calls = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("CONFIRMED"),
        "{}",
        output_of(&output)
    );
    let opened = calls.lines().filter(|line| line.contains("open"));
    assert!(opened.clone().count() > 3, "strace saw nothing: {calls}");
    for line in calls.lines().filter(|line| line.contains('(') && !line.contains("log ")) {
        let reads = line.contains("O_RDONLY") || line.contains("O_PATH");
        assert!(reads && !["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|flag| line.contains(flag)), "{line}");
    }
}
