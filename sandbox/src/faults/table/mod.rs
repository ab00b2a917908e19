//! The faults, in the order of the README's table, which a test compares with them.

mod bodies;
mod statuses;
mod wire;

use super::fault::Fault;

static ALL: [&[Fault]; 8] = [
    wire::LOST,
    wire::FRAMING,
    bodies::BODIES,
    statuses::STATUSES,
    bodies::ELEMENTS,
    statuses::ECHO,
    bodies::WIDGET,
    wire::TLS,
];

pub fn all() -> impl Iterator<Item = &'static Fault> {
    ALL.into_iter().flatten()
}

pub fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}

/// The message for a name that no fault has.
pub fn unknown(name: &str) -> String {
    let names: Vec<_> = all().map(|fault| fault.name).collect();
    format!("There is no fault {name}; there are {}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_names_one_fault() {
        for fault in all() {
            assert_eq!(all().filter(|other| *other == fault).count(), 1, "{fault:?}");
            assert!(fault.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
        }
        assert_eq!(named("Truncate"), None);
    }

    #[test]
    fn the_readme_shows_this_table() {
        let lines = all().map(|fault| {
            let committed = if fault.committed { "yes" } else { "no" };
            format!("| `{}` | {committed} | {} | {} |\n", fault.name, fault.wire, fault.doc)
        });
        let table =
            format!("| fault | executed | on the wire | simulates |\n|---|---|---|---|\n{}", lines.collect::<String>());
        let readme = include_str!("../../../README.md");
        assert!(readme.contains(&table), "the README's fault table should be:\n{table}");
    }
}
