//! Writes files that only their owner can read.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

pub fn write_owner_only(path: &Path, text: &str) -> Result<(), String> {
    write(path, text.as_bytes()).map_err(|error| format!("could not write {}: {error}", path.display()))
}

/// Atomic: writes a temporary file in the same folder and renames it. A target that is not a regular file, such as a
/// pipe, is written directly.
fn write(path: &Path, text: &[u8]) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(text);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let mut file = create(beside.as_ref())?;
    let written = file.write_all(text).and_then(|()| std::fs::rename(&beside, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
