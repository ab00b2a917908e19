//! The address and the keys of a sandbox, which have names in the file: another start has others.

use crate::crypto::keys::ApiKeys;

#[derive(Default)]
pub struct Places(Vec<(&'static str, String)>);

impl Places {
    pub fn new(base_url: &str, encryption_key: &str, keys: &ApiKeys) -> Places {
        Places(vec![
            ("{base_url}", base_url.to_string()),
            ("{encryption_key}", encryption_key.to_string()),
            ("{public_key}", keys.public.clone()),
            ("{secret_key}", keys.secret.clone()),
        ])
    }

    /// The text with the names. JSON writes all these values as they are.
    pub fn named(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (name, value)| replace_whole(&text, value, name))
    }

    /// The text with the values.
    pub fn filled(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
    }
}

/// Not where the value goes on: `http://127.0.0.1:80` is not the start of `http://127.0.0.1:8080`.
fn replace_whole(text: &str, value: &str, name: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(value) {
        let goes_on = after.starts_with(|next: char| next.is_ascii_alphanumeric() || matches!(next, ':' | '.' | '-'));
        replaced.push_str(before);
        replaced.push_str(if goes_on { value } else { name });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_address_is_another() {
        let replaced = |text: &str| replace_whole(text, "http://127.0.0.1:80", "{base_url}");
        assert_eq!(replaced(r#""http://127.0.0.1:80/a","http://127.0.0.1:80""#), r#""{base_url}/a","{base_url}""#);
        assert_eq!(replaced("http://127.0.0.1:8080/a"), "http://127.0.0.1:8080/a");
    }
}
