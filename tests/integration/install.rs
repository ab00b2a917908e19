//! `make install` only copies, and `make uninstall` removes exactly that. `make build` and `make install` replace the
//! files of programs that are running: those go on with what they have.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::driver::Driver;
use crate::support::installed::make;
use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, build, left_out, output_of, root, run, sha256};

/// Not one of the tests' own, and not root.
const ORDINARY_USER: u32 = 65534;

#[test]
fn a_running_program_outlives_an_install_over_its_library_and_itself() {
    let (stage, folder) = (Stage::new(), tempfile::tempdir().unwrap());
    let [built, prefix] = ["build", "usr"].map(|name| folder.path().join(name));
    // The build, in the place where cargo would have put it.
    let made = folder.path().join("target");
    std::fs::create_dir_all(made.join("release")).unwrap();
    for name in ["lib/libpaysvc.a", "bin/paysvc-sandbox"].map(Path::new) {
        std::fs::copy(build().join(name), made.join("release").join(name.file_name().unwrap())).unwrap();
    }
    let replace = || {
        let mut build = make("build");
        run(build.env("CARGO_TARGET_DIR", &made).arg("CARGO=true").arg(format!("BUILD={}", built.display())));
        let prefix = format!("PREFIX={}", prefix.display());
        run(make("install").arg(prefix).arg(format!("BUILD={}", built.display())));
    };
    replace();

    // Two programs with the library loaded, two that run a file that is replaced.
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    let places = [built.clone(), prefix.clone()];
    let mut running: Vec<_> = places
        .iter()
        .map(|place| {
            let sandbox = Sandbox::start_program(&place.join("bin/paysvc-sandbox"), &[]);
            let mut command = Command::new(&program);
            command.env("LD_LIBRARY_PATH", place.join("lib"));
            (Driver::start(&mut command, &sandbox.config()), sandbox)
        })
        .collect();

    let files = ["lib/libpaysvc.so", "lib/libpaysvc.a", "bin/paysvc-sandbox", "include/paysvc.h"];
    let file = |path: &Path| std::fs::metadata(path).unwrap().ino();
    let before: Vec<_> = places.iter().flat_map(|place| files.map(|name| place.join(name))).collect();
    let before: Vec<_> = before.into_iter().map(|path| (file(&path), path)).collect();
    let names = |place: &Path| tree(place).into_keys().collect::<Vec<_>>();
    let listed = places.each_ref().map(|place| names(place));
    replace();
    for (number, path) in before {
        // The old one is still open, so that no new file can have its number.
        assert_ne!(number, file(&path), "{} was written, not replaced", path.display());
    }
    assert_eq!(listed, places.each_ref().map(|place| names(place)), "nothing is left behind");
    for (driver, sandbox) in &mut running {
        let reply = driver.call("direct_debit_history", &json!({"emailAddress": "none@example.com"}));
        assert_eq!(reply.verdict(), ("OK", "CONFIRMED"), "{}", reply.message);
        // A function that was never used before still has to be loaded from the file.
        let reply = driver.call_text("encrypt", r#"{"reference":"R"}"#);
        assert_eq!(reply.status, "OK", "{}", reply.message);
        assert!(sandbox.get("/sandbox/state").is_object());
    }
}

/// Every path below a folder, with the mode and what it holds.
pub fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o777;
            let holds = if metadata.is_symlink() {
                format!("-> {}", std::fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                format!("{mode:o} folder")
            } else {
                format!("{mode:o} {}", sha256(&std::fs::read(&path).unwrap()))
            };
            found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), holds);
        }
    }
    found
}

/// A folder of which an ordinary user is the owner, with what other software has installed there.
fn shared_folder(prefix: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join(prefix);
    for empty in ["share/man/man3", "lib/pkgconfig", "include", "bin"] {
        std::fs::create_dir_all(prefix.join(empty)).unwrap();
    }
    std::fs::write(prefix.join("lib/pkgconfig/other.pc"), "Name: other\n").unwrap();
    std::fs::write(prefix.join("bin/other"), "").unwrap();
    if is_root() {
        let paths = tree(folder.path()).into_keys();
        paths.for_each(|path| chown(folder.path().join(path), Some(ORDINARY_USER), None).unwrap());
        chown(folder.path(), Some(ORDINARY_USER), None).unwrap();
    }
    folder
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// `make install` or `make uninstall` as an ordinary user who lets nobody read new files, and who has none of the
/// programs that build and install: where one is called, the command fails.
fn as_ordinary_user(target: &str, fakes: &Path) -> Command {
    for name in ["cargo", "rustc", "rustup", "apt-get", "dpkg", "sudo", "pip", "python3", "go", "cc", "gcc", "cmake"] {
        let fake = fakes.join(name);
        std::fs::write(&fake, "#!/bin/sh\necho \"$0 was called\" >&2\nkill $PPID\nexit 1\n").unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::set_permissions(fakes, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "umask 077 && exec \"$0\" \"$@\""]).arg("make");
    command.args(make(target).get_args()).current_dir(root()).env_remove("MAKEFLAGS").env_remove("MFLAGS");
    command.env_remove("DESTDIR").env("PATH", format!("{}:{}", fakes.display(), std::env::var("PATH").unwrap()));
    if is_root() {
        let can_read = |file: &Path| {
            let mut test = Command::new("test");
            test.arg("-r").arg(file).uid(ORDINARY_USER).gid(ORDINARY_USER).status().unwrap().success()
        };
        if can_read(&root().join("Makefile")) && can_read(&build().join("lib/libpaysvc.a")) {
            command.uid(ORDINARY_USER).gid(ORDINARY_USER);
        } else {
            left_out("installing as an ordinary user is NOT tested: only root can read this checkout");
        }
    }
    command.arg(format!("BUILD={}", build().display()));
    command
}

#[test]
fn installing_only_copies_and_uninstalling_removes_exactly_that() {
    let fakes = tempfile::tempdir().unwrap();
    for (variables, lib, include) in [
        (&["PREFIX=/usr", "DESTDIR=@"][..], "usr/lib", "usr/include"),
        (&["PREFIX=@/usr"], "usr/lib", "usr/include"),
        (&["PREFIX=@/usr/", "LIBDIR=lib64"], "usr/lib64", "usr/include"),
        (&["PREFIX=@/usr", "LIBDIR=@/usr/lib/x86_64-linux-gnu/"], "usr/lib/x86_64-linux-gnu", "usr/include"),
        (
            &["PREFIX=/opt/new/one", "DESTDIR=@/stage", "LIBDIR=/else where/lib"],
            "stage/else where/lib",
            "stage/opt/new/one/include",
        ),
        (
            &["PREFIX=/usr", "DESTDIR=@", "INCLUDEDIR=include/paysvc", "BINDIR=sbin", "MANDIR=man", "DOCDIR=doc"],
            "usr/lib",
            "usr/include/paysvc",
        ),
    ] {
        let folder = shared_folder("usr");
        let before = tree(folder.path());
        let call = |target: &str| {
            let mut command = as_ordinary_user(target, fakes.path());
            command.args(variables.iter().map(|variable| variable.replace('@', folder.path().to_str().unwrap())));
            run(&mut command)
        };
        let output = call("install");
        let installed = tree(folder.path());
        let version = env!("CARGO_PKG_VERSION");
        for (path, mode) in [
            (format!("{include}/paysvc.h"), "644 "),
            (format!("{include}/paysvc.hpp"), "644 "),
            (format!("{lib}/libpaysvc.so"), "-> libpaysvc.so.1"),
            (format!("{lib}/libpaysvc.so.1"), "-> libpaysvc.so."),
            (format!("{lib}/libpaysvc.so.{version}"), "755 "),
            (format!("{lib}/libpaysvc.a"), "644 "),
            (format!("{lib}/pkgconfig"), "755 folder"),
            (format!("{lib}/pkgconfig/paysvc.pc"), "644 "),
            (format!("{lib}/pkgconfig/paysvc-static.pc"), "644 "),
            (format!("{lib}/cmake/paysvc/paysvcConfig.cmake"), "644 "),
            (format!("{lib}/cmake/paysvc/paysvcConfigVersion.cmake"), "644 "),
        ] {
            let found = installed.get(&path).unwrap_or_else(|| panic!("{path} is not there\n{}", output_of(&output)));
            // A path that other software made keeps its mode.
            assert!(found.starts_with(mode) || before.contains_key(&path), "{path}: {found}");
        }
        let debug = format!("libpaysvc.so.{version}.debug");
        let has_debug = build().join("lib/debug").join(&debug).exists();
        assert_eq!(installed.contains_key(&format!("{lib}/debug/{debug}")), has_debug);
        for (name, mode) in [
            ("paysvc-sandbox", "755 "),
            ("paysvc_resolve.3", "644 "),
            ("paysvc.7", "644 "),
            ("paysvc-sandbox.1", "644 "),
            ("LICENSE-MIT", "644 "),
            ("LICENSE-APACHE", "644 "),
            ("LICENSE-THIRD-PARTY", "644 "),
        ] {
            let found: Vec<_> = installed.iter().filter(|(path, _)| path.ends_with(&format!("/{name}"))).collect();
            assert!(found.len() == 1 && found[0].1.starts_with(mode), "{name}: {found:?}");
        }
        assert!(before.iter().all(|(path, holds)| installed.get(path) == Some(holds)), "what was there is the same");

        // Installed again over itself, and then removed.
        call("install");
        assert_eq!(tree(folder.path()), installed, "{variables:?}");
        call("uninstall");
        let mut left = tree(folder.path());
        // The folder that DESTDIR names is the caller's.
        if !before.contains_key("stage") {
            left.remove("stage");
        }
        assert_eq!(left, before, "{variables:?}");
        let mut again = as_ordinary_user("uninstall", fakes.path());
        let again = again.arg(format!("PREFIX={}/usr", folder.path().display())).output().unwrap();
        assert!(
            !again.status.success() && output_of(&again).contains("nothing is known to be installed"),
            "{}",
            output_of(&again)
        );
    }
}

#[test]
fn what_others_put_beside_it_stays_and_a_moved_prefix_can_be_uninstalled() {
    let folder = tempfile::tempdir().unwrap();
    let [first, moved] = ["first", "moved"].map(|name| folder.path().join(name));
    run(make("install").arg(format!("PREFIX={}", first.display())));
    std::fs::rename(&first, &moved).unwrap();
    std::fs::write(moved.join("lib/cmake/paysvc/mine.cmake"), "").unwrap();
    std::fs::write(moved.join("include/mine.h"), "").unwrap();
    run(make("uninstall").arg(format!("PREFIX={}", moved.display())));
    let left: Vec<_> = tree(folder.path()).into_keys().collect();
    let mine =
        ["moved", "moved/include", "moved/include/mine.h", "moved/lib", "moved/lib/cmake", "moved/lib/cmake/paysvc"];
    assert_eq!(left, [&mine[..], &["moved/lib/cmake/paysvc/mine.cmake"]].concat());
}

#[test]
fn files_of_an_earlier_release_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let install = || run(make("install").arg(format!("PREFIX={}", folder.path().display())));
    install();
    let first = tree(folder.path());
    let record = folder.path().join("lib/paysvc/installed");
    let recorded = std::fs::read_to_string(&record).unwrap() + "file lib/libpaysvc.so.0.0.9\nfile include/gone.h\n";
    std::fs::write(&record, recorded).unwrap();
    for gone in ["lib/libpaysvc.so.0.0.9", "include/gone.h"] {
        std::fs::write(folder.path().join(gone), "").unwrap();
    }
    install();
    assert_eq!(tree(folder.path()), first);

    // Nothing outside of the folders is touched, whatever the record says.
    std::fs::write(&record, "file ../../x\n").unwrap();
    let output = make("uninstall").arg(format!("PREFIX={}", folder.path().display())).output().unwrap();
    assert!(!output.status.success() && output_of(&output).contains("is damaged"), "{}", output_of(&output));
}

#[test]
fn before_a_build_nothing_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let mut install = make("install");
    install.arg(format!("PREFIX={}", folder.path().join("usr").display()));
    let output = install.arg(format!("BUILD={}", folder.path().join("none").display())).output().unwrap();
    assert!(!output.status.success() && output_of(&output).contains("run make build first"), "{}", output_of(&output));
    assert_eq!(tree(folder.path()), BTreeMap::new());
}

/// The output of `make libs` for Windows; here with a DLL that has a head alone.
#[test]
fn libraries_for_windows_are_installed_and_removed_too() {
    let folder = tempfile::tempdir().unwrap();
    let (built, prefix) = (folder.path().join("built"), folder.path().join("usr"));
    let mut dll = b"MZ".to_vec();
    dll.resize(60, 0);
    dll.extend(64_u32.to_le_bytes());
    dll.extend(b"PE\0\0");
    dll.resize(64 + 24, 0);
    dll.extend(523_u16.to_le_bytes()); // 64 bits
    let windows =
        ["lib/libpaysvc.a", "lib/libpaysvc.dll.a", "lib/paysvc.lib", "lib/paysvc.def", "lib/debug/paysvc.dll.debug"];
    for name in windows.into_iter().chain(["include/paysvc.h", "bin/paysvc.dll"]) {
        let file = built.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, if name.ends_with(".dll") { &dll[..] } else { b"" }).unwrap();
    }
    let places = [format!("PREFIX={}", prefix.display()), format!("BUILD={}", built.display())];
    run(make("install").args(&places));
    for name in windows.into_iter().chain(["include/paysvc.h", "bin/paysvc.dll"]) {
        assert!(prefix.join(name).is_file(), "{name}");
    }
    let packages = std::fs::read_to_string(prefix.join("lib/pkgconfig/paysvc-static.pc")).unwrap();
    assert!(packages.contains("-l:libwinpthread.a"), "{packages}");
    let refused = make("install").args(&places).arg("BINDIR=programs").output().unwrap();
    assert!(output_of(&refused).contains("leave BINDIR as it is"), "{}", output_of(&refused));
    run(make("uninstall").args(&places));
    assert!(!prefix.exists(), "{:?}", tree(&prefix));
}
