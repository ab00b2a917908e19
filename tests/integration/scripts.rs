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
    // Where this Rust has no AddressSanitizer, it would end before it calls cargo.
    fuzz.env_remove("CI");
    let output = fuzz.env("SSL_CERT_FILE", "/my/roots.pem").env("SSL_CERT_DIR", "/my/roots").output().unwrap();
    assert!(!output.status.success(), "{}", output_of(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("cargo has /my/roots.pem and /my/roots"), "{}", output_of(&output));
}

/// `scripts/test.sh` in a folder of its own, with a cargo that names these test programs, and with these scripts for Python and
/// the browser, and this variable.
fn make_test_with(variable: Option<(&str, &str)>, programs: &[(&str, &str)], [python, browser]: [&str; 2]) -> Output {
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
    let mut test = Command::new("sh");
    test.arg(at.join("scripts/test.sh")).env("CARGO", cargo).env("JOBS", "2").env_remove("CI").env_remove("ONLY");
    test.envs(variable).output().unwrap()
}

fn make_test(programs: &[(&str, &str)], scripts: [&str; 2]) -> Output {
    make_test_with(None, programs, scripts)
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

#[test]
fn make_test_runs_the_parts_that_are_asked_for() {
    let fails = "exit 1\n";
    let run = |only: &str| make_test_with(Some(("ONLY", only)), &[("wire", PASSES), ("go", fails)], [OK, fails]);
    for (only, parts) in [("python", "1 parts, 0"), ("wire python", "2 parts, 3")] {
        let output = run(only);
        let printed = output_of(&output);
        assert!(output.status.success() && printed.contains(&format!("{parts} Rust tests passed")), "{printed}");
    }
    assert_eq!(run("browser").status.code(), Some(1));
    assert_eq!(run("nothing").status.code(), Some(2), "{}", output_of(&run("nothing")));
}

#[test]
fn make_test_ends_with_what_was_left_out() {
    let refused = format!("echo 'test x ... LEFT OUT: mounts: refused'\n{PASSES}");
    let missing = format!("echo 'MISSING: there is no planted tool'\n{PASSES}");
    let listed = "\nmake test: left out:\nLEFT OUT: mounts: refused\n";
    // Two print the same line.
    for (ci, more, ends) in [
        (false, &missing, format!("{listed}MISSING: there is no planted tool\nmake test: ok\n")),
        (
            true,
            &missing,
            format!("{listed}MISSING: there is no planted tool\nmake test: FAILED: (a tool is missing)\n"),
        ),
        (true, &refused, format!("{listed}make test: ok\n")),
    ] {
        let ci = ci.then_some(("CI", "true"));
        let output = make_test_with(ci, &[("wire", &refused), ("go", more)], [OK, OK]);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.ends_with(&ends) && output.status.success() == ends.ends_with("ok\n"), "{printed}");
    }
    let output = make_test(&[("wire", PASSES)], [OK, OK]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nmake test: nothing was left out\n"));
}

/// `scripts/setup.sh` with these arguments on a machine that has little: what it needs itself, and these fakes.
fn setup(arguments: &[&str], fakes: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::create_dir(at.join("scripts")).unwrap();
    std::fs::copy(root().join("scripts/setup.sh"), at.join("scripts/setup.sh")).unwrap();
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
        std::fs::create_dir_all(at.join("bin")).unwrap();
        std::os::unix::fs::symlink(file.expect(name), at.join("bin").join(name)).unwrap();
    }
    for (name, text) in fakes {
        program(at, &format!("bin/{name}"), text);
    }
    let mut setup = Command::new(at.join("bin/sh"));
    // A cargo at home, which is no fake, would be named; the compiler may have its home there.
    let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    setup.envs(rustup.filter(|folder| folder.is_dir()).map(|folder| ("RUSTUP_HOME", folder)));
    setup.arg(at.join("scripts/setup.sh")).args(arguments).env("HOME", at).env_remove("CI");
    setup.env("PATH", at.join("bin")).env("CARGO", at.join("bin/cargo")).output().unwrap()
}

#[test]
fn make_build_says_what_is_missing_and_installs_nothing() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    assert!(makefile.contains("\nbuild: needs ##") && makefile.contains("\n\t@sh scripts/setup.sh needs\n"));
    let fakes = [("apt-get", "echo apt-get was called\n"), ("sudo", "echo sudo was called\n")];
    let output = setup(&["needs"], &fakes);
    let printed = output_of(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("this machine lacks: cargo-web") && printed.contains("`make setup` installs"),
        "{printed}"
    );
    assert!(!printed.contains("was called"), "{printed}");
    // `setup.sh build` installs it.
    let output = setup(&["build"], &fakes);
    assert!(output_of(&output).contains("was called"), "{}", output_of(&output));
    let output = setup(&["needs"], &[("cargo", "")]);
    assert!(output.status.success() && [output.stdout, output.stderr].concat().is_empty());
}

#[test]
fn a_missing_tool_of_a_platform_is_named_with_its_package() {
    let needs = "command planted-ld binutils-planted\ncommand sed sed\nrust planted-unknown-none\n";
    let output = setup(&["libs", "a-target"], &[("cargo", &format!("cat <<'EOF'\n{needs}EOF\n"))]);
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

/// A change of the text that a fault replaces would make `make planted-faults` useless, which is seldom run.
#[test]
fn every_planted_fault_can_still_be_planted() {
    let mut check = Command::new("python3");
    check.arg(root().join("scripts/planted-faults.py")).arg("--check").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = check.output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
}

/// A package that was replaced in the index, or one that a package newly needs, is not installed.
#[test]
fn every_list_of_python_packages_has_the_hashes_of_all() {
    let lists = [
        "bindings/python/requirements-test",
        "bindings/python/requirements-least",
        "packaging/requirements",
        "scripts/libs-requirements",
        "benches/speed/python/requirements",
    ];
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    // As PyPI compares names, and without extras.
    let name = |line: &str| line.split(['=', '>', '[', ' ']).next().unwrap().to_lowercase().replace(['_', '.'], "-");
    let entries = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with([' ', '#']) && !line.is_empty()).map(name).collect()
    };
    for list in lists {
        let (wanted, rendered) = (read(&format!("{list}.in")), read(&format!("{list}.txt")));
        let all = entries(&rendered);
        for entry in rendered.replace("\\\n", " ").lines().filter(|line| !line.starts_with('#')) {
            assert!(entry.contains("==") && entry.contains("--hash=sha256:"), "{list}: {entry}");
        }
        assert!(entries(&wanted).iter().all(|name| all.contains(name)), "{list}");
    }
    for script in ["scripts/setup.sh", "scripts/test-python.sh", "benches/speed/build.py"] {
        let text = read(script);
        let installs: Vec<_> = text.lines().filter(|line| line.contains("--disable-pip-version-check")).collect();
        assert!(!installs.is_empty() && installs.iter().all(|line| line.contains("--require-hashes")), "{script}");
    }
}

/// Every test could read the copy.
#[test]
fn continuous_integration_copies_no_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let files = [
        ("cargo/config.toml", "[net]\nretry = 3\n", true),
        ("cargo/credentials.toml", "[registry]\ntoken = \"hunter2\"\n", false),
        ("cargo/config", "[registries.own]\ntoken = \"hunter2\"\n", false),
        ("home/.netrc", "machine own login a password hunter2\n", false),
        ("home/.npmrc", "//own/:_authToken=hunter2\n", false),
        ("home/.pip/pip.conf", "[global]\nindex-url = https://mirror.example/simple\n", true),
        ("config/pip/pip.conf", "[global]\nindex-url = https://a:hunter2@mirror.example/simple\n", false),
        ("config/go/env", "GOPROXY=https://mirror.example\n", true),
    ];
    for (path, text, _) in files {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        std::fs::write(at(path), text).unwrap();
    }
    let mut copy = Command::new("sh");
    copy.arg(root().join("scripts/ci-settings.sh")).args(["cargo", "home", "config", "to"]).current_dir(folder.path());
    let output = copy.output().unwrap();
    assert!(output.status.success() && !output_of(&output).contains("hunter2"), "{}", output_of(&output));
    for (path, text, copied) in files {
        let to = at("to").join(path.replace("config/pip", "home/.config/pip").replace("config/go", "home/.config/go"));
        assert_eq!(std::fs::read_to_string(&to).ok().as_deref(), copied.then_some(text), "{path}");
    }
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains("sh scripts/ci-settings.sh") && !ci.contains("cp \"$1\""), "nothing else is copied");
}
