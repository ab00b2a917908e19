//! `SHA256SUMS` over all packages, and its signature by minisign with the key that the user of `make dist` gives.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::stage::Stage;
use super::uses::{self, Use};
use super::{Dist, KINDS};
use crate::command::{self, output};
use crate::files;

const SUMS: &str = "SHA256SUMS";

/// The packages of all kinds that are there, also those that an earlier run made, by path from the folder of all.
fn packages(dist: &Dist) -> Result<Vec<String>, String> {
    let (mut folders, mut found) = (Vec::new(), Vec::new());
    folders.extend(KINDS.iter().map(|kind| dist.packages(kind.name)).filter(|folder| folder.exists()));
    while let Some(folder) = folders.pop() {
        for path in files::list(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dist.folder()).unwrap_or(&path);
                found.push(name.display().to_string());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Writes the checksums, and signs them if there is a key.
pub fn write(dist: &Dist, key: Option<&Path>) -> Result<(), String> {
    let packages = packages(dist)?;
    let missing: Vec<_> = KINDS.iter().map(|kind| kind.name).filter(|name| !dist.packages(name).exists()).collect();
    let sums = output(Command::new("sha256sum").arg("--").args(&packages).current_dir(dist.folder()))?;
    let file = dist.folder().join(SUMS);
    files::write(&file, sums)?;
    // One of an earlier run would be that of other packages.
    files::remove(&signature(&file))?;
    println!("dist: {} has the checksums of {} files", file.display(), packages.len());
    if !missing.is_empty() {
        println!("dist: these kinds were not made, and are not in it: {}", missing.join(", "));
    }
    match key {
        Some(key) => sign(dist, key, &file),
        None => {
            println!("dist: it is not signed: for that, give the file of a minisign secret key, KEY=FILE");
            Ok(())
        }
    }
}

fn signature(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.minisig", file.display()))
}

/// Asks for the password of the key if it has one. The comment has no time in it, so that the same key gives the same bytes.
fn sign(dist: &Dist, key: &Path, file: &Path) -> Result<(), String> {
    let mut minisign = Command::new("minisign");
    minisign.args(["-S", "-t"]).arg(format!("libpaysvc {}", dist.version));
    command::run(minisign.arg("-s").arg(key).arg("-m").arg(file).arg("-x").arg(signature(file)))
}

pub fn uses(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    let file = dist.folder().join(SUMS);
    let place = "this machine";
    Ok(vec![
        uses::take(&file, place, "every package is named; sha256sum", || all_are_named(dist, &file)),
        uses::take(&file, place, "signed with a new key, verified; changed bytes are refused", || {
            signed(dist, stage, &file)
        }),
    ])
}

fn all_are_named(dist: &Dist, file: &Path) -> Result<(), String> {
    output(Command::new("sha256sum").args(["--check", "--strict", "--quiet", SUMS]).current_dir(dist.folder()))?;
    let sums = files::read(file)?;
    let named: Vec<_> = sums.lines().filter_map(|line| line.split("  ").nth(1)).collect();
    if named == packages(dist)? {
        Ok(())
    } else {
        Err(format!("{SUMS} does not have exactly the packages that are there: run make dist again"))
    }
}

/// Runs the commands of docs/install.md as a person does who has downloaded a package.
fn signed(dist: &Dist, stage: &Stage, file: &Path) -> Result<(), String> {
    let (release, here) = (dist.work("release")?, dist.work("downloaded")?);
    files::copy(file, &release.join(SUMS))?;
    let keys = [release.join("secret.key"), here.join("paysvc.pub")];
    output(Command::new("minisign").args(["-G", "-W", "-s"]).arg(&keys[0]).arg("-p").arg(&keys[1]))?;
    sign(dist, &keys[0], &release.join(SUMS))?;
    let name = packages(dist)?.into_iter().next().ok_or("there are no packages")?;
    let package = here.join(&name);
    files::copy(&dist.folder().join(&name), &package)?;
    let commands = stage.commands("Verify what was downloaded")?;
    let verify = || {
        let mut sh = Command::new("sh");
        sh.args(["-euc", &commands]).env("RELEASE", format!("file://{}", release.display()));
        output(sh.current_dir(&here))
    };
    verify()?;
    for changed in [package, release.join(SUMS), release.join("SHA256SUMS.minisig")] {
        let bytes = files::bytes(&changed)?;
        let mut other = bytes.clone();
        let middle = other.len() / 2;
        other[middle] ^= 1;
        files::write(&changed, &other)?;
        if verify().is_ok() {
            return Err(format!("a changed byte of {} is not noticed", changed.display()));
        }
        files::write(&changed, bytes)?;
    }
    verify().map(drop)
}
