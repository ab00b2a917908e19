//! Where the .deb packages are installed, and what is run with them.

use std::path::Path;
use std::process::Command;

use super::{Architecture, KIND, Root, architectures, file, make_version};
use crate::dist::Dist;
use crate::dist::stage::{CHARGES, Stage};
use crate::dist::uses::{Use, take};
use crate::libs::tools;
use crate::{command, compile};

/// As docs/install.md has it.
const HEADING: &str = "Debian and Ubuntu";
/// Where the packages are in the root, when its user installs them.
const HOME: &str = "root";
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
    let beside = || together_installed(dist, &together);
    all.push(take(&library, "Debian 11", "libraries and headers of all processors side by side", beside));
    for it in architectures(dist).filter(|it| it.name != HERE) {
        let library = file(dist, "libpaysvc1", it.name);
        all.push(take(&library, place(&it), CHARGES, || of_another(dist, stage, &together, &it)));
    }
    for package in crate::dist::files(&dist.packages(KIND.name))? {
        all.push(take(&package, "nowhere", "lintian finds nothing", || lint(&package)));
    }
    Ok(all)
}

fn place(architecture: &Architecture) -> &'static str {
    match architecture.name {
        "i386" => "Debian 11",
        _ => "Debian 11, user emulation",
    }
}

fn put(packages: &[std::path::PathBuf], root: &Root) -> Result<(), String> {
    command::run(Command::new("cp").args(packages).arg(root.folder.join(HOME)))
}

/// The commands of the page, and README's program compiled there.
fn install_there(dist: &Dist, stage: &Stage, name: &str, root: &Root) -> Result<Root, String> {
    let root = root.copy(dist, name)?;
    put(&crate::dist::files(&dist.packages(KIND.name))?, &root)?;
    root.run(&format!("cd /{HOME} && {}", stage.commands(HEADING)?))?;
    command::run(Command::new("cp").arg(stage.programs.join("charge.c")).arg(root.folder.join(HOME)))?;
    root.run(&format!("cd /{HOME} && cc charge.c $(pkg-config --cflags --libs paysvc) -o charge"))?;
    root.run(&format!("cd /{HOME} && cc charge.c $(pkg-config --cflags --libs paysvc-static) -o static"))?;
    Ok(root)
}

fn charge(stage: &Stage, root: &Root, program: &str) -> Result<(), String> {
    let folder = root.folder.join(HOME);
    stage.charges(&folder, |variables| {
        let mut run = Command::new("chroot");
        run.arg(&root.folder).arg(format!("/{HOME}/{program}"));
        for (name, value) in variables {
            run.env(name, value.strip_prefix(&root.folder.display().to_string()).unwrap_or(value));
        }
        command::output(&mut run)
    })
}

fn installed(dist: &Dist, stage: &Stage, root: &Root) -> Result<(), String> {
    let root = install_there(dist, stage, "debian-installed", root)?;
    let depends = root.run("dpkg-query --show --showformat '${Depends}' libpaysvc1")?;
    if depends.trim() != "libc6 (>= 2.17)" {
        return Err(format!("libpaysvc1 depends on {depends}"));
    }
    charge(stage, &root, "charge")?;
    charge(stage, &root, "static")
}

fn with_its_sandbox(dist: &Dist, stage: &Stage, root: &Root) -> Result<(), String> {
    let root = install_there(dist, stage, "debian-sandbox", root)?;
    root.run(&format!("cd /{HOME} && apt-get install -y ./paysvc-sandbox_*_{HERE}.deb"))?;
    charge(&stage.with_sandbox_of(&root.folder), &root, "charge")
}

/// What is in a root but for the records of dpkg and caches.
fn contents(root: &Root) -> Result<String, String> {
    let skip = ["./var/lib/dpkg", "./var/lib/apt", "./var/cache", "./var/log", "./etc/ld.so.cache", "./root"];
    let skip = skip.map(|path| format!("-path {path} -prune -o")).join(" ");
    root.run(&format!("cd / && find . -xdev {skip} -print | sort"))
}

/// An older version of the same packages is replaced, and after a purge the root is as it was.
fn upgraded(dist: &Dist, root: &Root, maker: &Root, here: &Architecture) -> Result<(), String> {
    let older = dist.work("debian-older")?;
    make_version(dist, maker, here, "0.1.9", &older)?;
    let root = root.copy(dist, "debian-upgraded")?;
    let before = contents(&root)?;
    put(&crate::dist::files(&older)?, &root)?;
    put(&["libpaysvc1", "libpaysvc-dev", "paysvc-sandbox"].map(|name| file(dist, name, HERE)), &root)?;
    let install = |version: &str| format!("cd /{HOME} && apt-get install -y ./*_{version}_{HERE}.deb");
    root.run(&install("0.1.9"))?;
    root.run(&install(dist.version))?;
    let found = root.run("dpkg-query --show --showformat '${Version} ' libpaysvc1 libpaysvc-dev paysvc-sandbox")?;
    if found.split_whitespace().any(|version| version != dist.version) {
        return Err(format!("after the upgrade there are {found}"));
    }
    root.run("dpkg --purge libpaysvc-dev libpaysvc1 paysvc-sandbox")?;
    let after = contents(&root)?;
    if after == before {
        return Ok(());
    }
    let left: Vec<_> = after.lines().filter(|line| !before.lines().any(|it| it == *line)).collect();
    Err(format!("the purge left {left:?}"))
}

/// All processors' libraries and headers at once.
fn together_installed(dist: &Dist, root: &Root) -> Result<(), String> {
    let packages =
        architectures(dist).flat_map(|it| ["libpaysvc1", "libpaysvc-dev"].map(|name| file(dist, name, it.name)));
    put(&packages.collect::<Vec<_>>(), root)?;
    root.run(&format!("cd /{HOME} && dpkg --install *.deb")).map(drop)
}

/// README's program for another processor, linked with what is installed in the root.
fn of_another(dist: &Dist, stage: &Stage, root: &Root, it: &Architecture) -> Result<(), String> {
    let (usr, program) = (root.folder.join("usr"), root.folder.join(HOME).join(format!("charge-{}", it.name)));
    // Alone, because the root's other headers are for its own compiler.
    let headers = dist.work("debian-header")?;
    command::run(Command::new("cp").arg(usr.join("include/paysvc.h")).arg(&headers))?;
    let words = compile::compiler(it.platform, &tools::zig(&dist.root)?.compiler, "cc");
    let mut cc = Command::new(&words[0]);
    cc.args(&words[1..])
        .arg(stage.programs.join("charge.c"))
        .arg("-I")
        .arg(headers)
        .arg("-L")
        .arg(usr.join("lib").join(it.triplet))
        .arg("-lpaysvc");
    command::output(cc.arg("-o").arg(&program))?;
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match compile::emulator(it.platform.runner) {
        None => charge(stage, root, &name),
        Some(emulator) => emulated(stage, &root.folder, &program, &emulator),
    }
}

fn emulated(stage: &Stage, root: &Path, program: &Path, emulator: &str) -> Result<(), String> {
    if command::output(Command::new(emulator).arg("--version")).is_err() {
        return Err(format!("MISSING: {emulator}: install qemu-user-static"));
    }
    stage.charges(&root.join(HOME), |variables| {
        let mut run = Command::new(emulator);
        run.arg("-L").arg(root).arg(program);
        command::output(run.envs(variables.iter().cloned()))
    })
}

fn lint(package: &Path) -> Result<(), String> {
    if command::output(Command::new("lintian").arg("--version")).is_err() {
        return Err("MISSING: lintian".to_owned());
    }
    let mut lintian = Command::new("lintian");
    let said = command::output(lintian.args(["--fail-on", "error,warning", "--allow-root"]).arg(package))?;
    if said.is_empty() { Ok(()) } else { Err(said) }
}
