//! Digests of fields. They detect a request with the same key and different fields, and name those fields, without
//! keeping their values.

use aws_lc_rs::hmac;

use crate::util::process::critical_section;
use crate::util::text::hex;

/// The digest of a field's value, with the row's random number: equal values under two keys have different digests.
pub fn digest(id: &str, path: &str, value: &str) -> String {
    critical_section(|| of_member(&key(id), path, value))
}

/// The digests of all fields, each a path and a value.
pub fn digests(id: &str, members: &[(String, String)]) -> Vec<(String, String)> {
    critical_section(|| {
        let key = key(id);
        members.iter().map(|(path, value)| (path.clone(), of_member(&key, path, value))).collect()
    })
}

fn key(id: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, id.as_bytes())
}

/// The first 16 bytes, in hexadecimal digits.
fn of_member(key: &hmac::Key, path: &str, value: &str) -> String {
    let mut context = hmac::Context::with_key(key);
    context.update(path.as_bytes());
    context.update(&[0]);
    context.update(value.as_bytes());
    hex(&context.sign().as_ref()[..16])
}

/// The digest of a recipient's list, with the row's random number.
pub fn list(id: &str, list: &str) -> String {
    digest(id, "list", list)
}

/// The digest of a list, from the fields of its elements: equal for the same elements in any order.
pub fn of_list(elements: impl Iterator<Item = Vec<(String, String)>>) -> String {
    let mut all: Vec<String> = elements
        .map(|members| {
            let text: String = members.iter().flat_map(|(path, value)| [path.as_str(), "\0", value, "\0"]).collect();
            digest("list", "element", &text)
        })
        .collect();
    all.sort_unstable();
    digest("list", "elements", &all.concat())
}

/// The sorted paths of fields that one of them lacks, or whose values differ.
pub fn differing(id: &str, recorded: &[(String, String)], members: &[(String, String)]) -> Vec<String> {
    let now = digests(id, members);
    let lacks = |others: &[(String, String)], of: &(String, String)| !others.contains(of);
    let mut paths: Vec<String> = recorded.iter().filter(|one| lacks(&now, one)).map(|(path, _)| path.clone()).collect();
    paths.extend(now.iter().filter(|one| lacks(recorded, one)).map(|(path, _)| path.clone()));
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(of: &[(&str, &str)]) -> Vec<(String, String)> {
        of.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect()
    }

    #[test]
    fn a_list_is_the_same_in_any_order_and_another_one_with_any_change() {
        let of = |elements: &[&Vec<(String, String)>]| of_list(elements.iter().map(|&one| one.clone()));
        let (one, two) = (members(&[("key", "1"), ("amount", "5")]), members(&[("key", "2"), ("amount", "5")]));
        let list = of(&[&one, &two]);
        assert_eq!(list, of(&[&two, &one]));
        let changed = members(&[("key", "2"), ("amount", "6")]);
        for other in [of(&[&one]), of(&[&one, &two, &two]), of(&[&one, &changed]), of(&[])] {
            assert_ne!(other, list);
        }
    }

    #[test]
    fn what_differs_is_named_by_its_path() {
        let first = members(&[("amount", "100.1"), ("order.reference", "R")]);
        let recorded = digests("id", &first);
        assert!(differing("id", &recorded, &first).is_empty());
        let other = members(&[("amount", "100.2"), ("order.currency", "NGN"), ("order.reference", "R")]);
        assert_eq!(differing("id", &recorded, &other), ["amount", "order.currency"]);
        assert_eq!(differing("id", &recorded, &first[..1]), ["order.reference"]);
        assert_eq!(differing("other id", &recorded, &first).len(), 2, "two rows share no digest");
    }
}
