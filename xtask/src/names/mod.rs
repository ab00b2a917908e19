//! The names of the interface as each language writes them.

pub mod cpp;
pub(crate) mod go;
pub(crate) mod python;

/// The names, each with underscores if one before it is the same.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for mut name in names {
        while all.contains(&name) {
            name.push('_');
        }
        all.push(name);
    }
    all
}
