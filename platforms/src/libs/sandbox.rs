//! The sandbox for other platforms: one program, which needs the C library of its platform, and with musl nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::table::{Platform, System};

/// Where a platform's program is.
pub fn program(root: &Path, platform: &Platform) -> PathBuf {
    let name = if matches!(platform.system, System::Windows(_)) { "paysvc-sandbox.exe" } else { "paysvc-sandbox" };
    root.join("build/sandboxes").join(platform.target).join(name)
}

pub fn build(root: &Path, platform: &Platform) -> Result<(), String> {
    println!("sandbox: {}", platform.target);
    let to = program(root, platform);
    let name = to.file_name().unwrap_or_default();
    let made = super::build::cargo(root, platform, &["build", "-p", "paysvc-sandbox"], &[])?.join(name);
    let folder = to.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stripped = folder.join(".new");
    let mut strip = Command::new(format!("{}strip", platform.binutils.0));
    command::run(strip.arg("-o").arg(&stripped).arg(made))?;
    fs::rename(&stripped, &to).map_err(|error| format!("{}: {error}", to.display()))
}
