//! `cargo xtask gen` renders every committed file that follows from the tables; `gen --verify` compares them instead.
//! `cargo xtask man FOLDER` makes the manual pages of the C interface.
//! `cargo xtask schema FOLDER` makes the schema for programs that render data types.
//! `cargo xtask licences` renders the licences of what the libraries and the sandbox contain.

#![forbid(unsafe_code)]

use std::env;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask gen [--verify] | man FOLDER | schema FOLDER | licences, each with [--root FOLDER]";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), String> {
    let (task, root) = match words {
        [task @ .., "--root", root] => (task, Path::new(root)),
        task => (task, Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")),
    };
    match task {
        ["gen"] => xtask::generate::write(root)?.iter().for_each(|path| println!("gen: {path}")),
        ["gen", "--verify"] => xtask::generate::verify(root)?,
        ["man", folder] => xtask::generate::man(root, folder.as_ref())?,
        ["schema", folder] => xtask::generate::schema(folder.as_ref())?,
        ["licences"] => xtask::licences::run(root)?,
        _ => return Err(format!("{}? {USAGE}", words.join(" "))),
    }
    Ok(())
}
