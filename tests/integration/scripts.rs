//! The Makefile and the scripts that build and test: what they pass on, and that they fail when a part does.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{output_of, root};

fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The fuzz binaries run without root certificates, which each client would read again; cargo needs them to download.
#[test]
fn the_fuzzer_leaves_cargo_its_roots() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = program(folder.path(), "cargo", "echo \"cargo has $SSL_CERT_FILE and $SSL_CERT_DIR\"\nexit 1\n");
    let mut fuzz = Command::new("sh");
    fuzz.arg(root().join("scripts/fuzz.sh")).arg("planted").env("CARGO", cargo);
    let output = fuzz.env("SSL_CERT_FILE", "/my/roots.pem").env("SSL_CERT_DIR", "/my/roots").output().unwrap();
    assert!(!output.status.success(), "{}", output_of(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("cargo has /my/roots.pem and /my/roots"), "{}", output_of(&output));
}

/// `scripts/test.sh` in a folder of its own, with a cargo that names these test programs, and with these scripts for Python and
/// the browser.
fn make_test(programs: &[(&str, &str)], [python, browser]: [&str; 2]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut built = String::new();
    for (index, (name, text)) in programs.iter().enumerate() {
        let path = program(at, &format!("deps/{name}-{index:016x}"), text);
        built += &format!(
            "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"{}/Cargo.toml\",\"profile\":{{\"opt_level\":\"0\",\"test\":true}},\"executable\":\"{}\"}}\n",
            at.display(),
            path.display()
        );
    }
    // This one is not a test program.
    built += "{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/x/Cargo.toml\",\"profile\":{\"test\":false},\"executable\":\"/bin/false\"}\n";
    std::fs::write(at.join("built"), built).unwrap();
    let cargo = program(at, "cargo", "case \"$*\" in *json*) cat built ;; esac\n");
    program(at, "scripts/test-python.sh", python);
    program(at, "scripts/test-browser.sh", browser);
    std::fs::copy(root().join("scripts/test.sh"), at.join("scripts/test.sh")).unwrap();
    Command::new("sh").arg(at.join("scripts/test.sh")).env("CARGO", cargo).env("JOBS", "2").output().unwrap()
}

const PASSES: &str = "echo 'test result: ok. 3 passed; 0 failed; 0 ignored'\n";
const OK: &str = "exit 0\n";

#[test]
fn make_test_passes_when_every_part_does() {
    let output = make_test(&[("wire", PASSES), ("go", PASSES)], ["echo 70 passed\n", "echo 30 passed\n"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", output_of(&output));
    assert_eq!(printed.matches("\ntest result: ok. 3 passed").count(), 2, "{printed}");
    assert!(printed.ends_with("make test: ok\n") && printed.contains("5 parts, 6 Rust tests passed"), "{printed}");
}

#[test]
fn make_test_fails_and_names_the_parts_that_did() {
    let crashes = "kill -9 $$\n";
    for (programs, scripts, failed) in [
        (vec![("wire", "exit 101\n"), ("go", PASSES)], [OK, OK], "wire"),
        (vec![("wire", PASSES), ("go", crashes)], [OK, OK], "go"),
        (vec![("wire", PASSES)], ["echo bad; exit 1\n", OK], "python-binding"),
        // Two of one name have a log each.
        (vec![("wire", PASSES), ("wire", "exit 1\n")], [OK, OK], "wire-2"),
        (vec![("wire", PASSES)], [OK, "exit 1\n"], "browser"),
        // A test program of the same subject as the Python part.
        (vec![("python", PASSES)], ["exit 1\n", OK], "python-binding"),
    ] {
        let output = make_test(&programs, scripts);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}", output_of(&output));
        assert!(printed.ends_with(&format!("make test: FAILED: {failed}\n")), "{printed}");
    }
    // Without test programs it fails.
    assert!(!make_test(&[], [OK, OK]).status.success());
}

/// `scripts/setup.sh libs` on a machine without apt-get, where these needs are those of the platforms.
fn setup_libs(needs: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::create_dir(at.join("scripts")).unwrap();
    std::fs::copy(root().join("scripts/setup.sh"), at.join("scripts/setup.sh")).unwrap();
    let cargo = program(at, "bin/cargo", &format!("cat <<'EOF'\n{needs}EOF\n"));
    for name in [
        "sh",
        "cat",
        "dirname",
        "uname",
        "sed",
        "id",
        "cmp",
        "cc",
        "c++",
        "make",
        "pkg-config",
        "ld",
        "objcopy",
        "rustc",
        "python3",
    ] {
        let found = std::env::var("PATH").unwrap();
        let file = found.split(':').map(|folder| Path::new(folder).join(name)).find(|file| file.exists());
        std::os::unix::fs::symlink(file.expect(name), at.join("bin").join(name)).unwrap();
    }
    let mut setup = Command::new(at.join("bin/sh"));
    setup.arg(at.join("scripts/setup.sh")).args(["libs", "a-target"]);
    setup.env("PATH", at.join("bin")).env("CARGO", cargo).output().unwrap()
}

#[test]
fn a_missing_tool_of_a_platform_is_named_with_its_package() {
    let output = setup_libs("command planted-ld binutils-planted\ncommand sed sed\nrust planted-unknown-none\n");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{}", output_of(&output));
    assert!(printed.contains("this machine lacks: binutils-planted") && !printed.contains(" sed"), "{printed}");
}

/// `make help` is rendered from the comments beside the targets, so a target without one would be missing there.
#[test]
fn make_help_lists_every_target() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let declared = makefile.lines().find_map(|line| line.strip_prefix(".PHONY: ")).unwrap();
    let rules = makefile.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name);
    let is_target = |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let rules: BTreeSet<_> = rules.filter(is_target).collect();
    assert_eq!(declared.split(' ').collect::<BTreeSet<_>>(), rules, "the targets, and .PHONY");
    let mut make = Command::new("make");
    make.args(["-s", "--no-print-directory", "help"]).env_remove("MAKEFLAGS").env_remove("MFLAGS");
    let output = make.current_dir(root()).output().unwrap();
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let listed = lines.lines().filter_map(|line| line.split_once(' ')).filter(|(_, text)| text.trim().len() > 5);
    assert_eq!(listed.map(|(name, _)| name).collect::<BTreeSet<_>>(), rules, "{}", output_of(&output));
}
