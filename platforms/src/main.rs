//! `cargo platforms libs` builds the libraries of all platforms; `cargo platforms libs-check` runs programs with them there;
//! `dist` and `dist-check` pack them, and use the packages.

#![forbid(unsafe_code)]

use std::env;
use std::path::Path;
use std::process::ExitCode;

use paysvc_platforms::{dist, libs, proofs};

fn main() -> ExitCode {
    match run(env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("platforms: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this folder lies in the repository");
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let rest = |used: usize| arguments.iter().skip(used).cloned();
    match words[..] {
        ["libs", "--root", root, ..] => libs::run(root.as_ref(), rest(3)),
        ["libs", ..] => libs::run(root, rest(1)),
        ["libs-check", ..] => proofs::run(root, rest(1)),
        ["dist", ..] => dist::run(root, rest(1)),
        ["dist-check", ..] => dist::check(root, rest(1)),
        _ => Err(format!("usage: {}; {}; {}; {}", libs::USAGE, proofs::USAGE, dist::USAGE, dist::CHECK_USAGE)),
    }
}
