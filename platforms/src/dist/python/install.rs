//! The installation of wheels: by pip, from the folder of the packages alone.

use std::path::PathBuf;
use std::process::Command;

use super::KIND;
use crate::dist::Dist;
use crate::{command, files};

/// The oldest Python of the packages.
const PYTHON: &str = "3.9";
/// pytest, and what it needs with the oldest Python, which pip would not find out with a newer one.
const PYTEST: [&str; 4] = ["pytest", "exceptiongroup", "tomli", "typing-extensions"];

/// Installs for the platform of a tag, as its pip does, into a new folder of that name in the work folder, and checks the
/// licences of the distribution there.
pub fn install(dist: &Dist, distribution: &str, extra: &str, tag: &str, name: &str) -> Result<PathBuf, String> {
    let folder = dist.work(name)?;
    let mut install = pip(dist, "install", tag);
    install.arg("--find-links").arg(dist.packages(KIND.name)).args(["--no-index", "--target"]).arg(&folder);
    command::output(install.arg(format!("{distribution}{extra}")))?;
    let licences = folder.join(format!("{}-{}.dist-info/licenses", distribution.replace('-', "_"), dist.version));
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"] {
        if files::bytes(&licences.join(name))? != files::bytes(&dist.root.join(name))? {
            return Err(format!("{name} in {distribution} is not that of the repository"));
        }
    }
    Ok(folder)
}

/// Downloads pytest, in wheels for every Python, and gives their folder, and one in which they are unpacked.
pub fn pytest(dist: &Dist) -> Result<(PathBuf, PathBuf), String> {
    let (wheels, unpacked) = (dist.work("pytest-wheels")?, dist.work("pytest")?);
    let mut download = pip(dist, "download", "any");
    download.arg("--constraint").arg(dist.root.join("bindings/python/requirements-least.in"));
    command::output(download.arg("--dest").arg(&wheels).args(PYTEST))?;
    let mut install = pip(dist, "install", "any");
    install.arg("--find-links").arg(&wheels).args(["--no-index", "--target"]).arg(&unpacked);
    command::output(install.args(PYTEST))?;
    Ok((wheels, unpacked))
}

/// pip for the platforms of a tag, which may be others than this machine's.
fn pip(dist: &Dist, word: &str, tag: &str) -> Command {
    let mut pip = dist.command(dist.tool("python"));
    pip.args(["-m", "pip", word, "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]);
    pip.args(["--implementation", "py", "--abi", "none", "--python-version", PYTHON]);
    pip.args(tag.split('.').flat_map(|platform| ["--platform", platform]));
    pip
}
