//! Checks that the path of a rule is one that requests can have.

use crate::http::path_pattern;
use crate::util::distance::distance;

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
    }
}
