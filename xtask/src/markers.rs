//! Text between markers in a document that is otherwise written by hand: `<!-- name -->` before it and `<!-- /name -->`
//! after it, on lines of their own for a table, within a line for a word or number.

/// The document with the text between the markers of that name, wherever they stand.
pub fn fill(document: &str, name: &str, text: &str) -> Result<String, String> {
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
    fn tables_and_words_are_replaced_wherever_they_stand() {
        let old = "a\n<!-- t -->\nold\n<!-- /t -->\n<!-- n -->8<!-- /n --> rows, <!-- n --><!-- /n --> tests\n";
        let made = fill(&fill(old, "t", "new\n").unwrap(), "n", "9").unwrap();
        assert_eq!(
            made,
            "a\n<!-- t -->\nnew\n<!-- /t -->\n<!-- n -->9<!-- /n --> rows, <!-- n -->9<!-- /n --> tests\n"
        );
        assert_eq!(fill(&made, "n", "9").unwrap(), made);
        assert_eq!(fill("none", "n", "9").unwrap(), "none");
    }

    #[test]
    fn a_marker_without_its_partner_is_an_error() {
        for wrong in ["<!-- t -->\n", "<!-- /t -->\n", "<!-- /t --><!-- t -->", "<!-- t --><!-- t --><!-- /t -->"] {
            assert!(fill(wrong, "t", "x").is_err(), "{wrong}");
        }
    }
}
