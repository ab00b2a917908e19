//! Checks that the path of a rule is one that requests can have.

use crate::http::path_pattern;

/// How many similar paths an error lists.
const SHOWN: usize = 5;

/// An error, with the nearest paths, if a rule for this path could never act. `known` are the paths of the endpoints.
pub fn check(path: &str, known: &[&str]) -> Result<(), String> {
    if known.iter().any(|known| can_match(path, known)) {
        return Ok(());
    }
    let mut near: Vec<&str> = known.to_vec();
    near.sort_by_key(|known| distance(path.trim_end_matches('*'), known));
    near.dedup();
    near.truncate(SHOWN);
    Err(format!("No endpoint has the path {path}; near it are {}.", near.join(", ")))
}

fn can_match(path: &str, known: &str) -> bool {
    let Some(prefix) = path.strip_suffix('*') else {
        return path_pattern::values(known, path).is_some() || path_pattern::values(path, known).is_some();
    };
    let literal = known.split('{').next().unwrap_or_default();
    known.starts_with(prefix) || (literal != known && prefix.starts_with(literal))
}

/// The number of single-character edits from one text to the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (index, known) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *known);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(row[index] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] =
        ["/payment/order/pay", "/payment/banks", "/payout/{batchReference}/status", "/payout/initiate"];

    #[test]
    fn paths_that_exist() {
        for path in [
            "/payment/banks",
            "/payout/B-1/status",
            "/payout/{x}/status",
            "/payment/{x}",
            "*",
            "/payment/*",
            "/payout/B-*",
        ] {
            assert_eq!(check(path, &KNOWN), Ok(()), "{path}");
        }
    }

    #[test]
    fn paths_that_do_not() {
        let problem = check("/payment/order/apy", &KNOWN[..3]).unwrap_err();
        assert_eq!(
            problem,
            "No endpoint has the path /payment/order/apy; near it are /payment/order/pay, /payment/banks, \
             /payout/{batchReference}/status."
        );
        for path in ["/payment", "/payment/banks/", "/refund*", "/payment/banks?x=1", "/payout/x"] {
            assert!(check(path, &KNOWN).is_err(), "{path}");
        }
        assert_eq!((distance("abc", "abc"), distance("abc", "acb"), distance("", "ab")), (0, 2, 2));
    }
}
