//! A user's program: that of the package's README, in a module of its own, on a machine with Go, a C compiler and nothing of this project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::stage::CA_FILE;
use super::super::{Dist, Stage};
use crate::table::Platform;
use crate::{compile, files};

/// The programs that a C compiler is, those with which the documented commands copy a file, and a shell for pkg-config.
const TOOLS: [&str; 7] = ["gcc", "as", "ld", "cp", "sh", "env", "dirname"];

pub struct Shop<'a> {
    dist: &'a Dist,
    /// Below it is all that it writes.
    home: PathBuf,
    /// The folder of the module.
    pub folder: PathBuf,
    /// The folder of the go command.
    go: PathBuf,
    pub variables: Vec<(&'static str, String)>,
}

impl<'a> Shop<'a> {
    /// Has downloaded nothing.
    pub fn new(dist: &'a Dist, stage: &Stage, name: &str, go: &Path) -> Result<Shop<'a>, String> {
        let home = dist.work(&format!("go-{name}"))?;
        let folder = home.join("shop");
        let tools = home.join("tools");
        files::empty(&folder)?;
        files::empty(&tools)?;
        files::copy(&stage.programs.join("main.go"), &folder.join("main.go"))?;
        let shop = Shop {
            dist,
            home,
            folder,
            go: go.parent().unwrap_or(go).to_owned(),
            variables: vec![("PACKAGES", dist.folder().display().to_string())],
        };
        TOOLS.iter().try_for_each(|tool| shop.tool(tool))?;
        Ok(shop)
    }

    /// Puts a program of this machine on the path; an error if it is not installed.
    pub fn tool(&self, name: &str) -> Result<(), String> {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|file| file.exists());
        let found = found.ok_or_else(|| format!("MISSING: {name} is not installed"))?;
        self.link(name, &found)
    }

    pub fn link(&self, name: &str, program: &Path) -> Result<(), String> {
        files::link(program, &self.home.join("tools").join(name))
    }

    pub fn remove_tool(&self, name: &str) -> Result<(), String> {
        files::remove(&self.home.join("tools").join(name))
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.variables.push((name, value.into()));
    }

    /// The cache of compiled packages, for all of them: Go's own packages compile to the same.
    pub fn cache(dist: &Dist) -> PathBuf {
        dist.root.join("build/dist-work/go-cache")
    }

    /// Forgets the modules that were downloaded.
    pub fn without_modules(&self) -> Result<(), String> {
        files::empty(&self.modules())
    }

    fn modules(&self) -> PathBuf {
        self.home.join("modules")
    }

    pub fn bin(&self) -> PathBuf {
        self.home.join("go/bin")
    }

    /// The platforms whose modules were downloaded, as the names of their folders.
    pub fn downloaded(&self, libraries: &str) -> Vec<String> {
        let folder = self.modules().join("cache/download").join(libraries);
        let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
        let zipped = |folder: &Path| {
            let mut files = fs::read_dir(folder.join("@v")).into_iter().flatten().flatten();
            files.any(|file| file.path().extension().is_some_and(|extension| extension == "zip"))
        };
        let mut names: Vec<_> = entries
            .iter()
            .filter(|entry| zipped(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A command of this machine, with nothing of its environment. There is no proxy but the one of the packages.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let tools = self.home.join("tools");
        command.env_clear().current_dir(&self.folder).env("HOME", &self.home).env("GOPATH", self.home.join("go"));
        command.env("PATH", format!("{}:{}", self.go.display(), tools.display()));
        command.env("GOCACHE", Shop::cache(self.dist)).env("GOMODCACHE", self.modules());
        // Their files may be removed with the folder.
        command.env("GOFLAGS", "-modcacherw").env("GOPROXY", "off").env("GOTOOLCHAIN", "local");
        command.env("GOTELEMETRY", "off").envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the output of shell commands, with the errors; they end at the first that fails.
    pub fn run(&self, commands: &str) -> Result<String, String> {
        let (worked, printed) = self.attempt(commands)?;
        if worked { Ok(printed) } else { Err(format!("{}: {printed}", commands.trim())) }
    }

    /// The same, and whether they worked.
    pub fn attempt(&self, commands: &str) -> Result<(bool, String), String> {
        let output = self.command("/bin/sh").args(["-euc", commands]).output();
        let output = output.map_err(|error| format!("sh: {error}"))?;
        let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok((output.status.success(), printed.concat()))
    }

    /// Charges with the program that was built.
    pub fn charges(&self, stage: &Stage, program: &str) -> Result<(), String> {
        stage.charges(&self.folder, &mut self.command(self.folder.join(program)))
    }

    /// The same in an empty root, which is the folder of the program.
    pub fn charges_alone(&self, stage: &Stage, program: &str) -> Result<(), String> {
        let mut run = compile::runner(&self.dist.root, "empty", &self.folder.join(program));
        stage.charges_seeing(&self.folder, |_| Some(format!("/{CA_FILE}")), &mut run)
    }

    /// The same with what runs the programs of a platform.
    pub fn charges_for(&self, stage: &Stage, program: &str, platform: &Platform) -> Result<(), String> {
        compile::ready(&self.dist.root, platform.runner)?;
        let mut run = compile::runner(&self.dist.root, platform.runner.word(), &self.folder.join(program));
        stage.charges_for(platform, &self.folder, &mut run)
    }
}
