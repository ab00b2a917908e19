//! `cargo xtask licences` renders LICENSE-THIRD-PARTY: the licences of all that a library or the sandbox contains.
//! cargo-about finds the texts of the crates. Parts that cargo does not see are rows of `parts::PARTS`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use minijinja::{Value, context};
use paysvc_platforms::command::output;
use paysvc_platforms::files;
use paysvc_platforms::libs::tools;
use paysvc_platforms::parts::{self, PARTS, Part, Shipped};
use paysvc_platforms::table::{PLATFORMS, Platform};
use serde::Deserialize;

use crate::templates;

pub const FILE: &str = "LICENSE-THIRD-PARTY";

const CARGO_ABOUT: &str = "0.9.3";

type OfPlatform = fn(&Platform) -> bool;

/// The shipped products, and their platforms.
const SHIPPED: [(&str, Shipped, OfPlatform); 3] = [
    ("library on Linux", Shipped::Library, |it| !it.is_windows()),
    ("library on Windows", Shipped::Library, Platform::is_windows),
    ("sandbox", Shipped::Sandbox, |it| it.sandbox),
];

/// The crates by name and version, with the files of ours that contain them.
fn crates(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut crates = BTreeMap::<_, Vec<_>>::new();
    for (title, shipped, is_for) in SHIPPED {
        let targets = PLATFORMS.iter().filter(|platform| is_for(platform)).map(|platform| platform.target);
        for (name, version) in parts::crates(root, shipped, targets)? {
            crates.entry(format!("{name} {version}")).or_default().push(title);
        }
    }
    let joined = |by: Vec<&str>| by.join(", ").replace("library on Linux, library on Windows", "library");
    Ok(crates.into_iter().map(|(name, by)| (name, joined(by))).collect())
}

/// The lines of the list of crates.
fn lines(crates: &BTreeMap<String, String>) -> BTreeSet<String> {
    crates.iter().map(|(name, by)| format!("{name:<31} {by}")).collect()
}

/// Fails when the file lists other crates than the trees of dependencies have.
pub fn check(root: &Path, text: &str) -> Result<(), String> {
    let listed = text.lines().skip_while(|line| *line != "Crates").skip(2).take_while(|line| !line.is_empty());
    let listed: BTreeSet<_> = listed.map(str::to_owned).collect();
    let is = lines(&crates(root)?);
    let missing = is.difference(&listed).map(|line| format!("  missing: {line}\n"));
    let gone = listed.difference(&is).map(|line| format!("  not there: {line}\n"));
    let different: String = missing.chain(gone).collect();
    if different.is_empty() { Ok(()) } else { Err(format!("{FILE} is not current; run `make licences`:\n{different}")) }
}

/// The output of cargo-about.
#[derive(Deserialize)]
struct About {
    licenses: Vec<Licence>,
}

#[derive(Deserialize)]
struct Licence {
    id: String,
    text: String,
    /// `None` if it is not from the crate: a form without names.
    source_path: Option<String>,
    used_by: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    #[serde(rename = "crate")]
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    /// `None` if it lies in the folder of the manifest.
    source: Option<String>,
}

/// By text: its licences and its crates.
type Texts = BTreeMap<String, [BTreeSet<String>; 2]>;

pub fn run(root: &Path) -> Result<(), String> {
    let tool = tools::of_registry(root, "cargo-about", CARGO_ABOUT, &["--features", "cli"])?;
    let crates = crates(root)?;
    let mut texts = Texts::new();
    for manifest in ["Cargo.toml", "sandbox/Cargo.toml"] {
        for licence in about(root, &tool, &root.join(manifest), |_| true)? {
            let users = licence.used_by.iter().map(|user| format!("{} {}", user.package.name, user.package.version));
            add(&mut texts, &licence, users.filter(|name| crates.contains_key(name)).collect())?;
        }
    }
    let have: BTreeSet<_> = texts.values().flat_map(|[_, crates]| crates).collect();
    let without: Vec<_> = crates.keys().filter(|name| !have.contains(name)).cloned().collect();
    if !without.is_empty() {
        return Err(format!("cargo-about has no licence of {}", without.join(", ")));
    }
    let standard = standard_library(root, &tool, &mut texts)?;
    let version = output(Command::new("rustc").arg("--version"))?;
    let sorted: BTreeSet<_> = texts.into_iter().map(|(text, [ids, crates])| (ids, crates, text)).collect();
    let texts = sorted
        .into_iter()
        .map(|(ids, crates, text)| context! { ids => joined(ids), crates => joined(crates), text })
        .collect::<Vec<Value>>();
    let (rust, standard) = (version.split(' ').nth(1), joined(standard));
    let context = context! { crates => lines(&crates), rust, standard, texts, others => others(root)? };
    let text = templates::render(FILE, context);
    check(root, &text)?;
    files::write(&root.join(FILE), text)
}

/// Adds the texts of Rust's standard library and of the crates in it, whose names are returned.
fn standard_library(root: &Path, tool: &Path, texts: &mut Texts) -> Result<BTreeSet<String>, String> {
    let manifest = tools::rust()?.sysroot.join("lib/rustlib/src/rust/library/std/Cargo.toml");
    if !manifest.exists() {
        let how = "run `rustup component add rust-src`, or install Debian's rust-web-src";
        return Err(format!("the source of Rust's standard library is not there: {how}"));
    }
    let mut standard = BTreeSet::new();
    for licence in about(root, tool, &manifest, |platform| !platform.is_windows())? {
        // Most of its own crates have no text. The texts of `std` are for all of them, and have no version.
        let has_text = |user: &&User| user.package.source.is_some() || licence.source_path.is_some();
        let users = licence.used_by.iter().filter(has_text).map(|User { package }| match package.source {
            None => package.name.clone(),
            Some(_) => format!("{} {}", package.name, package.version),
        });
        let users: BTreeSet<_> = users.collect();
        standard.extend(users.clone());
        add(texts, &licence, users)?;
    }
    for own in ["std", "compiler_builtins"] {
        if !standard.contains(own) {
            return Err(format!("cargo-about finds no text of {own}: correct its file in packaging/about.toml"));
        }
    }
    Ok(standard)
}

fn others(root: &Path) -> Result<Vec<Value>, String> {
    let zig = tools::zig(root)?.compiler.with_file_name("lib");
    let read = |part: &Part| {
        let text = files::read(&part.text.strip_prefix("zig/").map_or(root.join(part.text), |own| zig.join(own)))?;
        Ok(context! { title => part.title, place => part.place, text => tidy(&text) })
    };
    PARTS.iter().map(read).collect()
}

/// The licences of the packages that a manifest's package depends on, on those platforms.
fn about(root: &Path, tool: &Path, manifest: &Path, is_for: OfPlatform) -> Result<Vec<Licence>, String> {
    let mut about = Command::new(tool);
    about
        .args(["generate", "--locked", "--fail", "--format", "json", "--config"])
        .arg(root.join("packaging/about.toml"));
    for platform in PLATFORMS.iter().filter(|platform| is_for(platform)) {
        about.args(["--target", platform.target]);
    }
    if manifest.ends_with("std/Cargo.toml") {
        // As it is built for us. Its manifest uses what is not a part of stable Rust.
        about.args(["--features", "backtrace", "--features", "panic-unwind"]).env("RUSTC_BOOTSTRAP", "1");
    }
    let json = output(about.arg("--manifest-path").arg(manifest))?;
    let about: About = serde_json::from_str(&json).map_err(|error| format!("cargo-about: {error}"))?;
    Ok(about.licenses)
}

fn add(texts: &mut Texts, licence: &Licence, crates: BTreeSet<String>) -> Result<(), String> {
    if crates.is_empty() {
        return Ok(());
    }
    if licence.source_path.is_none() {
        let (id, crates) = (&licence.id, joined(crates));
        return Err(format!("cargo-about finds no text of {id} in {crates}: name its file in packaging/about.toml"));
    }
    let [ids, users] = texts.entry(tidy(&licence.text)).or_default();
    ids.insert(licence.id.clone());
    users.extend(crates);
    Ok(())
}

fn joined(names: BTreeSet<String>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Without blanks at the end of a line, and without empty lines around it.
fn tidy(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_file_lists_the_crates_of_the_lock_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        check(root, &files::read(&root.join(FILE)).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    }
}
