//! The texts of the Go modules that differ from what is in the repository.

use crate::table::{Platform, System};

/// The library of one platform.
pub struct Module {
    pub platform: &'static Platform,
    /// Name of its folder in the package's `lib`.
    pub name: String,
    /// Where it is linked, as a build constraint.
    pub constraint: String,
}

impl Module {
    pub fn of(platform: &'static Platform) -> Module {
        let (system, suffix, tags) = match platform.system {
            System::Glibc(_) => ("linux", "", " && !musl"),
            System::Musl => ("linux", "_musl", " && musl"),
            System::Windows(_) => ("windows", "", ""),
        };
        Module {
            platform,
            name: format!("{system}_{}{suffix}", platform.go.arch),
            constraint: format!("{system} && {}{tags}", platform.go.tag),
        }
    }

    /// Its files from the folder that `make libs` wrote.
    pub fn files(&self) -> &'static [&'static str] {
        if self.platform.is_windows() { &["lib/libpaysvc.dll.a", "bin/paysvc.dll"] } else { &["lib/libpaysvc.a"] }
    }

    /// A file without constraints: `go list` finds the folder wherever it runs.
    pub fn description(&self) -> String {
        format!("// Package lib has libpaysvc for {}. The package paysvc links it.\npackage lib\n", self.platform.title)
    }

    /// The flags that link it; the libraries of the system are those that paysvc-static.pc names.
    pub fn link(&self, static_pc: &str) -> Result<String, String> {
        let flags = if self.platform.is_windows() {
            "${SRCDIR}/libpaysvc.dll.a".to_owned()
        } else {
            let (_, system) = static_pc.split_once("-l:libpaysvc.a ").ok_or("paysvc-static.pc names no archive")?;
            format!("${{SRCDIR}}/libpaysvc.a {}", system.lines().next().unwrap_or_default())
        };
        Ok(format!("//go:build {}\n\npackage lib\n\n// #cgo LDFLAGS: {flags}\nimport \"C\"\n", self.constraint))
    }
}

/// The package, and what the modules have in common.
pub struct Root {
    go_mod: String,
    path: String,
    pub version: String,
    pub libraries: Vec<Module>,
}

/// The tag with which the published package asks pkg-config, as that of the repository always does.
const SYSTEM: &str = "paysvc_system";

/// A package, because `go mod vendor` keeps no other folders.
pub const INCLUDE: &str =
    "// Package include has the header of libpaysvc, with which the package paysvc is compiled.\npackage include\n";

impl Root {
    pub fn new(go_mod: String, version: &str, libraries: Vec<Module>) -> Result<Root, String> {
        let path = go_mod.lines().find_map(|line| line.strip_prefix("module ")).ok_or("go.mod names no module")?;
        Ok(Root { path: path.trim().to_owned(), version: format!("v{version}"), go_mod, libraries })
    }

    /// The path of a package or module below it.
    pub fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    pub fn library(&self, module: &Module) -> String {
        self.below(&format!("lib/{}", module.name))
    }

    fn requirements(&self, comment: &str) -> String {
        let line = |it| format!("\t{} {}{comment}\n", self.library(it), self.version);
        format!("\nrequire (\n{})\n", self.libraries.iter().map(line).collect::<String>())
    }

    pub fn go_mod(&self) -> String {
        self.go_mod.clone() + &self.requirements("")
    }

    pub fn library_go_mod(&self, module: &Module) -> String {
        let language = self.go_mod.lines().find(|line| line.starts_with("go ")).unwrap_or_default();
        format!("module {}\n\n{language}\n", self.library(module))
    }

    /// The go.mod of another module of the repository, which has the package beside it: as one that requires it.
    pub fn requiring(&self, go_mod: &str) -> Result<String, String> {
        let beside = format!("{} v0.0.0", self.path);
        if go_mod.matches(&beside).count() != 1 {
            return Err(format!("go.mod does not require {beside} once"));
        }
        let lines = go_mod.lines().filter(|line| !line.starts_with("replace "));
        let text = lines.map(|line| format!("{line}\n")).collect::<String>();
        let text = text.replace(&beside, &format!("{} {}", self.path, self.version));
        Ok(format!("{}\n{}", text.trim_end(), self.requirements(" // indirect")))
    }

    /// The file of the package that links a platform's library.
    pub fn link(&self, module: &Module) -> String {
        let import = format!("import _ \"{}\" // {}\n", self.library(module), module.platform.title);
        format!("//go:build {} && !{SYSTEM}\n\npackage paysvc\n\n{import}", module.constraint)
    }

    pub fn header(&self) -> String {
        let header = self.below("include");
        format!(
            "//go:build !{SYSTEM}\n\npackage paysvc\n\n// #cgo CFLAGS: -I${{SRCDIR}}/include\nimport \"C\"\n\nimport _ \"{header}\" // for go mod vendor\n"
        )
    }

    /// The compiler's error where there is no library.
    pub fn unsupported(&self) -> String {
        let supported: Vec<_> = self.libraries.iter().map(|it| format!("({})", it.constraint)).collect();
        let names: Vec<_> = self.libraries.iter().map(|it| it.name.as_str()).collect();
        format!(
            "//go:build !{SYSTEM} && !({})\n\npackage paysvc\n\n// #error \"paysvc has libraries for {}: for others build libpaysvc and use the tag {SYSTEM}\"\nimport \"C\"\n",
            supported.join(" || "),
            names.join(", "),
        )
    }
}

/// The repository's link.go, for those who give the tag.
pub fn with_tag(link: &str) -> String {
    format!("//go:build {SYSTEM}\n\n{link}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::platform;

    fn root(targets: &[&str]) -> Root {
        let libraries = targets.iter().map(|target| Module::of(platform(target).unwrap())).collect();
        Root::new("module a.example/p\n\ngo 1.21\n".to_owned(), "1.2.3", libraries).unwrap()
    }

    #[test]
    fn each_platform_is_linked_under_its_own_constraint() {
        let root = root(&["x86_64-unknown-linux-musl", "armv7-unknown-linux-gnueabihf", "i686-pc-windows-gnu"]);
        let [musl, arm, windows] = &root.libraries[..] else { panic!() };
        assert!(root.link(musl).starts_with("//go:build linux && amd64 && musl && !paysvc_system\n"));
        assert!(root.link(musl).contains("import _ \"a.example/p/lib/linux_amd64_musl\""));
        assert!(root.link(arm).starts_with("//go:build linux && arm.7 && !musl && !paysvc_system\n"));
        assert!(root.link(windows).starts_with("//go:build windows && 386 && !paysvc_system\n"));
        assert!(root.unsupported().starts_with(
            "//go:build !paysvc_system && !((linux && amd64 && musl) || (linux && arm.7 && !musl) || (windows && 386))\n"
        ));
        let pc = "Libs: -L${libdir} -l:libpaysvc.a -lm -ldl\nx";
        assert!(arm.link(pc).unwrap().contains("LDFLAGS: ${SRCDIR}/libpaysvc.a -lm -ldl\n"));
        assert!(arm.link("Libs: -lpaysvc").is_err());
    }

    #[test]
    fn the_modules_require_each_other_at_one_version() {
        let root = root(&["x86_64-unknown-linux-gnu"]);
        assert_eq!(
            root.go_mod(),
            "module a.example/p\n\ngo 1.21\n\nrequire (\n\ta.example/p/lib/linux_amd64 v1.2.3\n)\n"
        );
        let beside = "module a.example/p/o\n\nrequire a.example/p v0.0.0\n\nreplace a.example/p => ../\n";
        assert_eq!(
            root.requiring(beside).unwrap(),
            "module a.example/p/o\n\nrequire a.example/p v1.2.3\n\nrequire (\n\ta.example/p/lib/linux_amd64 v1.2.3 // indirect\n)\n"
        );
        assert!(root.requiring("module a.example/p/o\n").is_err());
    }
}
