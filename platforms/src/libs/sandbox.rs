//! The sandbox for other platforms: one program, which needs the C library of its platform, and with musl nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::Platform;
use crate::{command, files};

/// Where a platform's program is.
pub fn program(root: &Path, platform: &Platform) -> PathBuf {
    let name = if platform.is_windows() { "paysvc-sandbox.exe" } else { "paysvc-sandbox" };
    root.join("build/sandboxes").join(platform.target).join(name)
}

pub fn build(root: &Path, platform: &Platform) -> Result<(), String> {
    println!("sandbox: {}", platform.target);
    let to = program(root, platform);
    let name = to.file_name().unwrap_or_default();
    let made = super::build::cargo(root, platform, &["build", "-p", "paysvc-sandbox"], &[])?.join(name);
    let folder = to.parent().unwrap_or(root);
    files::make(folder)?;
    let stripped = folder.join(".new");
    let mut strip = Command::new(format!("{}strip", platform.binutils.0));
    command::run(strip.arg("-o").arg(&stripped).arg(made))?;
    files::rename(&stripped, &to)
}
