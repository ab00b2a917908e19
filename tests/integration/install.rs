//! `make build` and `make install` replace the files of programs that are running: those go on with what they have.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::driver::Driver;
use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, build, root, run};

/// Installs what lies in `built` as if cargo had just made it.
fn install(built: &Path, to: &Path) {
    let mut make = Command::new("make");
    // A variable of the make that runs this test would be the inner one's too.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("DESTDIR").current_dir(root());
    make.args(["--no-print-directory", "install", "CARGO=true"]);
    make.arg(format!("TARGET_DIR={}", built.display()));
    make.arg(format!("BUILD={}", to.join("build").display()));
    make.arg(format!("PREFIX={}", to.join("usr").display()));
    run(&mut make);
}

fn copy(name: &str, built: &Path) -> PathBuf {
    let path = built.join("release").join(Path::new(name).file_name().unwrap());
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::copy(build().join(name), &path).unwrap();
    path
}

/// An archive whose functions do nothing, so that the libraries made from it differ, and are smaller.
fn stub(archive: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let functions = xtask::interface::functions(&header);
    let source: String = functions.iter().map(|it| format!("int {}(void) {{ return 0; }}\n", it.name)).collect();
    std::fs::write(folder.path().join("stub.c"), source).unwrap();
    run(Command::new("cc").args(["-c", "-fPIC", "stub.c"]).current_dir(folder.path()));
    std::fs::remove_file(archive).unwrap();
    run(Command::new("ar").arg("rcs").arg(archive).arg(folder.path().join("stub.o")));
}

#[test]
fn a_running_program_outlives_an_install_over_its_library_and_itself() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let built = folder.path().join("target");
    let [archive, program_file] = ["lib/libpaysvc.a", "bin/paysvc-sandbox"].map(|name| copy(name, &built));
    install(&built, folder.path());

    // Two programs with the library loaded, two that run a file that is replaced.
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    let places = ["build", "usr"].map(|place| folder.path().join(place));
    let mut running: Vec<_> = places
        .iter()
        .map(|place| {
            let sandbox = Sandbox::start_program(&place.join("bin/paysvc-sandbox"), &[]);
            let mut command = Command::new(&program);
            command.env("LD_LIBRARY_PATH", place.join("lib"));
            (Driver::start(&mut command, &sandbox.config()), sandbox)
        })
        .collect();

    // Whoever had the new bytes in the place of the old ones would crash at its next page.
    stub(&archive);
    std::fs::write(&program_file, vec![0; std::fs::metadata(&program_file).unwrap().len() as usize]).unwrap();
    let files = ["lib/libpaysvc.so", "lib/libpaysvc.a", "bin/paysvc-sandbox"];
    let now = |place: &Path| files.map(|name| std::fs::read(place.join(name)).unwrap());
    let before = places.each_ref().map(|place| now(place));
    install(&built, folder.path());
    for (place, before) in places.iter().zip(before) {
        for ((name, before), after) in files.iter().zip(before).zip(now(place)) {
            assert!(before != after, "{name} was not replaced");
        }
        for entry in std::fs::read_dir(place.join("lib")).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(!name.to_string_lossy().starts_with('.'), "{} was left", name.display());
        }
    }
    for (driver, sandbox) in &mut running {
        let reply = driver.call("direct_debit_history", &json!({"emailAddress": "none@example.com"}));
        assert_eq!(reply.verdict(), ("OK", "CONFIRMED"), "{}", reply.message);
        // What was never used before is still to be loaded from the file.
        let reply = driver.call_text("encrypt", r#"{"reference":"R"}"#);
        assert_eq!(reply.status, "OK", "{}", reply.message);
        assert!(sandbox.get("/sandbox/state").is_object());
    }
}
