//! The libraries for Windows in programs that link or load them in every way in which a till may, under Wine:
//! `TEST_PLATFORM` names the platform. C#, Delphi and VB6, which call the DLL by its exported names as `loader.c`
//! does, are not tried here, and neither is Microsoft's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::platform::{Foreign, foreign, zig};
use crate::support::sandbox::Sandbox;
use crate::support::{left_out, output_of, root, run};

/// The flags that every program is compiled with.
const WARNINGS: &[&str] = &["-g", "-Wall", "-Wextra", "-Werror"];
const C89: &[&str] = &["-std=c89", "-pedantic"];

/// A folder for programs, and the service that they call.
struct Till {
    platform: &'static Foreign,
    folder: tempfile::TempDir,
    sandbox: Sandbox,
    programs: AtomicUsize,
}

impl Till {
    fn new() -> Option<Till> {
        let Some(platform) = foreign().filter(|platform| platform.windows()) else {
            left_out("programs that link the libraries for Windows are NOT tested: `make libs-check` does it");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        Some(Till { platform, folder, sandbox: Sandbox::start(&[]), programs: AtomicUsize::new(0) })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn library(&self, name: &str) -> String {
        self.platform.folder.join(name).display().to_string()
    }

    fn is_32_bit(&self) -> bool {
        self.platform.row.pointer_bits == 32
    }

    /// One of the platform's binutils.
    fn tool(&self, name: &str) -> Command {
        Command::new(format!("{}{name}", self.platform.row.binutils.0))
    }

    fn new_name(&self) -> String {
        format!("till-{}", self.programs.fetch_add(1, Ordering::Relaxed))
    }

    /// Compiles and links a program of tests/c/windows; `cc` or `c++`.
    fn program(&self, language: &str, source: &str, flags: &[&str], libraries: &[String]) -> PathBuf {
        let headers = self.library("include");
        self.program_with(language, source, &[flags, &["-I", &headers]].concat(), libraries)
    }

    fn program_with(&self, language: &str, source: &str, flags: &[&str], libraries: &[String]) -> PathBuf {
        let program = self.path(&(self.new_name() + ".exe"));
        let mut command = self.platform.compile(language);
        command
            .args(WARNINGS)
            .args(flags)
            .args(["-x", if source.ends_with(".c") && language == "cc" { "c" } else { "c++" }]);
        command.arg(root().join("tests/c/windows").join(source)).args(["-x", "none"]).args(libraries);
        run(command.arg("-o").arg(&program));
        program
    }

    fn imports(&self) -> Vec<String> {
        vec![self.library("lib/libpaysvc.dll.a")]
    }

    /// The static library with the flags of pkg-config's file.
    fn statically(&self) -> Vec<String> {
        let file = self.platform.folder.join("lib/pkgconfig/paysvc-static.pc");
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let words = text.lines().find_map(|line| line.strip_prefix("Libs: ")).expect("Libs");
        let system = words.split_whitespace().filter(|word| word.starts_with("-l") && !word.starts_with("-l:"));
        // Its C compiler's own libraries are to be in the program, too.
        let mut libraries = vec![self.library("lib/libpaysvc.a"), "-static".to_owned()];
        libraries.extend(system.map(str::to_owned));
        libraries
    }

    /// Runs a program with the configuration and a new reference.
    fn run(&self, program: &Path) {
        let output = self.start(program).output().unwrap();
        assert!(output.status.success(), "{}: {}", program.display(), output_of(&output));
    }

    fn start(&self, program: &Path) -> Command {
        let mut command = self.platform.command(program);
        command.arg(self.config()).arg(format!("R-{}", self.new_name()));
        command
    }

    fn config(&self) -> String {
        self.platform.config(&self.sandbox.config().to_string())
    }

    /// The only DLLs of a program or DLL, in lower case.
    fn needed(&self, file: &Path) -> Vec<String> {
        let output = String::from_utf8(run(self.tool("objdump").arg("-p").arg(file)).stdout).unwrap();
        output.lines().filter_map(|line| line.trim().strip_prefix("DLL Name: ")).map(str::to_lowercase).collect()
    }
}

/// The objects of a program in C, linked as Microsoft's linker links: by zig's linker that reads its options.
fn linked_by_lld_link(till: &Till, library: &str) -> PathBuf {
    let (object, program) = (till.path("bare.o"), till.path("bare.exe"));
    let mut command = till.platform.compile("cc");
    command.args(WARNINGS).arg("-c").arg(root().join("tests/c/windows/bare.c")).arg("-I").arg(till.library("include"));
    run(command.arg("-o").arg(&object));
    let kernel = run(till.platform.compile("cc").arg("-print-file-name=libkernel32.a"));
    let mut command = Command::new(zig());
    command.args(["lld-link", "/subsystem:console", "/entry:start"]);
    // MinGW's objects list no exception handlers, and /safeseh:no asks for none.
    command.args(if till.is_32_bit() { &["/machine:x86", "/safeseh:no"][..] } else { &["/machine:x64"] });
    command.arg(format!("/out:{}", program.display())).arg(&object).arg(library);
    run(command.arg(String::from_utf8(kernel.stdout).unwrap().trim()));
    program
}

#[test]
fn programs_in_c_link_the_dll_through_every_import_library() {
    let Some(till) = Till::new() else { return };
    let of_def = till.path("libfrom_def.a");
    run(till.tool("dlltool").arg("-d").arg(till.library("lib/paysvc.def")).arg("-l").arg(&of_def));
    let by_name = [format!("-L{}", till.library("lib")), "-lpaysvc".to_owned()];
    let programs = [
        till.program("cc", "consumer.c", C89, &by_name),
        till.program("cc", "consumer.c", &["-std=c11"], &till.imports()),
        till.program("cc", "consumer.c", C89, &[till.library("lib/paysvc.lib")]),
        till.program("cc", "consumer.c", C89, &[of_def.display().to_string()]),
        till.program("c++", "consumer.c", &["-std=c++98", "-pedantic", "-static"], &till.imports()),
        linked_by_lld_link(&till, &till.library("lib/paysvc.lib")),
    ];
    for program in programs {
        assert!(till.needed(&program).contains(&"paysvc.dll".to_owned()), "{}", program.display());
        till.run(&program);
    }
}

#[test]
fn programs_in_cpp_use_the_wrapper() {
    let Some(till) = Till::new() else { return };
    let mut imports = till.imports();
    imports.push("-static".to_owned());
    for (standard, libraries) in
        [("-std=c++11", &imports), ("-std=c++20", &imports), ("-std=c++20", &till.statically())]
    {
        till.run(&till.program("c++", "consumer.cpp", &[standard], libraries));
    }
}

/// The header names the calling convention, so a program may have any default.
#[test]
fn a_32_bit_program_may_have_another_default_calling_convention() {
    let Some(till) = Till::new().filter(Till::is_32_bit) else { return };
    till.run(&till.program("cc", "consumer.c", &["-mrtd"], &till.imports()));
    till.run(&till.program("cc", "consumer.c", &["-mrtd"], &till.statically()));

    // The program would notice: without the word, it assumes its own default convention for the functions.
    let header = std::fs::read_to_string(till.library("include/paysvc.h")).unwrap();
    let (from, to) = ("#define PAYSVC_CDECL __cdecl\n", "#define PAYSVC_CDECL\n");
    assert!(header.contains(from));
    std::fs::write(till.path("paysvc.h"), header.replace(from, to)).unwrap();
    let folder = till.folder.path().display().to_string();
    // Its main then has that default, too, which the compiler reports.
    let flags = ["-mrtd", "-Wno-error", "-I", &folder];
    let output = till.start(&till.program_with("cc", "consumer.c", &flags, &till.imports())).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", output_of(&output));
}

/// Another library in Rust, with a standard library of its own.
fn other_library(till: &Till) -> Option<String> {
    let target = till.platform.row.target;
    let folder = till.path("other");
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"staticlib\"]\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let code = "#[unsafe(no_mangle)]\npub extern \"C\" fn other_panics(times: i32) -> i32 {\n    \
                let run = |time: i32| std::thread::spawn(move || if time >= 0 { panic!(\"planted\") }).join().is_err();\n    \
                let caught = |time: i32| std::panic::catch_unwind(|| if run(time) { panic!(\"again\") }).is_err();\n    \
                (0..times).filter(|&time| caught(time)).count() as i32\n}\n";
    std::fs::write(folder.join("src/lib.rs"), code).unwrap();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--release", "--offline", "--target", target]).current_dir(&folder);
    cargo.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("RUSTFLAGS");
    let output = cargo.output().unwrap();
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("can't find crate for `std`") {
        left_out(&format!(
            "two Rust libraries in one program are NOT tested: Rust's standard library for {target} is not here"
        ));
        return None;
    }
    assert!(output.status.success(), "{}", output_of(&output));
    Some(folder.join("target").join(target).join("release/libother.a").display().to_string())
}

#[test]
fn the_static_library_is_linked_alone_and_beside_another_rust_library() {
    let Some(till) = Till::new() else { return };
    let alone = till.program("cc", "consumer.c", &["-DWALKS"], &till.statically());
    assert!(!till.needed(&alone).contains(&"paysvc.dll".to_owned()));
    till.run(&alone);
    let Some(other) = other_library(&till) else { return };
    for at in [0, 1] {
        let mut libraries = till.statically();
        libraries.insert(at, other.clone());
        till.run(&till.program("cc", "consumer.c", &["-DWALKS", "-DOTHER"], &libraries));
    }
}

#[test]
fn the_dll_is_loaded_at_run_time_twice_and_stays() {
    let Some(till) = Till::new() else { return };
    let program = till.program("cc", "loader.c", &["-std=gnu89"], &[]);
    let (dll, copy) = (till.path("paysvc.dll"), till.path("a copy/paysvc.dll"));
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    for to in [&dll, &copy] {
        std::fs::copy(till.library("bin/paysvc.dll"), to).unwrap();
    }
    let mut command = till.platform.command(&program);
    command.args([dll, copy].map(|path| till.platform.file(&path))).arg(till.config());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
}

#[test]
fn the_dll_says_what_it_is() {
    let Some(till) = Till::new() else { return };
    let program = till.program("cc", "version.c", &["-std=gnu89"], &["-lversion".to_owned()]);
    let dll = till.platform.file(till.library("bin/paysvc.dll").as_ref());
    let output = run(till.platform.command(&program).arg(dll));
    let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    let version = env!("CARGO_PKG_VERSION");
    for line in [
        format!("fixed\t{version}.0"),
        "type\t2".to_owned(),
        format!("FileVersion\t{version}"),
        format!("ProductVersion\t{version}"),
        "FileDescription\tClient library for the payments service".to_owned(),
        "InternalName\tpaysvc".to_owned(),
        "OriginalFilename\tpaysvc.dll".to_owned(),
        "ProductName\tlibpaysvc".to_owned(),
    ] {
        assert!(text.lines().any(|it| it == line), "{line:?} is not in {text}");
    }
}

#[test]
fn the_dll_may_lie_anywhere_in_memory_and_has_its_symbols_elsewhere() {
    let Some(till) = Till::new() else { return };
    let dll = till.library("bin/paysvc.dll");
    let text = String::from_utf8(run(till.tool("objdump").args(["-p", &dll])).stdout).unwrap();
    let mut words = vec!["DYNAMIC_BASE", "NX_COMPAT", "Base Relocation Directory [.reloc]"];
    words.extend((!till.is_32_bit()).then_some("HIGH_ENTROPY_VA"));
    for word in words {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    // Two builds would differ by it.
    assert!(text.lines().any(|line| line.starts_with("Time/Date") && line.ends_with("00:00:00 1970")), "{text}");
    let symbols = |path: &str| String::from_utf8(till.tool("nm").arg(path).output().unwrap().stdout).unwrap();
    assert_eq!(symbols(&dll), "");
    let name = if till.is_32_bit() { " T _paysvc_client_new" } else { " T paysvc_client_new" };
    assert!(symbols(&till.library("lib/debug/paysvc.dll.debug")).lines().any(|line| line.ends_with(name)));
}

#[test]
fn the_libraries_pass_the_checks_of_what_is_handed_out() {
    let Some(till) = Till::new() else { return };
    let found = paysvc_platforms::libs::check_all(root(), till.platform.row, &till.platform.folder).err();
    assert_eq!(found, None);
}
