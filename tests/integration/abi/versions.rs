//! Symbol versions: each exported function has that of the release which brought it, and what this means to programs.
//! Libraries of other releases are stubs here, with the same symbols and versions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::header;
use super::released::released_header;
use super::stub::stub;
use crate::support::{Stage, build, output_of, root, run};
use xtask::{interface, released};

fn nodes() -> Vec<released::Node> {
    released::nodes(root(), &header()).unwrap()
}

/// The exported functions of a library, each as `paysvc_version@@PAYSVC_0.1`. The nodes themselves are left out.
pub fn exported(library: &Path) -> BTreeSet<String> {
    let output = run(Command::new("readelf").args(["--dyn-syms", "--wide"]).arg(library));
    let text = String::from_utf8(output.stdout).unwrap();
    // Number, value, size, type, binding, visibility, section, name.
    let fields = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let defined = fields.filter(|fields| fields.len() == 8 && fields[6].parse::<u32>().is_ok());
    defined.map(|fields| fields[7].to_owned()).collect()
}

#[test]
fn every_exported_function_has_the_version_of_its_release() {
    let expected: BTreeSet<_> = nodes()
        .iter()
        .flat_map(|node| node.functions.iter().map(|function| format!("{function}@@{}", node.name)))
        .collect();
    let names: BTreeSet<_> = interface::functions(&header()).into_iter().map(|function| function.name).collect();
    assert_eq!(expected.len(), names.len());
    assert_eq!(exported(&build().join("lib/libpaysvc.so")), expected);
}

/// What each release exported, it still exports, with the same version.
#[test]
fn what_a_release_exported_is_exported_with_the_same_version() {
    let exported = exported(&build().join("lib/libpaysvc.so"));
    let list = std::fs::read_to_string(root().join("spec/released/0.1.0.txt")).unwrap();
    let functions = list.lines().filter_map(|line| line.split_once('(')).map(|(head, _)| head);
    let functions: Vec<_> = functions.filter_map(|head| head.rsplit([' ', '*']).next()).collect();
    let functions: Vec<_> = functions.into_iter().filter(|name| name.starts_with("paysvc_")).collect();
    assert_eq!(functions.len(), 34);
    let gone: Vec<_> = functions.iter().filter(|name| !exported.contains(&format!("{name}@@PAYSVC_0.1"))).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// Says that it runs, and then calls a function of the second release if it is told to, as a till that resolves only
/// what went wrong would.
const PROGRAM: &str = r#"
#include <paysvc.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("started with ABI %d\n", paysvc_abi());
#ifdef NEW
    if (argc > 1) {
        paysvc_resolve(NULL, NULL, NULL, NULL);
        puts("resolved");
    }
#endif
    return argc > 1 && argv[1] == NULL;
}
"#;

/// The program, linked against the library in that folder as most are: a function is looked up at its first call.
fn program(stage: &Stage, name: &str, library: &Path, flags: &[&str]) -> PathBuf {
    std::fs::write(stage.path().join("program.c"), PROGRAM).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-Ibuild/include", "program.c", "-Wl,-z,lazy"]).args(flags);
    run(compiler.arg("-L").arg(library).args(["-lpaysvc", "-o", name]).current_dir(stage.path()));
    stage.path().join(name)
}

fn started(program: &Path, library: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).env("LD_LIBRARY_PATH", library).env_remove("LD_BIND_NOW").output().unwrap()
}

#[test]
fn a_program_that_needs_a_newer_library_is_refused_at_its_start() {
    let stage = Stage::new();
    let old = stage.path().join("old");
    stub(&old, &released_header("0.1.0"), true);
    assert!(exported(&old.join("libpaysvc.so")).iter().all(|symbol| symbol.ends_with("@@PAYSVC_0.1")));
    let new = stage.path().join("build/lib");
    let uses_new = program(&stage, "uses-new", &new, &["-DNEW"]);
    for arguments in [&[][..], &["resolve"]] {
        let output = started(&uses_new, &old, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && output.stdout.is_empty(), "{}", output_of(&output));
        assert!(told.contains("version `PAYSVC_0.2' not found"), "{told}");
    }
    let output = started(&uses_new, &new, &["resolve"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "started with ABI 1\nresolved\n", "{}", output_of(&output));
    // A program that uses only what the old library has may be built with the new one.
    let uses_old = program(&stage, "uses-old", &new, &[]);
    assert!(started(&uses_old, &old, &[]).status.success());
}

#[test]
fn beside_the_first_library_which_has_no_versions_a_new_program_ends_before_its_first_call() {
    let stage = Stage::new();
    let old = stage.path().join("old");
    stub(&old, &released_header("0.1.0"), false);
    let new = stage.path().join("build/lib");
    for flag in ["-Wl,-z,now", "-Wl,-z,lazy"] {
        let output = started(&program(&stage, "uses-new", &new, &["-DNEW", flag]), &old, &["resolve"]);
        assert!(!output.status.success() && output.stdout.is_empty(), "{flag}: {}", output_of(&output));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("no version information available"), "{told}");
    }
}

/// The reason for the versions: without them the same program starts, charges, and crashes when it asks what became of
/// the charge.
#[test]
fn without_versions_the_same_program_would_end_at_its_first_new_call() {
    let stage = Stage::new();
    let [old, new] = ["old", "new"].map(|name| stage.path().join(name));
    stub(&old, &released_header("0.1.0"), false);
    stub(&new, &header(), false);
    let output = started(&program(&stage, "uses-new", &new, &["-DNEW"]), &old, &["resolve"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "started with ABI 0\n", "{}", output_of(&output));
    assert!(!output.status.success(), "{}", output_of(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("paysvc_resolve"), "{}", output_of(&output));
}

/// The library of 0.1.0 had no symbol versions.
#[test]
fn a_program_of_the_first_release_runs_with_the_library_of_today() {
    let stage = Stage::new();
    let old = stage.path().join("old");
    stub(&old, &released_header("0.1.0"), false);
    let program = program(&stage, "old-program", &old, &[]);
    let output = run(Command::new("readelf").args(["--dyn-syms", "--wide"]).arg(&program));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("PAYSVC_"), "it knows no version");
    let output = started(&program, &stage.path().join("build/lib"), &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "started with ABI 1\n", "{}", output_of(&output));
    assert!(output.stderr.is_empty(), "{}", output_of(&output));
}
