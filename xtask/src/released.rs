//! The releases so far, what they promised, and the symbol version of every function.
//!
//! `spec/released/` has a list for each release. Within one `PAYSVC_ABI` none of it may be removed or changed, because
//! a program in the field may use any of it; adding is free. A release adds its list by `cargo xtask interface
//! >spec/released/VERSION.txt`.
//!
//! A function has the version of the release that brought it, and keeps it. So a program that uses a function of a
//! newer release is refused when it is loaded, and not at that function's first call.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::interface;

const FOLDER: &str = "spec/released";

/// Major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split('.').map(|part| part.parse().ok());
        let version = Version(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// Patch releases add no function, so they share the node of their minor version.
    fn node(self) -> String {
        format!("PAYSVC_{}.{}", self.0, self.1)
    }

    fn same_node(self, other: Version) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What a release declared.
#[derive(Debug)]
pub struct Release {
    pub version: Version,
    /// Its list: see [`interface::lines`].
    pub lines: Vec<String>,
}

impl Release {
    fn functions(&self) -> impl Iterator<Item = &str> {
        let code = self.lines.iter().filter(|line| !line.starts_with("#define ") && !line.starts_with("typedef "));
        code.filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
    }
}

/// A symbol version and its functions, by name.
#[derive(Debug, PartialEq)]
pub struct Node {
    pub name: String,
    pub functions: Vec<String>,
}

/// The releases, oldest first.
pub fn read(root: &Path) -> Result<Vec<Release>, String> {
    let folder = root.join(FOLDER);
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut releases = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let version = Version::parse(&name).ok_or_else(|| format!("{}: the name is not a version", path.display()))?;
        let text = fs::read_to_string(&path).map_err(wrong)?;
        releases.push(Release { version, lines: text.lines().map(str::to_owned).collect() });
    }
    if releases.is_empty() {
        return Err(format!("{} has no list of that release", folder.display()));
    }
    releases.sort_by_key(|release| release.version);
    Ok(releases)
}

/// What a release promised and the header no longer declares, by the name of the release's list.
pub fn broken_promises(root: &Path, header: &str) -> Result<Vec<String>, String> {
    let (current, mut broken) = (interface::lines(header), Vec::new());
    for release in read(root)? {
        let gone = release.lines.iter().filter(|line| !current.contains(line));
        broken.extend(gone.map(|line| format!("{}.txt: {line}", release.version)));
    }
    Ok(broken)
}

/// The symbol versions of what a header declares, oldest first.
pub fn nodes(root: &Path, header: &str) -> Result<Vec<Node>, String> {
    let current = Version::parse(paysvc_spec::version::VERSION).ok_or("the version in Cargo.toml is not a version")?;
    nodes_of(&read(root)?, current, header)
}

fn nodes_of(releases: &[Release], current: Version, header: &str) -> Result<Vec<Node>, String> {
    for (index, release) in releases.iter().enumerate() {
        let earlier = &releases[..index];
        let of_node = |earlier: &&Release| earlier.version.same_node(release.version);
        let known = |name: &str| earlier.iter().any(|earlier| earlier.functions().any(|known| known == name));
        if let (Some(_), Some(new)) = (earlier.iter().find(of_node), release.functions().find(|name| !known(name))) {
            return Err(format!("{} adds {new}: only a release with a new minor version may", release.version));
        }
    }
    // What was never released comes with the next release that may add a function.
    let is_out = releases.iter().any(|release| release.version.same_node(current));
    let next = Version(current.0, current.1 + u32::from(is_out), 0);
    let mut nodes: Vec<(Version, Node)> = Vec::new();
    for function in interface::functions(header) {
        let first = releases.iter().find(|release| release.functions().any(|name| name == function.name));
        let version = first.map_or(next, |release| release.version);
        let at = nodes.iter().position(|(of, _)| of.same_node(version)).unwrap_or_else(|| {
            nodes.push((version, Node { name: version.node(), functions: Vec::new() }));
            nodes.len() - 1
        });
        nodes[at].1.functions.push(function.name);
    }
    nodes.sort_by_key(|(version, _)| *version);
    let sorted = |(_, mut node): (Version, Node)| {
        node.functions.sort();
        node
    };
    Ok(nodes.into_iter().map(sorted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> String {
        names.iter().map(|name| format!("const char *paysvc_{name}(void);\n")).collect()
    }

    fn release(version: Version, names: &[&str]) -> Release {
        let mut lines = interface::lines(&header(names));
        lines.push("typedef void (*paysvc_log_fn)(void *userdata, int level)".to_owned());
        Release { version, lines }
    }

    fn told(nodes: &[Node]) -> String {
        let node = |node: &Node| format!("{}: {}", node.name, node.functions.join(" ").replace("paysvc_", ""));
        nodes.iter().map(node).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_function_has_the_version_that_brought_it_and_what_is_new_the_next() {
        let header = header(&["d", "b", "a", "c"]);
        let first = || release(Version(0, 1, 0), &["a", "b"]);
        let of = |releases: &[Release], current| told(&nodes_of(releases, current, &header).unwrap());
        let (two, ten) = (Version(0, 2, 0), Version(0, 10, 0));
        assert_eq!(of(&[first()], two), "PAYSVC_0.1: a b; PAYSVC_0.2: c d");
        // Released, it stays where it is; a later release adds a node.
        assert_eq!(
            of(&[first(), release(two, &["a", "b", "c"])], ten),
            "PAYSVC_0.1: a b; PAYSVC_0.2: c; PAYSVC_0.10: d"
        );
        assert_eq!(of(&[first(), release(two, &["a", "b", "c", "d"])], ten), "PAYSVC_0.1: a b; PAYSVC_0.2: c d");
        assert_eq!(of(&[first()], Version(1, 0, 0)), "PAYSVC_0.1: a b; PAYSVC_1.0: c d");
    }

    #[test]
    fn patch_releases_share_the_node_of_their_minor_version_and_add_no_function() {
        let header = header(&["a", "b", "c"]);
        let first = || release(Version(0, 1, 0), &["a", "b"]);
        let patch = Version(0, 1, 1);
        for releases in [vec![first()], vec![first(), release(patch, &["a", "b"])]] {
            for current in [Version(0, 1, 0), patch, Version(0, 1, 2), Version(0, 2, 0)] {
                let nodes = nodes_of(&releases, current, &header).unwrap();
                assert_eq!(told(&nodes), "PAYSVC_0.1: a b; PAYSVC_0.2: c", "{current:?}");
            }
        }
        let error = nodes_of(&[first(), release(patch, &["a", "b", "c"])], patch, &header).unwrap_err();
        assert_eq!(error, "0.1.1 adds paysvc_c: only a release with a new minor version may");
    }

    #[test]
    fn releases_are_read_in_the_order_of_their_versions() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        assert!(read(root.path()).is_err(), "no folder");
        fs::create_dir_all(&folder).unwrap();
        assert!(read(root.path()).is_err(), "an empty folder");
        for version in ["0.10.0", "0.2.0"] {
            fs::write(folder.join(format!("{version}.txt")), "int paysvc_a(void)\n").unwrap();
            fs::write(folder.join(format!("{version}.h")), "int paysvc_b(void);\n").unwrap();
        }
        let releases = read(root.path()).unwrap();
        assert_eq!(
            releases.iter().map(|release| release.version).collect::<Vec<_>>(),
            [Version(0, 2, 0), Version(0, 10, 0)]
        );
        assert_eq!(releases[0].functions().collect::<Vec<_>>(), ["paysvc_a"]);
        fs::write(folder.join("next.txt"), "").unwrap();
        assert!(read(root.path()).unwrap_err().contains("the name is not a version"));
    }

    const HEADER: &str = "#define PAYSVC_OK 0\n#define PAYSVC_VERSION_NUMBER 100\n\
                          typedef void (*paysvc_log_fn)(void *userdata, int level);\n\
                          const char *paysvc_version(void);\n\
                          int paysvc_call_get(const paysvc_call *call, int number);\n";

    #[test]
    fn what_is_gone_or_changed_is_named_and_what_is_new_is_free() {
        let root = tempfile::tempdir().unwrap();
        assert!(broken_promises(root.path(), HEADER).is_err(), "no list");
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        assert!(broken_promises(root.path(), HEADER).is_err(), "an empty folder");
        fs::write(folder.join("0.1.0.txt"), interface::lines(HEADER).join("\n") + "\n").unwrap();
        let broken = |from: &str, to: &str| {
            let header = HEADER.replace(from, to);
            assert_ne!(header, HEADER);
            broken_promises(root.path(), &header).unwrap()
        };
        assert_eq!(broken("int paysvc_call", "int paysvc_new(void);\nint paysvc_call"), [""; 0]);
        assert_eq!(broken("const char *paysvc_version(void);", ""), ["0.1.0.txt: const char * paysvc_version(void)"]);
        assert_eq!(broken("NUMBER 100", "NUMBER 200"), [""; 0]);
        assert_eq!(broken("(*paysvc_log_fn)", "(PAYSVC_CALLBACK *paysvc_log_fn)"), [""; 0]);
        assert_eq!(broken("*paysvc_version(", "*PAYSVC_CDECL paysvc_version("), [""; 0]);
        assert_eq!(
            broken("(*paysvc_log_fn)", "(__stdcall *paysvc_log_fn)"),
            ["0.1.0.txt: typedef void (*paysvc_log_fn)(void *userdata, int level)"]
        );
        assert_eq!(broken("OK 0", "OK 1"), ["0.1.0.txt: #define PAYSVC_OK 0"]);
        assert_eq!(broken("int number", "long number"), ["0.1.0.txt: int paysvc_call_get(const paysvc_call *, int)"]);
    }
}
