//! Text between markers in a document that is otherwise written by hand: `<!-- name -->` before it and `<!-- /name -->`
//! after it, on lines of their own for a table, within a line for a word or number.

/// The document with the parts between their markers, wherever these stand. `required` parts must stand in it.
pub fn fill(document: &str, parts: &[(&str, String)], required: &[&str]) -> Result<String, String> {
    for name in required {
        if !document.contains(&format!("<!-- {name} -->")) {
            return Err(format!("there is no <!-- {name} -->"));
        }
    }
    for rest in document.split("<!-- /").skip(1) {
        let name = rest.split(" -->").next().unwrap_or_default();
        if !parts.iter().any(|(known, _)| *known == name) {
            return Err(format!("nothing is rendered for <!-- /{name} -->"));
        }
    }
    parts.iter().try_fold(document.to_owned(), |document, (name, text)| fill_one(&document, name, text))
}

fn fill_one(document: &str, name: &str, text: &str) -> Result<String, String> {
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let mut parts = document.split(&open);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    if filled.contains(&close) {
        return Err(format!("{close} has no {open} before it"));
    }
    for part in parts {
        let (old, rest) = part.split_once(&close).ok_or_else(|| format!("{open} has no {close} after it"))?;
        if rest.contains(&close) {
            return Err(format!("{close} has no {open} before it"));
        }
        let block = if old.starts_with('\n') { "\n" } else { "" };
        filled.extend([&open, block, text, &close, rest]);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn a_marker_that_is_missing_or_wrong_is_an_error() {
        let parts = [("t", "x".to_owned())];
        for wrong in ["<!-- t -->\n", "<!-- /t -->\n", "<!-- /t --><!-- t -->", "<!-- t --><!-- t --><!-- /t -->"] {
            assert!(fill(wrong, &parts, &[]).is_err(), "{wrong}");
        }
        assert!(fill("<!-- u -->1<!-- /u -->", &parts, &[]).unwrap_err().contains("/u"));
        assert!(fill("", &parts, &["t"]).is_err());
    }
}
