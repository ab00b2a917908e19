//! Every shell block of every document works: all of a document are run in their order, as they are written, in a folder
//! that has what the document says is there. What cannot be run says so, and why, in a comment before it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::markdown::{self, Block, Note};
use crate::support::{Stage, build, output_of, root, run};

/// The documents, by path from the root.
fn documents() -> Vec<String> {
    let (mut folders, mut found) = (vec![root().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !name.starts_with('.') && !["target", "build", "node_modules"].contains(&name) {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn blocks(document: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    markdown::blocks(document, &text).unwrap_or_else(|why| panic!("{why}"))
}

/// Writes the files that a document tells its reader to make.
fn save(folder: &Path, blocks: &[Block]) {
    for block in blocks {
        let Some(path) = block.saved_as.as_ref().map(|name| folder.join(name)) else { continue };
        assert!(!path.exists(), "{}: {} is there already", block.place, path.display());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{}\n", block.text)).unwrap();
    }
}

/// The folder in which a document's blocks are run: that of the project, or a program's beside it.
fn folder(stage: &Stage, document: &str) -> PathBuf {
    let here = stage.path();
    let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, here.join(to)).unwrap();
    match document {
        "README.md" => {
            std::fs::create_dir(here.join("bindings")).unwrap();
            for package in ["bindings/go", "bindings/python"] {
                link(&root().join(package), package);
            }
        }
        // It links README's program.
        "docs/linking.md" => save(here, &blocks("README.md")),
        "bindings/go/README.md" => {
            link(here, "libpaysvc");
            std::fs::create_dir(here.join("bindings")).unwrap();
            link(&root().join("bindings/go"), "bindings/go");
            std::fs::create_dir(here.join("charge")).unwrap();
            run(stage.go(&here.join("charge")).args(["mod", "init", "example.com/charge"]));
            return here.join("charge");
        }
        // From a copy: building a wheel leaves files beside its sources.
        "bindings/python/README.md" => {
            let package = here.join("bindings/python");
            std::fs::create_dir_all(&package).unwrap();
            let licences = ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"].map(|name| root().join(name));
            let files = ["pyproject.toml", "setup.py", "README.md", "src"]
                .map(|name| root().join("bindings/python").join(name));
            run(Command::new("cp").arg("-r").args(files).args(licences).arg(package));
        }
        _ => {}
    }
    here.to_owned()
}

/// The shell in which they are run.
fn shell(stage: &Stage, document: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", ". ./script"]);
    for setting in ["base_url", "public_key", "secret_key", "encryption_key", "ca_file"] {
        command.env_remove(format!("PAYSVC_{}", setting.to_uppercase()));
    }
    // Everything is on this machine.
    command.env("no_proxy", "127.0.0.1,localhost").env("NO_PROXY", "127.0.0.1,localhost");
    // What a reader has not set, either.
    command.env_remove("PKG_CONFIG_PATH").env_remove("LD_LIBRARY_PATH").env_remove("PAYSVC_LIBRARY");
    let path = std::env::var("PATH").unwrap();
    match document {
        "README.md" | "bindings/go/README.md" => {
            // Or the cache would keep the flags of a folder that is gone.
            command.env("GOFLAGS", "-buildvcs=false").env("CGO_CFLAGS", format!("-I{}", stage.path().display()));
            let go = std::env::var("GO").unwrap_or_default();
            let go = Path::new(&go).parent().map(|folder| folder.display().to_string()).unwrap_or_default();
            command.env("PATH", format!("{go}:{path}")).env("PYTHONDONTWRITEBYTECODE", "1");
        }
        // Its own environment, and nothing from the network: the library is built, setuptools is what the tests have.
        "bindings/python/README.md" => {
            let environment = stage.path().join("venv");
            run(Command::new("python3").args(["-m", "venv"]).arg(&environment));
            let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
            let at = |python: PathBuf| {
                let output = run(Command::new(&python).args(["-c", packages]));
                String::from_utf8(output.stdout).unwrap().trim().to_owned()
            };
            let tests = root().join("build/venv/bin/python");
            assert!(tests.exists(), "{} is not there: run `make setup-test`", tests.display());
            // Before an older setuptools that Python itself has put there.
            let line = format!("import sys; sys.path.insert(0, {:?})\n", at(tests));
            std::fs::write(format!("{}/tests.pth", at(environment.join("bin/python"))), line).unwrap();
            command.env("PATH", format!("{}:{path}", environment.join("bin").display()));
            // In pip's variables a "no" that is false means yes.
            command.env("PIP_NO_BUILD_ISOLATION", "false").env("PIP_NO_INDEX", "1");
            command.env("PAYSVC_LIBRARY", build().join("lib/libpaysvc.so"));
        }
        _ => {}
    }
    command
}

#[test]
fn every_shell_block_of_every_document_works() {
    let (mut run_in, mut wrong) = (Vec::new(), Vec::new());
    for document in documents() {
        let blocks = blocks(&document);
        if !blocks.iter().any(|block| block.is_shell() && block.note != Note::NotRun) {
            continue;
        }
        let stage = Stage::new();
        let folder = folder(&stage, &document);
        save(&folder, &blocks);
        let (script, expected) = markdown::script(&blocks);
        // The number of what it started in the background.
        std::fs::write(folder.join("script"), format!("trap 'echo $! >background' EXIT\n{script}")).unwrap();
        // Into a file: what is left in the background would keep a pipe open.
        let file = std::fs::File::create(folder.join("printed")).unwrap();
        shell(&stage, &document, &folder).stdout(file).status().unwrap();
        let printed = std::fs::read(folder.join("printed")).unwrap();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let mut found = markdown::judge(&expected, &printed);
        // In C, Python and Go.
        if document == "README.md" && printed.lines().filter(|line| *line == "paid").count() != 3 {
            found.push("README.md: not each of its programs is paid".to_owned());
        }
        if !found.is_empty() {
            found.push(printed);
        }
        wrong.extend(found);
        wrong.extend(left_running(&document, &folder));
        wrong.extend(left_behind(&document, &folder));
        println!("{document}: {} commands", expected.len());
        run_in.push(document);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for name in [
        "README.md",
        "bindings/cpp/README.md",
        "bindings/go/README.md",
        "bindings/python/README.md",
        "docs/linking.md",
        "sandbox/README.md",
    ] {
        assert!(run_in.iter().any(|document| document == name), "no block of {name} was run");
    }
}

/// Ends the process that a document's commands started in the background, and should have ended.
fn left_running(document: &str, folder: &Path) -> Option<String> {
    let process = std::fs::read_to_string(folder.join("background")).ok()?.trim().parse::<u32>().ok()?;
    let runs = || std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z"));
    for _ in 0..100 {
        if !runs() {
            return None;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    run(Command::new("kill").arg(process.to_string()));
    Some(format!("{document}: its commands left a process running"))
}

/// What is wrong with what the commands made: each program must run, and say that nothing is configured.
fn left_behind(document: &str, folder: &Path) -> Option<String> {
    let (program, arguments, says): (&str, &[&str], &str) = match document {
        "docs/linking.md" | "bindings/cpp/README.md" => ("./charge", &[], "base_url"),
        "bindings/python/README.md" => ("venv/bin/python", &["-c", "import paysvc; print(paysvc.__file__)"], "venv"),
        _ => return None,
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("LD_LIBRARY_PATH", "build/lib:../build/lib");
    let output = command.output().unwrap();
    let told = output_of(&output);
    (!told.contains(says)).then(|| format!("{document}: {program}: {told}"))
}

#[test]
fn a_block_of_an_unknown_kind_is_an_error() {
    let of = |text: &str| markdown::blocks("x.md", text).map(|blocks| blocks.into_iter().next().unwrap().note);
    assert_eq!(of("```sh\nls\n```\n"), Ok(Note::None));
    assert_eq!(of("<!-- not run: it takes an hour -->\n\n```sh\nls\n```\n"), Ok(Note::NotRun));
    assert_eq!(of("<!-- serves until the end -->\n```console\n$ ls\n```\n"), Ok(Note::Serves));
    for wrong in [
        "<!-- not run: -->\n```sh\nls\n```\n",
        "<!-- skip -->\n```sh\nls\n```\n",
        "```\n$ ls\n```\n",
        "```bash\nls\n```\n",
    ] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_command_that_fails_or_prints_something_else_is_found() {
    let wrong = |text: &str| {
        let (script, expected) = markdown::script(&markdown::blocks("x.md", text).unwrap());
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        markdown::judge(&expected, &String::from_utf8_lossy(&output.stdout))
    };
    assert_eq!(
        wrong("```sh\nX=1\ntest $X = 1\n```\n```console\n$ echo a$X\na1\n$ echo bcd; false\nb…d\n```\n"),
        [""; 0]
    );
    assert!(wrong("```sh\nfalse\ntrue\n```\n")[0].contains("x.md:1: the last command failed"));
    assert!(wrong("```sh\nfalse\n```\n```sh\ntrue\n```\n")[0].contains("x.md:4: was not reached"));
    assert!(wrong("```console\n$ echo a\nb\n```\n")[0].contains("should print b"));
    assert!(wrong("```console\n$ echo abc\na…d\n```\n")[0].contains("should print a…d"));
}
