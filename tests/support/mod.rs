//! The common parts of the tests: the build, the sandbox, C compilers, and a foreign program that drives the library.
#![allow(dead_code)] // Each test program uses its part.

pub mod answers;
pub mod bindings;
mod build;
pub mod capi;
pub mod charge;
pub mod deaf;
mod driven;
pub mod driver;
pub mod header;
pub mod https;
pub mod installed;
pub mod languages;
pub mod markdown;
pub mod memory;
pub mod platform;
pub mod proxy;
pub mod sandbox;
pub mod sanitized;
pub mod server;
pub mod strace;
pub mod target;
pub mod tls;
pub mod verdict_cells;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[allow(unused_imports)] // Each test program uses its part.
pub use paysvc_test_common::left_out::{folder_in_memory, left_out, missing};
#[allow(unused_imports)] // Each test program uses its part.
pub use paysvc_test_common::{http, random};

#[allow(unused_imports)] // Each test program uses its part.
pub use build::{build, debug_file};
use platform::Foreign;

pub const ASAN: &[&str] = &["-fsanitize=address", "-fno-omit-frame-pointer"];

/// Fails with exit status 9 on a leak or a wrong access; what is reachable to the end is no leak.
pub const VALGRIND: &[&str] = &[
    "valgrind",
    "--quiet",
    "--leak-check=full",
    "--show-leak-kinds=definite,indirect,possible",
    "--errors-for-leak-kinds=definite,indirect,possible",
    "--error-exitcode=9",
];

/// Takes the library's settings out of this process's environment, and so out of its children's: the user who runs
/// the tests may have some. Variables that steer the tests are no settings and stay.
pub fn no_settings() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for field in paysvc_spec::settings::CONFIG {
            // SAFETY: before this process calls the library or anything else that reads its environment in C.
            unsafe { std::env::remove_var(paysvc_spec::settings::variable(field.name)) };
        }
    });
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of this test's own with a copy of what was built: build/include, build/lib, build/bin. Removed when
/// dropped. The library is that of the platform which is tested; the programs of build/bin are this machine's.
pub struct Stage {
    folder: tempfile::TempDir,
    platform: Option<&'static Foreign>,
}

impl Stage {
    pub fn new() -> Stage {
        Stage::of(platform::foreign())
    }

    /// For this machine, whatever platform is tested.
    pub fn native() -> Stage {
        Stage::of(None)
    }

    fn of(platform: Option<&'static Foreign>) -> Stage {
        let stage = Stage { folder: tempfile::tempdir().unwrap(), platform };
        for folder in ["include", "lib", "lib/pkgconfig", "bin"] {
            let built = if folder == "bin" { build() } else { stage.library() };
            let (from, to) = (built.join(folder), stage.path().join("build").join(folder));
            std::fs::create_dir_all(&to).unwrap();
            for file in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
                let to = to.join(file.file_name().unwrap());
                // pkg-config's file refers to its own place; the others are large.
                if file.extension().is_some_and(|extension| extension == "pc") {
                    std::fs::copy(file, to).unwrap();
                } else if file.is_file() {
                    std::os::unix::fs::symlink(file, to).unwrap();
                }
            }
        }
        std::fs::write(stage.path().join("functions.inc"), functions_inc()).unwrap();
        stage
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder with include and lib.
    fn library(&self) -> &'static Path {
        self.platform.map_or(build(), |platform| &platform.folder)
    }

    /// `cc` or `c++` of the platform.
    fn compiler(&self, language: &str) -> Command {
        self.platform.map_or_else(|| Command::new(language), |platform| platform.compile(language))
    }

    fn link_shared(&self, command: &mut Command) {
        match self.platform {
            None => _ = command.args(["-Lbuild/lib", "-lpaysvc"]),
            Some(platform) => platform.link_shared(command),
        }
    }

    /// As the compiler names it.
    fn program(&self, path: PathBuf) -> PathBuf {
        self.platform.map_or(path.clone(), |platform| platform.program(path))
    }

    /// Compiles a source of others, as it is.
    pub fn object(&self, source: &Path, flags: &[&str]) -> PathBuf {
        let object = self.path().join(source.with_extension("o").file_name().unwrap());
        run(self.compiler("cc").args(["-w", "-c"]).args(flags).arg(source).arg("-o").arg(&object));
        object
    }

    /// Compiles and links a program; panics with the compiler's words.
    pub fn cc(&self, source: &Path, how: Link, flags: &[&str]) -> PathBuf {
        let program = self.program(self.path().join(format!(
            "{}-{how:?}{}",
            source.file_stem().unwrap().to_str().unwrap(),
            flags.concat().replace('/', "_")
        )));
        let mut command = self.compiler("cc");
        command
            .args(["-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Ibuild/include", "-I."])
            .args(flags)
            .arg(source);
        match how {
            Link::Shared => self.link_shared(&mut command),
            Link::Static => {
                let unwinder = self.platform.and_then(Foreign::unwinder);
                let libraries = libraries_beneath(self.library());
                command.arg("build/lib/libpaysvc.a").args(libraries).args(unwinder);
            }
            Link::Sanitized => {
                let archive = sanitized::archive().expect("the sanitized archive");
                sanitized::count(source);
                command.args(sanitized::FLAGS).arg(archive).args(static_libraries());
            }
        };
        run(command.arg("-o").arg(&program).current_dir(self.path()));
        program
    }

    /// A command that finds the shared library.
    pub fn command(&self, program: &Path) -> Command {
        self.starter(program.to_owned())()
    }

    /// Makes such commands; the program lives as long as the stage.
    pub fn starter(&self, program: PathBuf) -> impl Fn() -> Command + Send + use<> {
        let (platform, libraries) = (self.platform, self.path().join("build/lib"));
        move || {
            if let Some(platform) = platform {
                return platform.command(&program);
            }
            let mut command = Command::new(&program);
            command.env("LD_LIBRARY_PATH", &libraries);
            command
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Link {
    Shared,
    Static,
    /// The archive with the sanitizers in C and Rust together; only where [`sanitized::archive`] is.
    Sanitized,
}

/// The system libraries of a static link, as pkg-config's file names them.
pub fn static_libraries() -> Vec<String> {
    libraries_beneath(build())
}

/// The same for the libraries in that folder.
fn libraries_beneath(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("lib/pkgconfig/paysvc.pc")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Libs.private: ")).unwrap();
    line.split_whitespace().map(str::to_owned).collect()
}

/// Returns whether programs can be linked wholly statically here; prints a message where they cannot.
pub fn has_static_c(stage: &Stage) -> bool {
    let source = stage.path().join("static.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let linked = Command::new("cc").arg("-static").arg(&source).arg("-o").arg(source.with_extension("out")).output();
    let can = linked.unwrap().status.success();
    if !can {
        eprintln!("MISSING: there is no static C library on this machine; wholly static programs are NOT tested");
    }
    can
}

/// The endpoints as a C table of names and functions.
pub fn functions_inc() -> String {
    let line = |row: &paysvc_spec::schema::Endpoint| format!("{{\"{0}\", paysvc_{0}}},\n", row.name);
    paysvc_spec::ENDPOINTS.iter().map(line).collect()
}

/// Runs a command; panics with its output unless it succeeds.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", output_of(&output));
    output
}

pub fn output_of(output: &Output) -> String {
    format!(
        "{}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A key that an encrypted endpoint accepts.
pub fn encryption_key() -> String {
    key_of("rsa2048")
}

/// A longer one, which the good calls of all endpoints fit.
pub fn long_encryption_key() -> String {
    key_of("rsa4096")
}

fn key_of(vector: &str) -> String {
    let text = std::fs::read_to_string(root().join(format!("tests/vectors/{vector}.json"))).unwrap();
    let vector: serde_json::Value = serde_json::from_str(&text).unwrap();
    vector["encryption_key"].as_str().unwrap().to_owned()
}

/// JSON without white space outside of its strings: what the library must have sent.
pub fn compact(json: &str) -> String {
    answers::Tree::parse(json).write()
}

pub fn sha256(bytes: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
