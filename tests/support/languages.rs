//! The languages in which programs speak to the library, each with its driver.

use std::path::PathBuf;
use std::process::Command;

use paysvc_platforms::table::Proof;

use super::platform::{Foreign, foreign};
use super::{ASAN, Link, Stage, VALGRIND, bindings, root, sanitized};

/// A way to speak to the library.
pub struct Language {
    pub name: &'static str,
    start: Box<dyn Fn() -> Command + Send>,
    /// The folder of its programs.
    _stage: Stage,
}

impl Language {
    /// Consumes itself, so that its programs stay until the end. `play` gets what makes a command of the driver.
    pub fn run<T>(self, play: impl FnOnce(&dyn Fn() -> Command) -> T) -> T {
        play(&*self.start)
    }
}

/// A driver of each language, and C and C++ in other ways. On another platform: what can be run there, and C on this machine to compare
/// with.
pub fn all() -> Vec<Language> {
    if let Some(platform) = foreign() {
        return of_platform(platform);
    }
    vec![
        c("C", Link::Shared, &["-std=c89", "-pedantic"], &[]),
        match sanitized::archive() {
            Some(_) => c("C, archive, both sanitized", Link::Sanitized, &[], &[]),
            None => c("C, archive, ASAN in C alone", Link::Static, ASAN, &[]),
        },
        c("C, valgrind", Link::Shared, &[], VALGRIND),
        cpp("C++", &["-std=c++11"]),
        cpp("C++, no exceptions", &["-std=c++20", "-fno-exceptions"]),
        go(),
        python(),
    ]
}

/// C alone, for tests that are not about languages.
pub fn c_only() -> Language {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &["-std=c89", "-pedantic"]);
    compiled("C", stage, program)
}

fn of_platform(platform: &'static Foreign) -> Vec<Language> {
    let mut languages = vec![c_in(Stage::native(), "C, this machine", Link::Shared, &["-std=c89", "-pedantic"], &[])];
    for proof in platform.proofs() {
        languages.push(match proof {
            Proof::C => c_only(),
            Proof::Cpp => cpp("C++", &["-std=c++11"]),
            Proof::Go => go(),
            Proof::GoStatic => go_alone(platform),
            Proof::Python => python(),
            Proof::UnitTests | Proof::AllFaults | Proof::SomeFaults | Proof::Cancel => continue,
        });
    }
    languages
}

fn c(name: &'static str, link: Link, flags: &[&str], wrapper: &'static [&str]) -> Language {
    c_in(Stage::new(), name, link, flags, wrapper)
}

fn c_in(stage: Stage, name: &'static str, link: Link, flags: &[&str], wrapper: &'static [&str]) -> Language {
    let program = stage.cc(&root().join("tests/c/driver.c"), link, flags);
    let libraries = stage.path().join("build/lib");
    let start = move || {
        let mut words = wrapper.iter().map(|word| word.to_string()).chain([program.to_str().unwrap().to_owned()]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).env("LD_LIBRARY_PATH", &libraries);
        command
    };
    Language { name, start: Box::new(start), _stage: stage }
}

fn cpp(name: &'static str, flags: &[&str]) -> Language {
    let stage = Stage::new();
    let program = stage.cpp(&root().join("tests/cpp/driver.cpp"), Link::Shared, flags);
    compiled(name, stage, program)
}

fn go() -> Language {
    let stage = Stage::new();
    let program = stage.go_build("internal/driver");
    compiled("Go", stage, program)
}

/// Wholly static, in a root with nothing else in it.
fn go_alone(platform: &'static Foreign) -> Language {
    let stage = Stage::new();
    let flags = ["-tags", "paysvc_static", "-ldflags", "-linkmode external -extldflags -static"];
    let built = stage.go_build_with("internal/driver", &flags);
    let empty = stage.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let program = empty.join("driver");
    std::fs::rename(built, &program).unwrap();
    let start = move || platform.in_an_empty_root(&program);
    Language { name: "Go, -static, empty root", start: Box::new(start), _stage: stage }
}

fn compiled(name: &'static str, stage: Stage, program: PathBuf) -> Language {
    let start = stage.starter(program);
    Language { name, start: Box::new(start), _stage: stage }
}

/// Through the wrapper's own methods, from the checkout.
fn python() -> Language {
    let start = || bindings::python("tests/drivers/driver.py");
    Language { name: "Python", start: Box::new(start), _stage: Stage::new() }
}
