//! The contents of a request under construction are nowhere in memory after they were replaced, after a failure, and
//! after the request was freed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::support::memory::{Needles, Whose, search};
use crate::support::{Link, Stage, root};

/// The second is no number.
const SECRETS: &[(&str, &str)] = &[("card", "5290846173305418"), ("code", "Qz7-kVx2-Lm9w-canary"), ("pin", "90417352")];

#[test]
fn what_a_request_held_is_wiped() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/json_wiped.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    let changed = |secret: &str| String::from_utf8(secret.bytes().map(|byte| byte ^ 1).collect()).unwrap();
    let mut command = stage.command(&program);
    command.args(SECRETS.iter().map(|(_, secret)| changed(secret))).env("LD_PRELOAD", stage.preload("arena.c"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut input = child.stdin.take().unwrap();
    let needles: Vec<_> = SECRETS.iter().map(|(name, secret)| (*name, secret.to_string())).collect();
    let needles = Needles::new(&needles);
    for step in ["held", "replaced", "failed", "freed"] {
        assert_eq!(lines.next().unwrap().unwrap(), step);
        let (found, searched) = search(child.id(), Whose::Process, &needles);
        // The search finds what is there.
        let expected: Vec<_> = match step {
            "held" => SECRETS.iter().map(|(name, _)| format!("{name} in clear in the library's heap")).collect(),
            _ => Vec::new(),
        };
        assert!(expected.iter().all(|one| found.contains(one)), "{step}: {found:?} in {searched} bytes");
        assert!(!expected.is_empty() || found.is_empty(), "{step}: {found:?}");
        input.write_all(b"\n").unwrap();
    }
    assert_eq!(lines.next().unwrap().unwrap(), "json_wiped: ok");
    assert!(child.wait().unwrap().success());
}
