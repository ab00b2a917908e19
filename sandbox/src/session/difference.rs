//! Compares what a client asks with what was recorded.

use crate::util::json::Json;

/// Where the two differ first, in words; `None`: they say the same. The order of members has no meaning.
pub fn difference(recorded: &Json, sent: &Json, place: &str) -> Option<String> {
    match (recorded, sent) {
        (Json::Object(recorded), Json::Object(sent)) => {
            let inside = |name: &str| if place.is_empty() { name.to_string() } else { format!("{place}.{name}") };
            let member = |members: &[(String, Json)], name: &str| {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
            };
            let lost = recorded.iter().find_map(|(name, value)| match member(sent, name) {
                Some(found) => difference(value, &found, &inside(name)),
                None => Some(format!("{} is missing", inside(name))),
            });
            let added = || sent.iter().find(|(name, _)| member(recorded, name).is_none());
            lost.or_else(|| added().map(|(name, _)| format!("{} was not recorded", inside(name))))
        }
        (Json::Array(recorded), Json::Array(sent)) if recorded.len() == sent.len() => {
            let mut pairs = recorded.iter().zip(sent).enumerate();
            pairs.find_map(|(index, (recorded, sent))| difference(recorded, sent, &format!("{place}.{index}")))
        }
        (recorded, sent) => (recorded != sent).then(|| format!("{place} is {sent}, and was {recorded}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let between = |recorded: &str, sent: &str| {
            let json = |text: &str| Json::parse(text.as_bytes()).unwrap();
            difference(&json(recorded), &json(sent), "payload")
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
