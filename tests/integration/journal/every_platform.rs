//! Tests that `make libs-check` runs on each platform, too.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::{LONG_MS, Till, charges, folder, named, with_c};
use crate::support::driver::Driver;
use crate::support::platform::foreign;
use crate::support::sandbox::Sandbox;
use crate::support::target::target;
use crate::support::{Link, Stage, folder_in_memory, root, run};

#[test]
fn a_till_that_was_killed_after_the_answer_is_answered_from_its_file() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        for row in charges() {
            let target = target(row, &sandbox);
            let till = Till { timeout_ms: LONG_MS, ..Till::new(&sandbox, command) };
            let mut driver = till.started(false);
            let first = driver.call(row.name, &target.request);
            assert_eq!(first.outcome, "CONFIRMED", "{first:?}");
            driver.kill();
            let again = till.call_again(&target);
            assert_eq!(till.check(&target, &again, row.name), 1, "{first:?}, then {again:?}");
        }
    });
}

#[test]
fn a_file_system_in_memory_and_a_missing_file_are_refused() {
    with_c(|command| {
        let sandbox = Sandbox::start(&[]);
        let refused = |file: PathBuf, create: bool, words: &str| {
            let config = sandbox.config_with(json!({"journal": named(&file), "journal_create": create}));
            let driver = Driver::start(&mut command(), &config);
            assert_eq!(driver.created.status, "E_JOURNAL", "{}", driver.created.message);
            assert!(driver.created.message.contains(words), "{}", driver.created.message);
            assert!(!file.exists());
        };
        refused(folder().path().join("missing.db"), false, "is missing");
        // Windows has none.
        let linux = !foreign().is_some_and(|platform| platform.windows());
        if let Some(memory) = linux.then(folder_in_memory).flatten() {
            refused(memory.join(format!("paysvc-{}.db", std::process::id())), true, "memory");
        }
    });
}

/// The source of SQLite that the library has.
fn amalgamation() -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    // Only of this platform: the manifests of other crates would have to be downloaded.
    let host = String::from_utf8(run(Command::new("rustc").args(["--print", "host-tuple"])).stdout).unwrap();
    cargo.args(["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host.trim()]);
    cargo.current_dir(root());
    let metadata: Value = serde_json::from_slice(&run(&mut cargo).stdout).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|package| package["name"] == "libsqlite3-sys").unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    manifest.with_file_name("sqlite3").join("sqlite3.c")
}

#[test]
fn a_program_with_its_own_sqlite_and_the_journal_do_not_meet() {
    let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
    let stage = Stage::new();
    let windows = foreign().is_some_and(|platform| platform.windows());
    let object = stage.object(&amalgamation(), &["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"]);
    // Exported, so that the shared library could take its functions.
    let in_program = [object.to_str().unwrap(), if windows { "-s" } else { "-Wl,--export-dynamic" }];
    let mut ways = vec![("static", &in_program[..])];
    if foreign().is_none() {
        // The system's SQLite, which Python needs.
        ways.push(("dynamic", &["-Wl,--no-as-needed", "-l:libsqlite3.so.0"]));
    }
    let row = charges().into_iter().find(|row| row.name == "order_pay").unwrap();
    for (way, flags) in ways {
        for link in [Link::Shared, Link::Static] {
            let target = target(row, &sandbox);
            let folder = folder();
            let journal = named(&folder.path().join("pay.db"));
            let config = sandbox.config_with(json!({"journal": journal, "journal_create": true}));
            let program = stage.cc(&root().join("tests/c/own_sqlite.c"), link, flags);
            let run_with = |own: &str, earlier: &str| {
                let own = named(&folder.path().join(own));
                let mut command = stage.command(&program);
                command.arg(config.to_string()).arg(target.request.to_string());
                run(command.args([&journal, &own, earlier]))
            };
            run_with("one.db", "new");
            let output = run_with("other.db", "paid");
            assert_eq!(sandbox.effects("charge_made"), 1);
            println!("{way}, {link:?}: {}", String::from_utf8_lossy(&output.stdout).trim());
        }
    }
}
