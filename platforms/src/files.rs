//! Files and folders. An error names the path.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

fn named<T>(path: &Path, result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

pub fn read(file: &Path) -> Result<String, String> {
    named(file, fs::read_to_string(file))
}

pub fn bytes(file: &Path) -> Result<Vec<u8>, String> {
    named(file, fs::read(file))
}

/// Makes the file, and the folder in which it lies.
pub fn write(file: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    folder_of(file)?;
    named(file, fs::write(file, contents))
}

/// A script that can be run.
pub fn write_script(file: &Path, text: &str) -> Result<(), String> {
    write(file, text)?;
    named(file, fs::set_permissions(file, fs::Permissions::from_mode(0o755)))
}

/// Copies a file with its permissions, and makes the folder in which the copy lies.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    folder_of(to)?;
    named(from, fs::copy(from, to)).map(drop)
}

pub fn rename(from: &Path, to: &Path) -> Result<(), String> {
    named(to, fs::rename(from, to))
}

pub fn link(to: &Path, link: &Path) -> Result<(), String> {
    named(link, symlink(to, link))
}

fn folder_of(file: &Path) -> Result<(), String> {
    file.parent().map_or(Ok(()), make)
}

/// Makes a folder where it is missing.
pub fn make(folder: &Path) -> Result<(), String> {
    named(folder, fs::create_dir_all(folder))
}

/// Removes a file, or a folder with all that is in it, which need not be there.
pub fn remove(path: &Path) -> Result<(), String> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => named(path, removed),
    }
}

/// Makes a folder, or empties it.
pub fn empty(folder: &Path) -> Result<(), String> {
    remove(folder)?;
    make(folder)
}

/// The entries of a folder, by name.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = named(folder, fs::read_dir(folder))?.map(|entry| Ok(entry?.path()));
    let mut found = named(folder, entries.collect::<io::Result<Vec<_>>>())?;
    found.sort();
    Ok(found)
}
