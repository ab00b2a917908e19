//! Texts in which `{member}` is replaced by a value of the request.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Member(String),
}

impl Template {
    /// `{name}` and `{object.name}` are members; other braces are text.
    pub fn parse(text: &str) -> Template {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            plain += before;
            match after.split_once('}').filter(|(name, _)| is_member(name)) {
                Some((name, next)) => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(Part::Member(name.to_string()));
                    rest = next;
                }
                None => {
                    plain.push('{');
                    rest = after;
                }
            }
        }
        parts.push(Part::Text(plain + rest));
        parts.retain(|part| *part != Part::Text(String::new()));
        Template(parts)
    }

    pub fn members(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Member(name) => Some(name.as_str()),
        })
    }

    /// Whether the template consists of one field.
    pub fn is_one_member(&self) -> bool {
        matches!(self.0.as_slice(), [Part::Member(_)])
    }

    /// Absent members are replaced by empty text.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let filled = self.0.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Member(name) => value(name).unwrap_or_default(),
        });
        filled.collect()
    }
}

fn is_member(name: &str) -> bool {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '-');
    name.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> String {
        Template::parse(text).fill(|name| (name != "absent").then(|| name.to_uppercase()))
    }

    #[test]
    fn members_are_filled_and_other_braces_stay() {
        assert_eq!(filled("{a}/{b.c}"), "A/B.C");
        assert_eq!(filled("of {order.reference}, {absent}."), "of ORDER.REFERENCE, .");
        for text in ["", "plain", "{", "}", "{}", "{ a }", "{\"a\":1}", "{a..b}", "{a", "a}"] {
            assert_eq!(filled(text), text);
            assert_eq!(Template::parse(text).members().count(), 0, "{text}");
        }
        assert_eq!(filled("{{a}}"), "{A}");
        assert_eq!(Template::parse("{a}-{b}").members().collect::<Vec<_>>(), ["a", "b"]);
        assert!(Template::parse("{a}").is_one_member() && !Template::parse("{a} ").is_one_member());
    }
}
