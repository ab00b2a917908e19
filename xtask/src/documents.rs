//! The documents that hold rendered parts between markers.

use std::fs;
use std::path::Path;

use paysvc_platforms::table::PLATFORMS;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::settings;

use crate::codegen::{platforms, readme, resolution, verdicts};
use crate::markers;

/// Each document with the tables that it must have. Every part may stand in any of them.
const DOCUMENTS: &[(&str, &[&str])] = &[
    ("README.md", &["platforms-short", "endpoints", "operations", "settings"]),
    ("docs/platforms.md", &["platforms"]),
    ("docs/verdicts.md", &["changing", "reading", "look-ups", "resolving"]),
];

/// The defaults of a line of the verdicts, and the lines of the two tables.
const DEFAULTS: &str = "src/response/verdict/table.rs";
const CHANGING: &str = "src/response/verdict/table/changing.rs";
const READING: &str = "src/response/verdict/table/reading.rs";

/// The lines of what became of an earlier request.
const RESOLVING: &str = "src/response/resolution/table.rs";

pub fn render(root: &Path, rows: &'static [Endpoint]) -> Result<Vec<(&'static str, String)>, String> {
    let defaults = read(root, DEFAULTS)?;
    let verdicts = |path: &str, name: &str, with_429: bool| {
        verdicts::render(&defaults, &read(root, path)?, name, with_429).map_err(|error| format!("{path}: {error}"))
    };
    let parts = [
        ("platforms-short", platforms::short(PLATFORMS)),
        ("platforms", platforms::long(PLATFORMS)),
        ("endpoints", readme::endpoints(rows)),
        ("operations", readme::operations()),
        ("settings", readme::settings()),
        ("endpoint-count", rows.len().to_string()),
        ("setting-count", settings::CONFIG.len().to_string()),
        ("changing", verdicts(CHANGING, "CHANGING", true)?),
        ("reading", verdicts(READING, "READING", false)?),
        ("look-ups", resolution::look_ups(rows)),
        ("resolving", resolution::render(&read(root, RESOLVING)?).map_err(|error| format!("{RESOLVING}: {error}"))?),
    ];
    let filled = |path: &str, required: &[&str]| {
        markers::fill(&read(root, path)?, &parts, required).map_err(|error| format!("{path}: {error}"))
    };
    DOCUMENTS.iter().map(|(path, required)| Ok((*path, filled(path, required)?))).collect()
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}
