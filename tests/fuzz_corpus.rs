//! Replays the committed corpus of the fuzz targets that need only the C interface, without a fuzzer, and checks how
//! the inputs of all targets name their endpoints. `src/fuzzing` replays the corpus of the other targets.

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::status::{Outcome, State};
use serde_json::Value;

use fuzz::choice::{choose, first_line};
use fuzz::conditions::Verdict;
use fuzz::{ffi, wire};

type Target = fn(&[u8]);

/// One test runs both, one after the other: they share one peer.
const TARGETS: &[(&str, Target)] = &[("ffi", ffi::ffi), ("wire", wire::wire)];

/// Of the target `request`: `paysvc_request`, which has no row.
const RAW: &str = "request";

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
}

/// The committed corpus of a target.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(folder().join("corpus").join(target)).unwrap().map(|file| file.unwrap().path());
    let corpus: Vec<_> = files.map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    assert!(corpus.len() >= 10, "{target} has {} files", corpus.len());
    corpus
}

/// A target in none of the lists would be fuzzed, but its corpus would not be replayed.
#[test]
fn every_target_of_the_fuzzer_is_in_a_list() {
    let files = fs::read_dir(folder().join("fuzz_targets")).unwrap().map(|file| file.unwrap().path());
    let (mut here, mut neither, mut all) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for file in files {
        let (name, source) =
            (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&file).unwrap());
        if source.contains("paysvc_fuzz::") {
            here.insert(name.clone());
        } else if !source.contains("paysvc::fuzzing::") {
            neither.insert(name.clone());
        }
        all.insert(name);
    }
    assert_eq!(here, TARGETS.iter().map(|(name, _)| name.to_string()).collect());
    assert_eq!(neither, BTreeSet::from(["planted".to_owned()]));
    let folders = fs::read_dir(folder().join("corpus")).unwrap();
    let folders: BTreeSet<_> = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, all.difference(&neither).cloned().collect());
}

/// The corpus has the crashes that were fixed. Every entry names its endpoints, so that a new row of the table moves
/// none to another endpoint.
#[test]
fn the_corpus_passes_and_names_its_endpoints() {
    for (target, run) in TARGETS {
        for (file, input) in corpus(target) {
            assert!(std::panic::catch_unwind(|| run(&input)).is_ok(), "{}", file.display());
        }
    }
    let programs = corpus("ffi")
        .into_iter()
        .flat_map(|(file, input)| ffi::run(&input).into_iter().map(move |endpoint| (file.clone(), endpoint)));
    let answers = corpus("wire").into_iter().map(|(file, input)| (file, wire::endpoint(&input).to_vec()));
    let requests = corpus("request").into_iter().map(|(file, input)| (file, first_line(&input).0.to_vec()));
    let requests: Vec<_> = requests.collect();
    let raw = requests.iter().filter(|(_, text)| text == RAW.as_bytes()).count();
    assert!(raw >= 5, "{raw} entries for paysvc_request");
    let endpoints = programs.chain(answers).chain(requests.into_iter().filter(|(_, text)| text != RAW.as_bytes()));
    for (file, text) in endpoints {
        let row = ENDPOINTS.iter().find(|row| row.name.as_bytes() == text);
        let row = row.unwrap_or_else(|| panic!("{} names no endpoint: {}", file.display(), text.escape_ascii()));
        assert_eq!(choose(&text, names()), row.name);
        for added in made_up_names() {
            assert_eq!(choose(&text, names().chain([&*added])), row.name, "{} with {added} added", file.display());
        }
    }
}

fn names<'a>() -> impl Iterator<Item = &'a str> {
    ENDPOINTS.iter().map(|row| row.name)
}

/// Names of rows that the table might get.
fn made_up_names() -> Vec<String> {
    (0..50).map(|index| format!("made_up_{index}")).collect()
}

/// Texts that name no endpoint, as a fuzzer makes them: a new row takes only its share of them.
#[test]
fn a_new_row_takes_its_share_of_the_other_texts_and_moves_none() {
    const TEXTS: usize = 1000;
    let texts: Vec<_> = (0..TEXTS).map(|index| format!("order_refun{index}")).collect();
    let share = TEXTS / (ENDPOINTS.len() + 1);
    for row in ENDPOINTS {
        let chosen = texts.iter().filter(|text| choose(text.as_bytes(), names()) == row.name).count();
        assert!((share / 2..3 * share).contains(&chosen), "{} gets {chosen} of {TEXTS} texts", row.name);
    }
    for added in made_up_names() {
        let mut taken = 0;
        for text in &texts {
            let (before, after) = (choose(text.as_bytes(), names()), choose(text.as_bytes(), names().chain([&*added])));
            assert!(after == before || after == added, "{text} moves from {before} to {after}");
            taken += usize::from(after == added);
        }
        assert!((share / 2..2 * share).contains(&taken), "{added} takes {taken} of {TEXTS} texts");
    }
}

/// Each of these verdicts is wrong, and the conditions find it; UNKNOWN passes for the same answer.
#[test]
fn the_conditions_find_wrong_verdicts() {
    const CONFIRMED: i32 = Outcome::Confirmed as i32;
    const REJECTED: i32 = Outcome::Rejected as i32;
    let (none, successful) = (State::NONE.0, State::SUCCESSFUL.0);
    let refund = paysvc_spec::endpoint("order_refund");
    let details = paysvc_spec::endpoint("transaction_details");
    for (row, http_status, body, outcome, state) in [
        (refund, 302, r#"{"status":true}"#, CONFIRMED, none),
        (refund, 200, r#"{"message":"done"}"#, CONFIRMED, none),
        (refund, 200, r#"{"status":true,"errors":{"a":"b"}}"#, CONFIRMED, none),
        (refund, 200, r#"{"status":true,"error":" x "}"#, CONFIRMED, none),
        (refund, 200, r#"{"status":true,"success":false}"#, CONFIRMED, none),
        (refund, 200, r#"{"isSuccess":true,"status":"Declined "}"#, CONFIRMED, none),
        (refund, 200, r#"{"status":true,"data":{"isSuccess":"no"}}"#, CONFIRMED, none),
        (refund, 200, r#"{"status":true,"data":{"statusId":2}}"#, CONFIRMED, successful),
        (refund, 408, r#"{"status":false}"#, REJECTED, none),
        (refund, 503, r#"{"status":false}"#, REJECTED, none),
        (refund, 200, r#"{"status":true}"#, REJECTED, none),
        (refund, 400, r#"{"status":false,"data":[{"statusId":2}]}"#, REJECTED, none),
        (refund, 400, r#"{"status":true,"data":{"statusId":5}}"#, REJECTED, successful),
        (details, 200, r#"{"message":"done"}"#, CONFIRMED, none),
        (details, 200, r#"{"status":true,"data":{"statusId":5}}"#, Outcome::Unknown as i32, successful),
    ] {
        let value: Value = serde_json::from_str(body).unwrap();
        let verdict = |outcome, state| Verdict {
            safety: row.safety,
            expected: &row.answer,
            http_status,
            body: Some(&value),
            outcome,
            state,
        };
        verdict(Outcome::Unknown as i32, none).check();
        let wrong = std::panic::catch_unwind(|| verdict(outcome, state).check());
        assert!(wrong.is_err(), "HTTP {http_status} {body}: outcome {outcome}, state {state} passes");
    }
}
