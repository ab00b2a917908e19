//! What `abidiff` says: of the types, between libraries that a C compiler makes from the headers, and of the symbols,
//! between a release and the library that was built. The debug file of that one has no types: a header has them all.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::released::released_header;
use super::stub::stub;
use super::{header, versions};
use crate::support::{build, missing, output_of, root, run};

/// The bits of its exit status. More functions alone are no change here.
const CHANGED: i32 = 4;
const INCOMPATIBLE: i32 = 8;

fn is_here() -> bool {
    let is_here = Command::new("abidiff").arg("--version").output().is_ok();
    if !is_here {
        missing("there is no abidiff (abigail-tools); libraries are NOT compared with it");
    }
    is_here
}

/// Its exit status and what it says.
fn abidiff(old: &Path, new: &Path) -> (i32, String) {
    let mut command = Command::new("abidiff");
    command.arg("--no-added-syms").arg("--debug-info-dir2").arg(build().join("lib/debug")).arg(old).arg(new);
    let output = command.output().unwrap();
    (output.status.code().unwrap(), output_of(&output))
}

#[test]
fn a_library_of_the_released_header_has_the_types_of_one_of_today() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // It compares the types of functions with the same symbol version only, so the old library has versions too.
    let made = |name: &str, header: &str| stub(&folder.path().join(name), header, true);
    let old = made("old", &released_header("0.1.0"));
    let (status, told) = abidiff(&old, &made("today", &header()));
    assert_eq!(status, 0, "{told}");
    for (name, from, to, expected, named) in [
        ("number", " int timeout_ms);", " long timeout_ms);", CHANGED, "paysvc_call_set_timeout_ms"),
        (
            "result",
            "int PAYSVC_CDECL paysvc_reply_attempts(",
            "size_t PAYSVC_CDECL paysvc_reply_attempts(",
            CHANGED,
            "paysvc_reply_attempts",
        ),
        ("type", "typedef int paysvc_status;", "typedef long paysvc_status;", CHANGED, "paysvc_status"),
        (
            "gone",
            "const char *PAYSVC_CDECL paysvc_reply_code(const paysvc_reply *reply);",
            "",
            CHANGED | INCOMPATIBLE,
            "paysvc_reply_code",
        ),
    ] {
        assert!(header().contains(from), "{from}");
        let (status, told) = abidiff(&old, &made(name, &header().replace(from, to)));
        assert_eq!(status, expected, "{name}: {told}");
        assert!(told.contains(named), "{name}: {told}");
    }
}

/// The library that was built, linked again from its archive without one function.
fn without(function: &str, folder: &Path) -> PathBuf {
    let script = std::fs::read_to_string(root().join("src/ffi/exports.map")).unwrap();
    let line = format!("        {function};\n");
    assert!(script.contains(&line));
    std::fs::write(folder.join("exports.map"), script.replace(&line, "")).unwrap();
    let library = folder.join("libpaysvc.so");
    let soname = format!("-Wl,-soname,libpaysvc.so.{}", paysvc_spec::status::ABI);
    let mut linker = Command::new("cc");
    linker.args(["-shared", "-Wl,--version-script=exports.map", &soname, "-Wl,--whole-archive"]);
    linker.arg(build().join("lib/libpaysvc.a")).arg("-Wl,--no-whole-archive").args(crate::support::static_libraries());
    run(linker.arg("-o").arg(&library).current_dir(folder));
    library
}

#[test]
fn the_library_that_was_built_has_every_symbol_of_a_release_and_a_missing_one_is_found() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let built = build().join("lib/libpaysvc.so");
    let old = stub(&folder.path().join("old"), &released_header("0.1.0"), false);
    run(Command::new("strip").arg(&old));
    let (status, told) = abidiff(&old, &built);
    assert_eq!(status, 0, "{told}");
    assert_eq!(abidiff(&built, &built).0, 0);

    let function = "paysvc_reply_code";
    let less = without(function, folder.path());
    assert_eq!(versions::exported(&less).len() + 1, versions::exported(&built).len());
    for whole in [&old, &built] {
        let (status, told) = abidiff(whole, &less);
        assert_eq!(status, CHANGED | INCOMPATIBLE, "{told}");
        assert!(told.contains(function), "{told}");
    }
}
