//! A copy of the library that `make install` has made and that was moved afterwards.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{build, root, run};

/// A target of the Makefile, which uses what was built.
pub fn make(target: &str) -> Command {
    let mut make = Command::new("make");
    // A variable of the make that runs this test would be the inner one's too.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("DESTDIR").current_dir(root());
    make.args(["--no-print-directory", target]);
    if target == "install" {
        make.arg(format!("BUILD={}", build().display()));
    }
    make
}

pub struct Installed {
    folder: tempfile::TempDir,
    libdir: String,
}

impl Installed {
    /// With the libraries in that folder of the prefix.
    pub fn in_libdir(libdir: &str) -> Installed {
        let folder = tempfile::tempdir().unwrap();
        let staged = folder.path().join("staged");
        let mut install = make("install");
        install.arg("PREFIX=/opt/paysvc").arg(format!("LIBDIR={libdir}"));
        run(install.arg(format!("DESTDIR={}", staged.display())));
        let installed = Installed { libdir: libdir.to_owned(), folder };
        // Not where it was meant to be: nothing that was installed may depend on that.
        std::fs::rename(staged.join("opt/paysvc"), installed.prefix()).unwrap();
        std::fs::remove_dir_all(staged).unwrap();
        installed
    }

    pub fn prefix(&self) -> PathBuf {
        self.folder.path().join("moved")
    }

    pub fn lib(&self) -> PathBuf {
        self.prefix().join(&self.libdir)
    }

    /// For the programs that are built with it.
    pub fn work(&self) -> &Path {
        self.folder.path()
    }
}
