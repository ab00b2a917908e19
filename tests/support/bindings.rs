//! Shared by tests of the Go and C++ bindings: their compilers, pkg-config's file, and the tables for the C++ driver.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use paysvc_spec::operations::{Body, OPERATIONS};

use super::platform::{Foreign, foreign};
use super::{Link, Stage, build, root, run, static_libraries};

pub const CPP: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-pthread"];

/// Python with the package of the checkout and the library that was built, to run a file of the project.
pub fn python(file: &str) -> Command {
    let of_platform = |platform: &Foreign| platform.python().expect("a Python in the platform's root");
    let mut command = foreign().map_or_else(|| Command::new("python3"), of_platform);
    in_python(&mut command);
    command.arg(root().join(file));
    command
}

/// Sets the variables that Python needs to find the package and the library.
pub fn in_python(command: &mut Command) {
    command.env("PYTHONPATH", root().join("bindings/python/src")).env("PYTHONDONTWRITEBYTECODE", "1");
    let built = foreign().map_or(build(), |platform| &platform.folder);
    command.env("PAYSVC_LIBRARY", built.join("lib/libpaysvc.so"));
}

/// The header, with another number of the binary interface.
pub fn header_of_another_abi() -> String {
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let from = format!("#define PAYSVC_ABI {}\n", paysvc_spec::status::ABI);
    assert!(header.contains(&from));
    header.replace(&from, "#define PAYSVC_ABI 99\n")
}

impl Stage {
    /// Puts another header in the place of paysvc.h.
    pub fn replace_header(&self, text: &str) {
        let header = self.path().join("build/include/paysvc.h");
        std::fs::remove_file(&header).unwrap(); // It is a link to the one that was built.
        std::fs::write(header, text).unwrap();
    }

    /// The go command in this folder, which finds the library. `GO` names one that is not on the PATH.
    pub fn go(&self, folder: &Path) -> Command {
        let mut command = Command::new(std::env::var_os("GO").unwrap_or("go".into()));
        command.env("LD_LIBRARY_PATH", self.path().join("build/lib"));
        // Not the stage, which goes: Go keeps the path in its cache.
        let built = self.library();
        command.current_dir(folder).env("PKG_CONFIG_PATH", built.join("lib/pkgconfig"));
        // Go's cache does not notice other flags from pkg-config, but it does notice these.
        let mut said = DefaultHasher::new();
        static_libraries().hash(&mut said);
        let said = said.finish();
        command.env("CGO_CFLAGS", format!("-I{} -DPAYSVC_PC_{said:x}", built.join("include").display()));
        command.env("CGO_LDFLAGS", format!("-L{}", built.join("lib").display()));
        command.env("GOFLAGS", "-buildvcs=false");
        if let Some(platform) = self.platform {
            let (system, processor) = platform.go();
            command.env("CGO_ENABLED", "1").env("GOOS", system).env("GOARCH", processor);
            command.env("CC", platform.compiler("cc").join(" ")).env("CXX", platform.compiler("c++").join(" "));
            command.env_remove("LD_LIBRARY_PATH"); // It is another machine's.
        }
        command
    }

    /// Builds a program of the Go module.
    pub fn go_build(&self, package: &str) -> PathBuf {
        self.go_build_with(package, &[])
    }

    pub fn go_build_with(&self, package: &str, flags: &[&str]) -> PathBuf {
        let program = self.program(self.path().join(format!("go-{}", package.replace('/', "-"))));
        let mut go = self.go(&root().join("bindings/go"));
        run(go.arg("build").args(flags).arg("-o").arg(&program).arg(format!("./{package}")));
        program
    }

    /// Compiles and links a C++ program.
    pub fn cpp(&self, source: &Path, how: Link, flags: &[&str]) -> PathBuf {
        let name = format!("{}-{how:?}{}", source.file_stem().unwrap().to_str().unwrap(), flags.concat());
        let program = self.program(self.path().join(name.replace('/', "_")));
        let row = |row: &paysvc_spec::schema::Endpoint| format!("CALL({})\n", row.name);
        let operation = |it: &paysvc_spec::operations::Operation| format!("CALL({})\n", it.name);
        let methods: String = paysvc_spec::ENDPOINTS.iter().map(row).chain(OPERATIONS.iter().map(operation)).collect();
        std::fs::write(self.path().join("methods.inc"), methods).unwrap();
        let own = OPERATIONS.iter().filter(|it| matches!(it.answer, Body::Own(_))).map(|it| it.name);
        let names = paysvc_spec::ENDPOINTS.iter().map(|row| row.name).chain(own);
        let answers: String = names.map(|name| format!("ANSWER({name})\n")).collect();
        std::fs::write(self.path().join("answers.inc"), answers).unwrap();
        let mut command = self.compiler("c++");
        command.args(["-g", "-Ibuild/include", "-I."]).args(CPP).args(flags);
        command.arg(source);
        match how {
            Link::Shared => self.link_shared(&mut command),
            Link::Static | Link::Sanitized => {
                _ = command.arg("build/lib/libpaysvc.a").args(static_libraries());
            }
        };
        run(command.arg("-o").arg(&program).current_dir(self.path()));
        program
    }

    /// Builds a file of tests/c to be loaded before the library.
    pub fn preload(&self, source: &str) -> PathBuf {
        let object = self.path().join(source).with_extension("so");
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
