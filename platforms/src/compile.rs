//! The compilers and runners of programs that use the libraries of a platform.

use std::path::Path;
use std::process::Command;

use crate::command;
use crate::libs::tools;
use crate::table::{Compiler, Platform, Runner, System};

/// The compiler for a platform, in words; its language is `cc` or `c++`.
pub fn compiler(platform: &Platform, zig: &Path, language: &str) -> Vec<String> {
    match platform.compiler {
        Compiler::Mingw(name) if language == "cc" => vec![name.to_owned()],
        Compiler::Mingw(name) => vec![name.replace("gcc", "g++")],
        Compiler::Zig { target, cpu } => {
            let version =
                if let System::Glibc(version) = platform.system { format!(".{version}") } else { String::new() };
            vec![
                zig.display().to_string(),
                language.to_owned(),
                "-target".to_owned(),
                format!("{target}{version}"),
                // It would otherwise link a runtime of its own for this sanitizer, which needs a newer C library.
                "-fno-sanitize=undefined".to_owned(),
                format!("-mcpu={cpu}"),
            ]
        }
    }
}

/// The compiler for C of a platform, to which arguments are added.
pub fn cc(root: &Path, platform: &Platform) -> Result<Command, String> {
    let words = compiler(platform, &tools::zig(root)?.compiler, "cc");
    let mut cc = Command::new(&words[0]);
    cc.args(&words[1..]);
    Ok(cc)
}

/// The option a program needs besides the static library: zig's compiler does not name its unwinder itself, as gcc does.
pub fn unwinder(platform: &Platform) -> Option<&'static str> {
    matches!(platform.system, System::Glibc(_)).then_some("-lunwind")
}

/// Runs a program of a platform.
pub fn runner(root: &Path, word: &str, program: &Path) -> Command {
    let mut command = command::script(root, "runner.sh");
    command.arg(word).arg(program);
    command
}

/// Makes the root of a runner where it is missing. An error begins with "MISSING: " if it cannot be used here.
pub fn ready(root: &Path, runner: Runner) -> Result<(), String> {
    let name = runner.root().ok_or("MISSING: nothing runs its programs here")?;
    command::output(command::script(root, "roots.sh").arg(name))?;
    command::output(command::script(root, "runner.sh").arg(runner.word())).map(drop)
}

/// A file of this machine, as programs of the platform name it.
pub fn file(platform: &Platform, path: &str) -> String {
    if platform.is_windows() { format!("Z:{}", path.replace('/', "\\")) } else { path.to_owned() }
}
