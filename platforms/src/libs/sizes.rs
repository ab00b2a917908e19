//! The sizes of the libraries, as a table.

use std::fs;
use std::path::Path;

use super::build::names;
use crate::table::PLATFORMS;

/// The files of every platform that has been built, in bytes.
pub fn table(folder: &Path) -> Result<String, String> {
    let mut out = String::from("| target | file | bytes |\n|---|---|---:|\n");
    for platform in PLATFORMS {
        let names = names(platform);
        for name in [&names.shared, names.archive, &names.debug].into_iter().chain(names.imports.iter().copied()) {
            let file = folder.join(platform.target).join(name);
            if folder.join(platform.target).exists() {
                let bytes = fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?.len();
                out += &format!("| {} | {name} | {bytes} |\n", platform.target);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_built_is_listed_and_a_file_that_lacks_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("x86_64-unknown-linux-musl/lib");
        fs::create_dir_all(lib.join("debug")).unwrap();
        let shared = format!("libpaysvc.so.{}", env!("CARGO_PKG_VERSION"));
        fs::write(lib.join(&shared), "12345").unwrap();
        fs::write(lib.join("debug").join(format!("{shared}.debug")), "").unwrap();
        assert!(table(folder.path()).unwrap_err().contains("libpaysvc.a"));
        fs::write(lib.join("libpaysvc.a"), "123").unwrap();
        let table = table(folder.path()).unwrap();
        assert!(table.contains(&format!("| x86_64-unknown-linux-musl | lib/{shared} | 5 |\n")), "{table}");
        assert_eq!(table.lines().count(), 5, "{table}");
    }
}
