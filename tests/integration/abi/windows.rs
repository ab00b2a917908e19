//! The headers as compilers for Windows read them.

use std::process::{Command, Output};

use crate::support::{Stage, build, missing, output_of, root, run};

/// The prefixes of the two compilers' names, for 32 and 64 bits.
pub const COMPILERS: [&str; 2] = ["i686-w64-mingw32-", "x86_64-w64-mingw32-"];

/// The two compilers, as far as they are here.
pub fn compilers() -> Vec<&'static str> {
    let is_here = |prefix: &&str| Command::new(format!("{prefix}g++")).arg("--version").output().is_ok();
    let (here, absent): (Vec<_>, Vec<_>) = COMPILERS.into_iter().partition(|prefix| is_here(prefix));
    for prefix in absent {
        missing(&format!("there is no {prefix}g++; headers and bindings are NOT compiled with it"));
    }
    here
}

fn syntax(compiler: &str, standard: &str, source: &std::path::Path) -> Output {
    let mut command = Command::new(compiler);
    command.args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(format!("-std={standard}"));
    command.arg("-I").arg(build().join("include")).arg(source).output().unwrap()
}

#[test]
fn the_headers_compile_for_windows() {
    let stage = Stage::new();
    let write = |name: &str, text: &str| {
        let path = stage.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (c, cpp) =
        ("#include <paysvc.h>\n#include <paysvc.h>\nint main(void) { return PAYSVC_OK; }\n", "#include <paysvc.hpp>\n");
    let (c, plain, wrapped) = (write("header.c", c), write("header.cpp", c), write("wrapper.cpp", cpp));
    for prefix in compilers() {
        let sources = [
            ("gcc", &c, &["c89", "c11"][..]),
            ("g++", &plain, &["c++98", "c++20"]),
            ("g++", &wrapped, &["c++11", "c++20"]),
        ];
        for (compiler, source, standards) in sources {
            for standard in standards {
                let output = syntax(&format!("{prefix}{compiler}"), standard, source);
                assert!(output.status.success(), "{prefix}{compiler} {standard}: {}", output_of(&output));
            }
        }
    }
}

/// PAYSVC_CALLBACK is needed on 32-bit Windows only, and there only where C's own convention is not the default.
#[test]
fn a_callback_has_the_calling_convention_of_c_on_windows() {
    let stage = Stage::new();
    let source = stage.path().join("callback.c");
    for prefix in compilers() {
        for (convention, flags, fits) in [
            ("", &[][..], true),
            ("PAYSVC_CALLBACK", &[], true),
            ("__cdecl", &[], true),
            ("__stdcall", &[], !prefix.starts_with("i686")),
            // The default may be another one: -mrtd, as MSVC's /Gz, which 64-bit compilers do not have.
            ("PAYSVC_CALLBACK", &["-mrtd"], true),
            ("", &["-mrtd"], false),
        ] {
            if !flags.is_empty() && !prefix.starts_with("i686") {
                continue;
            }
            let text = format!(
                "#include <paysvc.h>\nstatic int {convention} step(void *a, size_t b, size_t c, const char *d)\n\
                 {{ (void)a; (void)b; (void)c; (void)d; return PAYSVC_CONTINUE; }}\npaysvc_progress_fn step_fn = step;\n"
            );
            std::fs::write(&source, text).unwrap();
            let mut command = Command::new(format!("{prefix}gcc"));
            command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).args(flags);
            let output = command.arg("-I").arg(build().join("include")).arg(&source).output().unwrap();
            assert_eq!(output.status.success(), fits, "{prefix} {convention} {flags:?}: {}", output_of(&output));
        }
    }
}

/// A program's calls name the functions as the DLL exports them: without decoration, as all languages expect them.
#[test]
fn functions_are_undecorated_on_windows() {
    let stage = Stage::new();
    let source = stage.path().join("calls.c");
    std::fs::write(&source, "#include <paysvc.h>\nint abi(void) { return paysvc_abi(); }\n").unwrap();
    for prefix in compilers() {
        let object = stage.path().join("calls.o");
        let mut command = Command::new(format!("{prefix}gcc"));
        command.args(["-c", "-I"]).arg(build().join("include")).arg(&source).arg("-o").arg(&object);
        run(&mut command);
        let library = stage.path().join("libpaysvc.dll.a");
        let definition = root().join("src/ffi/exports.def");
        run(Command::new(format!("{prefix}dlltool")).arg("-d").arg(definition).arg("-l").arg(&library));
        let program = stage.path().join("calls.dll");
        let mut link = Command::new(format!("{prefix}gcc"));
        run(link.arg("-shared").args([&object, &library]).arg("-o").arg(&program));
        let output = run(Command::new(format!("{prefix}objdump")).arg("-p").arg(&program));
        let imports = String::from_utf8_lossy(&output.stdout).into_owned();
        let of_ours = imports.split("DLL Name: ").find(|part| part.starts_with("paysvc.dll")).expect("an import");
        assert!(of_ours.lines().any(|line| line.split_whitespace().any(|word| word == "paysvc_abi")), "{of_ours}");
    }
}
