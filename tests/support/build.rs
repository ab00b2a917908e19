//! The output of `make build`, which the tests use: the library, its headers and the sandbox, as they are installed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use super::{no_settings, root};

/// The shared library's symbols and lines, which are stripped from it.
pub fn debug_file() -> PathBuf {
    build().join(format!("lib/debug/libpaysvc.so.{}.debug", env!("CARGO_PKG_VERSION")))
}

/// The folder with include, lib and bin. `TEST_BUILD` names another one than `build`.
pub fn build() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        no_settings();
        // A caller who names another folder vouches for its content.
        let other = std::env::var_os("TEST_BUILD");
        let folder = other.as_ref().map_or(root().join("build"), |other| std::path::absolute(other).unwrap());
        let wrong = missing(&folder).or_else(|| if other.is_none() { stale(&folder) } else { None });
        if let Some(why) = wrong {
            // Once, and past what the test harness keeps to itself: every other test would print the same.
            let _ = writeln!(std::io::stderr(), "\n{why}: run `make build` first");
            std::process::exit(1);
        }
        folder
    })
}

const BUILT: [&str; 4] = ["lib/libpaysvc.so", "lib/libpaysvc.a", "bin/paysvc-sandbox", "include/paysvc.h"];
const SOURCES: [&str; 10] = [
    "src",
    "spec/src",
    "sandbox/src",
    "include",
    "bindings/cpp",
    "build.rs",
    "Cargo.toml",
    "Cargo.lock",
    "packaging",
    "scripts/link.sh",
];

fn missing(folder: &Path) -> Option<String> {
    let missing = BUILT.into_iter().map(|name| folder.join(name)).find(|file| !file.exists())?;
    Some(format!("{} is not there", missing.display()))
}

fn stale(folder: &Path) -> Option<String> {
    let changed = |file: &Path| std::fs::metadata(file).unwrap().modified().unwrap();
    let oldest = BUILT.map(|name| changed(&folder.join(name))).into_iter().min().unwrap();
    let newest = SOURCES.into_iter().map(|name| newest(&root().join(name))).max().unwrap();
    (newest.0 > oldest).then(|| format!("{} is older than {}", folder.display(), newest.1.display()))
}

/// The file that was changed last, in a folder and those beneath it.
fn newest(path: &Path) -> (SystemTime, PathBuf) {
    if !path.is_dir() {
        return (std::fs::metadata(path).unwrap().modified().unwrap(), path.to_owned());
    }
    std::fs::read_dir(path).unwrap().map(|entry| newest(&entry.unwrap().path())).max().unwrap()
}
