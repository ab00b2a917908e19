//! The releases so far, what they promised, and the symbol version of every function.
//!
//! `spec/released/` has the header of each release, VERSION.h. Within one `PAYSVC_ABI` nothing that it declares may be
//! removed or changed, because a program in the field may use any of it; adding is free.
//!
//! A function has the version of the release that brought it, and keeps it. So a program that uses a function of a
//! newer release is refused when it is loaded, and not at that function's first call.

use std::fmt;
use std::path::Path;

use paysvc_platforms::files;

use crate::interface;

const FOLDER: &str = "spec/released";

/// Major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32, u32);

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

#[derive(Debug)]
struct Release {
    version: Version,
    header: String,
}

impl Release {
    fn functions(&self) -> Vec<String> {
        interface::functions(&self.header).into_iter().map(|function| function.name).collect()
    }
}

/// A symbol version and its functions, by name.
#[derive(Debug, PartialEq)]
pub struct Node {
    pub name: String,
    pub functions: Vec<String>,
}

/// The releases, oldest first. Before the first one there is no folder.
fn read(root: &Path) -> Result<Vec<Release>, String> {
    let folder = root.join(FOLDER);
    let mut releases = Vec::new();
    if !folder.exists() {
        return Ok(releases);
    }
    for path in files::list(&folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = name.strip_suffix(".h").and_then(Version::parse);
        let version = version.ok_or_else(|| format!("{}: the name is not VERSION.h", path.display()))?;
        releases.push(Release { version, header: files::read(&path)? });
    }
    releases.sort_by_key(|release| release.version);
    Ok(releases)
}

/// The lines of a release's header that the header no longer declares, by the name of the release's file.
pub fn broken_promises(root: &Path, header: &str) -> Result<Vec<String>, String> {
    let (current, mut broken) = (interface::lines(header), Vec::new());
    for release in read(root)? {
        let gone = interface::lines(&release.header).into_iter().filter(|line| !current.contains(line));
        broken.extend(gone.map(|line| format!("{}.h: {line}", release.version)));
    }
    Ok(broken)
}

/// The symbol versions of what a header declares, oldest first.
pub fn nodes(root: &Path, header: &str) -> Result<Vec<Node>, String> {
    let current = Version::parse(paysvc_spec::status::VERSION).ok_or("the version in Cargo.toml is not a version")?;
    nodes_of(&read(root)?, current, header)
}

fn nodes_of(releases: &[Release], current: Version, header: &str) -> Result<Vec<Node>, String> {
    let mut first: Vec<(Version, Vec<String>)> = Vec::new();
    for release in releases {
        let is_new = |name: &String| !first.iter().any(|(_, names)| names.contains(name));
        let new: Vec<_> = release.functions().into_iter().filter(is_new).collect();
        let of_node = first.iter().any(|(earlier, _)| earlier.same_node(release.version));
        if let (true, Some(name)) = (of_node, new.first()) {
            return Err(format!("{} adds {name}: only a release with a new minor version may", release.version));
        }
        first.push((release.version, new));
    }
    // A function that was never released comes with the next release that may add one.
    let is_out = releases.iter().any(|release| release.version.same_node(current));
    let next = Version(current.0, current.1 + u32::from(is_out), 0);
    let mut nodes: Vec<(Version, Node)> = Vec::new();
    for function in interface::functions(header) {
        let release = first.iter().find(|(_, names)| names.contains(&function.name));
        let version = release.map_or(next, |(version, _)| *version);
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
    use std::fs;

    use super::*;

    fn header(names: &[&str]) -> String {
        names.iter().map(|name| format!("const char *paysvc_{name}(void);\n")).collect()
    }

    fn release(version: Version, names: &[&str]) -> Release {
        Release { version, header: header(names) }
    }

    fn told(nodes: &[Node]) -> String {
        let node = |node: &Node| format!("{}: {}", node.name, node.functions.join(" ").replace("paysvc_", ""));
        nodes.iter().map(node).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_function_has_the_version_that_brought_it_and_what_is_new_the_next() {
        let header = header(&["d", "b", "a", "c"]);
        let first = || release(Version(0, 3, 0), &["a", "b"]);
        let of = |releases: &[Release], current| told(&nodes_of(releases, current, &header).unwrap());
        let (four, ten) = (Version(0, 4, 0), Version(0, 10, 0));
        assert_eq!(of(&[], Version(0, 3, 0)), "PAYSVC_0.3: a b c d");
        assert_eq!(of(&[first()], four), "PAYSVC_0.3: a b; PAYSVC_0.4: c d");
        // Released, it stays where it is; a later release adds a node.
        assert_eq!(
            of(&[first(), release(four, &["a", "b", "c"])], ten),
            "PAYSVC_0.3: a b; PAYSVC_0.4: c; PAYSVC_0.10: d"
        );
        assert_eq!(of(&[first(), release(four, &["a", "b", "c", "d"])], ten), "PAYSVC_0.3: a b; PAYSVC_0.4: c d");
        assert_eq!(of(&[first()], Version(1, 0, 0)), "PAYSVC_0.3: a b; PAYSVC_1.0: c d");
    }

    #[test]
    fn patch_releases_share_the_node_of_their_minor_version_and_add_no_function() {
        let header = header(&["a", "b", "c"]);
        let first = || release(Version(0, 3, 0), &["a", "b"]);
        let patch = Version(0, 3, 1);
        for releases in [vec![first()], vec![first(), release(patch, &["a", "b"])]] {
            for current in [Version(0, 3, 0), patch, Version(0, 3, 2), Version(0, 4, 0)] {
                let nodes = nodes_of(&releases, current, &header).unwrap();
                assert_eq!(told(&nodes), "PAYSVC_0.3: a b; PAYSVC_0.4: c", "{current:?}");
            }
        }
        let error = nodes_of(&[first(), release(patch, &["a", "b", "c"])], patch, &header).unwrap_err();
        assert_eq!(error, "0.3.1 adds paysvc_c: only a release with a new minor version may");
    }

    #[test]
    fn releases_are_read_in_the_order_of_their_versions() {
        let root = tempfile::tempdir().unwrap();
        assert!(read(root.path()).unwrap().is_empty(), "before the first release");
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        for version in ["0.10.0", "0.4.0"] {
            fs::write(folder.join(format!("{version}.h")), "int paysvc_a(void);\n").unwrap();
        }
        let releases = read(root.path()).unwrap();
        let versions: Vec<_> = releases.iter().map(|release| release.version).collect();
        assert_eq!(versions, [Version(0, 4, 0), Version(0, 10, 0)]);
        assert_eq!(releases[0].functions(), ["paysvc_a"]);
        fs::write(folder.join("next.h"), "").unwrap();
        assert!(read(root.path()).unwrap_err().contains("the name is not VERSION.h"));
    }

    /// Changes that a program in the field would not survive, planted into today's header after a made-up release of it.
    #[test]
    fn what_is_gone_or_changed_since_a_release_is_named_and_what_is_new_is_free() {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/paysvc.h");
        let today = fs::read_to_string(committed).unwrap();
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(FOLDER)).unwrap();
        fs::write(root.path().join(FOLDER).join("0.3.0.h"), &today).unwrap();
        let broken = |from: &str, to: &str| {
            assert_eq!(today.matches(from).count(), 1, "{from}");
            broken_promises(root.path(), &today.replace(from, to)).unwrap()
        };
        let abi = format!("#define PAYSVC_ABI {}", paysvc_spec::status::ABI);
        for (from, to, named) in [
            // Functions: a parameter's type, one more, the result, the calling convention, and gone.
            (
                "call,\n                                             int timeout_ms);",
                "call, long timeout_ms);",
                " paysvc_call_set_timeout_ms(",
            ),
            ("paysvc_call_cancel(const", "paysvc_call_cancel(int why, const", " paysvc_call_cancel("),
            (
                "int PAYSVC_CDECL paysvc_reply_attempts(",
                "size_t PAYSVC_CDECL paysvc_reply_attempts(",
                " paysvc_reply_attempts(",
            ),
            ("PAYSVC_CDECL paysvc_reply_code(", "paysvc_reply_code(", " paysvc_reply_code("),
            ("const char *PAYSVC_CDECL paysvc_reply_code(const paysvc_reply *reply);", "", " paysvc_reply_code("),
            // Numbers and macros: another value, and gone.
            ("#define PAYSVC_OUTCOME_UNKNOWN 3\n", "#define PAYSVC_OUTCOME_UNKNOWN 4\n", "PAYSVC_OUTCOME_UNKNOWN 3"),
            ("#define PAYSVC_STATE_REVERSED 6\n", "", "PAYSVC_STATE_REVERSED 6"),
            (&abi, "#define PAYSVC_ABI 99", &abi),
            ("#define PAYSVC_CDECL __cdecl\n", "#define PAYSVC_CDECL __stdcall\n", "PAYSVC_CDECL __cdecl"),
            // Types: another one, another callback, and a struct with one more field, another and a renamed one.
            ("typedef int paysvc_status;", "typedef long paysvc_status;", "typedef int paysvc_status"),
            ("paysvc_log_fn)(void *userdata, int ", "paysvc_log_fn)(void *userdata, short ", "paysvc_log_fn)"),
            ("  size_t size;\n", "  size_t size;\n  size_t more;\n", "typedef struct paysvc_store "),
            ("  size_t size;\n", "  char *size;\n", "typedef struct paysvc_store "),
            ("*release)(", "*dismiss)(", "typedef struct paysvc_store "),
        ] {
            let told = broken(from, to);
            let [told] = &told[..] else { panic!("{to:?} in the place of {from:?}: {told:?}") };
            assert!(told.starts_with("0.3.0.h: ") && told.contains(named), "{to:?}: {told}");
        }
        let more = format!("{abi}\n#define PAYSVC_OUTCOME_NEW 9\nint paysvc_new(void);");
        assert_eq!(broken(&abi, &more), [""; 0]);
        assert_eq!(broken("#define PAYSVC_VERSION_NUMBER ", "#define PAYSVC_VERSION_NUMBER 9"), [""; 0]);
        assert_eq!(
            broken("paysvc_call_cancel(const paysvc_call *call", "paysvc_call_cancel(const paysvc_call *it"),
            [""; 0]
        );
    }
}
