//! Builds the libraries of a platform: the archive by cargo, everything else from it by the scripts that link.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::tools::{self, Rust};
use super::unwinder;
use crate::table::{Compiler, Platform, System};
use crate::{command, files};

/// The files of a platform's libraries, from its folder.
pub struct Names {
    pub shared: String,
    pub archive: &'static str,
    pub debug: String,
    /// For programs that link the shared library, where those need a file for it.
    pub imports: &'static [&'static str],
}

pub fn names(platform: &Platform) -> Names {
    match platform.system {
        System::Windows(_) => Names {
            shared: "bin/paysvc.dll".to_owned(),
            archive: "lib/libpaysvc.a",
            debug: "lib/debug/paysvc.dll.debug".to_owned(),
            imports: &["lib/libpaysvc.dll.a", "lib/paysvc.lib", "lib/paysvc.def"],
        },
        System::Glibc(_) | System::Musl => {
            let shared = concat!("libpaysvc.so.", env!("CARGO_PKG_VERSION"));
            Names {
                shared: format!("lib/{shared}"),
                archive: "lib/libpaysvc.a",
                debug: format!("lib/debug/{shared}.debug"),
                imports: &[],
            }
        }
    }
}

/// Builds a platform's libraries into a folder, laid out as they are installed.
pub fn libraries(root: &Path, platform: &Platform, folder: &Path) -> Result<(), String> {
    let archive = archive(root, platform)?;
    let (prefix, _) = platform.binutils;
    let mut link;
    match platform.compiler {
        Compiler::Zig { .. } => {
            link = command::script(root, "link.sh");
            link.arg(&archive).arg(folder.join("lib"));
            let zig = tools::zig(root)?;
            link.env("CC", format!("{} cc {}", zig.compiler.display(), zig_options(platform).join(" ")));
            link.env("LIBS", libraries_of(platform.system));
            // zig compiles the start files, with its own folder and the current one in their debug information. With
            // both below this name, which every process has, they are the same on every machine.
            let headers = zig.compiler.with_file_name("lib");
            let headers = headers.strip_prefix(root).map_err(|error| format!("{}: {error}", headers.display()))?;
            link.current_dir(root).env("PWD", HERE).env("ZIG_LIB_DIR", Path::new(HERE).join(headers));
            link.env("ZIG_GLOBAL_CACHE_DIR", archive.with_file_name("zig"));
            let unwinder =
                unwinder::archive(platform, &zig, &zig_options(platform), archive.with_file_name("unwinder"))?;
            // A program for glibc has the unwinder of its compiler. With musl not every compiler brings one that works.
            link.env(if platform.system == System::Musl { "PARTS" } else { "PARTS_OF_SHARED" }, unwinder);
        }
        Compiler::Mingw(compiler) => {
            link = command::script(root, "link-windows.sh");
            link.arg(&archive).arg(platform.target).arg(folder);
            link.env("CC", compiler);
        }
    }
    command::run(link.env("BINUTILS", prefix))?;
    let mut place = command::script(root, "place.sh");
    command::run(place.args(["-m", "644"]).args(headers(root)?).arg(folder.join("include")))?;
    command::run(command::script(root, "documents.sh").arg(folder.join("share/doc/libpaysvc")))?;
    let xtask = |what: &str, to: &str| {
        let mut xtask = command::cargo();
        command::run(xtask.args(["xtask", what]).arg(folder.join("share").join(to)).current_dir(root))
    };
    if !platform.is_windows() {
        xtask("man", "man")?;
    }
    xtask("schema", "paysvc")?;
    command::run(command::script(root, "describe.sh").arg(folder))
}

fn headers(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut headers = vec![root.join("include/paysvc.h")];
    headers.extend(files::list(&root.join("bindings/cpp"))?);
    headers.retain(|path| path.extension().is_some_and(|it| it == "h" || it == "hpp"));
    Ok(headers)
}

/// The archive that rustc makes.
fn archive(root: &Path, platform: &Platform) -> Result<PathBuf, String> {
    let what = ["rustc", "-p", "paysvc", "--lib", "--crate-type", "staticlib"];
    Ok(cargo(root, platform, &what, musl_flags(platform))?.join("libpaysvc.a"))
}

/// Rust has two ways with musl. This is the one for programs that link it dynamically; it serves the others too.
fn musl_flags(platform: &Platform) -> &'static [&'static str] {
    if platform.system == System::Musl { &["-Ctarget-feature=-crt-static"] } else { &[] }
}

/// The folder in which cargo puts its builds in this tree.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), |folder| root.join(folder))
}

/// Calls cargo, or zig's, with these words, for a release of that platform; gives the folder of what it made.
pub fn cargo(root: &Path, platform: &Platform, words: &[&str], rust_flags: &[&str]) -> Result<PathBuf, String> {
    let rust = tools::rust()?;
    let target_folder = target_folder(root);
    let has_std = rust.has(platform.target);
    let mut cargo = match platform.compiler {
        Compiler::Zig { .. } => {
            let zig = tools::zig(root)?;
            let mut cargo = Command::new(zig.cargo);
            cargo.env("CARGO_ZIGBUILD_ZIG_PATH", zig.compiler);
            cargo
        }
        Compiler::Mingw(_) => command::cargo(),
    };
    cargo.args(words).args(arguments(platform, has_std)).current_dir(root);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let folders = [(root, "/paysvc"), (&target_folder, "/target"), (&home, "/cargo")];
    cargo.envs(environment(platform, has_std, &folders));
    let mut flags = self::rust_flags(&rust, &folders);
    flags.extend(rust_flags.iter().map(|&flag| flag.to_owned()));
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    command::run(&mut cargo)?;
    Ok(target_folder.join(platform.target).join("release"))
}

/// The current folder, in whichever it is.
const HERE: &str = "/proc/self/cwd";

/// The arguments of cargo for a platform.
fn arguments(platform: &Platform, has_std: bool) -> Vec<String> {
    let target = match (platform.system, platform.compiler) {
        (System::Glibc(version), Compiler::Zig { .. }) => format!("{}.{version}", platform.target),
        _ => platform.target.to_owned(),
    };
    let mut arguments = vec!["--release".to_owned(), "--locked".to_owned(), "--target".to_owned(), target];
    if !has_std {
        arguments.push("-Zbuild-std=std,panic_unwind".to_owned());
    }
    arguments
}

/// The folders of the sources on this machine, and their names in the libraries, which must not differ. Compilers use
/// the last one that fits.
type Folders<'a> = [(&'a Path, &'a str)];

fn environment(platform: &Platform, has_std: bool, folders: &Folders) -> Vec<(String, String)> {
    let under = platform.target.replace('-', "_");
    // Lines alone, as of the Rust code.
    let mut flags = "-g1".to_owned();
    // zig's headers lie in these folders, too.
    flags.extend(folders.iter().map(|(from, to)| format!(" -ffile-prefix-map={}={to}", from.display())));
    if platform.system == System::Windows("7") {
        // MinGW's headers are for Windows 10 otherwise, whose source of randomness AWS-LC would then load, or abort.
        flags += " -D_WIN32_WINNT=0x0601";
    }
    let mut variables = vec![(format!("CFLAGS_{under}"), flags)];
    if !has_std {
        // Building the standard library is not a part of stable Rust; the compiler that does it is the stable one.
        variables.push(("RUSTC_BOOTSTRAP".to_owned(), "1".to_owned()));
    }
    if let Compiler::Mingw(compiler) = platform.compiler {
        variables.push((format!("CC_{under}"), compiler.to_owned()));
        variables.push((format!("AR_{under}"), format!("{}ar", platform.binutils.0)));
        variables.push((format!("CARGO_TARGET_{}_LINKER", under.to_uppercase()), compiler.to_owned()));
    }
    variables
}

fn rust_flags(rust: &Rust, folders: &Folders) -> Vec<String> {
    let standard = rust.sysroot.join("lib/rustlib/src/rust");
    let commit = format!("/rustc/{}", rust.commit);
    let all = folders.iter().copied().chain([(standard.as_path(), commit.as_str())]);
    all.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect()
}

/// zig's options for the platform.
fn zig_options(platform: &Platform) -> Vec<String> {
    let Compiler::Zig { target, cpu } = platform.compiler else { return Vec::new() };
    let target = match platform.system {
        System::Glibc(version) => format!("{target}.{version}"),
        _ => target.to_owned(),
    };
    // Without -O its parts of the compiler's library have checks, and lines.
    vec!["-target".to_owned(), target, format!("-mcpu={cpu}"), "-O2".to_owned()]
}

/// The libraries that the shared one is linked with. libgcc_s is none of them, because a small system does not have it.
fn libraries_of(system: System) -> &'static str {
    match system {
        System::Glibc(_) => "-lutil -lrt -lpthread -lm -ldl",
        _ => "-lc",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::platform;

    fn folders() -> [(&'static Path, &'static str); 2] {
        [(Path::new("/src"), "/paysvc"), (Path::new("/me/.cargo"), "/cargo")]
    }

    #[test]
    fn c_code_for_windows_7_is_compiled_for_it() {
        let flags = |target| environment(platform(target).unwrap(), false, &folders())[0].1.clone();
        assert!(flags("i686-win7-windows-gnu").ends_with(" -D_WIN32_WINNT=0x0601"));
        assert!(!flags("i686-pc-windows-gnu").contains("_WIN32_WINNT"));
    }

    #[test]
    fn no_folder_of_this_machine_is_kept() {
        let rust = Rust { sysroot: "/rust".into(), commit: "abc".to_owned() };
        let flags = rust_flags(&rust, &folders());
        for flag in [
            "--remap-path-prefix=/src=/paysvc",
            "--remap-path-prefix=/me/.cargo=/cargo",
            "--remap-path-prefix=/rust/lib/rustlib/src/rust=/rustc/abc",
        ] {
            assert!(flags.iter().any(|it| it == flag), "{flag} is not in {flags:?}");
        }
    }
}
