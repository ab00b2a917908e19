//! The documents that hold rendered parts between markers.

use std::path::Path;

use paysvc_platforms::files;
use paysvc_spec::checks::CARD_PAYLOAD;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::verdicts::{CHANGING, READING};

use crate::codegen::requests::Requests;
use crate::codegen::{pages, platforms, sizes, verdicts};
use crate::markers;

/// Each document with the tables that it must have. Every part may be in any of them.
pub const DOCUMENTS: &[(&str, &[&str])] = &[
    ("docs/linking.md", &["platforms-short"]),
    ("docs/configuration.md", &["settings"]),
    ("docs/calls.md", &["operations"]),
    ("docs/platforms.md", &["platforms"]),
    ("docs/journal.md", &["journal", "replays"]),
    ("docs/keys.md", &["sizes", "card-payload"]),
    ("docs/verdicts.md", &["codes", "refusals", "changing", "reading", "status queries", "resolving"]),
];

pub fn render(root: &Path, rows: &'static [Endpoint]) -> Result<Vec<(&'static str, String)>, String> {
    let parts = [
        ("platforms-short", platforms::short()),
        ("platforms", platforms::long()),
        ("operations", pages::operations()),
        ("settings", pages::settings()),
        ("codes", verdicts::codes()),
        ("refusals", verdicts::refusals()),
        ("changing", verdicts::answers(CHANGING, true)),
        ("reading", verdicts::answers(READING, false)),
        ("status queries", verdicts::look_ups(rows)),
        ("resolving", verdicts::resolution()),
        ("journal", verdicts::journal()),
        ("replays", verdicts::replays()),
        ("sizes", sizes::render(rows, &Requests::read(root)?)?),
        ("card-payload", CARD_PAYLOAD.to_string()),
    ];
    let filled = |path: &str, required: &[&str]| {
        markers::fill(&files::read(&root.join(path))?, &parts, required).map_err(|error| format!("{path}: {error}"))
    };
    DOCUMENTS.iter().map(|(path, required)| Ok((*path, filled(path, required)?))).collect()
}
