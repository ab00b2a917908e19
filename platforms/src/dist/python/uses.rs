//! Where the Python packages are installed, and what is run with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{in_c, install, source_file, wheel_file};
use crate::dist::Dist;
use crate::dist::stage::{self, CHARGES, Stage};
use crate::dist::uses::{Use, take};
use crate::table::{Platform, Proof, Runner};
use crate::{command, compile, files};

const IN_C: &str =
    "the tag, the licences; a C program with the library: charge over TLS; charge with a lost response, resolved";
/// The actions of the program for pytest in bindings/python/README.md.
const FIXTURE: &str = "pytest with the fixture: charge with a lost response, resolved";
const OLDEST: &str = "Debian 11, Python 3.9";
const NEWEST: &str = "Debian testing, its newest Python";

pub fn uses(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    let source = source_file(dist);
    let mut all = vec![take(&source, "this machine, without a checkout", CHARGES, || of_source(dist, stage))];
    let wheels = || dist.platforms.iter().filter_map(|platform| Some((*platform, platform.wheel?)));
    let (pythons, others): (Vec<_>, Vec<_>) = wheels().partition(|(row, _)| row.proofs.contains(&Proof::Python));
    for &(platform, tag) in &pythons {
        let wheel = wheel_file(dist, "paysvc", tag);
        all.push(take(&wheel, OLDEST, CHARGES, || oldest(dist, stage, platform, tag)));
    }
    if dist.quick {
        return Ok(all);
    }
    let pytest = Pytest::new(dist)?;
    for &(platform, tag) in &pythons {
        let wheel = wheel_file(dist, "paysvc", tag);
        all.push(take(&wheel, NEWEST, CHARGES, || newest(dist, stage)));
        for (row, sandbox) in dist.platforms.iter().filter_map(|row| Some((row, row.sandbox_wheel?))) {
            let package = wheel_file(dist, "paysvc_sandbox", sandbox);
            if sandbox.split('.').any(|it| it == tag) {
                all.push(take(&package, OLDEST, FIXTURE, || pytest.in_the_oldest(dist, platform, tag)));
                all.push(take(&package, NEWEST, FIXTURE, || pytest.in_the_newest(dist, stage)));
            } else {
                all.push(take(&package, row.runner.place(), FIXTURE, || pytest.against(dist, row, sandbox, tag)));
            }
        }
    }
    for (platform, tag) in others {
        let wheel = wheel_file(dist, "paysvc", tag);
        all.push(take(&wheel, platform.runner.place(), IN_C, || in_c::charges(dist, stage, platform, tag)));
    }
    Ok(all)
}

/// Runs the commands of docs/install.md under a heading, in a new folder.
fn documented(dist: &Dist, stage: &Stage, heading: &str, name: &str, shell: Command) -> Result<PathBuf, String> {
    let (folder, mut shell) = (dist.work(name)?, shell);
    files::make(&folder.join("build"))?;
    for (from, to) in [(dist.folder(), "build/dist"), (dist.root.join("build/lib"), "build/lib")] {
        files::link(&from, &folder.join(to))?;
    }
    shell.args(["-euc", &stage.commands(heading)?]).current_dir(&folder);
    command::output(&mut shell)?;
    Ok(folder)
}

/// README's program, twice.
fn charges(stage: &Stage, folder: &Path, python: &mut Command) -> Result<(), String> {
    stage.charges(folder, clean(python).arg(stage.programs.join("charge.py")).current_dir(folder))
}

/// Without what would lead to another library, or to another sandbox.
fn clean(command: &mut Command) -> &mut Command {
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PYTHONDONTWRITEBYTECODE", "1");
    command.env_remove("PAYSVC_LIBRARY").env_remove("PAYSVC_SANDBOX")
}

fn of_source(dist: &Dist, stage: &Stage) -> Result<(), String> {
    let mut shell = Command::new("sh");
    clean(&mut shell);
    let folder = documented(dist, stage, "From the source distribution", "python-source", shell)?;
    charges(stage, &folder, &mut Command::new(folder.join("venv/bin/python")))
}

/// The root has no pip: this machine's installs for it.
fn oldest(dist: &Dist, stage: &Stage, platform: &Platform, tag: &str) -> Result<(), String> {
    compile::ready(&dist.root, platform.runner)?;
    let folder = install::install(dist, "paysvc", "", tag, "python-oldest")?;
    charges(stage, &folder, python_of_the_oldest(dist, platform).env("PYTHONPATH", &folder))
}

fn python_of_the_oldest(dist: &Dist, platform: &Platform) -> Command {
    compile::runner(&dist.root, platform.runner.word(), "/usr/bin/python3".as_ref())
}

fn in_the_newest(dist: &Dist, program: &Path) -> Command {
    compile::runner(&dist.root, Runner::Newest.word(), program)
}

fn newest(dist: &Dist, stage: &Stage) -> Result<(), String> {
    compile::ready(&dist.root, Runner::Newest)?;
    let mut shell = in_the_newest(dist, "/bin/sh".as_ref());
    clean(&mut shell);
    let folder = documented(dist, stage, "For a program", "python-newest", shell)?;
    charges(stage, &folder, &mut in_the_newest(dist, &folder.join("venv/bin/python")))
}

/// pytest, and the program that is run with it.
struct Pytest {
    wheels: PathBuf,
    unpacked: PathBuf,
    tests: PathBuf,
}

impl Pytest {
    fn new(dist: &Dist) -> Result<Pytest, String> {
        let tests = dist.work("python-tests")?;
        stage::save(dist, "bindings/python/README.md", &["conftest.py", "test_till.py"], &tests)?;
        let (wheels, unpacked) = install::pytest(dist)?;
        Ok(Pytest { wheels, unpacked, tests })
    }

    fn run(&self, python: &mut Command) -> Result<(), String> {
        python.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir"]).arg(&self.tests).arg(&self.tests);
        let printed = command::output(python.current_dir(&self.tests))?;
        if printed.contains("1 passed") { Ok(()) } else { Err(printed) }
    }

    /// The path of modules: pytest and what is installed there.
    fn beside(&self, folder: &Path) -> String {
        format!("{}:{}", folder.display(), self.unpacked.display())
    }

    fn in_the_oldest(&self, dist: &Dist, platform: &Platform, tag: &str) -> Result<(), String> {
        compile::ready(&dist.root, platform.runner)?;
        let folder = install::install(dist, "paysvc", "[sandbox]", tag, "python-oldest")?;
        let mut python = python_of_the_oldest(dist, platform);
        self.run(clean(&mut python).env("PYTHONPATH", self.beside(&folder)))
    }

    fn in_the_newest(&self, dist: &Dist, stage: &Stage) -> Result<(), String> {
        compile::ready(&dist.root, Runner::Newest)?;
        let mut shell = in_the_newest(dist, "/bin/sh".as_ref());
        // pytest, too, comes from a folder.
        clean(&mut shell).env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &self.wheels);
        let folder = documented(dist, stage, "With the sandbox, for tests", "python-newest", shell)?;
        let mut python = in_the_newest(dist, &folder.join("venv/bin/python"));
        self.run(clean(&mut python))
    }

    /// The sandbox runs as its platform's programs do, and pytest on this machine with the wheel of this tag.
    fn against(&self, dist: &Dist, platform: &Platform, sandbox: &str, tag: &str) -> Result<(), String> {
        compile::ready(&dist.root, platform.runner)?;
        let installed = install::install(dist, "paysvc-sandbox", "", sandbox, &format!("sandbox-{}", platform.target))?;
        let name = dist.sandbox(platform).and_then(|it| Some(it.file_name()?.to_owned())).unwrap_or_default();
        let program = installed.join("paysvc_sandbox").join(name);
        let started = installed.join("start.sh");
        let runner = dist.root.join("scripts/runner.sh");
        let script = format!(
            "#!/bin/sh\nexec sh '{}' {} '{}' \"$@\"\n",
            runner.display(),
            platform.runner.word(),
            program.display()
        );
        files::write_script(&started, &script)?;
        let folder = install::install(dist, "paysvc", "", tag, "python-here")?;
        let mut python = Command::new(dist.tool("python"));
        clean(&mut python).env("PAYSVC_SANDBOX", &started).env("PYTHONPATH", self.beside(&folder));
        self.run(&mut python)
    }
}
