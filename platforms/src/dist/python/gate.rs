//! The checks that the packages must pass: PyPA's tools.

use serde_json::Value;

use super::KIND;
use crate::dist::Dist;
use crate::{command, files};

/// Checks all that was made.
pub fn all(dist: &Dist) -> Result<(), String> {
    let packages = files::list(&dist.packages(KIND.name))?;
    let wheels: Vec<_> = packages.iter().filter(|file| file.extension().is_some_and(|it| it == "whl")).collect();
    command::output(dist.command(dist.tool("twine")).args(["check", "--strict"]).args(&packages))?;
    // PyInstaller requires its hook in a file of a name that Python cannot import.
    let contents = ["--ignore", "W004"];
    command::output(dist.command(dist.tool("check-wheel-contents")).args(contents).args(&wheels))?;
    for wheel in wheels {
        let name = wheel.file_name().unwrap_or_default().to_string_lossy();
        let tags = name.trim_end_matches(".whl").rsplit('-').next().unwrap_or_default();
        // It supports Linux only.
        if !tags.starts_with("win") {
            let told = command::output(dist.command(dist.tool("auditwheel")).args(["show", "--json"]).arg(wheel))?;
            confirmed(tags, &told).map_err(|why| format!("{}: auditwheel: {why}", wheel.display()))?;
        }
    }
    Ok(())
}

/// Checks with auditwheel that the wheel runs where its tags promise, and that no library has to be put into it.
fn confirmed(tags: &str, told: &str) -> Result<(), String> {
    let found: Value = serde_json::from_str(told).map_err(|error| format!("{error}: {told}"))?;
    if found["external_libs"].as_object().is_none_or(|libraries| !libraries.is_empty()) {
        return Err(format!("it needs {}", found["external_libs"]));
    }
    if found["unsupported_isa"] != false {
        return Err(format!("it needs a newer processor: {told}"));
    }
    let needs = found["overall_tag"].as_str().and_then(promise).ok_or_else(|| format!("no tag in {told}"))?;
    // A program for several C libraries must be static: auditwheel names one of them, and the lack of versions shows it.
    let several = tags.contains('.');
    let is_static = found["versioned_symbols"].as_object().is_some_and(|versions| versions.is_empty());
    let fits = tags
        .split('.')
        .filter_map(promise)
        .any(|it| (it.library, it.processor) == (needs.library, needs.processor) && it.version >= needs.version);
    if fits && (is_static || !several) { Ok(()) } else { Err(format!("{tags} is not what it finds: {told}")) }
}

/// The promise of a Linux tag about a system.
#[derive(Debug, PartialEq)]
pub struct Promise<'a> {
    /// "manylinux" for glibc, "musllinux" for musl.
    library: &'a str,
    /// Its oldest version.
    version: (u32, u32),
    pub processor: &'a str,
}

pub fn promise(tag: &str) -> Option<Promise<'_>> {
    if let Some(processor) = tag.strip_prefix("manylinux2014_") {
        return Some(Promise { library: "manylinux", version: (2, 17), processor });
    }
    let mut parts = tag.splitn(4, '_');
    let library = parts.next()?;
    let version = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Promise { library, version, processor: parts.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_confirmed_by_what_is_found() {
        let told = |tag: &str, versions: &str, libraries: &str, newer: bool| {
            format!(
                r#"{{"overall_tag":"{tag}","versioned_symbols":{versions},"external_libs":{libraries},"unsupported_isa":{newer}}}"#
            )
        };
        let glibc = r#"{"libc.so.6":["GLIBC_2.17"]}"#;
        let found = |tag, versions| told(tag, versions, "{}", false);
        for (tags, told) in [
            ("manylinux2014_x86_64", found("manylinux_2_17_x86_64", glibc)),
            ("manylinux2014_x86_64", found("manylinux_2_5_x86_64", glibc)),
            ("musllinux_1_2_aarch64", found("musllinux_1_2_aarch64", "{}")),
            ("manylinux2014_x86_64.musllinux_1_1_x86_64", found("manylinux_2_5_x86_64", "{}")),
        ] {
            assert_eq!(confirmed(tags, &told), Ok(()), "{tags}");
        }
        for (tags, told) in [
            ("manylinux2014_x86_64", found("manylinux_2_28_x86_64", glibc)),
            ("manylinux2014_x86_64", found("linux_x86_64", glibc)),
            ("manylinux2014_aarch64", found("manylinux_2_17_x86_64", glibc)),
            ("musllinux_1_2_x86_64", found("manylinux_2_17_x86_64", "{}")),
            ("manylinux2014_x86_64.musllinux_1_1_x86_64", found("manylinux_2_17_x86_64", glibc)),
            ("manylinux2014_x86_64", told("manylinux_2_17_x86_64", glibc, r#"{"libz.so":null}"#, false)),
            ("manylinux2014_x86_64", told("manylinux_2_17_x86_64", glibc, "{}", true)),
            ("manylinux2014_x86_64", "{}".to_owned()),
        ] {
            assert!(confirmed(tags, &told).is_err(), "{tags}: {told}");
        }
    }
}
