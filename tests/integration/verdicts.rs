//! The verdicts, as tables and from outside: a C program that links the library compares it with an independent reading
//! of the table (`tests/c/verdict_oracle.c`, written from the document and not from the code) over hand-written answers
//! (`tests/verdict_cells.json`) and over made-up ones.
//!
//! `PAYSVC_VERDICTS` is how many are made up and `PAYSVC_VERDICTS_SEED` the seed; `PAYSVC_VERDICTS_INDEX` shows one of
//! them in full.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::{Link, Stage, encryption_key, output_of, root, run};

const SANITIZERS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

fn cells() -> PathBuf {
    root().join("tests/verdict_cells.json")
}

/// The program with all its files, which are named in a file of arguments, as the program is named after its flags.
fn program(stage: &Stage, flags: &[&str]) -> PathBuf {
    let folder = root().join("tests/c");
    let mut sources: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("verdict_") && name.ends_with(".c"))
        .map(|name| format!("\"{}\"", folder.join(name).display()))
        .collect();
    sources.sort();
    std::fs::write(stage.path().join("sources"), sources.join("\n")).unwrap();
    let usual = ["-std=c99", "-pedantic", "-D_DEFAULT_SOURCE", "-pthread", "@sources"];
    stage.cc(&folder.join("verdicts.c"), Link::Shared, &[&usual, flags].concat())
}

fn oracle(stage: &Stage, program: &Path, cells: &Path) -> Output {
    stage.command(program).arg("oracle").arg(cells).output().unwrap()
}

/// Numbers from the environment, or the defaults.
fn number(name: &str, otherwise: u64) -> String {
    let text = std::env::var(name).unwrap_or_else(|_| otherwise.to_string());
    assert!(text.parse::<u64>().is_ok(), "{name} is no number: {text}");
    text
}

#[test]
fn the_oracle_reads_every_cell_as_it_is_written() {
    let stage = Stage::new();
    let program = program(&stage, SANITIZERS);
    let output = oracle(&stage, &program, &cells());
    assert!(output.status.success(), "{}", output_of(&output));

    // A wrong cell is found.
    let mut wrong: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(cells()).unwrap()).unwrap();
    wrong[0]["outcome"] = "CONFIRMED".into();
    let file = stage.path().join("wrong.json");
    std::fs::write(&file, serde_json::to_string(&wrong).unwrap()).unwrap();
    let output = oracle(&stage, &program, &file);
    assert_eq!(output.status.code(), Some(1), "{}", output_of(&output));
}

#[test]
fn every_line_of_the_table_has_cells() {
    let cells: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(cells()).unwrap()).unwrap();
    let seen: BTreeSet<(String, bool)> =
        cells.iter().map(|cell| (cell["line"].as_str().unwrap().to_owned(), cell["after_429"] != 0)).collect();
    for line in 1..=20 {
        for after_429 in [false, true] {
            assert!(seen.contains(&(line.to_string(), after_429)), "no cell for line {line}, after 429: {after_429}");
        }
    }
    for line in [
        "transport",
        "3",
        "5xx",
        "408",
        "6",
        "twice",
        "429",
        "16",
        "7",
        "4xx",
        "subject",
        "subject, no state",
        "F",
        "S",
        "bare",
        "nothing",
    ] {
        assert!(seen.contains(&(format!("read {line}"), false)), "no cell for reading: {line}");
    }
}

#[test]
fn the_library_agrees_with_the_oracle_on_every_cell() {
    let stage = Stage::new();
    let program = program(&stage, &[]);
    run(stage.command(&program).arg("cells").arg(cells()).arg(encryption_key()));
}

#[test]
fn the_library_agrees_with_the_oracle_on_made_up_answers() {
    let stage = Stage::new();
    let program = program(&stage, &[]);
    let (count, seed) = (number("PAYSVC_VERDICTS", 5000), number("PAYSVC_VERDICTS_SEED", 1));
    let mut command = stage.command(&program);
    command.args(["random", &encryption_key(), &count, &seed]);
    command.args(std::env::var("PAYSVC_VERDICTS_INDEX").ok());
    let output = run(&mut command);
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

/// With a defect planted in the oracle the program finds a difference, and says how to see it again.
#[test]
fn a_planted_difference_is_found() {
    let stage = Stage::new();
    let program = program(&stage, &["-DPLANTED_DIFFERENCE"]);
    let output = stage.command(&program).args(["random", &encryption_key(), "5000", "1"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", output_of(&output));
    assert!(text.contains("line 12 after 429: table E_REJECTED REJECTED"), "{}", output_of(&output));
    assert!(text.contains("DIFFERENT: seed 1 index "), "{}", output_of(&output));
}
