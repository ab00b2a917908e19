//! LLVM's unwinder, from its source in zig's folder: what zig builds of it by itself has the path of that folder in it.

use std::path::PathBuf;
use std::process::Command;

use super::tools::Zig;
use crate::table::Platform;
use crate::{command, files};

/// Its source files, but those for Windows, WebAssembly, exceptions by setjmp and the one for C's cleanup attribute.
const SOURCES: [&str; 6] = [
    "libunwind.cpp",
    "Unwind-EHABI.cpp",
    "UnwindLevel1.c",
    "UnwindLevel1-gcc-ext.c",
    "UnwindRegistersRestore.S",
    "UnwindRegistersSave.S",
];
/// As its own build has them, in the parts that matter for a library in which it is hidden.
const OPTIONS: [&str; 11] = [
    "-fPIC",
    "-g1",
    "-fno-exceptions",
    "-fno-rtti",
    "-funwind-tables",
    "-fstrict-aliasing",
    "-fvisibility=hidden",
    "-nostdinc++",
    "-D_LIBUNWIND_HIDE_SYMBOLS",
    "-D_LIBUNWIND_IS_NATIVE_ONLY",
    "-Wno-everything",
];

/// Makes its archive in that folder.
pub fn archive(platform: &Platform, zig: &Zig, options: &[String], folder: PathBuf) -> Result<PathBuf, String> {
    files::make(&folder)?;
    let (headers, library) = (zig.compiler.with_file_name("lib"), zig.compiler.with_file_name("lib/libunwind"));
    for source in SOURCES {
        let mut compile = Command::new(&zig.compiler);
        compile.arg("cc").args(options).args(OPTIONS).current_dir(&folder);
        for (from, to) in [(headers.as_path(), "/zig"), (folder.as_path(), "/target")] {
            compile.arg(format!("-ffile-prefix-map={}={to}", from.display()));
        }
        // Its C code passes exceptions of others on.
        compile.args(source.ends_with(".c").then_some("-fexceptions"));
        compile.arg("-I").arg(library.join("include")).arg("-c").arg(library.join("src").join(source));
        command::run(compile.arg("-o").arg(folder.join(format!("{source}.o"))))?;
    }
    let archive = folder.join("libunwind.a");
    files::remove(&archive)?;
    let mut ar = Command::new(format!("{}ar", platform.binutils.0));
    command::run(ar.arg("rcsD").arg(&archive).args(SOURCES.map(|source| folder.join(format!("{source}.o")))))?;
    Ok(archive)
}
