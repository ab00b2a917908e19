//! Programs that are built with an installed copy of the library, in every way that it is meant to be linked. Each
//! refunds a part of an order in the sandbox. Nothing in the folder in which it was built helps them.

mod platforms;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::installed::Installed;
use crate::support::sandbox::Sandbox;
use crate::support::{Stage, has_static_c, output_of, root, run, static_libraries};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const C89: &[&str] = &["-std=c89", "-pedantic", "-Wall", "-Wextra", "-Werror"];

fn source(name: &str) -> PathBuf {
    root().join("tests/consumers").join(name)
}

/// The library of a program: shared, or linked from the archive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    Shared,
    Nothing,
}

/// Looks at what the linker has taken, and makes a refund.
fn check(installed: &Installed, program: &Path, needs: Needs) {
    let dynamic = run(Command::new("readelf").arg("-dW").arg(program)).stdout;
    let dynamic = String::from_utf8(dynamic).unwrap();
    let library = format!("[libpaysvc.so.{}]", paysvc_spec::status::ABI);
    assert_eq!(dynamic.contains(&library), needs == Needs::Shared, "{}: {dynamic}", program.display());
    assert!(dynamic.contains("libpaysvc") == (needs == Needs::Shared), "{}: {dynamic}", program.display());

    let mut command = Command::new(program);
    command.env_clear();
    if needs == Needs::Shared {
        command.env("LD_LIBRARY_PATH", installed.lib());
    }
    refund(&mut command);
}

/// Makes a refund with the program, and looks for it in the sandbox.
fn refund(command: &mut Command) {
    let sandbox = Sandbox::start(&[]);
    sandbox.post("/sandbox/orders", &json!({"reference": "ORDER-1", "amount": "25.50", "paid": true}));
    command.env("PAYSVC_BASE_URL", sandbox.text("base_url")).env("PAYSVC_SECRET_KEY", sandbox.text("secret_key"));
    let printed = String::from_utf8(run(command.args(["ORDER-1", "10.00"])).stdout).unwrap();
    assert_eq!(printed.trim_end(), "CONFIRMED: Refund has been initiated", "{command:?}");
    assert_eq!(sandbox.effects("refund_made"), 1, "{command:?}: {:?}", sandbox.ledger());
}

/// pkg-config with the installed files only.
fn pkg_config(installed: &Installed, words: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_LIBDIR", installed.lib().join("pkgconfig")).env_remove("PKG_CONFIG_PATH");
    let output = run(command.args(words));
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

/// Compiles a program; the words after the source are the linker's.
fn compile(installed: &Installed, compiler: &str, flags: &[&str], source: &Path, link: &[String]) -> PathBuf {
    let program = installed.work().join("program");
    run(Command::new(compiler).args(flags).arg(source).args(link).arg("-o").arg(&program));
    program
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn a_compiler_and_its_options_are_enough() {
    let installed = Installed::in_libdir("lib");
    let folders = [format!("-I{}/include", installed.prefix().display()), format!("-L{}", installed.lib().display())];
    let shared = [&folders[..], &owned(&["-lpaysvc"])].concat();
    let archive = format!("{}/libpaysvc.a", installed.lib().display());
    let archive = [&folders[..1], &[archive], &static_libraries()].concat();
    let newest: &[&str] = &["-std=c++20", "-pedantic", "-Wall", "-Wextra", "-Werror"];
    for (compiler, flags, file) in [
        ("cc", C89, "refund.c"),
        ("c++", &["-std=c++98", "-pedantic", "-Wall", "-Wextra", "-Werror", "-x", "c++"], "refund.c"),
        ("c++", newest, "refund.cpp"),
    ] {
        for (needs, link) in [(Needs::Shared, &shared), (Needs::Nothing, &archive)] {
            // -x would hold for the archive as well.
            let link = if flags.contains(&"-x") { [&owned(&["-x", "none"]), &link[..]].concat() } else { link.clone() };
            check(&installed, &compile(&installed, compiler, flags, &source(file), &link), needs);
        }
    }
}

#[test]
fn pkg_config_names_what_each_kind_of_linking_needs() {
    for libdir in ["lib", "lib64", "lib/x86_64-linux-gnu"] {
        let installed = Installed::in_libdir(libdir);
        let shared = pkg_config(&installed, &["--cflags", "--libs", "paysvc"]);
        let private = |word: &String| static_libraries().contains(word);
        assert!(!shared.iter().any(private), "a shared library names its own: {shared:?}");
        check(&installed, &compile(&installed, "cc", C89, &source("refund.c"), &shared), Needs::Shared);
        // The shared library lies beside the archive.
        let archive = pkg_config(&installed, &["--cflags", "--libs", "paysvc-static"]);
        check(&installed, &compile(&installed, "cc", C89, &source("refund.c"), &archive), Needs::Nothing);
        for package in ["paysvc", "paysvc-static"] {
            assert_eq!(pkg_config(&installed, &["--modversion", package]), [VERSION]);
        }
        if libdir == "lib" && has_static_c(&Stage::new()) {
            for words in [&["paysvc-static"][..], &["--static", "paysvc"]] {
                let link = pkg_config(&installed, &[&["--cflags", "--libs"], words].concat());
                let link = [owned(&["-static"]), link].concat();
                check(&installed, &compile(&installed, "cc", C89, &source("refund.c"), &link), Needs::Nothing);
            }
        }
    }
}

/// A system root for another machine: the folders in it are named, not those of this machine.
#[test]
fn pkg_config_finds_it_in_a_system_root() {
    let installed = Installed::in_libdir("lib");
    let system = installed.work().to_owned();
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_LIBDIR", installed.lib().join("pkgconfig")).env("PKG_CONFIG_SYSROOT_DIR", &system);
    let words = String::from_utf8(run(command.args(["--cflags", "--libs", "paysvc-static"])).stdout).unwrap();
    let link = words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    check(&installed, &compile(&installed, "cc", C89, &source("refund.c"), &link), Needs::Nothing);
}

fn cmake(installed: &Installed, project: &Path, folder: &str, more: &[&str]) -> (PathBuf, Command) {
    let folder = installed.work().join(folder);
    let command = configure(&installed.prefix(), project, &folder, more);
    (folder, command)
}

fn configure(prefix: &Path, project: &Path, folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new("cmake");
    for variable in ["CMAKE_PREFIX_PATH", "paysvc_DIR", "paysvc_ROOT", "CFLAGS", "CXXFLAGS", "LDFLAGS"] {
        command.env_remove(variable);
    }
    command.arg("-S").arg(project).arg("-B").arg(folder).args(more);
    // Nothing that this machine may have.
    command.arg("-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF").arg("-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF");
    command.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    command
}

#[test]
fn cmake_finds_both_libraries() {
    let multiarch = String::from_utf8(run(Command::new("cc").arg("-print-multiarch")).stdout).unwrap();
    let multiarch = format!("lib/{}", multiarch.trim());
    for libdir in ["lib", "lib64", &multiarch] {
        if libdir == "lib/" {
            continue;
        }
        let installed = Installed::in_libdir(libdir);
        // Debian's CMake does not look into lib64 by itself.
        let lib64 = installed.work().join("lib64.cmake");
        std::fs::write(&lib64, "set_property(GLOBAL PROPERTY FIND_LIBRARY_USE_LIB64_PATHS TRUE)\n").unwrap();
        let lib64 = format!("-DCMAKE_PROJECT_consumer_INCLUDE={}", lib64.display());
        let (folder, mut configure) = cmake(&installed, &root().join("tests/consumers"), "built", &[&lib64]);
        run(&mut configure);
        let programs = [
            ("shared", Needs::Shared),
            ("static", Needs::Nothing),
            ("shared-cpp", Needs::Shared),
            ("static-cpp", Needs::Nothing),
        ];
        // The language does not change where a library is found.
        for (name, needs) in &programs[..if libdir == "lib" { 4 } else { 2 }] {
            run(Command::new("cmake").arg("--build").arg(&folder).args(["--target", name]));
            check(&installed, &folder.join(name), *needs);
        }
    }
}

#[test]
fn the_page_is_true_for_cmake() {
    let page = std::fs::read_to_string(root().join("docs/linking.md")).unwrap();
    let block = page.split("```cmake\n").nth(1).unwrap().split("```").next().unwrap();
    let installed = Installed::in_libdir("lib");
    for (name, target, needs) in
        [("shared", "paysvc::paysvc", Needs::Shared), ("static", "paysvc::static", Needs::Nothing)]
    {
        let project = installed.work().join(name);
        std::fs::create_dir(&project).unwrap();
        std::fs::copy(source("refund.c"), project.join("charge.c")).unwrap();
        assert!(block.contains(target), "{block}");
        let block = block.replace("paysvc::paysvc", target);
        let begins = "cmake_minimum_required(VERSION 3.13)\nproject(charge C)\nadd_executable(charge charge.c)\n";
        std::fs::write(project.join("CMakeLists.txt"), format!("{begins}{block}")).unwrap();
        let (folder, mut configure) = cmake(&installed, &project, &format!("{name}-built"), &[]);
        run(&mut configure);
        run(Command::new("cmake").arg("--build").arg(&folder));
        check(&installed, &folder.join("charge"), needs);
    }
}

/// CMake checks a version, a pointer size and a system; the rule is in the package's own file.
#[test]
fn cmake_refuses_a_newer_version_another_pointer_size_and_another_system() {
    assert_eq!(paysvc_spec::status::ABI, 1, "which versions have this ABI? packaging/paysvcConfigVersion.cmake.in");
    let installed = Installed::in_libdir("lib");
    let [major, minor, patch] = VERSION.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u32>>()[..] else {
        panic!("{VERSION}")
    };
    let exactly = format!("{VERSION}=");
    let short = format!("{major}.{minor}");
    let newer = [format!("{major}.{minor}.{}", patch + 1), format!("{major}.{}", minor + 1), format!("{}", major + 1)];
    let up_to = [format!("0.1...{VERSION}"), format!("0.1...<{}", newer[1]), format!("0.1...{}", newer[2])];
    let before = [format!("0.1...<{VERSION}"), "0.0.1...0.0.9".to_owned(), "0.1.0=".to_owned()];
    let good = [&["0", "0.1", "0.1.0", &short, VERSION, &exactly].map(str::to_owned)[..], &up_to].concat();
    let bad = [&newer[..], &before].concat();

    let project = installed.work().join("versions");
    std::fs::create_dir(&project).unwrap();
    std::fs::copy(source("versions.cmake"), project.join("CMakeLists.txt")).unwrap();
    let versions = format!("-DVERSIONS={}", [&good[..], &bad].concat().join(";"));
    let (_, mut configure) = cmake(&installed, &project, "tried", &[&versions]);
    let printed = String::from_utf8(run(&mut configure).stdout).unwrap();
    let tried = |name: &str| {
        let begins = format!("-- try {name}: ");
        printed.lines().find_map(|line| line.strip_prefix(&begins)).unwrap_or_else(|| panic!("{name}: {printed}"))
    };
    for version in &good {
        assert_eq!(tried(version), VERSION, "{version}");
    }
    for version in &bad {
        assert_eq!(tried(version), format!("refused {VERSION}"), "{version}");
    }
    let (fits, other) = if cfg!(target_pointer_width = "64") { (8, 4) } else { (4, 8) };
    assert_eq!(tried(&format!("{fits} bytes")), VERSION);
    assert_eq!(tried(&format!("{other} bytes")), format!("refused {VERSION} ({} bit)", fits * 8));
    assert_eq!(tried("Linux"), VERSION);
    assert_eq!(tried("Windows"), format!("refused {VERSION} (Linux)"));
}

/// Without the archive, or without the shared library, as packages may divide them: the other one can be used.
#[test]
fn cmake_offers_only_the_libraries_that_are_there() {
    let installed = Installed::in_libdir("lib");
    let project = installed.work().join("offered");
    std::fs::create_dir(&project).unwrap();
    let text = "cmake_minimum_required(VERSION 3.13)\nproject(offered C)\nfind_package(paysvc REQUIRED)\n\
                foreach(name paysvc static)\n  if(TARGET paysvc::${name})\n    message(STATUS \"has ${name}\")\n  endif()\nendforeach()\n";
    std::fs::write(project.join("CMakeLists.txt"), text).unwrap();
    let offered = |folder: &str| {
        let output = cmake(&installed, &project, folder, &[]).1.output().unwrap();
        let text = output_of(&output);
        (output.status.success(), ["paysvc", "static"].map(|name| text.contains(&format!("has {name}\n"))), text)
    };
    let (_, both, text) = offered("both");
    assert_eq!(both, [true, true], "{text}");
    std::fs::remove_file(installed.lib().join("libpaysvc.a")).unwrap();
    assert_eq!(offered("one").1, [true, false]);
    std::fs::remove_file(installed.lib().join(format!("libpaysvc.so.{}", paysvc_spec::status::ABI))).unwrap();
    let (found, _, text) = offered("none");
    assert!(!found && text.contains("has no library of paysvc for this compiler"), "{text}");
}

/// Both archives have Rust's standard library. Were its symbols global, they would clash.
#[test]
fn another_archive_of_rust_can_be_in_the_same_program() {
    let installed = Installed::in_libdir("lib");
    let other = installed.work().join("libother.a");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "staticlib", "-O", "-o"]).arg(&other);
    run(rustc.arg(source("other.rs")));
    let ours = pkg_config(&installed, &["--cflags", "--libs", "paysvc-static"]);
    let other = vec![other.to_str().unwrap().to_owned()];
    for link in [[&other[..], &ours].concat(), [&ours[..], &other, &ours].concat()] {
        check(&installed, &compile(&installed, "cc", C89, &source("both.c"), &link), Needs::Nothing);
    }
}
