//! README's program, compiled with each archive, through pkg-config and through CMake, with the shared library and with the
//! static one, and run where the platform's programs can be run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::stage::{self, CHARGES, Stage};
use super::uses::{self, Use};
use super::{Dist, archives, containers};
use crate::command::output;
use crate::libs::tools;
use crate::table::{Platform, Runner, System};
use crate::{compile, files};

/// Nothing that was installed may mind.
const FOLDER: &str = "a blank and ä";

/// An archive that was unpacked, and a compiler for its platform.
pub struct Unpacked<'a> {
    pub dist: &'a Dist,
    pub stage: &'a Stage,
    pub row: &'static Platform,
    pub prefix: PathBuf,
    /// For what is made.
    pub work: PathBuf,
    zig: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Shared,
    Static,
}

pub fn uses(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    let mut all = Vec::new();
    for row in &dist.platforms {
        let (archive, work) = (archives::archive(dist, row), dist.work(&format!("{FOLDER}/{}", row.target))?);
        let prefix = work.join(archives::name(dist, row));
        let unpacked = Unpacked { dist, stage, row, prefix, work, zig: tools::zig(&dist.root)?.compiler };
        let place = row.runner.place();
        let valid = "unpacked; SBOM valid, with the crates of this target";
        all.push(uses::take(&archive, "this machine", valid, || unpacked.unpack(&archive)));
        let ran = "built with pkg-config and CMake, shared and static: each a charge, and one whose response is lost";
        all.push(uses::take(&archive, place, ran, || unpacked.every_way()));
        if dist.sandbox(row).is_some() {
            let ran = "its paysvc-sandbox, called by the program: a charge, and one whose response is lost";
            all.push(uses::take(&archive, place, ran, || unpacked.its_sandbox()));
        }
        if row.is_windows() && row.pointer_bits == 64 {
            let ran = "built by zig (UCRT) with paysvc.lib: a charge, and one whose response is lost";
            all.push(uses::take(&archive, place, ran, || unpacked.microsofts_import_library()));
        }
        if row.runner == Runner::Debian11 {
            let ran = "the C++ program: a charge, and one whose response is lost";
            all.push(uses::take(&archive, place, ran, || unpacked.in_cpp()));
            all.push(uses::take(&archive, "this machine", "the commands of docs/install.md", || documented(&unpacked)));
            all.push(uses::take(&archive, "an empty root with glibc 2.31", CHARGES, || containers::glibc(&unpacked)));
        }
        if row.runner == Runner::MuslLoader {
            all.push(uses::take(&archive, "an empty root with musl", CHARGES, || containers::musl(&unpacked)));
            let ran = "linked with -static: a charge, and one whose response is lost";
            all.push(uses::take(&archive, "an empty root", ran, || containers::nothing(&unpacked)));
        }
    }
    Ok(all)
}

impl Unpacked<'_> {
    fn unpack(&self, archive: &Path) -> Result<(), String> {
        let mut tool = if self.row.is_windows() { Command::new("unzip") } else { Command::new("tar") };
        tool.args(if self.row.is_windows() { ["-q"] } else { ["-xzf"] }).arg(archive);
        output(tool.current_dir(&self.work))?;
        // Everything is in one folder, and no file has the path of this machine in its text.
        let found = files::list(&self.work)?;
        if found != [self.prefix.clone()] {
            return Err(format!("it has {found:?} and not {}", self.prefix.display()));
        }
        let root = self.dist.root.display().to_string();
        if let Ok(names) = output(Command::new("grep").args(["-rlaF", &root]).arg(&self.prefix)) {
            return Err(format!("these files name the folder of this repository:\n{names}"));
        }
        let mut boms = vec!["libpaysvc"];
        boms.extend(self.dist.sandbox(self.row).map(|_| "paysvc-sandbox"));
        for name in boms {
            let bom = self.prefix.join(format!("share/doc/libpaysvc/{name}.cdx.json"));
            let mut check = Command::new(self.dist.tool("python"));
            check.arg(self.dist.root.join("packaging/check_sbom.py")).arg(name).arg(self.row.target).arg(bom);
            output(&mut check)?;
        }
        Ok(())
    }

    /// The platform's compiler as one command, as CMake and others need it.
    pub fn compiler(&self, language: &str) -> Result<PathBuf, String> {
        let words = compile::compiler(self.row, &self.zig, language).join("' '");
        let path = self.dist.root.join(format!("build/dist-work/{}-{language}", self.row.target));
        files::write_script(&path, &format!("#!/bin/sh\nexec '{words}' \"$@\"\n"))?;
        Ok(path)
    }

    /// The options besides pkg-config's flags.
    fn more(&self, link: Link) -> Vec<&'static str> {
        match (link, self.row.system) {
            (Link::Static, System::Windows(_)) => vec!["-static"],
            (Link::Static, _) => compile::unwinder(self.row).into_iter().collect(),
            (Link::Shared, _) => Vec::new(),
        }
    }

    pub fn with_pkg_config(&self, name: &str, source: &str, link: Link, more: &[&str]) -> Result<PathBuf, String> {
        let program = self.new_program(name)?;
        let package = if link == Link::Shared { "paysvc" } else { "paysvc-static" };
        // Its words may have blanks in them.
        let script = r#"flags=$(pkg-config --cflags --libs "$1") && shift && eval "exec \"\$@\" $flags $more""#;
        let mut sh = Command::new("sh");
        sh.args(["-c", script, "sh", package]);
        sh.arg(self.compiler(if source.ends_with(".cpp") { "c++" } else { "cc" })?);
        sh.arg(self.stage.programs.join(source)).arg("-o").arg(&program);
        sh.env("PKG_CONFIG_LIBDIR", self.prefix.join("lib/pkgconfig"));
        output(sh.env("more", [&self.more(link), more].concat().join(" ")))?;
        self.beside_its_dll(program)
    }

    fn with_cmake(&self, link: Link) -> Result<PathBuf, String> {
        let folder = self.work.join(if link == Link::Shared { "cmake" } else { "cmake-static" });
        stage::save(self.dist, "docs/install.md", &["CMakeLists.txt"], &folder)?;
        if link == Link::Static {
            let lists = folder.join("CMakeLists.txt");
            files::write(&lists, files::read(&lists)?.replace("paysvc::paysvc", "paysvc::static"))?;
        }
        files::copy(&self.stage.programs.join("charge.c"), &folder.join("charge.c"))?;
        let made = folder.join("made");
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&folder).arg("-B").arg(&made);
        cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", self.prefix.display()));
        cmake.arg(format!("-DCMAKE_C_COMPILER={}", self.compiler("cc")?.display()));
        // For aarch64 with musl, zig links other objects to a program that crashes at its start.
        cmake.arg("-DCMAKE_POSITION_INDEPENDENT_CODE=ON");
        cmake.arg(format!("-DCMAKE_SYSTEM_NAME={}", if self.row.is_windows() { "Windows" } else { "Linux" }));
        cmake.arg(format!("-DCMAKE_C_STANDARD_LIBRARIES={}", self.more(link).join(" ")));
        output(&mut cmake)?;
        output(Command::new("cmake").arg("--build").arg(&made))?;
        Ok(made.join(if self.row.is_windows() { "charge.exe" } else { "charge" }))
    }

    fn new_program(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.work.join(name);
        files::make(&folder)?;
        Ok(folder.join(if self.row.is_windows() { "charge.exe" } else { "charge" }))
    }

    fn beside_its_dll(&self, program: PathBuf) -> Result<PathBuf, String> {
        if self.row.is_windows() {
            files::copy(&self.prefix.join("bin/paysvc.dll"), &program.with_file_name("paysvc.dll"))?;
        }
        Ok(program)
    }

    /// Checks that something here runs its programs.
    fn can_run(&self) -> Result<(), String> {
        compile::ready(&self.dist.root, self.row.runner)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = compile::runner(&self.dist.root, self.row.runner.word(), program);
        // Wine takes paths to be in its encoding.
        command.env("LD_LIBRARY_PATH", self.prefix.join("lib")).env("LC_ALL", "C.UTF-8");
        command
    }

    fn charges(&self, stage: &Stage, program: &Path) -> Result<(), String> {
        stage.charges_for(self.row, &self.work, &mut self.command(program))
    }

    fn every_way(&self) -> Result<(), String> {
        self.can_run()?;
        for (link, name) in [(Link::Shared, "shared"), (Link::Static, "static")] {
            let program = self.with_pkg_config(name, "charge.c", link, &[]);
            let charged = program.and_then(|program| self.charges(self.stage, &program));
            charged.map_err(|why| format!("pkg-config, {name}: {why}"))?;
            let charged = self.with_cmake(link).and_then(|program| self.charges(self.stage, &program));
            charged.map_err(|why| format!("CMake, {name}: {why}"))?;
        }
        Ok(())
    }

    fn its_sandbox(&self) -> Result<(), String> {
        self.can_run()?;
        let program = self.with_pkg_config("of-its-sandbox", "charge.c", Link::Shared, &[])?;
        let sandbox = self.dist.sandbox(self.row).unwrap_or_default();
        let sandbox = self.prefix.join("bin").join(sandbox.file_name().unwrap_or_default());
        let words = self.command(&sandbox);
        let words = std::iter::once(words.get_program()).chain(words.get_args()).map(OsString::from).collect();
        // It names its files as its own system does.
        let drive = self.dist.root.join("build/roots/wine/var/lib/wine/drive_c");
        let stage = self.stage.with_sandbox(words, if self.row.is_windows() { &drive } else { "/".as_ref() });
        self.charges(&stage, &program)
    }

    /// zig's linker reads the import library of Microsoft's, and its C runtime is UCRT.
    fn microsofts_import_library(&self) -> Result<(), String> {
        self.can_run()?;
        let program = self.new_program("zig")?;
        let mut zig = Command::new(&self.zig);
        zig.args(["cc", "-target", "x86_64-windows-gnu", "-I"]).arg(self.prefix.join("include"));
        zig.arg(self.stage.programs.join("charge.c")).arg(self.prefix.join("lib/paysvc.lib")).arg("-o").arg(&program);
        output(&mut zig)?;
        self.charges(self.stage, &self.beside_its_dll(program)?)
    }

    fn in_cpp(&self) -> Result<(), String> {
        self.can_run()?;
        stage::save(self.dist, "bindings/cpp/README.md", &["charge.cpp"], &self.stage.programs)?;
        self.charges(self.stage, &self.with_pkg_config("cpp", "charge.cpp", Link::Shared, &["-std=c++11"])?)
    }
}

/// Runs the commands of docs/install.md with this machine's compiler: each of its programs makes its charges.
fn documented(unpacked: &Unpacked) -> Result<(), String> {
    let (dist, stage) = (unpacked.dist, unpacked.stage);
    let folder = dist.work("documented")?;
    stage::save(dist, "docs/install.md", &["CMakeLists.txt", "fetched/CMakeLists.txt"], &folder)?;
    stage::save(dist, "README.md", &["charge.c"], &folder)?;
    let mut sh = Command::new("sh");
    sh.args(["-euc", &stage.commands("C and C++")?]).current_dir(&folder).env("VERSION", dist.version);
    output(sh.env("RELEASE", format!("file://{}", dist.folder().display())))?;
    for program in ["charge", "charge-static", "made/charge", "fetched/made/charge"] {
        let library = folder.join(archives::name(dist, unpacked.row)).join("lib");
        stage.charges(&folder, Command::new(folder.join(program)).env("LD_LIBRARY_PATH", &library))?;
    }
    Ok(())
}
