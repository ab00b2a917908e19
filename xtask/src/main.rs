//! `cargo xtask gen` renders every committed file that follows from the tables; `gen --verify` compares them instead.

#![forbid(unsafe_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask gen [--verify] [--root FOLDER]";

struct Options {
    verify: bool,
    root: PathBuf,
}

fn main() -> ExitCode {
    match options(env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    if arguments.next().as_deref() != Some("gen") {
        return Err(USAGE.into());
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let mut options = Options { verify: false, root: above.to_owned() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--verify" => options.verify = true,
            "--root" => options.root = arguments.next().ok_or(USAGE)?.into(),
            _ => return Err(format!("{argument}? {USAGE}")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    if options.verify {
        return xtask::generate::verify(&options.root);
    }
    for path in xtask::generate::write(&options.root)? {
        println!("gen: {path}");
    }
    Ok(())
}
