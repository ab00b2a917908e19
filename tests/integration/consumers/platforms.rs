//! The same with the libraries of other platforms, where `make libs` has built them.

use std::path::PathBuf;
use std::process::Command;

use paysvc_platforms::table::{Compiler, PLATFORMS, Platform, System};

use super::{configure, refund, source};
use crate::support::{left_out, output_of, root, run};

/// The libraries of a platform; where they are absent, prints what is not tested.
fn libraries(platform: &Platform) -> Option<PathBuf> {
    let folder = root().join("build/libs").join(platform.target);
    let is_there = folder.join("include/paysvc.h").exists();
    if !is_there {
        left_out(&format!("CMake is NOT tried with build/libs/{}: `make libs` makes it", platform.target));
    }
    is_there.then_some(folder)
}

#[test]
fn cmake_links_the_dll_and_the_archive_for_windows() {
    for platform in PLATFORMS {
        let (System::Windows(_), Compiler::Mingw(compiler)) = (platform.system, platform.compiler) else { continue };
        let Some(libraries) = libraries(platform) else { continue };
        let work = tempfile::tempdir().unwrap();
        // The C++ compiler's own libraries are not part of Windows.
        let built = work.path().join("built");
        let more = [
            "-DCMAKE_SYSTEM_NAME=Windows".to_owned(),
            format!("-DCMAKE_C_COMPILER={compiler}"),
            format!("-DCMAKE_CXX_COMPILER={}", compiler.replace("gcc", "g++")),
            "-DCMAKE_EXE_LINKER_FLAGS=-static".to_owned(),
        ];
        let more: Vec<_> = more.iter().map(String::as_str).collect();
        // Without -static, a program must need nothing that is not part of Windows.
        let mut words = Command::new("pkg-config");
        words.env("PKG_CONFIG_PATH", libraries.join("lib/pkgconfig")).args(["--cflags", "--libs", "paysvc-static"]);
        let words = String::from_utf8(run(&mut words).stdout).unwrap();
        let alone = work.path().join("alone.exe");
        run(Command::new(compiler).arg(source("refund.c")).args(words.split_whitespace()).arg("-o").arg(&alone));
        let mut imports = Command::new(compiler.replace("gcc", "objdump").replace("-posix", ""));
        let imports = String::from_utf8_lossy(&run(imports.arg("-p").arg(&alone)).stdout).into_owned();
        assert!(!imports.contains("libwinpthread") && imports.contains("KERNEL32.dll"), "{imports}");
        run(&mut configure(&libraries, &root().join("tests/consumers"), &built, &more));
        run(Command::new("cmake").arg("--build").arg(&built));
        let runner = |words: &[&str]| {
            let mut command = Command::new("sh");
            command.arg(root().join("scripts/runner.sh")).arg(platform.runner.word()).args(words);
            command
        };
        let can_run = runner(&[]).output().unwrap();
        for (name, needs_dll) in [("shared", true), ("static", false), ("shared-cpp", true), ("static-cpp", false)] {
            let program = built.join(format!("{name}.exe"));
            let imports =
                run(Command::new(compiler.replace("gcc", "objdump").replace("-posix", "")).arg("-p").arg(&program));
            let imports = String::from_utf8_lossy(&imports.stdout).into_owned();
            assert!(imports.contains("DLL Name: KERNEL32.dll"), "{}: {imports}", platform.target);
            assert_eq!(imports.contains("DLL Name: paysvc.dll"), needs_dll, "{}: {name}: {imports}", platform.target);
            if can_run.status.success() {
                let mut command = runner(&[program.to_str().unwrap()]);
                refund(command.env("WINEPATH", libraries.join("bin")));
            } else {
                eprintln!("{}: {name} is NOT run for {}", output_of(&can_run), platform.target);
            }
        }
    }
}

#[test]
fn cmake_passes_over_the_library_of_a_platform_with_another_pointer_size() {
    let here = if cfg!(target_pointer_width = "64") { 64 } else { 32 };
    for platform in PLATFORMS.iter().filter(|platform| platform.pointer_bits != here) {
        let Some(libraries) = libraries(platform) else { continue };
        let work = tempfile::tempdir().unwrap();
        std::fs::copy(source("refund.c"), work.path().join("refund.c")).unwrap();
        let project = "cmake_minimum_required(VERSION 3.13)\nproject(consumer C)\nfind_package(paysvc REQUIRED)\n";
        std::fs::write(work.path().join("CMakeLists.txt"), project).unwrap();
        let output = configure(&libraries, work.path(), &work.path().join("built"), &[]).output().unwrap();
        let told = output_of(&output);
        let version = format!("version: {} ({} bit)", env!("CARGO_PKG_VERSION"), platform.pointer_bits);
        assert!(!output.status.success() && told.contains(&version), "{}: {told}", platform.target);
    }
}
