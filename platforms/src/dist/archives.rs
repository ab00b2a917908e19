//! An archive for each platform: the output of `make libs`, laid out as it is installed, with manual pages, the sandbox
//! and the lists of the parts of both. A second archive, large and seldom needed, has the symbols stripped off.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::sbom::Boms;
use super::{Dist, Kind};
use crate::parts::Shipped;
use crate::table::Platform;
use crate::{command, files};

pub const KIND: Kind = Kind { name: "archives", quick: false, make, uses: super::programs::uses };

/// The folder in the archive, which its name is made of.
pub fn name(dist: &Dist, platform: &Platform) -> String {
    format!("libpaysvc-{}-{}", dist.version, platform.target)
}

pub fn archive(dist: &Dist, platform: &Platform) -> PathBuf {
    file(dist, platform, &name(dist, platform))
}

fn file(dist: &Dist, platform: &Platform, name: &str) -> PathBuf {
    let ending = if platform.is_windows() { "zip" } else { "tar.gz" };
    dist.packages(KIND.name).join(format!("{name}.{ending}"))
}

fn make(dist: &Dist) -> Result<(), String> {
    let (boms, work) = (Boms::new(dist)?, dist.work(KIND.name)?);
    for platform in &dist.platforms {
        let name = name(dist, platform);
        let (folder, debug) = (work.join(&name), work.join(format!("{name}-debug")));
        fill(dist, platform, &boms, &folder, &debug)?;
        for folder in [&folder, &debug] {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            dist.pack(folder, &file(dist, platform, &name))?;
            files::remove(folder)?;
        }
    }
    Ok(())
}

/// Lays out what is packed, in one folder and in that of the debug files.
fn fill(dist: &Dist, platform: &Platform, boms: &Boms, folder: &Path, debug: &Path) -> Result<(), String> {
    let libs = dist.libs(platform);
    command::run(Command::new("cp").arg("-a").args([&libs, folder]))?;
    files::make(&debug.join("lib"))?;
    files::rename(&folder.join("lib/debug"), &debug.join("lib/debug"))?;
    let documents = folder.join("share/doc/libpaysvc");
    if !platform.is_windows() {
        let man = folder.join("share/man");
        command::run(Command::new("cp").arg("-r").arg(dist.root.join("docs/man/man1")).arg(man))?;
    }
    let mut boms_of = vec![(Shipped::Library, "libpaysvc")];
    if let Some(sandbox) = dist.sandbox(platform) {
        files::copy(&sandbox, &folder.join("bin").join(sandbox.file_name().unwrap_or_default()))?;
        boms_of.push((Shipped::Sandbox, "paysvc-sandbox"));
    }
    for (shipped, name) in boms_of {
        files::write(&documents.join(format!("{name}.cdx.json")), boms.of(platform, shipped)?)?;
    }
    Ok(())
}
