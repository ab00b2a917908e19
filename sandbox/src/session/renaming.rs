//! Values that a client makes anew in every run: references, UUIDs and times. A new reference or UUID stands for the
//! recorded one in whose place it was sent first; times are not compared.

use crate::util::json::Json;

/// Fields whose values a client makes; only letters, in lower case.
const REFERENCES: [&str; 8] =
    ["reference", "ref", "alias", "requestid", "transactionid", "idempotencykey", "nonce", "uuid"];
/// Their digits are no time.
const NO_TIMES: [&str; 4] = ["amount", "mobile", "phone", "account"];
/// The seconds of 2014 and of 2049: a number between them may be a time.
const TIMES: std::ops::Range<u64> = 1_400_000_000..2_500_000_000;
const TIME: &str = "{time}";

/// Recorded and sent: each stands in one pair only.
pub type Pair = (String, String);

#[derive(Debug, Default)]
pub struct Renaming(Vec<Pair>);

impl Renaming {
    pub fn add(&mut self, pairs: Vec<Pair>) {
        self.0.extend(pairs);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the sent JSON with the recorded names.
    pub fn recorded(&self, sent: &Json) -> Json {
        renamed(sent, &self.0)
    }

    /// Returns a text with this client's names.
    pub fn sent(&self, text: &str) -> String {
        // As they are written in JSON, where quotes have a backslash.
        let inside = |text: &String| Json::from(text).to_string().trim_matches('"').to_string();
        let pairs: Vec<Pair> = self.0.iter().map(|(recorded, sent)| (inside(sent), inside(recorded))).collect();
        replaced(text, &pairs)
    }

    /// Compares the two, with `sent` as `recorded` returns it. Returns the new pairs, or where they differ.
    pub fn compare(&self, recorded: &Json, sent: &Json) -> Result<Vec<Pair>, Vec<String>> {
        let mut pairs = Vec::new();
        self.collect("", recorded, sent, &mut pairs);
        let found = differences(&timeless("", recorded), &timeless("", &renamed(sent, &pairs)), "");
        if found.is_empty() { Ok(pairs) } else { Err(found) }
    }

    fn collect(&self, name: &str, recorded: &Json, sent: &Json, pairs: &mut Vec<Pair>) {
        match (recorded, sent) {
            (Json::Object(recorded), Json::Object(sent)) => {
                for (name, value) in recorded {
                    if let Some((_, sent)) = sent.iter().find(|(other, _)| other == name) {
                        self.collect(name, value, sent, pairs);
                    }
                }
            }
            (Json::Array(recorded), Json::Array(sent)) => {
                recorded.iter().zip(sent).for_each(|(recorded, sent)| self.collect(name, recorded, sent, pairs));
            }
            (Json::Text(recorded), Json::Text(sent)) if is_one_of(name, &REFERENCES) => {
                self.pair(recorded, sent, pairs);
            }
            (Json::Text(recorded), Json::Text(sent)) => {
                let (recorded, sent) = (uuids(recorded), uuids(sent));
                if recorded.len() == sent.len() {
                    recorded.iter().zip(sent).for_each(|(recorded, sent)| self.pair(recorded, sent, pairs));
                }
            }
            _ => {}
        }
    }

    /// Equal ones, too: what was sent as recorded stands for nothing else.
    fn pair(&self, recorded: &str, sent: &str, pairs: &mut Vec<Pair>) {
        let is_known = |(first, second): &Pair| first == recorded || first == sent || second == sent;
        if !sent.is_empty() && !self.0.iter().chain(&*pairs).any(is_known) {
            pairs.push((recorded.to_string(), sent.to_string()));
        }
    }
}

/// Pairs of a client that sends what was recorded add nothing.
pub fn is_exact(pairs: &[Pair]) -> bool {
    pairs.iter().all(|(recorded, sent)| recorded == sent)
}

fn is_one_of(name: &str, ends: &[&str]) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    ends.iter().any(|end| plain.ends_with(end))
}

fn renamed(json: &Json, pairs: &[Pair]) -> Json {
    json.mapped("", &|_, json| match json {
        Json::Text(text) => Json::Text(replaced(text, pairs)),
        other => other.clone(),
    })
}

/// A copy without times.
fn timeless(name: &str, json: &Json) -> Json {
    json.mapped(name, &|name, json| match json {
        _ if NO_TIMES.iter().any(|word| name.to_ascii_lowercase().contains(word)) => json.clone(),
        Json::Text(text) => Json::Text(without_times(text)),
        Json::Number(digits) if is_epoch(digits) => Json::Text(TIME.to_string()),
        other => other.clone(),
    })
}

/// The second of each pair becomes the first, where it stands as a whole word; the longest counts.
fn replaced(text: &str, pairs: &[Pair]) -> String {
    let mut within: Vec<&Pair> =
        pairs.iter().filter(|(to, from)| to != from && !from.is_empty() && text.contains(from.as_str())).collect();
    within.sort_by_key(|(_, from)| std::cmp::Reverse(from.len()));
    let (mut done, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        let is_start = !done.ends_with(char::is_alphanumeric);
        let is_here = |from: &str| {
            rest.strip_prefix(from).is_some_and(|after| !after.starts_with(char::is_alphanumeric)) && is_start
        };
        match within.iter().find(|(_, from)| is_here(from)) {
            Some((to, from)) => {
                done.push_str(to);
                rest = &rest[from.len()..];
            }
            None => {
                done.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    done
}

fn uuids(text: &str) -> Vec<&str> {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let is_uuid = |word: &str| {
        word.len() == 36
            && word.bytes().enumerate().all(|(place, byte)| match DASHES.contains(&place) {
                true => byte == b'-',
                false => byte.is_ascii_hexdigit(),
            })
    };
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-')).filter(|word| is_uuid(word)).collect()
}

/// Seconds, milliseconds or microseconds since 1970.
fn is_epoch(digits: &str) -> bool {
    let is_length = matches!(digits.len(), 10 | 13 | 16) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_length && digits[..10].parse().is_ok_and(|seconds| TIMES.contains(&seconds))
}

/// `2026-01-31`, `2026-01-31T09:30:00.123Z` and numbers of seconds become a word.
fn without_times(text: &str) -> String {
    let (mut done, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let length = match date(rest) {
            Some(length) if !done.ends_with(|letter: char| letter.is_ascii_digit()) => length,
            _ if digits > 0 && is_epoch(&rest[..digits]) => digits,
            // Digits are looked at as a whole.
            _ => {
                let length = digits.max(letter.len_utf8());
                done.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
        };
        done.push_str(TIME);
        rest = &rest[length..];
    }
    done
}

/// The length of the date, with a time of day, that the text begins with.
fn date(text: &str) -> Option<usize> {
    let fits = |text: &str, shape: &str| {
        text.len() >= shape.len()
            && shape.bytes().zip(text.bytes()).all(|(shape, byte)| match shape {
                b'0' => byte.is_ascii_digit(),
                b'T' => byte == b'T' || byte == b' ',
                other => byte == other,
            })
    };
    if !fits(text, "0000-00-00") {
        return None;
    }
    if !fits(text, "0000-00-00T00:00") {
        return Some("0000-00-00".len());
    }
    let clock = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.' | '+' | '-' | 'Z');
    let start = "0000-00-00T".len();
    Some(start + text[start..].find(|letter| !clock(letter)).unwrap_or(text.len() - start))
}

/// The differences of the two, in words; none: they are equal. The order of fields has no meaning.
pub fn differences(recorded: &Json, sent: &Json, place: &str) -> Vec<String> {
    match (recorded, sent) {
        (Json::Object(recorded), Json::Object(sent)) => {
            let inside = |name: &str| if place.is_empty() { name.to_string() } else { format!("{place}.{name}") };
            let member = |members: &[(String, Json)], name: &str| {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
            };
            let lost = recorded.iter().flat_map(|(name, value)| match member(sent, name) {
                Some(found) => differences(value, &found, &inside(name)),
                None => vec![format!("{} is missing", inside(name))],
            });
            let added = sent.iter().filter(|(name, _)| member(recorded, name).is_none());
            lost.chain(added.map(|(name, _)| format!("{} was not recorded", inside(name)))).collect()
        }
        (Json::Array(recorded), Json::Array(sent)) if recorded.len() == sent.len() => {
            let pairs = recorded.iter().zip(sent).enumerate();
            pairs
                .flat_map(|(index, (recorded, sent))| differences(recorded, sent, &format!("{place}.{index}")))
                .collect()
        }
        (recorded, sent) if recorded != sent => vec![format!("{place} is {sent}, and was {recorded}")],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    fn compare(renaming: &mut Renaming, recorded: &str, sent: &str) -> Result<(), Vec<String>> {
        let pairs = renaming.compare(&json(recorded), &renaming.recorded(&json(sent)))?;
        renaming.add(pairs);
        Ok(())
    }

    #[test]
    fn a_new_reference_stands_for_one_recorded_one() {
        let mut renaming = Renaming::default();
        let recorded = r#"{"order":{"reference":"ORDER-1","description":"Order ORDER-1, not ORDER-10"}}"#;
        let sent = r#"{"order":{"reference":"n7","description":"Order n7, not ORDER-10"}}"#;
        compare(&mut renaming, recorded, sent).unwrap();
        assert_eq!(renaming.sent(r#"{"a":"SANDBOX/ORDER-1","b":"ORDER-10"}"#), r#"{"a":"SANDBOX/n7","b":"ORDER-10"}"#);
        assert_eq!(renaming.recorded(&json(r#""/payout/n7/status""#)).to_string(), r#""/payout/ORDER-1/status""#);
        // It stands for no other, and nothing else stands for it.
        let other = r#"{"reference":"ORDER-2"}"#;
        assert!(compare(&mut renaming, other, r#"{"reference":"n7"}"#).is_err());
        assert!(compare(&mut renaming, r#"{"reference":"ORDER-1"}"#, r#"{"reference":"n8"}"#).is_err());
        compare(&mut renaming, other, other).unwrap();
        assert!(compare(&mut renaming, other, r#"{"reference":"n8"}"#).is_err());
    }

    #[test]
    fn only_references_uuids_and_times_are_new() {
        let same = |recorded: &str, sent: &str| compare(&mut Renaming::default(), recorded, sent).is_ok();
        let first = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let second = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
        assert!(same(&format!(r#"{{"note":"run {first}"}}"#), &format!(r#"{{"note":"run {second}"}}"#)));
        assert!(!same(&format!(r#"{{"a":"{first}","b":"{first}"}}"#), &format!(r#"{{"a":"{first}","b":"{second}"}}"#)));
        for (recorded, sent) in [
            (r#"{"at":"2026-01-31T09:30:00.123Z"}"#, r#"{"at":"2026-11-26T12:00:00Z"}"#),
            (r#"{"note":"on 2026-01-31, paid"}"#, r#"{"note":"on 2026-11-26, paid"}"#),
            (r#"{"at":1769850487012}"#, r#"{"at":1795696200000}"#),
            (r#"{"note":"O-1769850487"}"#, r#"{"note":"O-1795696200"}"#),
        ] {
            assert!(same(recorded, sent), "{sent}");
        }
        for (recorded, sent) in [
            (r#"{"amount":"1769850487"}"#, r#"{"amount":"1795696200"}"#),
            (r#"{"mobile":"1769850487"}"#, r#"{"mobile":"1795696200"}"#),
            (r#"{"amount":"2500.50"}"#, r#"{"amount":"2500.5"}"#),
            (r#"{"description":"two books"}"#, r#"{"description":"a book"}"#),
            (r#"{"currency":"NGN"}"#, r#"{"currency":"USD"}"#),
        ] {
            assert!(!same(recorded, sent), "{sent}");
        }
    }

    #[test]
    fn names_that_are_exchanged() {
        let mut renaming = Renaming::default();
        renaming.add(vec![("A".to_string(), "n\"1".to_string()), ("B".to_string(), "n2".to_string())]);
        assert_eq!(renaming.sent(r#"{"x":"A B"}"#), r#"{"x":"n\"1 n2"}"#);
        let swapped = [("A".to_string(), "B".to_string()), ("B".to_string(), "A".to_string())];
        assert_eq!(replaced("A-B", &swapped), "B-A");
    }

    #[test]
    fn differences_are_named() {
        let between = |recorded: &str, sent: &str| {
            let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
            differences(&json(recorded), &json(sent), "payload").into_iter().next()
        };
        assert_eq!(between(r#"{"a":1,"b":[{"c":"x"}]}"#, r#"{"b":[{"c":"x"}],"a":1}"#), None);
        assert_eq!(
            between(r#"{"b":[{"c":"x"}]}"#, r#"{"b":[{"c":"y"}]}"#).unwrap(),
            r#"payload.b.0.c is "y", and was "x""#
        );
        assert_eq!(between(r#"{"a":1}"#, r#"{"A":1}"#).unwrap(), "payload.a is missing");
        assert_eq!(between("{}", r#"{"a":1}"#).unwrap(), "payload.a was not recorded");
        assert_eq!(between("[1]", "[1,2]").unwrap(), "payload is [1,2], and was [1]");
        assert_eq!(between("1.0", "1.00").unwrap(), "payload is 1.00, and was 1.0");
    }
}
