//! The .deb packages: made by debhelper in a root of Debian 11, from `packaging/debian` and what `make libs` built.

mod uses;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::root::Root;
use super::{Dist, Kind, tree};
use crate::libs::check;
use crate::table::Platform;
use crate::{command, files};

pub const KIND: Kind = Kind { name: "debian", quick: true, make, uses: uses::uses };

/// Where packages are made, within the root.
const BUILD: &str = "tmp/paysvc";

fn make(dist: &Dist) -> Result<(), String> {
    let root = Root::ready(dist, if dist.quick { "debhelper" } else { "debhelper-cross" })?;
    let to = dist.packages(KIND.name);
    architectures(dist).try_for_each(|it| make_version(dist, &root, &it, dist.version, &to))
}

/// A platform that has packages.
struct Architecture {
    platform: &'static Platform,
    name: &'static str,
    /// Its folder for libraries.
    triplet: &'static str,
}

fn architectures(dist: &Dist) -> impl Iterator<Item = Architecture> {
    let of =
        |platform: &&'static Platform| platform.debian.map(|(name, triplet)| Architecture { platform, name, triplet });
    dist.platforms.iter().filter_map(of)
}

/// Debian's name of a package's file.
fn file(dist: &Dist, package: &str, architecture: &str) -> PathBuf {
    dist.packages(KIND.name).join(format!("{package}_{}_{architecture}.deb", dist.version))
}

fn make_version(dist: &Dist, root: &Root, architecture: &Architecture, version: &str, to: &Path) -> Result<(), String> {
    let build = root.folder.join(BUILD);
    files::empty(&build)?;
    sources(dist, architecture, version, &build.join("debian"))?;
    let script = format!(
        "cd /{BUILD} && export DH_OPTIONS={} SOURCE_DATE_EPOCH={} && dpkg-architecture -a{} -c debian/rules binary",
        // The quick run has no sandbox for an old C library.
        if dist.quick { "-Npaysvc-sandbox" } else { "" },
        dist.epoch,
        architecture.name
    );
    root.run(&script)?;
    let outside = build.parent().unwrap_or(&build);
    for package in files::list(outside)?.into_iter().filter(|file| file.extension().is_some_and(|it| it == "deb")) {
        files::copy(&package, &to.join(package.file_name().unwrap_or_default()))?;
        files::remove(&package)?;
    }
    files::remove(&build)
}

/// The folder `debian` of a source package, and beside it `tree`, the files to pack.
fn sources(dist: &Dist, architecture: &Architecture, version: &str, folder: &Path) -> Result<(), String> {
    let parent = folder.parent().unwrap_or(folder);
    command::run(Command::new("cp").arg("-r").arg(dist.root.join("packaging/debian")).arg(parent))?;
    let write = |name: &str, text: String| files::write(&folder.join(name), text);
    let read = |name: &str| files::read(&dist.root.join(name));
    write("changelog", changelog(dist, version)?)?;
    write("copyright", read("packaging/debian/copyright")? + &read("LICENSE-MIT")?)?;
    write("libpaysvc1.symbols", symbols(&read("src/ffi/exports.map")?))?;
    write("LICENSE-THIRD-PARTY", read("LICENSE-THIRD-PARTY")?)?;
    let platform = architecture.platform;
    let library = format!("lib/{}", architecture.triplet);
    let sandbox = if dist.quick { None } else { dist.sandbox(platform) };
    tree::install(dist, platform, [&library, "share/doc/libpaysvc-dev"], sandbox, &parent.join("tree"))
}

/// In Debian's form; what has changed is said in CHANGELOG.md.
fn changelog(dist: &Dist, version: &str) -> Result<String, String> {
    let time = format!("@{}", dist.epoch);
    let date = command::output(Command::new("date").args(["-u", "-R", "-d", &time]).env("LC_ALL", "C"))?;
    let maintainer = dist.maintainer()?;
    Ok(format!(
        "paysvc ({version}) stable; urgency=medium\n\n  * Release {version}.\n\n -- {maintainer}  {}\n",
        date.trim()
    ))
}

/// The functions of the shared library, each with the release that brought it.
fn symbols(version_script: &str) -> String {
    let abi = paysvc_spec::status::ABI;
    let functions = check::declared(version_script).into_iter().map(|export| {
        let node = export.version.unwrap_or_default();
        format!(" {}@{node} {}\n", export.name, node.trim_start_matches("PAYSVC_"))
    });
    let first = format!("libpaysvc.so.{abi} libpaysvc{abi} #MINVER#\n* Build-Depends-Package: libpaysvc-dev\n");
    first + &functions.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_release() {
        let script = "PAYSVC_0.1 {\n    global:\n        paysvc_abi;\n    local:\n        *;\n};\n\nPAYSVC_0.2 {\n    global:\n        paysvc_new;\n} PAYSVC_0.1;\n";
        let expected = "libpaysvc.so.1 libpaysvc1 #MINVER#\n* Build-Depends-Package: libpaysvc-dev\n paysvc_abi@PAYSVC_0.1 0.1\n paysvc_new@PAYSVC_0.2 0.2\n";
        assert_eq!(symbols(script), expected);
    }
}
