//! The languages in which programs speak to the library, each with its driver.

use std::path::PathBuf;
use std::process::Command;

use super::{ASAN, Link, Stage, VALGRIND, bindings, root, sanitized};

/// A way to speak to the library.
pub struct Language {
    pub name: &'static str,
    start: Box<dyn Fn() -> Command + Send>,
    /// What its programs live in.
    _stage: Stage,
}

impl Language {
    /// Takes itself whole, so that its programs stay until the end. `play` gets what makes a command of the driver.
    pub fn run<T>(self, play: impl FnOnce(&dyn Fn() -> Command) -> T) -> T {
        play(&*self.start)
    }
}

/// One driver of each language.
pub fn plain() -> Vec<Language> {
    vec![c("C", Link::Shared, &["-std=c89", "-pedantic"], &[]), cpp("C++", &["-std=c++11"]), go(), python()]
}

/// The same, and C and C++ in other ways.
pub fn all() -> Vec<Language> {
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

fn c(name: &'static str, link: Link, flags: &[&str], wrapper: &'static [&str]) -> Language {
    let stage = Stage::new();
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

fn compiled(name: &'static str, stage: Stage, program: PathBuf) -> Language {
    let libraries = stage.path().join("build/lib");
    let start = move || {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", &libraries);
        command
    };
    Language { name, start: Box::new(start), _stage: stage }
}

/// Through the wrapper's own methods, from the checkout.
fn python() -> Language {
    let start = || bindings::python("tests/drivers/driver.py");
    Language { name: "Python", start: Box::new(start), _stage: Stage::new() }
}
