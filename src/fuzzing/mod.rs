//! What must hold for every input whatsoever: one function per fuzz target. In no build of the library.
//!
//! `fuzz/` feeds them from libFuzzer; the test below feeds them the committed corpus, without a fuzzer.

mod answer;
mod config;
mod ffi;
#[cfg(test)]
mod hostile;
mod key;
mod oracle;
mod peer;
mod pointer;
mod request;
mod wire;

pub use answer::answer;
pub use config::config;
pub use ffi::ffi;
pub use key::key;
pub use pointer::pointer;
pub use request::request;
pub use wire::wire;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::response::reply::Reply;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::{Outcome, Status};

pub type Target = fn(&[u8]);

pub const TARGETS: &[(&str, Target)] = &[
    ("config", config),
    ("key", key),
    ("request", request),
    ("answer", answer),
    ("pointer", pointer),
    ("ffi", ffi),
    ("wire", wire),
];

/// Stands in the corpus wherever a caller's value is that no text of the library may repeat.
const CANARY: &str = "canary";

fn has_canary(text: &str) -> bool {
    text.to_ascii_lowercase().contains(CANARY)
}

/// Whether the canary stands where the library may repeat it: member names it may, values it may not.
fn names_hold_canary(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| has_canary(name) || names_hold_canary(value)),
        Value::Array(items) => items.iter().any(names_hold_canary),
        _ => false,
    }
}

/// The same of a text. What serde_json cannot hold (half a surrogate pair) is given the benefit of the doubt.
fn may_name_canary(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => names_hold_canary(&value),
        Err(_) => serde_json::from_str::<IgnoredAny>(text).is_ok(),
    }
}

/// What every refusal is: one of these statuses, nothing sent, a failure envelope of the service's form.
fn check_refusal(refusal: ValidationError, statuses: &[Status]) -> Reply {
    let reply = Reply::invalid(refusal);
    assert!(statuses.contains(&reply.status), "{:?}", reply.status);
    assert_eq!((reply.outcome, reply.attempts, reply.http_status), (Outcome::NotSent, 0, 0));
    check_texts(&reply);
    check_failure_envelope(&reply);
    reply
}

fn check_failure_envelope(reply: &Reply) {
    let envelope: Value = serde_json::from_str(&reply.body).expect("a failure envelope is JSON");
    assert_eq!((&envelope["status"], envelope["message"].as_str()), (&Value::Bool(false), Some(&*reply.message)));
    assert!(envelope["errors"].is_object());
}

/// One line for a person's eyes, whoever wrote it.
fn check_texts(reply: &Reply) {
    for text in [&reply.message, &reply.code] {
        assert!(text.chars().count() <= 500, "{} bytes", text.len());
        assert!(!text.contains(|c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}'), "{text:?}");
    }
    assert!(!reply.body.contains('\0'));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The names of what lies in a folder of the fuzzer's.
    fn names(folder: &str) -> BTreeSet<String> {
        let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder)).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap().trim_end_matches(".rs").to_owned()).collect()
    }

    /// A target that were not in the list would be fuzzed, but its corpus not replayed.
    #[test]
    fn every_target_of_the_fuzzer_is_in_the_list() {
        let listed: BTreeSet<_> = super::TARGETS.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(listed, names("corpus"));
        let mut targets = names("fuzz_targets");
        assert!(targets.remove("planted"), "{targets:?}");
        assert_eq!(listed, targets);
    }

    /// Replays what fuzzing has found worth keeping, crashes that were fixed among it.
    #[test]
    fn the_corpus_holds() {
        for (target, run) in super::TARGETS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
            let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
            assert!(files.len() >= 10, "{target} has {} files", files.len());
            for file in files {
                let input = fs::read(&file).unwrap();
                assert!(std::panic::catch_unwind(|| run(&input)).is_ok(), "{}", file.display());
            }
        }
    }
}
