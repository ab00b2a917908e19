//! Programs that use the Go modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::stage::CHARGES;
use super::super::uses::{Use, take_as};
use super::super::{Dist, Stage};
use super::modules::{Module, Root};
use super::shop::Shop;
use super::{SOURCE, errors, go, root};
use crate::libs::tools;
use crate::table::{Compiler, Runner, System};
use crate::{command, files};

/// The headings of docs/install.md.
const PROXY: &str = "With go get";
const VET: &str = "Go programs and go.sum";
const INSTALL: &str = "Go programs of the package";
const TRACES: &str = "Go and OpenTelemetry";
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
    files::empty(&Shop::cache(dist))?;
    let user = User { dist, stage, root: root(dist)?, newest: go(dist, "newest")? };
    let shop = user.shop("newest", &user.newest)?;
    let mut uses = vec![
        user.takes("", "empty caches, newest Go, gcc", CHARGES, || user.first(&shop)),
        user.takes("", "empty module cache, go.sum", "go vet; downloads one library", || user.second(&shop)),
        user.takes("", "the same", "go install of an example, which runs", || user.installs(&shop)),
        user.takes("", "the same", "errors: no cgo, no compiler, no library", || {
            errors::told(&shop, &user.exports()?, &tools::zig(&dist.root)?.compiler)
        }),
        user.takes("", "vendor folder, no proxy", CHARGES, || user.vendored(&shop)),
        user.takes("", "libpaysvc.so by pkg-config", CHARGES, || user.system()),
        user.takes("", "empty module cache, oldest Go, gcc", CHARGES, || {
            user.first(&user.shop("oldest", &go(dist, "least")?)?)
        }),
        user.takes("otelpaysvc", "newest Go, gcc, its hooks", CHARGES, || user.traces()),
    ];
    for module in &user.root.libraries {
        let name = format!("lib/{}", module.name);
        let runner = module.platform.runner.word();
        uses.push(match module.platform.compiler {
            Compiler::Mingw(compiler) => {
                user.takes(&name, &format!("MinGW, {runner}"), CHARGES, || user.windows(module, compiler))
            }
            Compiler::Zig { target, .. } => {
                user.takes(&name, &format!("zig, {runner}"), CHARGES, || user.crossed(module, target))
            }
        });
        if module.platform.runner == Runner::MuslLoader {
            uses.push(user.takes(&name, "musl-gcc, empty root", CHARGES, || user.without_libraries()));
        }
    }
    Ok(uses)
}

impl User<'_> {
    /// A row of the table: of the package, or of a module below it.
    fn takes(&self, below: &str, place: &str, ran: &'static str, action: impl FnOnce() -> Result<(), String>) -> Use {
        let path = self.root.below(below);
        let path = path.trim_end_matches('/');
        let version = &self.root.version;
        let file = self.dist.packages("go").join(path).join(format!("@v/{version}.zip"));
        take_as(format!("{path}@{version}"), &file, place, ran, action)
    }

    fn shop(&self, name: &str, go: &Path) -> Result<Shop<'_>, String> {
        Shop::new(self.dist, self.stage, name, go)
    }

    /// Returns the `export` lines among the commands of the proxy.
    fn exports(&self) -> Result<String, String> {
        let commands = self.stage.commands(PROXY)?;
        Ok(commands.lines().filter(|line| line.starts_with("export ")).map(|line| format!("{line}\n")).collect())
    }

    /// The commands under another heading, with those exports.
    fn commands(&self, heading: &str) -> Result<String, String> {
        Ok(self.exports()? + &self.stage.commands(heading)?)
    }

    /// A shop that has the module, and has built nothing.
    fn begun(&self, name: &str) -> Result<Shop<'_>, String> {
        let shop = self.shop(name, &self.newest)?;
        let commands = self.stage.commands(PROXY)?;
        let (before, _) = commands.split_once("go build").ok_or("no go build in the commands of the proxy")?;
        shop.run(before)?;
        Ok(shop)
    }

    fn first(&self, shop: &Shop) -> Result<(), String> {
        shop.run(&self.stage.commands(PROXY)?)?;
        shop.charges(self.stage, "charge")
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
        let says = "base_url: is not configured";
        if !worked && printed.contains(says) { Ok(()) } else { Err(format!("it should say {says}: {printed}")) }
    }

    fn vendored(&self, shop: &Shop) -> Result<(), String> {
        let text = self.commands(VENDOR)?;
        let (vendor, build) = text.split_once("go build").ok_or("no go build in the commands for vendoring")?;
        shop.run(vendor)?;
        shop.without_modules()?;
        // Without the proxy.
        files::remove(&shop.folder.join("charge"))?;
        shop.run(&format!("go build{build}"))?;
        shop.charges(self.stage, "charge")?;
        files::remove(&shop.folder.join("vendor"))
    }

    fn system(&self) -> Result<(), String> {
        let mut shop = self.begun("system")?;
        shop.tool("pkg-config")?;
        let libraries = self.dist.root.join("build/lib");
        shop.set("PKG_CONFIG_PATH", libraries.join("pkgconfig").display().to_string());
        shop.set("LD_LIBRARY_PATH", libraries.display().to_string());
        shop.run(&self.commands(SYSTEM)?)?;
        shop.charges(self.stage, "charge")?;
        shop.variables.pop();
        let (worked, printed) = shop.attempt("./charge")?;
        let says = "libpaysvc.so.1";
        if !worked && printed.contains(says) { Ok(()) } else { Err(format!("it should miss {says}: {printed}")) }
    }

    fn without_libraries(&self) -> Result<(), String> {
        let mut shop = self.begun("musl")?;
        shop.tool("musl-gcc")?;
        // Debian's calls it by a longer name.
        shop.set("REALGCC", "gcc");
        shop.run(&self.commands(STATIC)?)?;
        shop.charges_alone(self.stage, "charge")
    }

    fn windows(&self, module: &Module, compiler: &str) -> Result<(), String> {
        let shop = self.begun(&module.name)?;
        let documented = self.commands(WINDOWS)?;
        // Debian's names include the kind of threads.
        let name = compiler.trim_end_matches("-posix");
        let commands = documented.replace("x86_64-w64-mingw32-gcc", name);
        let commands = commands.replace("=amd64", &format!("={}", module.platform.go.arch));
        shop.tool(name)?;
        shop.run(&commands.replace("lib/windows_amd64", &format!("lib/{}", module.name)))?;
        shop.charges_for(self.stage, "charge.exe", module.platform)
    }

    /// zig compiles for every processor.
    fn crossed(&self, module: &Module, target: &str) -> Result<(), String> {
        let shop = self.begun(&module.name)?;
        shop.link("zig", &tools::zig(&self.dist.root)?.compiler)?;
        let mut commands = self.commands(CROSS)?.replace("=arm64", &format!("={}", module.platform.go.arch));
        if let System::Glibc(version) = module.platform.system {
            commands = commands.replace("aarch64-linux-gnu.2.17", &format!("{target}.{version}"));
        } else {
            // The archive has an unwinder.
            commands = commands.replace("aarch64-linux-gnu.2.17", target).replace("CGO_LDFLAGS=-lunwind ", "");
            commands = commands.replace("go build", "go build -tags musl");
        }
        shop.run(&commands)?;
        shop.charges_for(self.stage, "charge", module.platform)
    }

    /// Its dependencies come from the modules of this machine.
    fn traces(&self) -> Result<(), String> {
        let source = self.dist.root.join(SOURCE).join("otelpaysvc");
        let of_machine = |words: &[&str]| command::output(Command::new(&self.newest).args(words).current_dir(&source));
        of_machine(&["mod", "download", "all"])?;
        let cache = of_machine(&["env", "GOMODCACHE"])?;
        let mut shop = self.shop("otelpaysvc", &self.newest)?;
        shop.set("GOPROXY", format!("file://{}/cache/download", cache.trim()));
        // The database of checksums cannot be reached without a network.
        shop.set("GOSUMDB", "off");
        shop.run(&self.stage.commands(PROXY)?)?;
        shop.run(&self.commands(TRACES)?)?;
        let main = shop.folder.join("main.go");
        let (path, none) = (self.root.below("otelpaysvc"), "paysvc.Config{})");
        let hooked = files::read(&main)?.replace(none, "paysvc.Config{}, paysvc.WithHooks(otelpaysvc.Hooks(nil)))");
        files::write(&main, hooked.replace("import (\n", &format!("import (\n\t\"{path}\"\n")))?;
        shop.run("go build -o charge .")?;
        shop.charges(self.stage, "charge")
    }
}
