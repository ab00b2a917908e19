//! API keys. They are sent in a header unchanged. Their form is checked, because they are easily confused.

use crate::util::secret::Secret;
use paysvc_spec::schema::ApiKey;

/// Whether money moves. Test and live share one address: the keys alone decide.
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
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("holds a space, a control character or a character outside ASCII".into());
    }
    let Some((of, rest)) = form(text) else { return Ok(Secret::new(text)) };
    if of != place {
        return Err(format!("holds the key that belongs in {}", of.setting()));
    }
    match (mode, mode_of(rest)) {
        (Some(mode), Some(of)) if mode != of => Err(format!("is a {} key, but mode is {}", of.name(), mode.name())),
        _ => Ok(Secret::new(text)),
    }
}

/// The kind of a key of the known form, and what follows.
fn form(text: &str) -> Option<(ApiKey, &str)> {
    let public = text.strip_prefix("PGW-PUBLICKEY-").map(|rest| (ApiKey::Public, rest));
    public.or_else(|| text.strip_prefix("PGW-SECRETKEY-").map(|rest| (ApiKey::Secret, rest)))
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
    fn the_mode_is_one_of_two_words() {
        assert_eq!((mode("test"), mode("live")), (Ok(Mode::Test), Ok(Mode::Live)));
        for wrong in ["Test", "LIVE", "sandbox", "true"] {
            assert_eq!(mode(wrong), Err("must be test or live".into()), "{wrong}");
        }
    }
}
