//! What tests of the Go and C++ bindings share: their compilers, pkg-config's file, and the table for the C++ driver.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{Link, Stage, artifacts, root, run, static_libraries};

pub const CPP: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-pthread"];

/// Writes pkg-config's file of a library that is installed there.
fn pkg_config(prefix: &Path) -> PathBuf {
    let folder = prefix.join("lib/pkgconfig");
    std::fs::create_dir_all(&folder).unwrap();
    let text = std::fs::read_to_string(root().join("paysvc.pc.in")).unwrap();
    let text = text.replace("@PREFIX@", prefix.to_str().unwrap()).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    std::fs::write(folder.join("paysvc.pc"), text).unwrap();
    folder
}

/// The library as it is installed, in a folder that stays: Go keeps its path in its cache.
fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = artifacts().join("installed");
        let _ = std::fs::remove_dir_all(&folder);
        pkg_config(&folder);
        let link = |from: PathBuf, to: &str| std::os::unix::fs::symlink(from, folder.join(to)).unwrap();
        link(root().join("include"), "include");
        for name in ["libpaysvc.so", "libpaysvc.a"] {
            link(artifacts().join(name), &format!("lib/{name}"));
        }
        folder
    })
}

impl Stage {
    /// The stage as pkg-config shows it to a program.
    pub fn pkg_config(&self) -> PathBuf {
        pkg_config(&self.path().join("build"))
    }

    /// Puts another header in the place of paysvc.h.
    pub fn replace_header(&self, text: &str) {
        let header = self.path().join("build/include/paysvc.h");
        std::fs::remove_file(&header).unwrap(); // It is a link to the real one.
        std::fs::write(header, text).unwrap();
    }

    /// The go command in this folder, which finds the library. `GO` names one that is not on the PATH.
    pub fn go(&self, folder: &Path) -> Command {
        let mut command = self.command(std::env::var_os("GO").unwrap_or("go".into()).as_ref());
        let built = installed();
        command.current_dir(folder).env("PKG_CONFIG_PATH", built.join("lib/pkgconfig"));
        // Go's cache knows nothing of what pkg-config said, but of these.
        let mut said = DefaultHasher::new();
        static_libraries().hash(&mut said);
        let said = said.finish();
        command.env("CGO_CFLAGS", format!("-I{} -DPAYSVC_PC_{said:x}", built.join("include").display()));
        command.env("CGO_LDFLAGS", format!("-L{}", built.join("lib").display()));
        command.env("GOFLAGS", "-buildvcs=false");
        command
    }

    /// Builds a program of the Go module.
    pub fn go_build(&self, package: &str) -> PathBuf {
        let program = self.path().join(format!("go-{}", package.replace('/', "-")));
        run(self.go(&root().join("bindings/go")).args(["build", "-o"]).arg(&program).arg(format!("./{package}")));
        program
    }

    /// Compiles and links a C++ program.
    pub fn cpp(&self, source: &Path, how: Link, flags: &[&str]) -> PathBuf {
        let name = format!("{}-{how:?}{}", source.file_stem().unwrap().to_str().unwrap(), flags.concat());
        let program = self.path().join(name.replace('/', "_"));
        let row = |row: &paysvc_spec::schema::Endpoint| format!("CALL({})\n", row.name);
        let methods: String = paysvc_spec::ENDPOINTS.iter().map(row).collect();
        std::fs::write(self.path().join("methods.inc"), methods).unwrap();
        let mut command = Command::new("c++");
        command.args(["-g", "-Ibuild/include", "-I."]).args(CPP).args(flags);
        command.arg(format!("-I{}", root().join("bindings/cpp").display())).arg(source);
        match how {
            Link::Shared => command.args(["-Lbuild/lib", "-lpaysvc"]),
            Link::Static | Link::Sanitized => command.arg("build/lib/libpaysvc.a").args(static_libraries()),
        };
        run(command.arg("-o").arg(&program).current_dir(self.path()));
        program
    }

    /// Builds a file of tests/c to be loaded before the library.
    pub fn preload(&self, source: &str) -> PathBuf {
        let object = self.path().join(source).with_extension("so");
        let row = |row: &paysvc_spec::schema::Endpoint| format!("WRAP({})\n", row.name);
        let wrap: String = paysvc_spec::ENDPOINTS.iter().map(row).collect();
        std::fs::write(self.path().join("wrap.inc"), wrap).unwrap();
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Ibuild/include", "-I."]);
        command
            .arg(root().join("tests/c").join(source))
            .args(["-Wl,--as-needed", "-Lbuild/lib", "-lpaysvc", "-ldl", "-o"])
            .arg(&object);
        run(command.current_dir(self.path()));
        object
    }
}
