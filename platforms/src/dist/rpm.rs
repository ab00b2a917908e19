//! The .rpm packages, for CentOS 7 and newer: made by nfpm, which reads JSON as YAML.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::root::{HOME, Root};
use super::stage::{CHARGES, Stage};
use super::uses::{Use, take};
use super::{Dist, Kind, tree};
use crate::table::{GLIBC, Platform};
use crate::{command, files};

pub const KIND: Kind = Kind { name: "rpm", quick: false, make, uses };

/// As docs/install.md has it.
const HEADING: &str = "Red Hat, CentOS and Fedora";
const PACKAGES: [&str; 3] = ["libpaysvc", "libpaysvc-devel", "paysvc-sandbox"];
/// Rpm's own program, which reads from a file what it provides and requires.
const ELFDEPS: &str = "/usr/lib/rpm/elfdeps";
/// The processor of this machine.
const HERE: &str = "x86_64";

fn make(dist: &Dist) -> Result<(), String> {
    for (platform, processor) in processors(dist) {
        make_version(dist, platform, processor, dist.version, &dist.packages(KIND.name))?;
    }
    Ok(())
}

/// The platforms that have packages, with the processor in their names.
fn processors(dist: &Dist) -> impl Iterator<Item = (&'static Platform, &'static str)> {
    dist.platforms.iter().filter_map(|platform| Some((*platform, platform.rpm?)))
}

fn file(dist: &Dist, package: &str, version: &str, processor: &str) -> PathBuf {
    dist.packages(KIND.name).join(format!("{package}-{version}-1.{processor}.rpm"))
}

/// The folder for libraries, from `/usr`.
fn library(platform: &Platform) -> &'static str {
    if platform.pointer_bits == 64 { "lib64" } else { "lib" }
}

fn make_version(dist: &Dist, platform: &Platform, processor: &str, version: &str, to: &Path) -> Result<(), String> {
    let work = dist.work("rpm")?;
    let folders = [library(platform), "share/doc/libpaysvc-devel"];
    tree::install(dist, platform, folders, dist.sandbox(platform), &work)?;
    // Nfpm gives files of folders the time that they have here.
    let time = format!("--date=@{}", dist.epoch);
    let (mut find, touch) = (Command::new("find"), ["-exec", "touch", "--no-dereference", &time, "{}", "+"]);
    command::run(find.arg(work.join("usr")).args(touch))?;
    let ldconfig = work.join("ldconfig");
    files::write(&ldconfig, "/sbin/ldconfig\n")?;
    for package in PACKAGES {
        let mut description = common(dist, package, processor, version)?;
        let own = of_package(dist, platform, package, version, &work)?;
        let (Some(all), Value::Object(own)) = (description.as_object_mut(), own) else {
            return Err(package.to_owned());
        };
        all.extend(own);
        let path = work.join(format!("{package}.yaml"));
        files::write(&path, description.to_string())?;
        let mut nfpm = dist.command(dist.tool("nfpm"));
        nfpm.args(["package", "--packager", "rpm", "--config"]).arg(&path).arg("--target").arg(to);
        command::output(nfpm.current_dir(&work))?;
    }
    Ok(())
}

fn common(dist: &Dist, package: &str, processor: &str, version: &str) -> Result<Value, String> {
    let mut date = Command::new("date");
    let time = command::output(date.args(["-u", "+%Y-%m-%dT%H:%M:%SZ", "-d", &format!("@{}", dist.epoch)]))?;
    Ok(json!({
        "name": package,
        "arch": processor,
        "platform": "linux",
        "version": version,
        "release": "1",
        "maintainer": dist.maintainer()?,
        "vendor": "libpaysvc",
        "license": "MIT or Apache-2.0",
        "mtime": time.trim(),
        // rpm 4.11 of CentOS 7 reads it.
        "rpm": { "compression": "xz", "buildhost": "localhost" },
    }))
}

/// The parts of a package's description that are its own.
fn of_package(dist: &Dist, platform: &Platform, package: &str, version: &str, tree: &Path) -> Result<Value, String> {
    let (abi, library) = (paysvc_spec::status::ABI, format!("/usr/{}", library(platform)));
    let shared = format!("libpaysvc.so.{}", dist.version);
    let bits = if platform.pointer_bits == 64 { "(64bit)" } else { "" };
    let c_library = format!("libc.so.6(GLIBC_{GLIBC}){bits}");
    let from = |path: &str| tree.join(path.trim_start_matches('/'));
    let file = |path: String, mode: u32| json!({ "src": from(&path), "dst": path, "file_info": { "mode": mode } });
    let folder = |path: String| json!({ "src": from(&path), "dst": path, "type": "tree" });
    let link = |to: String, path: String| json!({ "src": to, "dst": path, "type": "symlink" });
    let licences = |package: &str| {
        let of = |name| json!({ "src": dist.root.join(name), "dst": format!("/usr/share/doc/{package}/{name}"), "type": "doc" });
        let folder = json!({ "dst": format!("/usr/share/doc/{package}"), "type": "dir" });
        [vec![folder], ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-THIRD-PARTY"].map(of).to_vec()].concat()
    };
    let shared_files =
        [file(format!("{library}/{shared}"), 0o755), link(shared.clone(), format!("{library}/libpaysvc.so.{abi}"))];
    let sandbox_files = [
        file("/usr/bin/paysvc-sandbox".to_owned(), 0o755),
        file("/usr/share/man/man1/paysvc-sandbox.1".to_owned(), 0o644),
    ];
    let with_licences = |files: &[Value]| [files, &licences(package)].concat();
    Ok(match package {
        "libpaysvc" => json!({
            "description": "Client library for the payments service\nEvery reply says, from what was seen on the wire, whether the request was executed.",
            "depends": [c_library],
            "provides": elfdeps("--provides", &from(&format!("{library}/{shared}")))?,
            "scripts": { "postinstall": from("ldconfig"), "postremove": from("ldconfig") },
            "contents": with_licences(&shared_files),
        }),
        "libpaysvc-devel" => json!({
            "description": "Development files of libpaysvc\nHeaders for C and C++, the static library, files for pkg-config and CMake, manual pages, documents and examples.",
            "depends": [format!("libpaysvc = {version}-1")],
            "contents": [
                folder("/usr/include".to_owned()),
                folder(format!("{library}/cmake/paysvc")),
                folder("/usr/share/man/man3".to_owned()),
                folder("/usr/share/man/man7".to_owned()),
                folder("/usr/share/doc/libpaysvc-devel".to_owned()),
                file("/usr/share/paysvc/schema.json".to_owned(), 0o644),
                file(format!("{library}/libpaysvc.a"), 0o644),
                file(format!("{library}/pkgconfig/paysvc.pc"), 0o644),
                file(format!("{library}/pkgconfig/paysvc-static.pc"), 0o644),
                link(format!("libpaysvc.so.{abi}"), format!("{library}/libpaysvc.so")),
            ],
        }),
        _ => json!({
            "description": "Simulated payments service for tests\nIt keeps a ledger, and makes faults on request: for instance, it makes a charge and loses the response.",
            "depends": [c_library],
            "contents": with_licences(&sandbox_files),
        }),
    })
}

/// With what rpmbuild gives to packages, those of programs that are linked with the library can be installed.
fn elfdeps(what: &str, file: &Path) -> Result<Vec<String>, String> {
    let told = command::output(Command::new(ELFDEPS).arg(what).arg(file))?;
    Ok(told.lines().map(str::to_owned).collect())
}

fn uses(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    if !command::is_installed("rpm") {
        let package = file(dist, PACKAGES[0], dist.version, HERE);
        return Ok(vec![take(&package, "Debian 11", CHARGES, || Err("MISSING: rpm".to_owned()))]);
    }
    let root = Root::ready(dist, "debhelper-cross")?;
    let mut all = Vec::new();
    for (platform, processor) in processors(dist) {
        let package = file(dist, PACKAGES[0], dist.version, processor);
        let emulated = platform.runner.emulator().is_some();
        let place = if emulated { "rpm's root in Debian 11, emulated" } else { "rpm's root in Debian 11" };
        all.push(take(&package, place, CHARGES, || installed(dist, stage, &root, platform, processor)));
    }
    let package = file(dist, PACKAGES[0], dist.version, HERE);
    let upgrade = || upgraded(dist, stage, &root);
    all.push(take(&package, "rpm's root in Debian 11", "upgrade; erased, nothing is left", upgrade));
    Ok(all)
}

/// A copy of the root with CentOS's folders, which finds libraries where CentOS does.
fn copy(dist: &Dist, root: &Root, name: &str) -> Result<Root, String> {
    let root = root.copy(dist, name)?;
    root.run(
        "echo /usr/lib64 >/etc/ld.so.conf.d/lib64.conf; mkdir -p /var/lib/rpm /usr/lib64/cmake /usr/lib64/pkgconfig",
    )?;
    Ok(root)
}

/// Runs rpm for that root, which has no package of rpm that would be its C library: `needs` looks at that.
fn rpm(root: &Root, folder: &Path, script: &str) -> Result<String, String> {
    let mut sh = Command::new("sh");
    let before = "rpm() {
        [ \"$1\" != --upgrade ] || set -- \"$@\" --nodeps --ignorearch
        command rpm --root \"$ROOT\" --dbpath /var/lib/rpm \"$@\"
    }";
    sh.args(["-ec", &format!("{before}\n{script}")]).env("ROOT", &root.folder).current_dir(folder);
    command::output(&mut sh)
}

/// The commands of the page for this machine, and the same for other processors.
fn installed(dist: &Dist, stage: &Stage, root: &Root, platform: &Platform, processor: &str) -> Result<(), String> {
    let folder = dist.packages(KIND.name);
    needs(platform, &file(dist, PACKAGES[0], dist.version, processor))?;
    let root = copy(dist, root, &format!("rpm-{processor}"))?;
    rpm(&root, &folder, &stage.commands(HEADING)?.replace(HERE, processor))?;
    if processor != HERE {
        root.charges_of(dist, stage, platform, library(platform))?;
        return provided(&root, platform.target);
    }
    root.compile(stage, "paysvc", "charge")?;
    root.charges(stage, "charge")?;
    provided(&root, "charge")?;
    rpm(&root, &folder, &format!("rpm --upgrade ./paysvc-sandbox-*.{HERE}.rpm"))?;
    root.charges(&stage.with_sandbox_of(&root.folder), "charge")
}

/// Checks that rpm finds what the package of such a program would require of the library.
fn provided(root: &Root, program: &str) -> Result<(), String> {
    let requires = elfdeps("--requires", &root.folder.join(HOME).join(program))?;
    let of_library: Vec<_> = requires.iter().filter(|it| it.starts_with("libpaysvc.so")).collect();
    if of_library.is_empty() {
        return Err(format!("{program} requires no library of ours: {requires:?}"));
    }
    of_library
        .iter()
        .try_for_each(|it| rpm(root, &root.folder, &format!("rpm --query --whatprovides '{it}'")).map(drop))
}

/// Checks that CentOS 7 has what it requires of a system.
fn needs(platform: &Platform, package: &Path) -> Result<(), String> {
    let bits = if platform.pointer_bits == 64 { "(64bit)" } else { "" };
    let known = [
        format!("libc.so.6(GLIBC_{GLIBC}){bits}"),
        "/bin/sh".to_owned(),
        "rpmlib(CompressedFileNames) <= 3.0.4-1".to_owned(),
        "rpmlib(PayloadFilesHavePrefix) <= 4.0-1".to_owned(),
        "rpmlib(PayloadIsXz) <= 5.2-1".to_owned(),
        "rpmlib(FileDigests) <= 4.6.0-1".to_owned(),
    ];
    let told = command::output(Command::new("rpm").args(["--query", "--requires", "--package"]).arg(package))?;
    let other: Vec<_> = told.lines().filter(|line| !known.iter().any(|it| it == line)).collect();
    let has_library = told.lines().any(|line| line == known[0]);
    if other.is_empty() && has_library { Ok(()) } else { Err(format!("it requires {told}")) }
}

fn upgraded(dist: &Dist, stage: &Stage, root: &Root) -> Result<(), String> {
    const OLDER: &str = "0.1.9";
    let older = dist.work("rpm-older")?;
    let (platform, _) = processors(dist).find(|(_, name)| *name == HERE).ok_or("no package is for this machine")?;
    make_version(dist, platform, HERE, OLDER, &older)?;
    let root = copy(dist, root, "rpm-upgraded")?;
    let before = root.contents()?;
    let install = stage.commands(HEADING)?;
    for (folder, version) in [(older, OLDER), (dist.packages(KIND.name), dist.version)] {
        rpm(&root, &folder, &install)?;
        let found = rpm(&root, &folder, "rpm --query --queryformat '%{VERSION} ' libpaysvc libpaysvc-devel")?;
        if found.split_whitespace().any(|it| it != version) {
            return Err(format!("of version {version} there are {found}"));
        }
    }
    rpm(&root, &dist.root, "rpm --erase libpaysvc-devel libpaysvc")?;
    root.is_as(&before)
}
