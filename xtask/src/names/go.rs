//! Go's names: exported, with initialisms in capitals.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use paysvc_platforms::files;

use super::distinct;
use crate::text::capitalise;

const INITIALISMS: &[&str] =
    &["abi", "api", "ca", "cvv", "http", "id", "ip", "iso", "json", "ms", "ok", "otp", "pin", "tls", "uri", "url"];

/// Exported names in the hand-written files of the package: its types, variables and functions, which no rendered type
/// or function can be called, and the methods of its client, which no endpoint is.
static OURS: LazyLock<Exported> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bindings/go");
    let mut ours = Exported::default();
    for file in files::list(folder.as_ref()).expect("the package") {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with("generated") {
            ours.add(&files::read(&file).expect("a file of the package"));
        }
    }
    ours
});

#[derive(Default)]
struct Exported {
    package: BTreeSet<String>,
    methods_of_client: BTreeSet<String>,
}

impl Exported {
    fn add(&mut self, source: &str) {
        for line in source.lines() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            let (set, name) = match words[..] {
                ["func", _, "Client", name, ..] if line.starts_with("func (") => (&mut self.methods_of_client, name),
                ["func", ..] if line.starts_with("func (") => continue,
                ["type" | "var" | "const" | "func", name, ..] if line.starts_with(words[0]) => {
                    (&mut self.package, name)
                }
                _ => continue,
            };
            if name.starts_with(|first: char| first.is_ascii_uppercase()) {
                set.insert(name.to_owned());
            }
        }
    }
}

/// Own methods of the structs of requests and responses, and those that fmt, log/slog and encoding/json look for. A
/// field of such a name would hide it: with `Format`, personal data would be printed.
const MEMBERS_OF_OURS: &str = "Error Extra Format GoString LogValue LookUp MarshalJSON MarshalText String UnmarshalJSON \
    UnmarshalText";

/// `recurringPaymentId` and `direct_debit_otp` as Go writes them: `RecurringPaymentID`, `DirectDebitOTP`. No word of Go
/// begins with a capital letter, so none is taken.
pub fn exported(name: &str) -> String {
    let mut words = vec![String::new()];
    for c in name.chars() {
        let last = words.last_mut().expect("never empty");
        let breaks = !c.is_ascii_alphanumeric();
        if breaks || (c.is_ascii_uppercase() && last.ends_with(|before: char| !before.is_ascii_uppercase())) {
            words.push(String::new());
        }
        if !breaks {
            words.last_mut().expect("never empty").push(c);
        }
    }
    let word = |word: &String| {
        if INITIALISMS.contains(&word.to_lowercase().as_str()) { word.to_uppercase() } else { capitalise(word) }
    };
    let name: String = words.iter().map(word).collect();
    if name.starts_with(|first: char| first.is_ascii_uppercase()) { name } else { format!("X{name}") }
}

/// The method of the client for an endpoint.
pub fn method(name: &str) -> String {
    let name = exported(name);
    if OURS.methods_of_client.contains(&name) { name + "_" } else { name }
}

/// The field of a struct for one of JSON.
pub fn field(name: &str) -> String {
    let name = exported(name);
    if MEMBERS_OF_OURS.split(' ').any(|own| own == name) { name + "_" } else { name }
}

/// The types and functions of the package.
pub struct Package(BTreeSet<String>);

impl Default for Package {
    /// With what is hand-written.
    fn default() -> Package {
        Package(OURS.package.clone())
    }
}

impl Package {
    /// Returns that name, with underscores if something else has it.
    pub fn name(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The fields of an object of a response; no two are the same.
pub fn fields<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    distinct(names.map(field))
}

/// `Status` and `RATE_LIMITED` make `StatusRateLimited`.
pub fn constant(kind: &str, name: &str) -> String {
    format!("{kind}{}", exported(&name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_by_hand_has_its_names() {
        for name in ["Amount", "ErrClosed", "WithStore", "Store"] {
            assert!(OURS.package.contains(name), "{name}");
        }
        assert!(OURS.methods_of_client.contains("JournalNext") && !OURS.package.contains("JournalNext"));
        assert!(!OURS.package.contains("OrderPayRequest"));
        assert_eq!((method("close"), method("order_pay")), ("Close_".into(), "OrderPay".into()));
        assert_eq!(Package::default().name("Amount".to_owned()), "Amount_");
    }
}
