//! `cargo xtask gen` renders every committed file that follows from the tables; `gen --verify` compares them instead.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

const USAGE: &str = "usage: cargo xtask gen [--verify] [--root FOLDER]";

struct Options {
    verify: bool,
    root: PathBuf,
}

fn main() -> ExitCode {
    match options(env::args().skip(1)).and_then(|options| generate(&options)) {
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

fn generate(options: &Options) -> Result<(), String> {
    let mut different = Vec::new();
    for (path, text) in xtask::files(&options.root)? {
        let committed = options.root.join(path);
        if fs::read(&committed).ok().as_deref() == Some(&*text) {
            continue;
        }
        different.push(path);
        if !options.verify {
            write(&committed, &text)?;
            println!("gen: {path}");
        }
    }
    match options.verify && !different.is_empty() {
        true => Err(format!("not what the tables give: {}; run `cargo xtask gen`", different.join(", "))),
        false => Ok(()),
    }
}

fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    let folder = path.parent().expect("a file in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}
