//! The files that system packages install, laid out by `scripts/install.sh`.

use std::path::{Path, PathBuf};

use super::Dist;
use crate::table::Platform;
use crate::{command, files};

/// `library` and `documents` are folders, from `/usr`.
pub fn install(
    dist: &Dist,
    platform: &Platform,
    [library, documents]: [&str; 2],
    sandbox: Option<PathBuf>,
    to: &Path,
) -> Result<(), String> {
    let mut install = command::script(&dist.root, "install.sh");
    install.arg("install").env("BUILD", dist.libs(platform));
    install.env("DESTDIR", to).env("PREFIX", "/usr").env("LIBDIR", library).env("DOCDIR", documents);
    command::output(install.env_remove("INCLUDEDIR").env_remove("BINDIR").env_remove("MANDIR"))?;
    let usr = to.join("usr");
    // A package lists its files itself, and keeps symbols for debuggers elsewhere.
    for folder in ["debug", "paysvc"] {
        files::remove(&usr.join(library).join(folder))?;
    }
    if let Some(program) = sandbox {
        let mut place = command::script(&dist.root, "place.sh");
        command::run(place.args(["-m", "755"]).arg(program).arg(usr.join("bin")))?;
    }
    Ok(())
}
