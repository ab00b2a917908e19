//! `cargo platforms dist` packs what `cargo platforms libs` built for those who install it; `cargo platforms dist-check`
//! installs each package, as far from this machine as can be had, and uses it.

mod archives;
mod containers;
mod debian;
mod go;
mod programs;
mod python;
mod root;
mod rpm;
mod sbom;
mod stage;
mod sums;
mod tree;
mod uses;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::table::{PLATFORMS, Platform, platform};
use crate::{command, files, libs};
use stage::Stage;
use uses::Use;

pub const USAGE: &str = "cargo platforms dist [--built] [--key FILE] [KIND...]";
pub const CHECK_USAGE: &str = "cargo platforms dist-check [--built] [--quick] [--partial] [KIND...]";

/// The platform whose packages `--quick` makes and uses.
const QUICK: &str = "x86_64-unknown-linux-gnu";

/// A kind of package.
pub struct Kind {
    /// Its word on the command line, and its folder in `build/dist`.
    pub name: &'static str,
    /// True if `--quick` makes and uses it.
    pub quick: bool,
    pub make: fn(&Dist) -> Result<(), String>,
    /// Installs and uses what was made.
    pub uses: fn(&Dist, &Stage) -> Result<Vec<Use>, String>,
}

const KINDS: &[Kind] = &[archives::KIND, python::KIND, debian::KIND, rpm::KIND, go::KIND];

/// The things to pack, and where.
pub struct Dist {
    /// The root of the repository.
    pub root: PathBuf,
    pub version: &'static str,
    pub platforms: Vec<&'static Platform>,
    pub quick: bool,
    /// The time that every package has for its files: SOURCE_DATE_EPOCH, else the day in CHANGELOG.md. With
    /// the time of the build two runs would give different bytes.
    pub epoch: u64,
}

impl Dist {
    fn new(root: &Path, quick: bool) -> Result<Dist, String> {
        let platforms = if quick {
            vec![platform(QUICK).ok_or("the platform of --quick is not in the table")?]
        } else {
            PLATFORMS.iter().filter(|platform| !platform.best_effort).collect()
        };
        Ok(Dist { root: root.to_owned(), version: env!("CARGO_PKG_VERSION"), platforms, quick, epoch: epoch(root)? })
    }

    /// The folder that `make libs` built for a platform.
    pub fn libs(&self, platform: &Platform) -> PathBuf {
        self.root.join("build/libs").join(platform.target)
    }

    /// The sandbox for a platform; None for those that have none.
    pub fn sandbox(&self, platform: &Platform) -> Option<PathBuf> {
        platform.sandbox.then(|| libs::sandbox::program(&self.root, platform))
    }

    /// The folder of all packages.
    pub fn folder(&self) -> PathBuf {
        self.root.join(if self.quick { "build/dist-quick" } else { "build/dist" })
    }

    /// The folder of a kind's packages.
    pub fn packages(&self, kind: &str) -> PathBuf {
        self.folder().join(kind)
    }

    /// An empty folder for what is needed on the way.
    pub fn work(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.root.join("build/dist-work").join(name);
        files::empty(&folder)?;
        Ok(folder)
    }

    /// A command whose packages have the time of the release, and the usual permissions.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "umask 022; exec \"$@\"", "sh"]).arg(program);
        command.env("SOURCE_DATE_EPOCH", self.epoch.to_string());
        command
    }

    /// Packs a folder so that the same files give the same bytes.
    pub fn pack(&self, folder: &Path, archive: &Path) -> Result<(), String> {
        command::run(self.command("sh").arg(self.root.join("scripts/pack.sh")).arg(folder).arg(archive))
    }

    /// Who is named in packages: as in packaging/debian/control.
    pub fn maintainer(&self) -> Result<String, String> {
        let control = files::read(&self.root.join("packaging/debian/control"))?;
        let line = control.lines().find_map(|line| line.strip_prefix("Maintainer: "));
        line.map(str::to_owned).ok_or_else(|| "packaging/debian/control names no maintainer".to_owned())
    }

    /// One of the tools of packaging/requirements.txt.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.root.join("build/tools/dist/bin").join(name)
    }
}

fn epoch(root: &Path) -> Result<u64, String> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given.parse().map_err(|_| format!("SOURCE_DATE_EPOCH is not a number: {given}"));
    }
    let changes = files::read(&root.join("CHANGELOG.md"))?;
    let date = day(&changes).ok_or("CHANGELOG.md names no release")?;
    let seconds = command::output(Command::new("date").args(["-u", "+%s", "-d", date])).ok();
    let seconds = seconds.and_then(|seconds| seconds.trim().parse().ok());
    seconds.ok_or_else(|| format!("CHANGELOG.md: the newest release has the date \"{date}\", which is no day"))
}

/// The day of the newest release. An unreleased version has one that is the same everywhere, and that no release has.
fn day(changes: &str) -> Option<&str> {
    let title = changes.lines().find_map(|line| line.strip_prefix("## "))?;
    match title.split(['(', ')']).nth(1)? {
        "unreleased" => Some("2000-01-01"),
        date => Some(date),
    }
}

#[derive(Default)]
struct Options {
    quick: bool,
    partial: bool,
    /// Packs what was built before, as it is.
    built: bool,
    /// The minisign secret key that signs.
    key: Option<PathBuf>,
    kinds: Vec<&'static Kind>,
}

fn parse(mut arguments: impl Iterator<Item = String>, usage: &str) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--built" => options.built = true,
            "--partial" => options.partial = true,
            "--key" => {
                options.key = Some(arguments.next().ok_or("--key takes the file of a minisign secret key")?.into())
            }
            name => {
                let names = || KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
                let kind = KINDS.iter().find(|kind| kind.name == name);
                options.kinds.push(kind.ok_or_else(|| format!("{name} is not one of {}; usage: {usage}", names()))?);
            }
        }
    }
    if options.kinds.is_empty() {
        options.kinds = KINDS.iter().filter(|kind| !options.quick || kind.quick).collect();
    }
    Ok(options)
}

/// Makes the packages.
pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = parse(arguments, USAGE)?;
    make(&Dist::new(root, options.quick)?, &options)
}

fn make(dist: &Dist, options: &Options) -> Result<(), String> {
    command::run(command::script(&dist.root, "setup.sh").arg("dist"))?;
    if !options.built {
        libs::run(&dist.root, dist.platforms.iter().map(|row| row.target.to_owned()))?;
        // Packages of --quick have no sandbox in them.
        for platform in dist.platforms.iter().filter(|row| row.sandbox && !dist.quick) {
            libs::sandbox::build(&dist.root, platform)?;
        }
    }
    for kind in &options.kinds {
        let began = Instant::now();
        files::empty(&dist.packages(kind.name))?;
        (kind.make)(dist)?;
        println!("dist: {} in {} s", kind.name, began.elapsed().as_secs());
    }
    if dist.quick { Ok(()) } else { sums::write(dist, options.key.as_deref()) }
}

/// Installs and uses them.
pub fn check(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = parse(arguments, CHECK_USAGE)?;
    let dist = Dist::new(root, options.quick)?;
    if dist.quick {
        make(&dist, &options)?;
    } else if dist.folder().exists() {
        command::run(command::script(&dist.root, "setup.sh").arg("dist-check"))?;
    } else {
        return Err("build/dist is not there: run make dist first".to_owned());
    }
    let stage = Stage::new(&dist)?;
    let mut all = Vec::new();
    for kind in &options.kinds {
        all.extend((kind.uses)(&dist, &stage)?);
    }
    if !dist.quick {
        all.extend(sums::uses(&dist, &stage)?);
    }
    let table = uses::table(&all);
    print!("\n{table}");
    files::write(&dist.folder().join("used.md"), &table)?;
    uses::verdict(&all, options.partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_package_is_that_of_the_newest_entry() {
        assert_eq!(day("# Changes\n\n## 0.4.0 (2027-01-31) – ABI 1\n\n## 0.3.0 (2026-12-24)\n"), Some("2027-01-31"));
        assert_eq!(day("## 0.3.0 (unreleased) – ABI 1\n"), Some("2000-01-01"));
        assert_eq!(day("## 0.3.0\n"), None);
        assert_eq!(day("# Changes\n"), None);
    }
}
