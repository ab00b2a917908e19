//! Where the .deb packages are installed, and what is run with them.

use std::path::Path;
use std::process::Command;

use super::{Architecture, KIND, architectures, file, make_version};
use crate::dist::Dist;
use crate::dist::root::Root;
use crate::dist::stage::{CHARGES, Stage};
use crate::dist::uses::{Use, take};
use crate::table::GLIBC;
use crate::{command, files};

/// As docs/install.md has it.
const HEADING: &str = "Debian and Ubuntu";
/// The processor of this machine.
const HERE: &str = "amd64";

pub fn uses(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    let root = Root::ready(dist, "debhelper")?;
    let here = architectures(dist).find(|it| it.name == HERE).ok_or("no package is for this machine")?;
    let library = file(dist, "libpaysvc1", HERE);
    let mut all = vec![take(&library, "Debian 11", CHARGES, || installed(dist, stage, &root))];
    if dist.quick {
        return Ok(all);
    }
    let cross = Root::ready(dist, "debhelper-cross")?;
    let sandbox = file(dist, "paysvc-sandbox", HERE);
    all.push(take(&sandbox, "Debian 11", CHARGES, || with_its_sandbox(dist, stage, &root)));
    all.push(take(&library, "Debian 11", "upgrade, purge: nothing is left", || upgraded(dist, &root, &cross, &here)));
    let together = cross.copy(dist, "debian-together")?;
    let beside = || side_by_side(dist, &together);
    all.push(take(&library, "Debian 11", "libraries and headers of all processors side by side", beside));
    for it in architectures(dist).filter(|it| it.name != HERE) {
        let library = file(dist, "libpaysvc1", it.name);
        all.push(take(&library, place(&it), CHARGES, || {
            together.charges_of(dist, stage, it.platform, &format!("lib/{}", it.triplet))
        }));
    }
    for package in files::list(&dist.packages(KIND.name))? {
        all.push(take(&package, "nowhere", "lintian finds nothing", || lint(&package)));
    }
    Ok(all)
}

fn place(architecture: &Architecture) -> &'static str {
    if architecture.platform.runner.emulator().is_some() { "Debian 11, emulated" } else { "Debian 11" }
}

/// The commands of the page, and README's program compiled there.
fn install(dist: &Dist, stage: &Stage, name: &str, root: &Root) -> Result<Root, String> {
    let root = root.copy(dist, name)?;
    root.put(files::list(&dist.packages(KIND.name))?)?;
    root.run(&stage.commands(HEADING)?)?;
    root.compile(stage, "paysvc", "charge")?;
    root.compile(stage, "paysvc-static", "static")?;
    Ok(root)
}

fn installed(dist: &Dist, stage: &Stage, root: &Root) -> Result<(), String> {
    let root = install(dist, stage, "debian-installed", root)?;
    let depends = root.run("dpkg-query --show --showformat '${Depends}' libpaysvc1")?;
    if depends.trim() != format!("libc6 (>= {GLIBC})") {
        return Err(format!("libpaysvc1 depends on {depends}"));
    }
    root.charges(stage, "charge")?;
    root.charges(stage, "static")
}

fn with_its_sandbox(dist: &Dist, stage: &Stage, root: &Root) -> Result<(), String> {
    let root = install(dist, stage, "debian-sandbox", root)?;
    root.run(&format!("apt-get install -y ./paysvc-sandbox_*_{HERE}.deb"))?;
    root.charges(&stage.with_sandbox_of(&root.folder), "charge")
}

/// An older version of the same packages is replaced, and after a purge the root is as it was.
fn upgraded(dist: &Dist, root: &Root, maker: &Root, here: &Architecture) -> Result<(), String> {
    const OLDER: &str = "0.1.9";
    let older = dist.work("debian-older")?;
    make_version(dist, maker, here, OLDER, &older)?;
    let root = root.copy(dist, "debian-upgraded")?;
    let before = root.contents()?;
    root.put(files::list(&older)?)?;
    root.put(["libpaysvc1", "libpaysvc-dev", "paysvc-sandbox"].map(|name| file(dist, name, HERE)))?;
    for version in [OLDER, dist.version] {
        root.run(&format!("apt-get install -y ./*_{version}_{HERE}.deb"))?;
        let found = root.run("dpkg-query --show --showformat '${Version} ' libpaysvc1 libpaysvc-dev paysvc-sandbox")?;
        if found.split_whitespace().any(|it| it != version) {
            return Err(format!("of version {version} there are {found}"));
        }
    }
    root.run("dpkg --purge libpaysvc-dev libpaysvc1 paysvc-sandbox")?;
    root.is_as(&before)
}

/// All processors' libraries and headers at once.
fn side_by_side(dist: &Dist, root: &Root) -> Result<(), String> {
    let packages =
        architectures(dist).flat_map(|it| ["libpaysvc1", "libpaysvc-dev"].map(|name| file(dist, name, it.name)));
    root.put(packages)?;
    root.run("dpkg --install *.deb").map(drop)
}

fn lint(package: &Path) -> Result<(), String> {
    if !command::is_installed("lintian") {
        return Err("MISSING: lintian".to_owned());
    }
    let mut lintian = Command::new("lintian");
    let said = command::output(lintian.args(["--fail-on", "error,warning", "--allow-root"]).arg(package))?;
    if said.is_empty() { Ok(()) } else { Err(said) }
}
