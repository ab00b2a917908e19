//! Programs that use the Go modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::stage::CHARGES;
use super::super::uses::{Use, take};
use super::super::{Dist, Stage};
use super::modules::{Module, Root};
use super::shop::Shop;
use super::{SOURCE, errors, go, read, root, write};
use crate::command;
use crate::libs::tools;
use crate::table::{Compiler, System};

/// The headings of docs/install.md.
const PROXY: &str = "With go get";
const VET: &str = "Go programs and go.sum";
const INSTALL: &str = "Go programs of the package";
const CROSS: &str = "Go for other processors";
const VENDOR: &str = "Vendored Go modules";
const STATIC: &str = "Go programs without shared libraries";
const SYSTEM: &str = "Go with an installed library";
const WINDOWS: &str = "Go on Windows";

/// The platform whose library a program of this machine needs.
const HOST: &str = "x86_64-unknown-linux-gnu";

struct User<'a> {
    dist: &'a Dist,
    stage: &'a Stage,
    root: Root,
    newest: PathBuf,
}

pub fn all(dist: &Dist, stage: &Stage) -> Result<Vec<Use>, String> {
    super::super::empty(&Shop::cache(dist))?;
    let user = User { dist, stage, root: root(dist)?, newest: go(dist, "newest")? };
    let package = user.archive("");
    let shop = user.shop("newest", &user.newest)?;
    let mut uses = vec![
        take(&package, "empty caches, newest Go, gcc", CHARGES, || user.first(&shop)),
        take(&package, "empty module cache, go.sum", "go vet; downloads one library", || user.second(&shop)),
        take(&package, "the same", "go install of an example, which runs", || user.installs(&shop)),
        take(&package, "the same", "errors: no cgo, no compiler, no library", || {
            errors::told(&shop, &tools::zig(&dist.root)?.compiler)
        }),
        take(&package, "vendor folder, no proxy", CHARGES, || user.vendored(&shop)),
        take(&package, "libpaysvc.so by pkg-config", CHARGES, || user.system()),
        take(&package, "empty caches, oldest Go, gcc", CHARGES, || {
            user.first(&user.shop("oldest", &go(dist, "least")?)?)
        }),
    ];
    for module in &user.root.libraries {
        let archive = user.archive(&format!("lib/{}", module.name));
        match (module.platform.system, module.platform.compiler) {
            (System::Windows(_), Compiler::Mingw(compiler)) => {
                uses.push(take(&archive, "Wine", CHARGES, || user.windows(module, compiler)));
            }
            (System::Musl, _) if module.platform.go.arch == "amd64" => {
                uses.push(take(&archive, "musl-gcc, empty root", CHARGES, || user.without_libraries()));
            }
            (_, Compiler::Zig { target, .. }) => {
                uses.push(take(&archive, "zig, the platform's runner", CHARGES, || user.crossed(module, target)));
            }
            _ => {}
        }
    }
    uses.push(take(&user.archive("otelpaysvc"), "newest Go, gcc, its hooks", CHARGES, || user.traces()));
    Ok(uses)
}

impl User<'_> {
    /// The zip of a module: the package's, or of one below it.
    fn archive(&self, below: &str) -> PathBuf {
        let path = self.root.below(below);
        self.dist.packages("go").join(path.trim_end_matches('/')).join(format!("@v/{}.zip", self.root.version))
    }

    fn shop(&self, name: &str, go: &Path) -> Result<Shop<'_>, String> {
        Shop::new(self.dist, self.stage, name, go)
    }

    /// The commands under a heading, in a shell that has what those of the proxy export.
    fn commands(&self, heading: &str) -> Result<String, String> {
        let proxy = self.stage.commands(PROXY)?;
        let exports = proxy.lines().filter(|line| line.starts_with("export ") && heading != PROXY);
        let exports: String = exports.map(|line| format!("{line}\n")).collect();
        Ok(exports + &self.stage.commands(heading)?)
    }

    /// A shop that has the module and its program.
    fn begun(&self, name: &str) -> Result<Shop<'_>, String> {
        let shop = self.shop(name, &self.newest)?;
        shop.run(&self.commands(PROXY)?)?;
        Ok(shop)
    }

    fn first(&self, shop: &Shop) -> Result<(), String> {
        shop.run(&self.commands(PROXY)?)?;
        shop.charges(self.stage, "charge", None)
    }

    fn second(&self, shop: &Shop) -> Result<(), String> {
        shop.run(&format!("{}go mod tidy\n", self.commands(VET)?))?;
        shop.without_modules()?;
        shop.run(&self.commands(VET)?)?;
        let own: Vec<_> =
            self.root.libraries.iter().filter(|it| it.platform.target == HOST).map(|it| &it.name).collect();
        let downloaded = shop.downloaded(&self.root.below("lib"));
        if downloaded.iter().eq(own) { Ok(()) } else { Err(format!("downloaded: {downloaded:?}")) }
    }

    fn installs(&self, shop: &Shop) -> Result<(), String> {
        shop.run(&self.commands(INSTALL)?)?;
        let (worked, printed) = shop.attempt(&format!("{}/collect", shop.bin().display()))?;
        let says = "base_url is not configured";
        if !worked && printed.contains(says) { Ok(()) } else { Err(format!("it should say {says}: {printed}")) }
    }

    fn vendored(&self, shop: &Shop) -> Result<(), String> {
        let text = self.commands(VENDOR)?;
        let (vendor, build) = text.split_once("go build").ok_or("no go build in the commands for vendoring")?;
        shop.run(vendor)?;
        shop.without_modules()?;
        // Without the proxy.
        std::fs::remove_file(shop.folder.join("charge")).map_err(|error| format!("charge: {error}"))?;
        shop.run(&format!("go build{build}"))?;
        shop.charges(self.stage, "charge", None)?;
        std::fs::remove_dir_all(shop.folder.join("vendor")).map_err(|error| format!("vendor: {error}"))
    }

    fn system(&self) -> Result<(), String> {
        let mut shop = self.begun("system")?;
        shop.tool("pkg-config")?;
        let libraries = self.dist.root.join("build/lib");
        shop.set("PKG_CONFIG_PATH", libraries.join("pkgconfig").display().to_string());
        shop.set("LD_LIBRARY_PATH", libraries.display().to_string());
        shop.run(&self.commands(SYSTEM)?)?;
        shop.charges(self.stage, "charge", None)?;
        shop.variables.pop();
        let (worked, printed) = shop.attempt("./charge")?;
        let says = "libpaysvc.so.1";
        if !worked && printed.contains(says) { Ok(()) } else { Err(format!("it should miss {says}: {printed}")) }
    }

    fn without_libraries(&self) -> Result<(), String> {
        let shop = self.begun("musl")?;
        shop.tool("musl-gcc")?;
        shop.run(&self.commands(STATIC)?)?;
        shop.charges(self.stage, "charge", Some("empty"))
    }

    fn windows(&self, module: &Module, compiler: &str) -> Result<(), String> {
        let shop = self.begun(&module.name)?;
        let documented = self.commands(WINDOWS)?;
        // Debian's names say of which threads they are.
        let name = compiler.trim_end_matches("-posix");
        let commands = documented.replace("x86_64-w64-mingw32-gcc", name);
        let commands = commands.replace("=amd64", &format!("={}", module.platform.go.arch));
        shop.tool(name)?;
        shop.run(&commands.replace("lib/windows_amd64", &format!("lib/{}", module.name)))?;
        shop.charges(self.stage, "charge.exe", Some(&module.platform.runner.word()))
    }

    /// zig compiles for every processor.
    fn crossed(&self, module: &Module, target: &str) -> Result<(), String> {
        let shop = self.begun(&module.name)?;
        shop.link("zig", &tools::zig(&self.dist.root)?.compiler)?;
        let commands = self.commands(CROSS)?.replace("aarch64-linux-gnu", target);
        let mut commands = commands.replace("=arm64", &format!("={}", module.platform.go.arch));
        if module.platform.system == System::Musl {
            // The archive has an unwinder.
            commands = commands.replace("CGO_LDFLAGS=-lunwind ", "").replace("go build", "go build -tags musl");
        }
        shop.run(&commands)?;
        shop.charges(self.stage, "charge", Some(&module.platform.runner.word()))
    }

    /// What it needs of others comes from the modules of this machine.
    fn traces(&self) -> Result<(), String> {
        let mut download = Command::new(&self.newest);
        download.args(["mod", "download", "all"]).current_dir(self.dist.root.join(SOURCE).join("otelpaysvc"));
        command::run(download.env("GOTOOLCHAIN", "local"))?;
        let output = Command::new(&self.newest).args(["env", "GOMODCACHE"]).output();
        let cache = output.map_err(|error| format!("go env: {error}"))?.stdout;
        let mut shop = self.shop("otelpaysvc", &self.newest)?;
        shop.set("GOPROXY", format!("file://{}/cache/download", String::from_utf8_lossy(&cache).trim()));
        // Without a network there is no database of checksums.
        shop.set("GONOSUMDB", "*");
        let file = shop.folder.join("main.go");
        let program = read(&file)?;
        let hooked = program.replace(
            "paysvc.New(paysvc.Config{})",
            "paysvc.New(paysvc.Config{}, paysvc.WithHooks(otelpaysvc.Hooks(nil)))",
        );
        let module = format!("\"{}\"", self.root.below("otelpaysvc"));
        let package = format!("\t\"{}\"\n", self.root.below("").trim_end_matches('/'));
        write(&shop.folder, "main.go", &hooked.replace(&package, &format!("{package}\t{module}\n")))?;
        shop.run(
            &self
                .commands(PROXY)?
                .replace("GONOSUMDB=", "GONOPROXY= GONOSUMDB='*' OTHERS=")
                .replace("go build", &format!("go get {module}@latest\ngo build")),
        )?;
        shop.charges(self.stage, "charge", None)
    }
}
