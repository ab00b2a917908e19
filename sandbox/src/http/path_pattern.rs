//! Path patterns such as `/payout/{batchReference}/status`.

/// The values in a path, with their names.
pub type Values = Vec<(String, String)>;

/// The values in a path that matches the pattern.
pub fn values(pattern: &str, path: &str) -> Option<Values> {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut values = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(values),
            (Some(segment), Some(text)) => match name(segment) {
                Some(name) if !text.is_empty() => values.push((name.to_string(), text.to_string())),
                None if segment == text => {}
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// The names of the values in a pattern.
pub fn names(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('/').filter_map(name)
}

/// Returns whether both match the same paths.
pub fn is_same(one: &str, other: &str) -> bool {
    let segments = |pattern: &str| {
        pattern.split('/').map(|part| name(part).map_or(part, |_| "{}").to_string()).collect::<Vec<_>>()
    };
    segments(one) == segments(other)
}

/// An error if the pattern is malformed.
pub fn check(pattern: &str) -> Result<(), &'static str> {
    if !pattern.starts_with('/') {
        return Err("must start with /");
    }
    let is_text = |segment: &str| !segment.contains(['{', '}', '?', '#']);
    match pattern
        .split('/')
        .all(|segment| name(segment).map_or_else(|| is_text(segment), |name| !name.is_empty() && is_text(name)))
    {
        true => Ok(()),
        false => Err("is not a pattern: a value must be a whole segment such as {reference}"),
    }
}

fn name(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_in_braces_matches_one_segment() {
        let found = |pattern: &str, path: &str| {
            let values = values(pattern, path)?;
            Some(values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(found("/a/{x}", "/a/5").as_deref(), Some("x=5"));
        assert_eq!(found("/a/{x}/b/{y}", "/a/5/b/6").as_deref(), Some("x=5 y=6"));
        assert_eq!(found("/a/b", "/a/b").as_deref(), Some(""));
        assert_eq!(found("/a/{x}", "/a/"), None);
        assert_eq!(found("/a/{x}", "/a/5/6"), None);
    }

    #[test]
    fn patterns() {
        assert!(is_same("/a/{x}", "/a/{y}") && !is_same("/a/{x}", "/a/x") && !is_same("/a/{x}", "/a/{x}/b"));
        assert_eq!(names("/a/{x}/{y}").collect::<Vec<_>>(), ["x", "y"]);
        for good in ["/", "/a", "/a/{x}/b"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "a", "/a/{x", "/a/x}", "/a/{}", "/a/b{x}", "/a?b={x}"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
