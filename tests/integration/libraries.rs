//! The libraries as files: what was built is prelinked, versioned and stripped, and the checks of `cargo platforms libs` find
//! what is not.

use std::path::Path;
use std::process::Command;

use paysvc_platforms::libs::check_all;
use paysvc_platforms::table::{PLATFORMS, Platform, System};

use crate::support::{build, debug_file, root, run};

/// This machine's row, for libraries that need its own glibc.
fn here() -> Platform {
    let ours = |it: &&Platform| it.target.starts_with(std::env::consts::ARCH) && matches!(it.system, System::Glibc(_));
    let row = PLATFORMS.iter().find(ours).expect("a row for this machine");
    Platform { system: System::Glibc("99"), ..*row }
}

/// All problems that the checks report, in lines.
fn problems(platform: &Platform, folder: &Path) -> Vec<String> {
    let report = check_all(root(), platform, folder).err().unwrap_or_default();
    report.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn what_was_built_passes_the_checks_of_what_is_handed_out() {
    let mut problems = problems(&here(), build());
    // The compiler of this machine takes its own unwinder, which it can rely on here.
    problems.retain(|problem| !problem.contains("libgcc_s.so.1"));
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn the_debug_file_has_functions_and_lines() {
    let symbols = run(Command::new("nm").arg(debug_file()));
    let symbols = String::from_utf8(symbols.stdout).unwrap();
    let symbol = symbols.lines().find(|line| line.ends_with(" T paysvc_version")).expect("paysvc_version");
    let address = symbol.split(' ').next().unwrap();
    let place = run(Command::new("addr2line").args(["-f", "-e"]).arg(debug_file()).arg(address));
    let place = String::from_utf8(place.stdout).unwrap();
    assert!(place.starts_with("paysvc_version\n") && place.contains("src/ffi/"), "{place}");
}

/// Libraries with all functions of the header, which do nothing, and with everything wrong that the checks look for.
#[test]
fn the_checks_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let lib = folder.path().join("lib");
    std::fs::create_dir_all(lib.join("debug")).unwrap();
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let mut source = String::from(
        "#include <pthread.h>\n#include <math.h>\nint foreign(double x, void *p) {\n\
         return (int)exp(x) + pthread_tryjoin_np((pthread_t)p, 0) + pthread_join((pthread_t)p, 0); }\n\
         extern int _ZN4rust6symbol(void);\n#ifdef ARCHIVE\nint planted(void) { return _ZN4rust6symbol(); }\n#endif\n",
    );
    for function in xtask::interface::functions(&header) {
        if function.name != "paysvc_version" {
            source += &format!("int {}(void) {{ return 0; }}\n", function.name);
        }
    }
    std::fs::write(lib.join("stub.c"), source).unwrap();
    let cc = |arguments: &[&str]| {
        run(Command::new("cc").args(["-D_GNU_SOURCE", "-fPIC", "stub.c"]).args(arguments).current_dir(&lib));
    };
    let name = concat!("libpaysvc.so.", env!("CARGO_PKG_VERSION"));
    cc(&["-shared", "-g", "-o", name, "-Wl,-soname,libother.so", "-Wl,--no-as-needed", "-lgcc_s", "-lm"]);
    cc(&["-c", "-DARCHIVE", "-o", "stub.o"]);
    run(Command::new("ar").args(["rcs", "libpaysvc.a", "stub.o"]).current_dir(&lib));
    std::fs::write(lib.join("debug").join(format!("{name}.debug")), "").unwrap();

    let platform = Platform { system: System::Glibc("2.2"), ..here() };
    let found = problems(&platform, folder.path());
    for expected in [
        "libpaysvc.so.VERSION: it is not stripped",
        "libpaysvc.so.VERSION: it has no link to its debug file",
        "needs glibc 2.",
        "it needs libgcc_s.so.1, which is not part of the system",
        "its soname is Some(\"libother.so\"), not libpaysvc.so.1",
        "it does not export paysvc_version with version PAYSVC_0.3",
        "it does not export paysvc_client_new with version PAYSVC_0.3",
        "it exports foreign without a version",
        "libpaysvc.a: paysvc_version is missing",
        "libpaysvc.a: foreign is global",
        "libpaysvc.a: _ZN4rust6symbol is undefined, and not part of the system",
    ] {
        let expected = expected.replace("VERSION", env!("CARGO_PKG_VERSION"));
        assert!(found.iter().any(|problem| problem.contains(&expected)), "{expected} is not in {found:#?}");
    }

    // A library that is right, with the debug file of another.
    run(Command::new("cp").arg("-a").arg(build().join("lib/.")).arg(&lib));
    std::fs::write(lib.join("debug").join(format!("{name}.debug")), "another").unwrap();
    let found = problems(&here(), folder.path());
    assert!(found.iter().any(|problem| problem.contains(".debug is not its debug file")), "{found:#?}");
    // On a system with pointers of the other size.
    let found = problems(&Platform { pointer_bits: 96 - here().pointer_bits, ..here() }, build());
    assert_eq!(found.iter().filter(|problem| problem.contains("it is not for ")).count(), 2, "{found:#?}");
}
