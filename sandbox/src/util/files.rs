//! Writes files as a whole or not at all, and keeps secrets to their owner.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::path::Path;

/// A file that only its owner can read.
pub fn write_owner_only(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write(path, bytes, 0o600)
}

/// A file that everybody can read.
pub fn write_public(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write(path, bytes, 0o644)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), String> {
    replace(path, bytes, mode).map_err(|error| format!("could not write {}: {error}", path.display()))
}

/// Atomic: writes a temporary file in the same folder and renames it. A target that is not a regular file, such as a
/// pipe, is written directly.
fn replace(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let mut file = owner_only(OpenOptions::new().write(true).create_new(true), mode).open(&beside)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(&beside, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    sync_folder_of(path)
}

/// So that the file has its new name after a crash of the system, too.
fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Sets the mode of a file that is created.
pub fn owner_only(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, mode);
    let _ = mode;
    options
}

/// Why the file cannot hold a secret: it belongs to another user, or others can read it.
#[cfg(unix)]
pub fn exposed(file: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    if file.uid() != nix::unistd::geteuid().as_raw() {
        return Some("it belongs to another user".to_string());
    }
    let mode = file.mode() & 0o777;
    (mode & 0o077 != 0).then(|| format!("its mode is {mode:04o}, so other users can use it; make it 0600"))
}

#[cfg(not(unix))]
pub fn exposed(_: &Metadata) -> Option<String> {
    None
}
