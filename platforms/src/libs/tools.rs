//! The tools that a build of the platforms needs on this machine, and where they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::table::{Compiler, Platform};
use crate::{command, files};

/// A line for each need: `command NAME PACKAGE`, `rust TARGET`, and `zig` for zig with cargo-zigbuild.
pub fn needs(platforms: &[&Platform]) -> BTreeSet<String> {
    let mut needs = BTreeSet::new();
    for platform in platforms {
        let (prefix, package) = platform.binutils;
        needs.insert(format!("command {prefix}ld {package}"));
        if let Compiler::Mingw(compiler) = platform.compiler {
            needs.insert(format!("command {compiler} {package}"));
            // Without it AWS-LC takes objects that its authors assembled, and the bytes are others.
            needs.insert("command nasm nasm".to_owned());
        }
        needs.insert(format!("rust {}", platform.target));
        // For Windows it makes the import library of Microsoft's linker.
        needs.insert("zig".to_owned());
    }
    needs
}

/// A tool of cargo's registry, of that version, which is built if it is not there.
pub fn of_registry(root: &Path, name: &str, version: &str, options: &[&str]) -> Result<PathBuf, String> {
    let tool = root.join("build/tools/bin").join(name);
    let is_it = |words: &[&str]| {
        let printed = command::output(Command::new(&tool).args(words));
        printed.is_ok_and(|printed| printed.trim_end().ends_with(&format!(" {version}")))
    };
    // Some answer only as a command of cargo, which gives its name first.
    if !is_it(&["--version"]) && !is_it(&[name.trim_start_matches("cargo-"), "--version"]) {
        println!("building {name} {version}, which takes about five minutes");
        let mut cargo = command::cargo();
        cargo.args(["install", "--quiet", "--locked", "--version", version]).args(options).arg(name);
        command::run(cargo.arg("--root").arg(root.join("build/tools")).current_dir(root))?;
    }
    Ok(tool)
}

/// Where `scripts/setup.sh libs` installs zig and cargo-zigbuild.
pub struct Zig {
    pub compiler: PathBuf,
    pub cargo: PathBuf,
}

pub fn zig(root: &Path) -> Result<Zig, String> {
    let environment = root.join("build/tools/venv");
    let versions = files::list(&environment.join("lib"))?;
    let compiler = versions
        .into_iter()
        .map(|version| version.join("site-packages/ziglang/zig"))
        .find(|zig| zig.exists())
        .ok_or("zig is not in build/tools/venv; run scripts/setup.sh libs")?;
    Ok(Zig { compiler, cargo: environment.join("bin/cargo-zigbuild") })
}

/// The Rust compiler: its folder, its version of the standard library's source.
pub struct Rust {
    pub sysroot: PathBuf,
    pub commit: String,
}

pub fn rust() -> Result<Rust, String> {
    let sysroot = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let about = command::output(Command::new("rustc").arg("-vV"))?;
    let commit = about.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
    Ok(Rust { sysroot: sysroot.trim().into(), commit: commit.to_owned() })
}

impl Rust {
    /// Returns whether the standard library is there, built for that target.
    pub fn has(&self, target: &str) -> bool {
        let library = files::list(&self.sysroot.join("lib/rustlib").join(target).join("lib"));
        let is_std = |file: &PathBuf| file.file_name().is_some_and(|it| it.to_string_lossy().starts_with("libstd-"));
        library.is_ok_and(|library| library.iter().any(is_std))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::platform;

    #[test]
    fn every_need_is_named_once_with_its_package() {
        let both = ["armv7-unknown-linux-gnueabihf", "i686-pc-windows-gnu"].map(|target| platform(target).unwrap());
        let expected = [
            "command arm-linux-gnueabihf-ld binutils-arm-linux-gnueabihf",
            "command i686-w64-mingw32-gcc-posix gcc-mingw-w64-i686-posix",
            "command i686-w64-mingw32-ld gcc-mingw-w64-i686-posix",
            "command nasm nasm",
            "rust armv7-unknown-linux-gnueabihf",
            "rust i686-pc-windows-gnu",
            "zig",
        ];
        assert!(needs(&both).iter().eq(expected.iter()), "{:?}", needs(&both));
    }
}
