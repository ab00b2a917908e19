//! Files that the sandbox writes: readable by their owner only.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

pub fn write_owner_only(path: &Path, text: &str) -> Result<(), String> {
    open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| format!("could not write {}: {error}", path.display()))
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
