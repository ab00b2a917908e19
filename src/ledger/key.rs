//! The keys and orders by which rows are found, and the accounts that own the rows.

use super::digest::digest;
use paysvc_spec::journal::Step;

/// A key or an order. It is found with ASCII case folded and kept as it was given: it is not known whether the service
/// distinguishes two spellings.
#[derive(Clone, Debug, Default)]
pub struct Name {
    pub given: String,
    pub index: String,
}

impl Name {
    pub fn new(given: &str) -> Name {
        Name { given: given.to_owned(), index: given.to_ascii_lowercase() }
    }
}

/// However it is spelt.
impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.index == other.index
    }
}

pub fn derived(step: Step, about: &str) -> Name {
    Name::new(&format!("{} {about}", step.name()))
}

/// As the caller gave it.
pub fn explicit(key: &str) -> Name {
    Name::new(&format!("key {key}"))
}

/// A recipient of a list of payouts.
pub fn payout(client_reference: &str) -> Name {
    Name::new(&format!("payout {client_reference}"))
}

/// An unknown part of an account.
const UNKNOWN: &str = "-";

/// The account of a client, and those whose rows count as its own.
#[derive(Clone, Debug)]
pub struct Accounts {
    mode: String,
    /// The origin of the base URL; empty for a service on this machine.
    origin: String,
    /// Digests of the public key and of former ones.
    keys: Vec<String>,
}

impl Accounts {
    /// Empty: not known. `former`: earlier public keys of the account.
    pub fn new(mode: &str, origin: &str, public_key: Option<&str>, former: &[String]) -> Accounts {
        let known = |text: &str| if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() };
        let of_key = |key: &str| digest("account", "public_key", key);
        let own = public_key.map_or(UNKNOWN.to_owned(), of_key);
        let keys = std::iter::once(own).chain(former.iter().map(|key| of_key(key))).collect();
        Accounts { mode: known(mode), origin: origin.to_owned(), keys }
    }

    /// As its rows name it.
    pub fn own(&self) -> String {
        [&self.mode, &self.origin, &self.keys[0]].map(String::as_str).join(" ")
    }

    /// Returns whether the account is the client's. A part that is unknown in one of them agrees with any.
    pub fn has(&self, account: &str) -> bool {
        let agrees = |one: &str, other: &str| one == other || one == UNKNOWN || other == UNKNOWN;
        let parts: Vec<&str> = account.split(' ').collect();
        let [mode, origin, key] = parts[..] else { return false };
        agrees(mode, &self.mode) && origin == self.origin && self.keys.iter().any(|own| agrees(own, key))
    }

    /// The account is one of the other mode: test or live.
    pub fn is_of_another_mode(&self, account: &str) -> bool {
        let mode = account.split(' ').next().unwrap_or_default();
        ![mode, &self.mode].contains(&UNKNOWN) && mode != self.mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_two_kinds_are_never_equal_and_case_does_not_count() {
        let steps = [Step::Charge, Step::Authorization, Step::Order];
        let of =
            |name: &str| [steps.map(|step| derived(step, name)).to_vec(), vec![explicit(name), payout(name)]].concat();
        let all: Vec<Name> = ["R", "charge R", ""].into_iter().flat_map(of).collect();
        for (index, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(index), "{one:?}");
        }
        assert!(explicit("ORD-1") == explicit("ord-1") && explicit("É") != explicit("é"));
    }

    #[test]
    fn an_account_is_its_mode_its_origin_and_its_public_key() {
        let origin = "https://a";
        let account = |mode: &str, origin: &str, key| Accounts::new(mode, origin, key, &[]);
        let live = Accounts::new("live", origin, Some("new"), &["old".to_owned()]);
        for (mode, of, key, is_own) in [
            ("live", origin, Some("new"), true),
            ("live", origin, Some("old"), true),
            ("live", origin, None, true),
            ("", origin, Some("new"), true),
            ("test", origin, Some("new"), false),
            ("live", "https://b", Some("new"), false),
            ("live", "", Some("new"), false),
            ("live", origin, Some("other"), false),
        ] {
            let row = account(mode, of, key).own();
            assert_eq!(live.has(&row), is_own, "{row}");
            assert_eq!(live.is_of_another_mode(&row), mode == "test", "{row}");
        }
        assert!(!live.has("") && account("test", "", None).has(&account("test", "", None).own()));
        assert!(
            !account("live", origin, Some("old")).has(&live.own()),
            "the former key alone knows nothing of the new one"
        );
    }
}
