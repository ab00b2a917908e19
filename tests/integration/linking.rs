//! The system libraries that the library needs; README's program links with the archive alone.

use std::process::Command;

use crate::support::{Link, Stage, output_of, root, run, static_libraries};

fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap()
}

/// The first charge.
fn program() -> String {
    text("README.md").split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_owned()
}

/// All but two. Every compiler links its own unwinder, as a shared library or, in a static program, as an archive: a program
/// that named libgcc_s could not be linked statically. And every compiler links the C library.
#[test]
fn the_system_libraries_are_those_that_the_compiler_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc
        .args(["--print", "native-static-libs", "--crate-type", "staticlib", "-", "-o"])
        .arg(folder.path().join("libs.a"));
    let output = run(rustc.stdin(std::process::Stdio::null()));
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = printed.lines().find_map(|line| line.split("native-static-libs: ").nth(1)).expect("rustc names them");
    let named: Vec<_> = named.split_whitespace().filter(|library| !["-lgcc_s", "-lc"].contains(library)).collect();
    assert_eq!(named, static_libraries());
    assert!(text("docs/linking.md").contains(&static_libraries().join(" ")));
}

#[test]
fn the_archive_links_with_a_static_unwinder_and_wholly_statically() {
    let stage = Stage::new();
    std::fs::write(stage.path().join("charge.c"), program()).unwrap();
    let can = crate::support::has_static_c(&stage);
    for (compiler, flag) in [("cc", "-static-libgcc"), ("c++", "-static-libgcc"), ("cc", "-static"), ("c++", "-static")]
    {
        if flag == "-static" && !can {
            continue;
        }
        let mut command = Command::new(compiler);
        command.args(["-Ibuild/include", flag, "-x"]).arg(if compiler == "cc" { "c" } else { "c++" });
        command
            .args(["charge.c", "-x", "none", "build/lib/libpaysvc.a"])
            .args(static_libraries())
            .args(["-o", "charge"]);
        run(command.current_dir(stage.path()));
        let headers = run(Command::new("readelf").arg("-dW").arg(stage.path().join("charge")));
        let needed = String::from_utf8_lossy(&headers.stdout).into_owned();
        assert!(!needed.contains("libgcc_s") && !needed.contains("libpaysvc"), "{compiler} {flag}: {needed}");
        assert!(flag != "-static" || !needed.contains("NEEDED"), "{compiler} {flag}: {needed}");
        let output = Command::new(stage.path().join("charge")).env_clear().output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.starts_with("this request charged nothing: "), "{}", output_of(&output));
    }
}

#[test]
fn readmes_program_charges_once_and_tells_what_is_paid() {
    let stage = Stage::new();
    let source = stage.path().join("charge.c");
    std::fs::write(&source, program()).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    crate::support::charge::check(&|| stage.command(&program));
}
