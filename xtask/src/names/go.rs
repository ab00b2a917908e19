//! Go's names: exported, with initialisms in capitals.

use std::collections::BTreeSet;

use crate::text::capitalise;

const INITIALISMS: &[&str] =
    &["abi", "api", "ca", "cvv", "http", "id", "ip", "iso", "json", "ms", "ok", "otp", "pin", "tls", "uri", "url"];

/// What is hand-written and exported in the package, which no rendered type or function can be called.
const OURS: &[&str] = &[
    "Amount",
    "Anything",
    "AppendResult",
    "Attempt",
    "CallOption",
    "Client",
    "ContextWithTraceparent",
    "DefaultMaxInFlight",
    "DefaultMaxWaiting",
    "ErrClosed",
    "ErrStop",
    "Error",
    "Hooks",
    "JournalEntry",
    "New",
    "NewFromJSON",
    "NewReference",
    "NewSecret",
    "Option",
    "PanicError",
    "Progress",
    "ProgressFunc",
    "Ptr",
    "QueryKind",
    "Reply",
    "ResolveOption",
    "Secret",
    "Store",
    "StoreQuery",
    "StoreRow",
    "WithAttempts",
    "WithExpect",
    "WithHooks",
    "WithKey",
    "WithLog",
    "WithMaxInFlight",
    "WithMaxWaiting",
    "WithMember",
    "WithOnlyCall",
    "WithStore",
    "WithWait",
];

/// Methods of the client that no endpoint is.
const METHODS_OF_OURS: &[&str] = &[
    "Call",
    "Check",
    "Close",
    "Encrypt",
    "HasSecretKey",
    "JournalNext",
    "NewReference",
    "Request",
    "Resolve",
    "ResolveRequest",
    "Shutdown",
    "Warm",
];

/// What the structs of requests and answers have themselves, and what fmt, log/slog and encoding/json look for. A field of
/// such a name would hide it: with `Format`, personal data would be printed.
const MEMBERS_OF_OURS: &[&str] = &[
    "Error",
    "Extra",
    "Format",
    "GoString",
    "LogValue",
    "LookUp",
    "MarshalJSON",
    "MarshalText",
    "String",
    "UnmarshalJSON",
    "UnmarshalText",
];

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
    with_underscore(exported(name), METHODS_OF_OURS)
}

/// The field of a struct for one of JSON.
pub fn field(name: &str) -> String {
    with_underscore(exported(name), MEMBERS_OF_OURS)
}

fn with_underscore(name: String, taken: &[&str]) -> String {
    if taken.contains(&name.as_str()) { name + "_" } else { name }
}

/// The types and functions of the package.
pub struct Package(BTreeSet<String>);

impl Default for Package {
    /// With what is hand-written.
    fn default() -> Package {
        Package(OURS.iter().map(|&name| name.to_owned()).collect())
    }
}

impl Package {
    /// That name, with underscores if something else has it.
    pub fn name(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The fields of an object of a response; no two are the same.
pub fn fields<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let mut name = field(name);
        while all.contains(&name) {
            name.push('_');
        }
        all.push(name);
    }
    all
}

/// `Status` and `RATE_LIMITED` make `StatusRateLimited`.
pub fn constant(kind: &str, name: &str) -> String {
    format!("{kind}{}", exported(&name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither more nor less: what the hand-written files of the package declare.
    #[test]
    fn the_names_of_the_package_are_known() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bindings/go");
        let (mut found, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(".go") || name.ends_with("_test.go") || name.starts_with("generated") {
                continue;
            }
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let words: Vec<&str> =
                    line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
                let (set, declared) = match words[..] {
                    ["func", _, "Client", name, ..] if line.starts_with("func (") => (&mut methods, name),
                    ["type" | "var" | "const", name, ..] if line.starts_with(words[0]) => (&mut found, name),
                    ["func", name, ..] if line.starts_with("func ") && !line.starts_with("func (") => {
                        (&mut found, name)
                    }
                    _ => continue,
                };
                if declared.starts_with(|first: char| first.is_ascii_uppercase()) {
                    set.insert(declared.to_owned());
                }
            }
        }
        assert_eq!(found, Package::default().0);
        assert_eq!(methods, METHODS_OF_OURS.iter().map(|&name| name.to_owned()).collect());
    }
}
