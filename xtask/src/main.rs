//! `cargo xtask gen` renders every committed file that follows from the tables; `gen --verify` compares them instead.
//! `cargo xtask libs` builds the libraries of all platforms; `cargo xtask libs-check` runs programs with them there.
//! `cargo xtask licences` renders the licences of what they contain.
//! `cargo xtask interface` prints what the header declares, for a release's list in `spec/released/`.

#![forbid(unsafe_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask gen [--verify] [--root FOLDER], cargo xtask interface [--root FOLDER], \
                     cargo xtask libs [--root FOLDER] [--list | --needs | --check] [TARGET...], \
                     cargo xtask libs-check [--partial] [--quick] [TARGET...], or cargo xtask licences";

#[derive(Clone, Copy, PartialEq)]
enum Task {
    Generate,
    Verify,
    Interface,
}

struct Options {
    task: Task,
    root: PathBuf,
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1).peekable();
    let done = if arguments.next_if_eq("libs").is_some() {
        match arguments.next_if_eq("--root") {
            Some(_) => arguments.next().ok_or(USAGE.into()).and_then(|root| xtask::libs::run(root.as_ref(), arguments)),
            None => xtask::libs::run(root(), arguments),
        }
    } else if arguments.next_if_eq("libs-check").is_some() {
        xtask::proofs::run(root(), arguments)
    } else if arguments.next_if_eq("licences").is_some() {
        xtask::licences::run(root())
    } else {
        options(arguments).and_then(|options| run(&options))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let task = match arguments.next().as_deref() {
        Some("gen") => Task::Generate,
        Some("interface") => Task::Interface,
        _ => return Err(USAGE.into()),
    };
    let mut options = Options { task, root: root().to_owned() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--verify" if task == Task::Generate => options.task = Task::Verify,
            "--root" => options.root = arguments.next().ok_or(USAGE)?.into(),
            _ => return Err(format!("{argument}? {USAGE}")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), String> {
    let root = &options.root;
    match options.task {
        Task::Generate => {
            for path in xtask::generate::write(root)? {
                println!("gen: {path}");
            }
        }
        Task::Verify => xtask::generate::verify(root)?,
        Task::Interface => {
            let header = xtask::header(root, paysvc_spec::ENDPOINTS)?;
            for line in xtask::interface::lines(&header) {
                println!("{line}");
            }
        }
    }
    Ok(())
}
