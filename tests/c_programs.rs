//! Programs in C, compiled and run: linked to the shared library and to the archive, under AddressSanitizer (with its
//! leak detection) and valgrind.

mod support;

use std::path::PathBuf;
use std::process::{Command, Output};

use support::{ASAN, Link, Stage, VALGRIND, root, run, said};

const C89: &[&str] = &["-std=c89", "-pedantic"];
fn source(name: &str) -> PathBuf {
    root().join("tests/c").join(name)
}

fn under_valgrind(stage: &Stage, program: &PathBuf) -> Output {
    let mut command = Command::new(VALGRIND[0]);
    command.args(&VALGRIND[1..]).arg(program).env("LD_LIBRARY_PATH", stage.path().join("build/lib"));
    command.output().expect("valgrind")
}

#[test]
fn the_boundary_holds_and_leaks_nothing() {
    let stage = Stage::new();
    for link in [Link::Shared, Link::Static] {
        let plain = stage.cc(&source("boundary.c"), link, C89);
        run(&mut stage.command(&plain));
        let output = under_valgrind(&stage, &plain);
        assert!(output.status.success(), "{}", said(&output));
        run(&mut stage.command(&stage.cc(&source("boundary.c"), link, ASAN)));
    }
}

#[test]
fn the_leak_checks_are_awake() {
    let stage = Stage::new();
    let output = under_valgrind(&stage, &stage.cc(&source("leak.c"), Link::Shared, &[]));
    assert_eq!(output.status.code(), Some(9), "valgrind missed a leak\n{}", said(&output));
    for link in [Link::Shared, Link::Static] {
        let output = stage.command(&stage.cc(&source("leak.c"), link, ASAN)).output().unwrap();
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("LeakSanitizer"),
            "ASAN missed a leak\n{}",
            said(&output)
        );
    }
}
