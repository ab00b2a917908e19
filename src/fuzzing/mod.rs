//! The fuzz targets that call private items of the library: a function each, with its checks. They are here and not in
//! `fuzz/`, because those items (the readers of settings, keys and answers, and what prepares a request) would have to
//! be public there. Compiled for the fuzzer and for tests only. The targets that go through the C interface are in
//! `src/ffi/fuzzing`.
//!
//! `fuzz/fuzz_targets` runs these functions under libFuzzer; the tests below run them on the committed corpus.

pub mod answer;
mod builder;
mod config;
mod event;
mod json;
mod request;
// The second reader is a Python program, which Wine does not have.
#[cfg(all(test, unix))]
mod verdicts;

pub use answer::answer;
pub use builder::builder;
pub use config::{config, key};
pub use event::event;
pub use json::pointer;
pub use request::request;

use serde::de::IgnoredAny;
use serde_json::Value;

use self::json::value;
use crate::answer::reply::Reply;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, Status};

pub type Target = fn(&[u8]);

pub const TARGETS: &[(&str, Target)] = &[
    ("config", config),
    ("key", key),
    ("request", request),
    ("answer", answer),
    ("pointer", pointer),
    ("builder", builder),
    ("event", event),
];

/// Part of every value in the corpus that no text of the library may repeat.
const CANARY: &str = "canary";

fn has_canary(text: &str) -> bool {
    text.to_ascii_lowercase().contains(CANARY)
}

/// Returns whether a field's name holds the canary: the library may repeat names, but not values.
fn names_hold_canary(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| has_canary(name) || names_hold_canary(value)),
        Value::Array(items) => items.iter().any(names_hold_canary),
        _ => false,
    }
}

/// The same of a text; true for JSON that `serde_json::Value` cannot hold, such as half of a surrogate pair.
fn may_name_canary(text: &str) -> bool {
    match value(text) {
        Some(value) => names_hold_canary(&value),
        None => serde_json::from_str::<IgnoredAny>(text).is_ok(),
    }
}

/// Checks a validation error: it has one of these statuses, nothing was sent, and its body is a failure envelope.
fn check_error(error: ValidationError, statuses: &[Status]) -> Reply {
    let reply = Reply::invalid(error);
    assert!(statuses.contains(&reply.status()), "{:?}", reply.status());
    assert_eq!((reply.outcome(), reply.http_status()), (Outcome::NotSent, 0));
    check_texts(&reply);
    check_failure_envelope(&reply);
    reply
}

fn check_failure_envelope(reply: &Reply) {
    let envelope = value(&reply.body).expect("a failure envelope is JSON");
    assert_eq!((&envelope["status"], envelope["message"].as_str()), (&Value::Bool(false), Some(&*reply.message)));
    assert!(envelope["errors"].is_object());
}

/// Message and code are short and on one line, no matter who wrote them.
fn check_texts(reply: &Reply) {
    for text in [&reply.message, &reply.code] {
        assert!(text.chars().count() <= 500, "{} bytes", text.len());
        assert!(!text.contains(|c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}'), "{text:?}");
    }
    assert!(!reply.body.contains('\0'));
}

/// Which endpoint an input is for: the name that equals the text, or else the one with the highest score for it, so that a
/// new row of the table takes its share of the other texts and moves nothing else.
pub fn choose<'a>(text: &[u8], names: impl IntoIterator<Item = &'a str>) -> &'a str {
    let rank = |name: &&str| (name.as_bytes() == text, score(text, name.as_bytes()));
    names.into_iter().max_by_key(rank).expect("the table has rows")
}

/// The input's first line, and what follows its line break.
pub fn first_line(input: &[u8]) -> (&[u8], &[u8]) {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}

/// FNV-1a over both, then the finalizer of SplitMix64, so that every bit counts in a comparison.
fn score(text: &[u8], name: &[u8]) -> u64 {
    const SEPARATOR: &[u8] = &[0xff];
    let bytes = [text, SEPARATOR, name].into_iter().flatten();
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The committed inputs of the targets.
#[cfg(test)]
pub mod corpus {
    use std::fs;
    use std::panic::catch_unwind;
    use std::path::{Path, PathBuf};

    use super::Target;

    pub fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
    }

    pub fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let files = fs::read_dir(folder().join("corpus").join(target)).unwrap().map(|file| file.unwrap().path());
        let corpus: Vec<_> = files.map(|file| (file.clone(), fs::read(file).unwrap())).collect();
        assert!(corpus.len() >= 10, "{target} has {} files", corpus.len());
        corpus
    }

    /// Runs each target on its corpus, which has the crashes that were fixed.
    pub fn replay(targets: &[(&str, Target)]) {
        for (target, run) in targets {
            for (file, input) in corpus(target) {
                assert!(catch_unwind(|| run(&input)).is_ok(), "{}", file.display());
            }
        }
    }

    #[test]
    fn the_corpus_passes() {
        replay(super::TARGETS);
    }
}

#[cfg(test)]
pub mod tests {
    use paysvc_spec::ENDPOINTS;

    use super::*;

    pub fn names<'a>() -> impl Iterator<Item = &'a str> {
        ENDPOINTS.iter().map(|row| row.name)
    }

    /// Names of rows that the table might get.
    pub fn made_up_names() -> Vec<String> {
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
                let (before, after) =
                    (choose(text.as_bytes(), names()), choose(text.as_bytes(), names().chain([&*added])));
                assert!(after == before || after == added, "{text} moves from {before} to {after}");
                taken += usize::from(after == added);
            }
            assert!((share / 2..2 * share).contains(&taken), "{added} takes {taken} of {TEXTS} texts");
        }
    }
}
