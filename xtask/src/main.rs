//! `cargo xtask gen` renders every committed file that follows from the tables; `gen --verify` compares them instead.
//! `cargo xtask man FOLDER` makes the manual pages of the C interface.
//! `cargo xtask schema FOLDER` makes the schema for programs that render data types.
//! `cargo xtask licences` renders the licences of what the libraries and the sandbox contain.

#![forbid(unsafe_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask gen [--verify] | man FOLDER | schema FOLDER | licences, each with [--root FOLDER]";

#[derive(PartialEq)]
enum Task {
    Generate,
    Verify,
    /// Into that folder.
    Man(PathBuf),
    /// Into that folder.
    Schema(PathBuf),
    Licences,
}

struct Options {
    task: Task,
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository");
    let task = match arguments.next().as_deref() {
        Some("gen") => Task::Generate,
        Some("man") => Task::Man(arguments.next().ok_or(USAGE)?.into()),
        Some("schema") => Task::Schema(arguments.next().ok_or(USAGE)?.into()),
        Some("licences") => Task::Licences,
        _ => return Err(USAGE.into()),
    };
    let mut options = Options { task, root: root.to_owned() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--verify" if options.task == Task::Generate => options.task = Task::Verify,
            "--root" => options.root = arguments.next().ok_or(USAGE)?.into(),
            _ => return Err(format!("{argument}? {USAGE}")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    let root = &options.root;
    match &options.task {
        Task::Generate => {
            for path in xtask::generate::write(root)? {
                println!("gen: {path}");
            }
        }
        Task::Verify => xtask::generate::verify(root)?,
        Task::Licences => xtask::licences::run(root)?,
        Task::Man(folder) => xtask::generate::man(root, folder)?,
        Task::Schema(folder) => xtask::generate::schema(folder)?,
    }
    Ok(())
}
