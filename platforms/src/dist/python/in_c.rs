//! Where there is no Python for a platform: README's program in C loads the library of the wheel.

use std::path::{Path, PathBuf};

use super::install::install;
use crate::dist::Dist;
use crate::dist::stage::Stage;
use crate::libs;
use crate::table::Platform;
use crate::{command, compile, files};

pub fn charges(dist: &Dist, stage: &Stage, platform: &Platform, tag: &str) -> Result<(), String> {
    compile::ready(&dist.root, platform.runner)?;
    let folder = install(dist, "paysvc", "", tag, &format!("wheel-{}", platform.target))?.join("paysvc");
    let program = compiled(dist, stage, platform, &folder)?;
    let mut run = compile::runner(&dist.root, platform.runner.word(), &program);
    run.current_dir(&folder).env("LD_LIBRARY_PATH", &folder);
    run.env("WINEPATH", compile::file(platform, &folder.display().to_string()));
    stage.charges_for(platform, &folder, &mut run)
}

/// The program, linked with the library in this folder.
fn compiled(dist: &Dist, stage: &Stage, platform: &Platform, folder: &Path) -> Result<PathBuf, String> {
    let (built, program) = (dist.libs(platform), folder.join("charge.exe"));
    let mut cc = compile::cc(&dist.root, platform)?;
    cc.arg(stage.programs.join("charge.c")).arg("-I").arg(built.join("include"));
    if platform.is_windows() {
        let imports = libs::names(platform).imports.first().ok_or("it has no import library")?;
        cc.arg(built.join(imports)).arg("-static");
    } else {
        // The name that the linker writes into the program.
        let name = folder.join(format!("libpaysvc.so.{}", paysvc_spec::status::ABI));
        files::link("libpaysvc.so".as_ref(), &name)?;
        cc.arg("-L").arg(folder).arg("-lpaysvc");
    }
    command::output(cc.arg("-o").arg(&program)).map(|_| program)
}
