//! The documents: every shell block works, every block in C compiles, and every link and every file that is named is there.
//!
//! All shell blocks of a document are run in their order, as they are written, in a folder that has what the document says
//! is there. A block that cannot be run has a comment before it that gives the reason.

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
            link(&root().join("bindings/python"), "bindings/python");
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
    // A reader has not set these either.
    command.env_remove("PKG_CONFIG_PATH").env_remove("LD_LIBRARY_PATH").env_remove("PAYSVC_LIBRARY");
    let path = std::env::var("PATH").unwrap();
    match document {
        "README.md" => {
            command.env("PYTHONDONTWRITEBYTECODE", "1");
        }
        "bindings/go/README.md" => {
            // Or the cache would keep the flags of a folder that is gone.
            command.env("GOFLAGS", "-buildvcs=false").env("CGO_CFLAGS", format!("-I{}", stage.path().display()));
            let go = std::env::var("GO").unwrap_or_default();
            let go = Path::new(&go).parent().map(|folder| folder.display().to_string()).unwrap_or_default();
            command.env("PATH", format!("{go}:{path}"));
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
            assert!(tests.exists(), "{} is not there: run `make setup FOR=test`", tests.display());
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
        // In C and Python.
        if document == "README.md" && printed.lines().filter(|line| *line == "paid").count() != 2 {
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

/// Returns an error of a program that the commands made: each must run, and say that nothing is configured.
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

/// Parts of programs, too: each is a file of functions.
#[test]
fn every_block_in_c_compiles() {
    let (stage, mut count) = (Stage::new(), 0);
    for document in documents() {
        for block in blocks(&document).iter().filter(|block| block.language == "c") {
            count += 1;
            std::fs::write(stage.path().join("block.c"), format!("{}\n", block.text)).unwrap();
            let mut cc = Command::new("cc");
            cc.args(["-std=c89", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Ibuild/include"]);
            cc.args(["-include", "stdio.h", "-include", "string.h", "-include", "paysvc.h", "block.c"])
                .current_dir(stage.path());
            let output = cc.output().unwrap();
            assert!(output.status.success(), "{}: {}", block.place, output_of(&output));
        }
    }
    assert!(count > 5, "{count}");
}

/// So what is tested of the package's is true of README's.
#[test]
fn the_program_of_readme_in_python_is_that_of_the_package() {
    let first = |document: &str| blocks(document).into_iter().find(|block| block.language == "python").unwrap().text;
    assert_eq!(first("README.md"), first("bindings/python/README.md"));
}

/// To files and to headings; no link to the network is followed.
#[test]
fn every_link_leads_somewhere() {
    let lychee = root().join("build/venv/bin/lychee");
    assert!(lychee.exists(), "{} is not there: run `make setup FOR=test`", lychee.display());
    let mut command = Command::new(lychee);
    command.args([
        "--offline",
        "--include-fragments",
        "--no-progress",
        "--no-ignore",
        "--exclude",
        "user:password@host",
    ]);
    let output = command.args(documents()).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
}

/// The lines of the tree that match. A bare machine has no git: there the files that a build makes are left out by name.
fn lines_with(pattern: &str) -> String {
    let mut command = Command::new("git");
    command.args(["grep", "-nIiE", pattern, "--", ".", ":!*.lock", ":!fuzz/corpus"]);
    if !root().join(".git").exists() {
        command = Command::new("grep");
        let made = ["target", "build", "corpus", "__pycache__"].map(|name| format!("--exclude-dir={name}"));
        command.args(["-rnIiE", pattern, "--exclude=*.lock"]).args(made).arg(".");
    }
    let output = command.current_dir(root()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// References that no text has, because its reader cannot follow them, and the lines that may.
const NEVER: &str = "issue #?[0-9]|interface [0-9]+\\.[0-9]|§|/tmp/|/home/|/users/|/root/";
const EXCEPTIONS: [&str; 7] =
    ["$work/home/", "$to/home/", "$HOME/", "$bare/root/", "cd /root/libpaysvc", ">/root/t", "const NEVER"];

#[test]
fn no_text_refers_to_what_a_reader_does_not_have() {
    let found = lines_with(NEVER);
    let wrong: Vec<_> = found.lines().filter(|line| !EXCEPTIONS.iter().any(|part| line.contains(part))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(EXCEPTIONS.iter().all(|part| found.contains(part)), "an exception is not needed any more");
}

/// The texts between single backticks.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A path begins with a folder of the root; a build makes build/.
#[test]
fn every_file_that_a_document_names_exists() {
    let (mut count, mut missing) = (0, Vec::new());
    for document in documents() {
        let text = std::fs::read_to_string(root().join(&document)).unwrap();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        let is_path = |text: &&str| {
            let folder =
                text.split_once('/').map(|(folder, _)| folder).filter(|folder| !["", "build"].contains(folder));
            text.chars().all(plain) && folder.is_some_and(|folder| root().join(folder).is_dir())
        };
        for path in code(&text).filter(is_path) {
            count += 1;
            let places = [root().join(path), root().join(&document).with_file_name(path)];
            if !places.iter().any(|place| place.exists()) {
                missing.push(format!("{document} names {path}"));
            }
        }
    }
    assert!(count > 30 && missing.is_empty(), "{count}: {}", missing.join("\n"));
}

/// A word in the last column of SECURITY.md's promises names a file of tests, a fuzz target, a fault of the sandbox, a
/// function, or a system call.
#[test]
fn every_test_that_security_md_names_exists() {
    let text = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (security, header, faults) = (text("SECURITY.md"), text("include/paysvc.h"), text("sandbox/README.md"));
    let rows = security.lines().filter(|line| line.starts_with("| ") && line.matches('|').count() == 3);
    let words = rows.flat_map(|row| code(row.split('|').nth(2).unwrap()));
    let words: Vec<_> = words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect();
    assert!(words.len() > 20, "only {words:?}");
    let is_file = |folder: &str, word: &str| root().join(folder).join(word).with_extension("rs").exists();
    let is_known = |word: &str| {
        is_file("tests/integration", word)
            || is_file("fuzz/fuzz_targets", word)
            || header.contains(&format!("{word}("))
            || faults.contains(&format!("| `{word}` |"))
            || ["fork", "clone"].contains(&word)
    };
    let unknown: Vec<_> = words.into_iter().filter(|word| !is_known(word)).collect();
    assert!(unknown.is_empty(), "SECURITY.md names {unknown:?}");
}
