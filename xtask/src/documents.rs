//! The documents that hold rendered parts between markers.

use std::fs;
use std::path::Path;

use paysvc_platforms::table::PLATFORMS;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::settings;
use paysvc_spec::verdicts::{CHANGING, READING};

use crate::codegen::{platforms, readme, verdicts};
use crate::markers;

/// Each document with the tables that it must have. Every part may be in any of them.
const DOCUMENTS: &[(&str, &[&str])] = &[
    ("README.md", &["platforms-short", "endpoints", "operations", "settings"]),
    ("docs/platforms.md", &["platforms"]),
    ("docs/journal.md", &["journal"]),
    ("docs/verdicts.md", &["changing", "reading", "look-ups", "resolving"]),
];

pub fn render(root: &Path, rows: &'static [Endpoint]) -> Result<Vec<(&'static str, String)>, String> {
    let parts = [
        ("platforms-short", platforms::short(PLATFORMS)),
        ("platforms", platforms::long(PLATFORMS)),
        ("endpoints", readme::endpoints(rows)),
        ("operations", readme::operations()),
        ("settings", readme::settings()),
        ("endpoint-count", rows.len().to_string()),
        ("setting-count", settings::CONFIG.len().to_string()),
        ("changing", verdicts::answers(CHANGING, true)),
        ("reading", verdicts::answers(READING, false)),
        ("look-ups", verdicts::look_ups(rows)),
        ("resolving", verdicts::resolution()),
        ("journal", verdicts::journal()),
    ];
    let filled = |path: &str, required: &[&str]| {
        markers::fill(&read(root, path)?, &parts, required).map_err(|error| format!("{path}: {error}"))
    };
    DOCUMENTS.iter().map(|(path, required)| Ok((*path, filled(path, required)?))).collect()
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}
