//! API keys. They are sent in a header unchanged. Their form is checked, because they are easily confused.

use crate::config::encryption_key::is_path;
use crate::config::unusual;
use crate::util::secret::Secret;
use paysvc_spec::schema::ApiKey;

/// Live moves money, and test does not. Both share one address: the keys alone decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Test,
    Live,
}

impl Mode {
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Test => "test",
            Mode::Live => "live",
        }
    }
}

pub fn mode(text: &str) -> Result<Mode, String> {
    let known = [Mode::Test, Mode::Live].into_iter().find(|mode| mode.name() == text);
    known.ok_or_else(|| "must be test or live".to_owned())
}

/// The key for that place. No error repeats it.
pub fn api_key(text: &str, place: ApiKey, mode: Option<Mode>) -> Result<Secret, String> {
    if let Some(reason) = unusual(text) {
        return Err(reason);
    }
    if !text.is_ascii() {
        return Err("holds a character outside ASCII".into());
    }
    if is_path(text) {
        return Err("is a path: give the key itself, the text in that file".into());
    }
    let Some((of, rest)) = form(text) else {
        // Its mode could not be compared.
        return match FORMS.iter().any(|(start, _)| text.contains(start)) {
            true => Err("holds something before PGW-: copy the key alone".into()),
            false => Ok(Secret::new(text)),
        };
    };
    if of != place {
        return Err(format!("holds the key that belongs in {}", of.setting()));
    }
    match (mode, mode_of(rest)) {
        (Some(mode), Some(of)) if mode != of => Err(format!("is a {} key, but mode is {}", of.name(), mode.name())),
        _ => Ok(Secret::new(text)),
    }
}

const FORMS: [(&str, ApiKey); 2] = [("PGW-PUBLICKEY-", ApiKey::Public), ("PGW-SECRETKEY-", ApiKey::Secret)];

/// The kind of a key of the known form, and what follows.
fn form(text: &str) -> Option<(ApiKey, &str)> {
    FORMS.iter().find_map(|(start, key)| text.strip_prefix(start).map(|rest| (*key, rest)))
}

/// The mode of a key; `None` for a form that is not known.
pub fn mode_of_key(text: &str) -> Option<Mode> {
    form(text).and_then(|(_, rest)| mode_of(rest))
}

fn mode_of(rest: &str) -> Option<Mode> {
    const HEX_DIGITS: usize = 32;
    let is_hex = rest.len() == HEX_DIGITS && rest.bytes().all(|b| b.is_ascii_hexdigit());
    if rest.starts_with("TEST-") { Some(Mode::Test) } else { is_hex.then_some(Mode::Live) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0123456789abcdefABCDEF0123456789";

    #[test]
    fn a_key_of_the_other_kind_is_refused_and_an_unknown_one_is_not() {
        let refused = |key: &str, place, mode| {
            let error = api_key(key, place, mode).err();
            assert!(error.as_ref().is_none_or(|error| !error.contains(HEX)), "{error:?}");
            error.unwrap_or_default()
        };
        for (name, place) in [("PUBLICKEY", ApiKey::Public), ("SECRETKEY", ApiKey::Secret)] {
            let (test, live) = (format!("PGW-{name}-TEST-{HEX}"), format!("PGW-{name}-{HEX}"));
            assert_eq!(refused(&test, place, Some(Mode::Live)), "is a test key, but mode is live");
            assert_eq!(refused(&live, place, Some(Mode::Test)), "is a live key, but mode is test");
            for (key, mode) in [(&test, Some(Mode::Test)), (&live, Some(Mode::Live)), (&test, None), (&live, None)] {
                assert_eq!(refused(key, place, mode), "", "{mode:?}");
            }
            // Neither: nothing is known about such keys.
            for key in [format!("PGW-{name}-{}", &HEX[1..]), format!("PGW-{name}-x{}", &HEX[1..]), "any".into()] {
                for mode in [Mode::Test, Mode::Live] {
                    assert_eq!(refused(&key, place, Some(mode)), "");
                }
            }
        }
        let swapped = refused(&format!("PGW-SECRETKEY-{HEX}"), ApiKey::Public, Some(Mode::Test));
        assert_eq!(swapped, "holds the key that belongs in secret_key");
    }

    #[test]
    fn what_is_no_key_is_refused_with_what_is_there() {
        let key = format!("PGW-SECRETKEY-{HEX}");
        for (text, part) in [
            ("a b".to_owned(), "holds a space"),
            ("a\rb".to_owned(), "holds a carriage return"),
            ("a\nb".to_owned(), "holds a line break"),
            ("a\tb".to_owned(), "holds a tab"),
            ("a\u{a0}b".to_owned(), "holds a no-break space"),
            ("a\u{200b}b".to_owned(), "holds an invisible character, U+200B"),
            ("a\u{1}b".to_owned(), "holds a control character, U+0001"),
            ("a\"b".to_owned(), "holds a quotation mark"),
            ("a\u{e9}b".to_owned(), "outside ASCII"),
            ("/run/secrets/payment_key".to_owned(), "is a path"),
            ("/run/secrets/key".to_owned(), "is a path"),
            ("./key".to_owned(), "is a path"),
            ("C:\\keys\\live.txt".to_owned(), "is a path"),
            ("file:///etc/key".to_owned(), "is a path"),
            ("secret.key".to_owned(), "is a path"),
            (format!("PAYSVC_SECRET_KEY={key}"), "before PGW-"),
        ] {
            let reason = api_key(&text, ApiKey::Secret, Some(Mode::Test)).err().expect(&text);
            assert!(reason.contains(part) && !reason.contains(HEX), "{text}: {reason}");
        }
        for unknown in ["/Uu5+aB/cD==", "/Ab9x", "a'b", "sk_live_x.y"] {
            assert!(api_key(unknown, ApiKey::Secret, None).is_ok(), "{unknown}");
        }
    }

    #[test]
    fn the_mode_is_one_of_two_words() {
        assert_eq!((mode("test"), mode("live")), (Ok(Mode::Test), Ok(Mode::Live)));
        for wrong in ["Test", "LIVE", "sandbox", "true"] {
            assert_eq!(mode(wrong), Err("must be test or live".into()), "{wrong}");
        }
    }
}
