//! Replays the committed corpus of these targets, and checks how the inputs of all targets name their endpoints.

use std::collections::BTreeSet;
use std::fs;

use paysvc_spec::ENDPOINTS;

use super::*;
use crate::fuzzing::Target;
use crate::fuzzing::corpus::{corpus, folder, replay};
use crate::fuzzing::tests::{made_up_names, names};
use crate::fuzzing::{choose, first_line};

/// One test runs both, one after the other: they share one peer.
const TARGETS: &[(&str, Target)] = &[("ffi", ffi), ("wire", wire)];

/// The target `request`: `paysvc_request`, which has no row.
const RAW: &str = "request";

/// A target in none of the lists would be fuzzed, but its corpus would not be replayed.
#[test]
fn every_target_of_the_fuzzer_is_in_a_list() {
    let listed = |name: &str| {
        let files = fs::read_dir(folder().join(name)).unwrap().map(|file| file.unwrap().path());
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let replayed = crate::fuzzing::TARGETS.iter().chain(TARGETS);
    let replayed: BTreeSet<_> = replayed.map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed("corpus"), replayed);
    let planted = BTreeSet::from(["planted".to_owned()]);
    assert_eq!(listed("fuzz_targets"), &replayed | &planted);
}

/// The corpus has the crashes that were fixed. Every entry names its endpoints, so that a new row of the table moves
/// none to another endpoint.
#[test]
fn the_corpus_passes_and_names_its_endpoints() {
    if CONFIG.iter().any(|field| std::env::var_os(variable(field.name)).is_some()) {
        return without_settings("ffi::fuzzing::tests::the_corpus_passes_and_names_its_endpoints");
    }
    replay(TARGETS);
    let programs = corpus("ffi")
        .into_iter()
        .flat_map(|(file, input)| program::run(&input).into_iter().map(move |endpoint| (file.clone(), endpoint)));
    let answers = corpus("wire").into_iter().map(|(file, input)| (file, wire::endpoint(&input).to_vec()));
    let requests = corpus("request").into_iter().map(|(file, input)| (file, first_line(&input).0.to_vec()));
    let (raw, requests): (Vec<_>, Vec<_>) = requests.partition(|(_, text)| text == RAW.as_bytes());
    assert!(raw.len() >= 5, "{} entries for paysvc_request", raw.len());
    for (file, text) in programs.chain(answers).chain(requests) {
        let row = ENDPOINTS.iter().find(|row| row.name.as_bytes() == text);
        let row = row.unwrap_or_else(|| panic!("{} names no endpoint: {}", file.display(), text.escape_ascii()));
        assert_eq!(choose(&text, names()), row.name);
        for added in made_up_names() {
            assert_eq!(choose(&text, names().chain([&*added])), row.name, "{} with {added} added", file.display());
        }
    }
}

/// Runs a test again, in a process whose environment has no settings.
fn without_settings(test: &str) {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    for field in CONFIG {
        again.env_remove(variable(field.name));
    }
    assert!(again.args(["--exact", test]).status().unwrap().success());
}
