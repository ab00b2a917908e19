//! Symbol versions: each exported function has that of the release which brought it, and what this means to programs.
//! The two releases there are stubs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::header;
use super::stub::stub;
use crate::support::{Stage, build, output_of, root, run};
use xtask::{interface, released};

fn nodes() -> Vec<released::Node> {
    released::nodes(root(), &header()).unwrap()
}

/// The exported functions of a library, each as `paysvc_version@@PAYSVC_0.3`. The nodes themselves are left out.
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

/// Prints that it runs, and then calls a function of the second release if asked to, as a till that resolves only
/// failed calls would.
const PROGRAM: &str = r#"
#include <paysvc.h>
#include <stdio.h>
int paysvc_new(void);
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("started with ABI %d\n", paysvc_abi());
#ifdef NEW
    if (argc > 1) {
        paysvc_new();
        puts("new");
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

/// Today's header as that of the first release, and the same with a function more as that of the second.
#[test]
fn a_program_that_needs_a_newer_library_is_refused_at_its_start() {
    let stage = Stage::new();
    let (old, new) = (stage.path().join("old"), stage.path().join("new"));
    let released = stage.path().join("spec/released");
    std::fs::create_dir_all(&released).unwrap();
    std::fs::write(released.join(concat!(env!("CARGO_PKG_VERSION"), ".h")), header()).unwrap();
    let header_with_new = header().replace("#ifdef __cplusplus\n}", "int paysvc_new(void);\n#ifdef __cplusplus\n}");
    let nodes = [header(), header_with_new.clone()].map(|it| released::nodes(stage.path(), &it).unwrap());
    let [[first], [same, second]] = [&nodes[0][..], &nodes[1][..]] else { panic!("{nodes:?}") };
    assert_eq!((same, &second.functions[..]), (first, &["paysvc_new".to_owned()][..]));
    stub(&old, &header(), &nodes[0]);
    stub(&new, &header_with_new, &nodes[1]);
    let uses_new = program(&stage, "uses-new", &new, &["-DNEW"]);
    for arguments in [&[][..], &["new"]] {
        let output = started(&uses_new, &old, arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && output.stdout.is_empty(), "{}", output_of(&output));
        assert!(told.contains(&format!("version `{}' not found", second.name)), "{told}");
    }
    let output = started(&uses_new, &new, &["new"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "started with ABI 0\nnew\n", "{}", output_of(&output));
    // A program that uses only what the old library has may be built with the new one.
    let uses_old = program(&stage, "uses-old", &new, &[]);
    assert!(started(&uses_old, &old, &[]).status.success());
}
