//! Compares what a client asks with what was recorded.

use crate::util::json::Json;

/// Where the two differ, in words; none: they say the same. The order of fields has no meaning.
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
