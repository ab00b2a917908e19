//! `cargo platforms libs` builds the libraries of the platforms, checks them, and writes their sizes.

pub mod binary;
mod build;
pub mod check;
pub mod sandbox;
mod sizes;
pub mod tools;
mod unwinder;

pub use build::{names, target_folder};

use std::path::Path;

use crate::table::{PLATFORMS, Platform, platform};
use crate::{command, files};

pub const USAGE: &str = "cargo platforms libs [--root FOLDER] [--needs] [TARGET...]";

pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (only_needs, platforms) = parse(arguments)?;
    if !only_needs {
        return build(root, &platforms);
    }
    tools::needs(&platforms).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Returns whether to print only the needs of a build, for `scripts/setup.sh`, and the platforms: without targets all
/// of them, but those of best effort.
fn parse(arguments: impl Iterator<Item = String>) -> Result<(bool, Vec<&'static Platform>), String> {
    let (mut only_needs, mut platforms) = (false, Vec::new());
    for argument in arguments {
        match argument.as_str() {
            "--needs" => only_needs = true,
            target => platforms.push(platform(target).ok_or_else(|| {
                let targets: Vec<_> = PLATFORMS.iter().map(|platform| platform.target).collect();
                format!("{target} is not one of {}; usage: {USAGE}", targets.join(", "))
            })?),
        }
    }
    if platforms.is_empty() {
        platforms.extend(PLATFORMS.iter().filter(|platform| !platform.best_effort));
    }
    Ok((only_needs, platforms))
}

fn build(root: &Path, platforms: &[&Platform]) -> Result<(), String> {
    let targets: Vec<_> = platforms.iter().map(|platform| platform.target).collect();
    command::run(command::script(root, "setup.sh").arg("libs").args(&targets))?;
    let folder = root.join("build/libs");
    for platform in platforms {
        println!("libs: {}", platform.target);
        let new = folder.join(format!(".new.{}", platform.target));
        files::remove(&new)?;
        build::libraries(root, platform, &new)?;
        // A library that fails its checks never gets its name.
        check_all(root, platform, &new)?;
        let to = folder.join(platform.target);
        files::remove(&to)?;
        files::rename(&new, &to)?;
    }
    let sizes = sizes::table(&folder)?;
    print!("{sizes}");
    files::write(&folder.join("sizes.md"), sizes)
}

/// Checks the libraries of a folder like that of `make libs`.
pub fn check_all(root: &Path, platform: &Platform, folder: &Path) -> Result<(), String> {
    let declared = check::declared(&files::read(&root.join("src/ffi/exports.map"))?);
    let names = build::names(platform);
    let shared_file = folder.join(&names.shared);
    let bytes = files::bytes(&shared_file)?;
    let shared = binary::shared(&bytes).map_err(|error| format!("{}: {error}", shared_file.display()))?;
    let mut problems = check::shared(platform, &declared, paysvc_spec::status::ABI, &shared);
    problems.extend(check::loaded_at_run_time(platform, &bytes));
    let debug = folder.join(&names.debug);
    problems.extend(check::debug_file(&shared, &names.debug, &files::bytes(&debug)?));
    let mut report = said(&names.shared, problems);

    let archive_file = folder.join(names.archive);
    let archive = binary::archive(&files::bytes(&archive_file)?)
        .map_err(|error| format!("{}: {error}", archive_file.display()))?;
    report += &said(names.archive, check::archive(platform, &declared, &archive, &shared));
    if report.is_empty() { Ok(()) } else { Err(format!("libraries of {}:\n{report}", platform.target)) }
}

/// The number of weak names in the libraries that another library could define. Windows has no such names.
pub fn weak_names(root: &Path, platform: &Platform) -> Result<String, String> {
    if platform.is_windows() {
        return Ok(String::new());
    }
    let (folder, names) = (root.join("build/libs").join(platform.target), build::names(platform));
    let shared = binary::shared(&files::bytes(&folder.join(names.shared))?)?;
    let archive = binary::archive(&files::bytes(&folder.join(names.archive))?)?;
    Ok((check::foreign_hooks(&shared.weak).len() + check::foreign_hooks(&archive.weak).len()).to_string())
}

fn said(name: &str, problems: Vec<String>) -> String {
    problems.iter().map(|problem| format!("  {name}: {problem}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let (_, platforms) = parse(arguments.iter().map(|&it| it.to_owned()))?;
        Ok(platforms.iter().map(|platform| platform.target).collect())
    }

    #[test]
    fn best_effort_is_built_only_when_named() {
        let all = parsed(&[]).unwrap();
        assert!(all.contains(&"x86_64-unknown-linux-gnu") && !all.contains(&"i686-win7-windows-gnu"), "{all:?}");
        assert_eq!(parsed(&["i686-win7-windows-gnu"]).unwrap(), ["i686-win7-windows-gnu"]);
        assert!(parsed(&["sparc-sun-solaris"]).unwrap_err().contains("armv7-unknown-linux-gnueabihf"));
    }
}
