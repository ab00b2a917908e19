//! The documents that hold rendered parts between markers.

use std::fs;
use std::path::Path;

use paysvc_spec::{ENDPOINTS, settings};

use crate::codegen::readme;
use crate::markers;

/// Each document with the tables that it must have. Counts may stand in any of them.
const DOCUMENTS: &[(&str, &[&str])] = &[("README.md", &["endpoints", "settings"])];

pub fn render(root: &Path) -> Result<Vec<(&'static str, String)>, String> {
    let parts = [
        ("endpoints", readme::endpoints(ENDPOINTS)),
        ("settings", readme::settings()),
        ("endpoint-count", ENDPOINTS.len().to_string()),
        ("setting-count", settings::CONFIG.len().to_string()),
    ];
    let mut documents = Vec::new();
    for (path, required) in DOCUMENTS {
        let wrong = |error: String| format!("{path}: {error}");
        let mut text = fs::read_to_string(root.join(path)).map_err(|error| wrong(error.to_string()))?;
        for name in *required {
            if !text.contains(&format!("<!-- {name} -->")) {
                return Err(wrong(format!("there is no <!-- {name} -->")));
            }
        }
        for (name, part) in &parts {
            text = markers::fill(&text, name, part).map_err(wrong)?;
        }
        documents.push((*path, text));
    }
    Ok(documents)
}
