//! README.md with its tables between their marks.

use std::path::Path;

use crate::codegen::readme;

pub fn render(root: &Path) -> Result<String, String> {
    let mut text = std::fs::read_to_string(root.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    for (name, table) in [("endpoints", readme::render(paysvc_spec::ENDPOINTS)), ("settings", readme::settings())] {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (head, rest) = text.split_once(&open).ok_or_else(|| format!("README.md lacks {open}"))?;
        let (_, tail) = rest.split_once(&close).ok_or_else(|| format!("README.md lacks {close}"))?;
        text = format!("{head}{open}{table}{close}{tail}");
    }
    Ok(text)
}
