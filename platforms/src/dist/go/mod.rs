//! The Go modules, as a module proxy of files: the package, one module for each platform with its library, and the module
//! for OpenTelemetry.

mod errors;
mod modules;
mod shop;
mod uses;

use std::path::{Path, PathBuf};

use super::{Dist, Kind};
use crate::{command, files};
use modules::{Module, Root};

pub const KIND: Kind = Kind { name: "go", quick: false, make, uses: uses::all };

/// Where the package is in the repository.
const SOURCE: &str = "bindings/go";

fn make(dist: &Dist) -> Result<(), String> {
    let work = dist.work("go")?;
    let root = root(dist)?;
    // A module that another one requires comes before it.
    let mut folders = Vec::new();
    for module in &root.libraries {
        let folder = work.join(&module.name);
        library(dist, &root, module, &folder)?;
        folders.push(folder);
    }
    let folder = work.join("paysvc");
    copy(&dist.root.join(SOURCE), &folder)?;
    package(dist, &root, &folder)?;
    folders.push(folder);
    let folder = work.join("otelpaysvc");
    copy(&dist.root.join(SOURCE).join("otelpaysvc"), &folder)?;
    let go_mod = files::read(&folder.join("go.mod"))?;
    files::write(&folder.join("go.mod"), root.requiring(&go_mod)?)?;
    licences(dist, &folder, &[])?;
    folders.push(folder);

    let packer = dist.root.join("packaging/go");
    let mut pack = dist.command(go(dist, "")?);
    pack.args(["run", "."]).arg(dist.packages("go")).arg(&root.version).arg(dist.epoch.to_string());
    command::run(pack.args(&folders).current_dir(packer).env("GOWORK", "off"))
}

/// The facts about the modules; the module path stands in the go.mod of the package.
fn root(dist: &Dist) -> Result<Root, String> {
    let go_mod = files::read(&dist.root.join(SOURCE).join("go.mod"))?;
    let libraries = dist.platforms.iter().map(|platform| Module::of(platform)).collect();
    Root::new(go_mod, dist.version, libraries)
}

/// The go command: `which` is an argument of scripts/go.sh, or nothing.
fn go(dist: &Dist, which: &str) -> Result<PathBuf, String> {
    let which = Some(which).filter(|it| !it.is_empty());
    Ok(command::output(command::script(&dist.root, "go.sh").args(which))?.trim().into())
}

/// The module of a platform: its library, and a file for Go that links it.
fn library(dist: &Dist, root: &Root, module: &Module, folder: &Path) -> Result<(), String> {
    let libs = dist.libs(module.platform);
    let static_pc = files::read(&libs.join("lib/pkgconfig/paysvc-static.pc"))?;
    files::write(&folder.join("go.mod"), root.library_go_mod(module))?;
    files::write(&folder.join("lib.go"), module.description())?;
    files::write(&folder.join("link.go"), module.link(&static_pc)?)?;
    for file in module.files() {
        let from = libs.join(file);
        files::copy(&from, &folder.join(from.file_name().unwrap_or_default()))?;
    }
    licences(dist, folder, &["LICENSE-THIRD-PARTY"])
}

/// Makes the package of the published module from that of the repository: it links the modules of the platforms.
fn package(dist: &Dist, root: &Root, folder: &Path) -> Result<(), String> {
    files::write(&folder.join("go.mod"), root.go_mod())?;
    let link = files::read(&folder.join("link.go"))?;
    files::write(&folder.join("link.go"), modules::with_tag(&link))?;
    files::write(&folder.join("link_header.go"), root.header())?;
    files::write(&folder.join("link_unsupported.go"), root.unsupported())?;
    for module in &root.libraries {
        files::write(&folder.join(format!("link_{}.go", module.name)), root.link(module))?;
    }
    files::write(&folder.join("include/include.go"), modules::INCLUDE)?;
    files::copy(&dist.root.join("include/paysvc.h"), &folder.join("include/paysvc.h"))?;
    licences(dist, folder, &[])
}

fn licences(dist: &Dist, folder: &Path, more: &[&str]) -> Result<(), String> {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"].iter().chain(more) {
        files::copy(&dist.root.join(name), &folder.join(name))?;
    }
    Ok(())
}

/// Copies a module: not the modules in its folders, which have a go.mod of their own. Files that no module should have,
/// such as a program that somebody built there, are an error.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for path in files::list(from)? {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if !path.join("go.mod").exists() {
                copy(&path, &to.join(name))?;
            }
            continue;
        }
        let known = ["go", "c", "h", "md", "mod", "sum"];
        if !path.extension().is_some_and(|extension| known.iter().any(|it| extension == *it)) {
            return Err(format!("{}: is it part of the Go module?", path.display()));
        }
        files::copy(&path, &to.join(name))?;
    }
    Ok(())
}
