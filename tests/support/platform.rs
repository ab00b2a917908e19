//! The platform whose programs are tested: this machine, or the one of the libraries that `TEST_PLATFORM` names, whose
//! programs are compiled here and run in its emulator, root or loader. The sandbox is this machine's in any case.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use paysvc_platforms::compile;
use paysvc_platforms::table::{Platform, Proof, Runner, System, platform};

use super::root;

/// Another platform than this machine.
#[derive(Debug)]
pub struct Foreign {
    pub row: &'static Platform,
    /// include, lib, and bin on Windows.
    pub folder: PathBuf,
}

/// The platform that `TEST_PLATFORM` names; without it the tests are about this machine.
pub fn foreign() -> Option<&'static Foreign> {
    static FOREIGN: OnceLock<Option<Foreign>> = OnceLock::new();
    FOREIGN
        .get_or_init(|| {
            let target = std::env::var("TEST_PLATFORM").ok()?;
            let row = platform(&target).unwrap_or_else(|| panic!("TEST_PLATFORM: there is no platform {target}"));
            let folder = root().join("build/libs").join(row.target);
            let built = folder.join("include/paysvc.h").exists();
            assert!(built, "{} is not there: run `make libs TARGET={target}` first", folder.display());
            Some(Foreign { row, folder })
        })
        .as_ref()
}

impl Foreign {
    /// The proofs that run on it: `TEST_QUICK` leaves the C program.
    pub fn proofs(&self) -> &'static [Proof] {
        if std::env::var_os("TEST_QUICK").is_some() { &[Proof::C] } else { self.row.proofs }
    }

    pub fn windows(&self) -> bool {
        matches!(self.row.system, System::Windows(_))
    }

    /// The compiler in words; `cc` or `c++`.
    pub fn compiler(&self, language: &str) -> Vec<String> {
        compile::compiler(self.row, zig(), language)
    }

    pub fn compile(&self, language: &str) -> Command {
        let words = self.compiler(language);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// Adds the flags that link the shared library, and others that the system's compiler needs.
    pub fn link_shared(&self, command: &mut Command) {
        if self.windows() {
            // -static is about the compiler's own libraries; the import library is named by its path.
            command.arg(self.folder.join("lib/libpaysvc.dll.a")).arg("-static");
        } else {
            command.arg(format!("-L{}", self.folder.join("lib").display())).arg("-lpaysvc");
        }
    }

    /// The library that a program needs besides the static one.
    pub fn unwinder(&self) -> Option<&'static str> {
        compile::unwinder(self.row)
    }

    /// As the compiler names it.
    pub fn program(&self, path: PathBuf) -> PathBuf {
        if self.windows() { PathBuf::from(format!("{}.exe", path.display())) } else { path }
    }

    /// A command that runs a program of the platform, which finds the shared library.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = compile::runner(root(), self.row.runner.word(), program);
        if self.windows() {
            command.env("WINEPATH", self.file(&self.folder.join("bin")));
        } else {
            command.env("LD_LIBRARY_PATH", self.folder.join("lib"));
        }
        command
    }

    /// The program is alone in its folder, which is the root that it sees.
    pub fn in_an_empty_root(&self, program: &Path) -> Command {
        compile::runner(root(), "empty", program)
    }

    /// A file of this machine as programs of the platform name it.
    pub fn file(&self, path: &Path) -> String {
        compile::file(self.row, path.to_str().unwrap())
    }

    /// The client's configuration with its files as programs of the platform name them.
    pub fn config(&self, config: &str) -> String {
        let Ok(mut config) = serde_json::from_str::<serde_json::Value>(config) else { return config.to_owned() };
        for (name, value) in config.as_object_mut().into_iter().flatten() {
            if let (true, Some(path)) = (name.ends_with("_file"), value.as_str()) {
                *value = self.file(path.as_ref()).into();
            }
        }
        config.to_string()
    }

    /// GOOS and GOARCH.
    pub fn go(&self) -> (&'static str, &'static str) {
        let system = if self.windows() { "windows" } else { "linux" };
        match self.row.target.split('-').next() {
            Some("x86_64") => (system, "amd64"),
            Some("i686") => (system, "386"),
            Some("aarch64") => (system, "arm64"),
            Some("armv7") => (system, "arm"),
            other => panic!("Go's name of {other:?}?"),
        }
    }

    /// The platform's own Python, where its root has one.
    pub fn python(&self) -> Option<Command> {
        (self.row.runner == Runner::Debian11).then(|| self.command("/usr/bin/python3".as_ref()))
    }
}

/// The compiler for all Linux platforms, where `make libs` installs it or on the PATH; `ZIG` names another one.
pub fn zig() -> &'static Path {
    static ZIG: OnceLock<PathBuf> = OnceLock::new();
    ZIG.get_or_init(|| {
        if let Some(zig) = std::env::var_os("ZIG") {
            return zig.into();
        }
        let libraries = std::fs::read_dir(root().join("build/tools/venv/lib")).into_iter().flatten();
        let mut pythons = libraries.map(|entry| entry.unwrap().path().join("site-packages/ziglang/zig"));
        pythons.find(|zig| zig.exists()).unwrap_or("zig".into())
    })
}
