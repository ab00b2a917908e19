//! Path patterns such as `/payout/{batchReference}/status`.

/// The value in braces if the path fits the pattern (empty if there is none).
pub fn value_in(pattern: &str, path: &str) -> Option<String> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut value = String::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(value),
            (Some(name), Some(text)) if name.starts_with('{') && !text.is_empty() => value = text.to_string(),
            (Some(name), Some(text)) if name == text => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_in_braces_matches_one_segment() {
        assert_eq!(value_in("/a/{x}", "/a/5").as_deref(), Some("5"));
        assert_eq!(value_in("/a/b", "/a/b").as_deref(), Some(""));
        assert_eq!(value_in("/a/{x}", "/a/"), None);
        assert_eq!(value_in("/a/{x}", "/a/5/6"), None);
    }
}
