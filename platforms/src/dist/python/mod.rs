//! The Python packages: wheels of `paysvc` with the library, its source distribution, and wheels of `paysvc-sandbox`.

mod gate;
mod in_c;
mod install;
mod uses;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::{Dist, Kind};
use crate::table::{Platform, System};
use crate::{command, files, libs};

pub const KIND: Kind = Kind { name: "python", quick: true, make, uses: uses::uses };

fn make(dist: &Dist) -> Result<(), String> {
    let work = dist.work("python")?;
    let source = source_distribution(dist, &work)?;
    for platform in &dist.platforms {
        if let Some(tag) = platform.wheel {
            wheel(dist, &source, ("paysvc", tag), ("PAYSVC_LIBRARY", &library(dist, platform, tag, &work)?))?;
        }
    }
    for platform in &dist.platforms {
        if let (Some(tag), Some(program)) = (platform.sandbox_wheel, dist.sandbox(platform)) {
            let source = copy(dist, "sandbox/python", &work)?;
            wheel(dist, &source, ("paysvc_sandbox", tag), ("PAYSVC_SANDBOX", &program))?;
        }
    }
    gate::all(dist)
}

/// Makes the source distribution, and gives the folder in which it is unpacked: wheels are made of it, so that it has all that
/// they need.
fn source_distribution(dist: &Dist, work: &Path) -> Result<PathBuf, String> {
    let began = Instant::now();
    let made = work.join("made");
    let source = copy(dist, "bindings/python", work)?;
    build(dist, &source, &made, &["--sdist"], None)?;
    let name = format!("paysvc-{}", dist.version);
    let mut tar = dist.command("tar");
    command::run(tar.args(["-x", "-f"]).arg(made.join(format!("{name}.tar.gz"))).current_dir(work))?;
    // Packed again, because setuptools writes the time of the build.
    let file = source_file(dist);
    dist.pack(&work.join(&name), &file)?;
    said(&file, began)?;
    Ok(work.join(name))
}

fn source_file(dist: &Dist) -> PathBuf {
    dist.packages(KIND.name).join(format!("paysvc-{}.tar.gz", dist.version))
}

/// A wheel of this distribution for a platform, or for several with a dot between them.
fn wheel_file(dist: &Dist, distribution: &str, tag: &str) -> PathBuf {
    dist.packages(KIND.name).join(format!("{distribution}-{}-py3-none-{tag}.whl", dist.version))
}

/// Makes a wheel of a distribution for a tag, with the file that the variable names for setup.py.
fn wheel(dist: &Dist, source: &Path, what: (&str, &str), given: (&str, &Path)) -> Result<(), String> {
    let (began, (distribution, tag)) = (Instant::now(), what);
    let platform = format!("--config-setting=--build-option=--plat-name={tag}");
    build(dist, source, &dist.packages(KIND.name), &["--wheel", &platform], Some(given))?;
    said(&wheel_file(dist, distribution, tag), began)
}

/// Prints how long it took. An error if it is not there, for instance because it has another tag.
fn said(file: &Path, began: Instant) -> Result<(), String> {
    let bytes = fs::metadata(file).map_err(|error| format!("{}: {error}", file.display()))?.len();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!("dist: {name}, {} KB, in {:.1} s", bytes / 1000, began.elapsed().as_secs_f64());
    Ok(())
}

/// Calls PyPA's build, with the setuptools of packaging/requirements.txt.
fn build(dist: &Dist, source: &Path, to: &Path, what: &[&str], given: Option<(&str, &Path)>) -> Result<(), String> {
    let mut build = dist.command(dist.tool("python"));
    build.args(["-m", "build", "--no-isolation", "--outdir"]).arg(to).args(what).arg(source);
    build.env_remove("PAYSVC_LIBRARY").env_remove("PAYSVC_SANDBOX");
    command::output(build.envs(given)).map(drop)
}

/// A copy of a distribution's folder, with what it links to: setuptools writes beside its sources.
fn copy(dist: &Dist, from: &str, work: &Path) -> Result<PathBuf, String> {
    let to = work.join(from);
    files::empty(&to)?;
    let parts = files::list(&dist.root.join(from))?;
    // An earlier build may have left its folder, from which setuptools would take files.
    let parts = parts.into_iter().filter(|part| !part.ends_with("build"));
    command::run(dist.command("cp").args(["--recursive", "--dereference"]).args(parts).arg(&to))?;
    Ok(to)
}

/// The library that goes into a wheel.
fn library(dist: &Dist, platform: &Platform, tag: &str, work: &Path) -> Result<PathBuf, String> {
    let built = dist.libs(platform).join(libs::names(platform).shared);
    if platform.system != System::Musl {
        return Ok(built);
    }
    // The name that systems with musl give their C library, which the tag promises. zig links that of its development files.
    let processor = gate::promise(tag).ok_or_else(|| format!("{tag} names no processor"))?.processor;
    let patched = work.join(format!("{tag}.so"));
    files::copy(&built, &patched)?;
    let mut patchelf = dist.command(dist.tool("patchelf"));
    patchelf.args(["--replace-needed", "libc.so", &format!("libc.musl-{processor}.so.1")]).arg(&patched);
    command::run(&mut patchelf)?;
    Ok(patched)
}
