//! A Debian in a folder, in which packages are made, installed and used.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Dist;
use super::stage::{CA_FILE, Stage};
use crate::table::Platform;
use crate::{command, compile, files};

/// A root of `scripts/roots.sh`, or a copy of one.
pub struct Root {
    pub folder: PathBuf,
}

/// Where packages and programs are in a root.
pub const HOME: &str = "root";

impl Root {
    pub fn ready(dist: &Dist, name: &str) -> Result<Root, String> {
        command::output(command::script(&dist.root, "roots.sh").arg(name))?;
        Ok(Root { folder: dist.root.join("build/roots").join(name) })
    }

    /// A copy, in which packages may be installed.
    pub fn copy(&self, dist: &Dist, name: &str) -> Result<Root, String> {
        let folder = dist.work(name)?;
        command::run(Command::new("cp").args(["-a", "--reflink=auto"]).arg(self.folder.join(".")).arg(&folder))?;
        Ok(Root { folder })
    }

    /// Runs commands there, in its home folder.
    pub fn run(&self, script: &str) -> Result<String, String> {
        let mut chroot = Command::new("chroot");
        let script = format!("cd /{HOME}\n{script}");
        chroot.arg(&self.folder).args(["/bin/sh", "-ec", &script]).env("LC_ALL", "C.UTF-8").env("HOME", "/root");
        // Where packages of Red Hat have its files.
        chroot.env("PKG_CONFIG_PATH", "/usr/lib64/pkgconfig");
        command::output(chroot.env("DEBIAN_FRONTEND", "noninteractive"))
    }

    pub fn put<F: AsRef<Path>>(&self, files: impl IntoIterator<Item = F>) -> Result<(), String> {
        let mut copy = Command::new("cp");
        command::run(copy.args(files.into_iter().map(|file| file.as_ref().to_owned())).arg(self.folder.join(HOME)))
    }

    /// Its files, but for the records of package managers and caches.
    pub fn contents(&self) -> Result<String, String> {
        let records = ["dpkg", "apt", "rpm"].map(|name| format!("./var/lib/{name}"));
        let skip =
            records.into_iter().chain(["./var/cache", "./var/log", "./etc/ld.so.cache", "./root"].map(String::from));
        let skip: Vec<_> = skip.map(|path| format!("-path {path} -prune -o")).collect();
        self.run(&format!("cd / && find . -xdev {} -print | sort", skip.join(" ")))
    }

    /// Checks that it is as it was.
    pub fn is_as(&self, before: &str) -> Result<(), String> {
        let after = self.contents()?;
        if after == before {
            return Ok(());
        }
        let left: Vec<_> = after.lines().filter(|line| !before.lines().any(|it| it == *line)).collect();
        Err(format!("it is not as it was before the packages were installed; new: {left:?}"))
    }

    /// README's program in C, compiled there with the words that pkg-config finds for a package.
    pub fn compile(&self, stage: &Stage, package: &str, program: &str) -> Result<(), String> {
        self.put([stage.programs.join("charge.c")])?;
        self.run(&format!("cc charge.c $(pkg-config --cflags --libs {package}) -o {program}")).map(drop)
    }

    /// Its charges, with a program of its home folder.
    pub fn charges(&self, stage: &Stage, program: &str) -> Result<(), String> {
        let mut run = Command::new("chroot");
        run.arg(&self.folder).arg(format!("/{HOME}/{program}"));
        stage.charges_seeing(&self.folder.join(HOME), |_| Some(format!("/{HOME}/{CA_FILE}")), &mut run)
    }

    /// The same for another processor, with the library in that folder of the root.
    pub fn charges_of(&self, dist: &Dist, stage: &Stage, platform: &Platform, library: &str) -> Result<(), String> {
        let (usr, program) = (self.folder.join("usr"), self.folder.join(HOME).join(platform.target));
        // Alone, because the root's other headers are for its own compiler.
        let headers = dist.work("installed-header")?;
        files::copy(&usr.join("include/paysvc.h"), &headers.join("paysvc.h"))?;
        let mut cc = compile::cc(&dist.root, platform)?;
        cc.arg(stage.programs.join("charge.c")).arg("-I").arg(headers);
        cc.arg("-L").arg(usr.join(library)).arg("-lpaysvc").arg("-o").arg(&program);
        command::output(&mut cc)?;
        let Some(emulator) = platform.runner.emulator() else { return self.charges(stage, platform.target) };
        if !command::is_installed(&emulator) {
            return Err(format!("MISSING: {emulator}: install qemu-user-static"));
        }
        let mut run = Command::new(&emulator);
        run.arg("-L").arg(&self.folder).arg(&program).env("LD_LIBRARY_PATH", format!("/usr/{library}"));
        stage.charges(&self.folder.join(HOME), &mut run)
    }
}
