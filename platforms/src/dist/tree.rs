//! What system packages install, laid out by `scripts/install.sh`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Dist;
use crate::command;
use crate::table::Platform;

/// Folders, from `/usr`.
pub struct Tree<'a> {
    pub library: &'a str,
    pub documents: &'a str,
    pub sandbox: Option<PathBuf>,
}

impl Tree<'_> {
    pub fn install(&self, dist: &Dist, platform: &Platform, to: &Path) -> Result<(), String> {
        let mut install = Command::new("sh");
        install.arg(dist.root.join("scripts/install.sh")).arg("install").env("BUILD", dist.libs(platform));
        install.env("DESTDIR", to).env("PREFIX", "/usr").env("LIBDIR", self.library).env("DOCDIR", self.documents);
        command::output(install.env_remove("INCLUDEDIR").env_remove("BINDIR").env_remove("MANDIR"))?;
        let usr = to.join("usr");
        // A package knows its files, and keeps symbols for debuggers elsewhere.
        for folder in ["debug", "paysvc"] {
            let path = usr.join(self.library).join(folder);
            fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        if let Some(program) = &self.sandbox {
            let to = usr.join("bin");
            let script = dist.root.join("scripts/place.sh");
            command::run(Command::new("sh").arg(script).args(["-m", "755"]).arg(program).arg(to))?;
        }
        Ok(())
    }
}
