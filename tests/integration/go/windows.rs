//! The Go package for Windows, where it links the DLL. `make libs-check` runs it there.

use std::process::Command;

use super::{go, module};
use crate::support::{Stage, build, missing, output_of, root, run};

const PREFIX: &str = "x86_64-w64-mingw32-";

fn is_here() -> bool {
    let is_here = Command::new(format!("{PREFIX}gcc")).arg("--version").output().is_ok();
    if !is_here {
        missing(&format!("there is no {PREFIX}gcc; the Go package is NOT compiled for Windows"));
    }
    is_here
}

/// The go command for Windows, without pkg-config.
fn go_for_windows(stage: &Stage, words: &[&str]) -> Command {
    let mut command = go(stage, words);
    command.env("GOOS", "windows").env("GOARCH", "amd64").env("CGO_ENABLED", "1").env("CC", format!("{PREFIX}gcc"));
    command.env("PKG_CONFIG", "false").env("CGO_CFLAGS", format!("-I{}", build().join("include").display()));
    command.env("CGO_LDFLAGS", format!("-L{}", stage.path().display()));
    command
}

#[test]
fn it_compiles_and_needs_the_dll_alone() {
    if !is_here() {
        return;
    }
    let stage = Stage::new();
    let definition = root().join("src/ffi/exports.def");
    let library = stage.path().join("libpaysvc.dll.a");
    run(Command::new(format!("{PREFIX}dlltool")).arg("-d").arg(definition).arg("-l").arg(library));
    run(&mut go_for_windows(&stage, &["vet", "./..."]));
    let program = stage.path().join("driver.exe");
    run(go_for_windows(&stage, &["build", "-o"]).arg(&program).arg("./internal/driver"));
    let output = run(Command::new(format!("{PREFIX}objdump")).arg("-p").arg(&program));
    let imports = String::from_utf8_lossy(&output.stdout).into_owned();
    let imported: Vec<_> = imports.lines().filter_map(|line| line.trim().strip_prefix("DLL Name: ")).collect();
    assert!(imported.contains(&"paysvc.dll"), "{imported:?}");
    let is_of_windows = |name: &&&str| ["kernel32.dll", "msvcrt.dll"].contains(&name.to_lowercase().as_str());
    assert_eq!(imported.iter().filter(|name| !is_of_windows(name)).count(), 1, "{imported:?}");

    let output =
        go_for_windows(&stage, &["build", "-tags", "paysvc_static", "."]).current_dir(module()).output().unwrap();
    let told = output_of(&output);
    assert!(!output.status.success() && told.contains("paysvc_is_linked_as_paysvc_dll_on_Windows"), "{told}");
}
