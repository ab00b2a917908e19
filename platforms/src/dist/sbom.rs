//! The list of what a library or the sandbox contains, as CycloneDX: cargo-cyclonedx finds the crates, `parts` has the rest.
//! It names neither folders nor registries of the machine on which it is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::Dist;
use crate::command::{self, cargo, output};
use crate::files;
use crate::libs::tools;
use crate::parts::{self, From, PARTS, Shipped, VENDORED};
use crate::table::Platform;

const CARGO_CYCLONEDX: &str = "0.5.9";

pub struct Boms<'a> {
    dist: &'a Dist,
    tool: PathBuf,
    /// A copy of the manifests, because the tool writes beside each.
    tree: PathBuf,
    /// Versions of what comes with crates: as VENDORED.
    vendored: Vec<String>,
    rust: String,
    zig: String,
}

impl<'a> Boms<'a> {
    pub fn new(dist: &'a Dist) -> Result<Boms<'a>, String> {
        let root = &dist.root;
        let tool = tools::of_registry(root, "cargo-cyclonedx", CARGO_CYCLONEDX, &[])?;
        let tree = dist.work("sbom")?;
        let script = r#"git ls-files -z --cached --others --exclude-standard -- '*.toml' Cargo.lock '*.rs' |
            xargs -0 cp --parents -t "$1""#;
        command::run(Command::new("sh").args(["-euc", script, "sh"]).arg(&tree).current_dir(root))?;
        let metadata = output(cargo().args(["metadata", "--locked", "--format-version", "1"]).current_dir(root))?;
        let metadata = read(&metadata, "cargo metadata")?;
        let vendored = VENDORED.iter().map(|it| vendored(&metadata, it)).collect::<Result<_, _>>()?;
        let rust = output(Command::new("rustc").arg("--version"))?;
        let zig = output(Command::new(tools::zig(root)?.compiler).arg("version"))?;
        let rust = rust.split(' ').nth(1).ok_or("rustc tells no version")?.to_owned();
        Ok(Boms { dist, tool, tree, vendored, rust, zig: zig.trim().to_owned() })
    }

    /// The text of what a platform's library or sandbox contains.
    pub fn of(&self, platform: &Platform, shipped: Shipped) -> Result<String, String> {
        let mut tool = self.dist.command(&self.tool);
        tool.args(["cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--no-build-deps"]);
        tool.args(["--override-filename", "bom", "--target", platform.target]).current_dir(&self.tree);
        output(&mut tool)?;
        let folder = if shipped == Shipped::Library { "" } else { "sandbox" };
        let text = files::read(&self.tree.join(folder).join("bom.json"))?;
        let mut bom = read(&text, "cargo-cyclonedx")?;
        let crates = parts::crates(&self.dist.root, shipped, [platform.target].into_iter())?;
        tidy(&mut bom, shipped, |name, version| crates.contains(&(name.to_owned(), version.to_owned())))?;
        self.add_parts(&mut bom, platform, shipped);
        let named = bom["components"].as_array().map_or(0, Vec::len);
        if named <= crates.len() {
            return Err(format!(
                "the SBOM of {} has {named} components, cargo tree {} crates",
                platform.target,
                crates.len()
            ));
        }
        Ok(format!("{bom:#}\n"))
    }

    fn add_parts(&self, bom: &mut Value, platform: &Platform, shipped: Shipped) {
        let ours = bom["metadata"]["component"]["bom-ref"].clone();
        let standard = format!("pkg:github/rust-lang/rust@{}#library/std", self.rust);
        add(bom, &ours, &standard, "rust-std", Some(&self.rust), json!([{"expression": "MIT OR Apache-2.0"}]), None);
        for part in PARTS.iter().filter(|part| (part.is_in)(platform, shipped)) {
            let Some((name, licence)) = part.component else { continue };
            let (reference, version, comes_with) = match part.from {
                From::Rust => continue,
                From::Zig => (format!("zig/{name}"), None, format!("zig {}", self.zig)),
                From::Debian(packages) => {
                    let package = packages[usize::from(platform.pointer_bits == 32)];
                    let query = output(Command::new("dpkg-query").args(["-W", "-f", "${Version}", package])).ok();
                    let reference = query.as_ref().map_or(package.to_owned(), |version| {
                        format!("pkg:deb/debian/{package}@{}", version.replace('+', "%2B"))
                    });
                    (reference, query, format!("Debian's package {package}"))
                }
            };
            let licences = json!([{"expression": licence}]);
            add(bom, &ours, &reference, name, version.as_deref(), licences, Some(&comes_with));
        }
        for (it, version) in VENDORED.iter().zip(&self.vendored) {
            let of = bom["components"].as_array().and_then(|all| all.iter().find(|crate_| crate_["name"] == it.of));
            let Some(of) = of.cloned() else { continue };
            let licences = it.licence.map_or(of["licenses"].clone(), |id| json!([{"expression": id}]));
            let (purl, comes_with) = (format!("{}{version}", it.purl), format!("the crate {}", it.of));
            add(bom, &of["bom-ref"], &purl, it.name, Some(version), licences, Some(&comes_with));
        }
    }
}

fn read(text: &str, what: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{what}: {error}"))
}

/// The version that its header defines.
fn vendored(metadata: &Value, it: &parts::Vendored) -> Result<String, String> {
    let packages = metadata["packages"].as_array();
    let manifest = packages.and_then(|all| all.iter().find(|package| package["name"] == it.of));
    let manifest = manifest.and_then(|package| package["manifest_path"].as_str());
    let header = Path::new(manifest.ok_or_else(|| format!("{} is no dependency", it.of))?).with_file_name(it.header);
    let text = files::read(&header)?;
    let line = text.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(it.macro_name));
    let version = line.and_then(|line| line.split('"').nth(1));
    version.map(str::to_owned).ok_or_else(|| format!("{} defines no {}", header.display(), it.macro_name))
}

/// Adds a component on which another depends.
fn add(
    bom: &mut Value,
    to: &Value,
    reference: &str,
    name: &str,
    version: Option<&str>,
    licences: Value,
    comes_with: Option<&str>,
) {
    let mut component =
        json!({"type": "library", "bom-ref": reference, "name": name, "scope": "required", "licenses": licences});
    if let Some(version) = version {
        component["version"] = version.into();
    }
    if reference.starts_with("pkg:") {
        component["purl"] = reference.into();
    }
    if let Some(comes_with) = comes_with {
        component["description"] = format!("as it comes with {comes_with}").into();
    }
    if let Some(all) = bom["components"].as_array_mut() {
        all.push(component);
    }
    let Some(nodes) = bom["dependencies"].as_array_mut() else { return };
    nodes.push(json!({"ref": reference}));
    if let Some(node) = nodes.iter_mut().find(|node| node["ref"] == *to) {
        match node.get_mut("dependsOn").and_then(Value::as_array_mut) {
            Some(on) => on.push(reference.into()),
            None => node["dependsOn"] = json!([reference]),
        }
    }
}

/// Leaves the crates that are in what was built, and names each by its package URL: the tool names ours by their folder
/// and those of others by their registry, and takes the features that any package of the workspace enables.
fn tidy(bom: &mut Value, shipped: Shipped, is_in: impl Fn(&str, &str) -> bool) -> Result<(), String> {
    let ours = |component: &Value| component["purl"].as_str().is_none_or(|purl| purl.contains("download_url=file:"));
    let mut names = BTreeMap::new();
    let mut rename = |component: &mut Value| -> Result<(), String> {
        let text =
            |member: &str| component[member].as_str().map(str::to_owned).ok_or(format!("a component has no {member}"));
        let (before, is_ours) = (text("bom-ref")?, ours(component));
        let name = if is_ours { format!("{}@{}", text("name")?, text("version")?) } else { text("purl")? };
        component["bom-ref"] = name.clone().into();
        if is_ours && let Some(members) = component.as_object_mut() {
            // It would name a package of cargo's registry, which is another's.
            members.remove("purl");
        }
        names.insert(before, name);
        Ok(())
    };
    let root = &mut bom["metadata"]["component"];
    rename(root)?;
    if let Some(members) = root.as_object_mut() {
        members.remove("components");
    }
    root["name"] = if shipped == Shipped::Library { "libpaysvc".into() } else { "paysvc-sandbox".into() };
    root["type"] = if shipped == Shipped::Library { "library".into() } else { "application".into() };
    let components = bom["components"].as_array_mut().ok_or("the SBOM has no components")?;
    let text = |component: &Value, member: &str| component[member].as_str().unwrap_or_default().to_owned();
    components.retain(|it| ours(it) || is_in(&text(it, "name"), &text(it, "version")));
    components.iter_mut().try_for_each(rename)?;
    let nodes = bom["dependencies"].as_array_mut().ok_or("the SBOM has no dependencies")?;
    nodes.retain(|node| names.contains_key(&text(node, "ref")));
    for node in nodes {
        node["ref"] = names[&text(node, "ref")].clone().into();
        if let Some(on) = node.get_mut("dependsOn").and_then(Value::as_array_mut) {
            on.retain(|it| it.as_str().is_some_and(|it| names.contains_key(it)));
            on.iter_mut().for_each(|it| *it = names[it.as_str().unwrap_or_default()].clone().into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_folder_nor_a_registry_is_named() {
        let of = |name: &str| format!("registry+https://registry.example/index#{name}@1.0.0");
        let component = |name| json!({"bom-ref": of(name), "name": name, "version": "1.0.0", "purl": format!("pkg:cargo/{name}@1.0.0")});
        let components = ["tls", "proc"].map(component);
        let mut bom = json!({
            "metadata": {"component": {"bom-ref": "path+file:///x#paysvc@1.0.0", "name": "paysvc", "version": "1.0.0",
                "purl": "pkg:cargo/paysvc@1.0.0?download_url=file://.", "components": [{"bom-ref": "path+file:///x#lib"}]}},
            "components": components,
            "dependencies": [{"ref": "path+file:///x#paysvc@1.0.0", "dependsOn": [of("proc"), of("tls")]},
                {"ref": of("tls")}, {"ref": of("proc")}],
        });
        tidy(&mut bom, Shipped::Library, |name, version| name == "tls" && version == "1.0.0").unwrap();
        add(&mut bom, &json!("pkg:cargo/tls@1.0.0"), "pkg:generic/c@2", "c", Some("2"), json!([]), None);
        let text = bom.to_string();
        assert!(!["path+", "registry", "proc", "file:"].iter().any(|part| text.contains(part)), "{text}");
        let expected = json!([{"ref": "paysvc@1.0.0", "dependsOn": ["pkg:cargo/tls@1.0.0"]},
            {"ref": "pkg:cargo/tls@1.0.0", "dependsOn": ["pkg:generic/c@2"]}, {"ref": "pkg:generic/c@2"}]);
        assert_eq!(bom["dependencies"], expected);
    }
}
