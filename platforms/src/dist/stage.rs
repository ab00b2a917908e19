//! The use of every package: the first charge of the READMEs, and a sandbox that loses the response to every second charge.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::Dist;
use crate::command::output;
use crate::table::Platform;
use crate::{compile, files};

/// The programs, the commands of docs/install.md, and this machine's sandbox, which `make build` built.
pub struct Stage {
    /// Has `charge.c` and `charge.py`, as README prints them, and `main.go`, as that of the Go package does.
    pub programs: PathBuf,
    /// The command that starts the sandbox.
    sandbox: Vec<OsString>,
    /// The root of the paths that it names.
    sandbox_root: PathBuf,
    install: String,
}

/// The CA certificate of the sandbox, in the folder of a program.
pub const CA_FILE: &str = "sandbox-ca.pem";

/// The parts of a package's use, for the table.
pub const CHARGES: &str = "charge over TLS; charge with a lost response, resolved";

impl Stage {
    pub fn new(dist: &Dist) -> Result<Stage, String> {
        let programs = dist.work("programs")?;
        save(dist, "README.md", &["charge.c", "charge.py"], &programs)?;
        save(dist, "bindings/go/README.md", &["main.go"], &programs)?;
        let sandbox = dist.root.join("build/bin/paysvc-sandbox");
        if !sandbox.exists() {
            return Err(format!("{} is not there: run make build first", sandbox.display()));
        }
        let install = files::read(&dist.root.join("docs/install.md"))?;
        Ok(Stage { programs, sandbox: vec![sandbox.into()], sandbox_root: "/".into(), install })
    }

    /// With the sandbox that is installed in a root.
    pub fn with_sandbox_of(&self, root: &Path) -> Stage {
        self.with_sandbox(["chroot".into(), root.into(), "paysvc-sandbox".into()].to_vec(), root)
    }

    /// With one that is started by those words, and names its files from that folder on.
    pub fn with_sandbox(&self, words: Vec<OsString>, root: &Path) -> Stage {
        let (programs, install) = (self.programs.clone(), self.install.clone());
        Stage { programs, sandbox: words, sandbox_root: root.to_owned(), install }
    }

    /// The commands that docs/install.md prints under a heading: all its blocks of sh, with those under lower headings.
    pub fn commands(&self, heading: &str) -> Result<String, String> {
        commands(&self.install, heading).ok_or_else(|| format!("docs/install.md has no commands under {heading}"))
    }

    /// Runs a program twice, with the variables of a sandbox of its own, which serves TLS. The response to the second charge
    /// is lost after it was made: the program resolves it. The CA certificate lies in `folder`.
    pub fn charges(&self, folder: &Path, program: &mut Command) -> Result<(), String> {
        self.charges_seeing(folder, |ca_file| Some(ca_file.to_owned()), program)
    }

    /// The same with a program of a platform.
    pub fn charges_for(&self, platform: &Platform, folder: &Path, program: &mut Command) -> Result<(), String> {
        self.charges_seeing(folder, |ca_file| Some(compile::file(platform, ca_file)), program)
    }

    /// The same with a program that sees the CA certificate under another path, or is given none.
    pub fn charges_seeing(
        &self,
        folder: &Path,
        seen: impl Fn(&str) -> Option<String>,
        program: &mut Command,
    ) -> Result<(), String> {
        let sandbox = Sandbox::start(&self.sandbox, &self.sandbox_root, folder)?;
        program.envs(sandbox.variables.iter().map(|(name, value)| (name, value)));
        program.envs(seen(&sandbox.ca_file).map(|path| ("PAYSVC_CA_FILE", path)));
        let first = output(program)?;
        let second = output(program)?;
        sandbox.end(&first, &second)
    }
}

/// Writes files that a document of the repository prints.
pub fn save(dist: &Dist, document: &str, names: &[&str], folder: &Path) -> Result<(), String> {
    let text = files::read(&dist.root.join(document))?;
    names.iter().try_for_each(|name| {
        let program = program(&text, name).ok_or_else(|| format!("{document} has no program {name}"))?;
        files::write(&folder.join(name), program)
    })
}

/// The block after "Save this as `NAME`".
fn program<'a>(readme: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = readme.split_once(&format!("Save this as `{name}`"))?;
    let (_, block) = rest.split_once("```")?.1.split_once('\n')?;
    Some(block.split_once("```")?.0)
}

fn commands(page: &str, heading: &str) -> Option<String> {
    // The level of a heading; what is none has the lowest.
    let level = |line: &str| Some(line.len() - line.trim_start_matches('#').len()).filter(|&it| it > 0).unwrap_or(9);
    let title = |line: &str| level(line) < 9 && line.trim_start_matches('#').trim() == heading;
    let mut lines = page.lines().skip_while(|line| !title(line));
    let own = level(lines.next()?);
    let (mut found, mut inside) = (String::new(), false);
    while let Some(line) = lines.next().filter(|line| inside || level(line) > own) {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => found += &format!("{line}\n"),
            _ => {}
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Ends with this value.
struct Sandbox {
    process: Child,
    /// As `--env-file` has them, without the CA certificate.
    variables: Vec<(String, String)>,
    base_url: String,
    ca_file: String,
}

impl Sandbox {
    fn start(words: &[OsString], root: &Path, folder: &Path) -> Result<Sandbox, String> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(["--listen", "127.0.0.1:0", "--exit-with-parent", "--tls", "--fault"]);
        command.arg(r#"{"path":"/payment/order/create","fault":"commit_then_reset","nth":2}"#);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| format!("{words:?}: {error}"))?;
        let mut line = String::new();
        let read = process.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let ready = serde_json::from_str::<Value>(&line).map_err(|_| format!("the sandbox is not ready: {read:?}"))?;
        let text = |name: &str| ready[name].as_str().map(str::to_owned).ok_or_else(|| format!("no {name}"));
        // Where the program sees it: the sandbox's own may lie in a folder that it does not have.
        let ca_file = folder.join(CA_FILE);
        // The path on Windows is on a drive.
        let its_own = text("ca_file")?.trim_start_matches("C:").replace('\\', "/");
        files::copy(&root.join(its_own.trim_start_matches('/')), &ca_file)?;
        let ca_file = ca_file.display().to_string();
        let mut variables = Vec::new();
        for name in ["base_url", "public_key", "secret_key", "encryption_key"] {
            variables.push((format!("PAYSVC_{}", name.to_uppercase()), text(name)?));
        }
        Ok(Sandbox { base_url: text("base_url")?, process, variables, ca_file })
    }

    /// Checks that the program reported what happened, and the ledger agrees.
    fn end(&self, first: &str, second: &str) -> Result<(), String> {
        if first.trim() != "paid" {
            return Err(format!("the first charge: {first}"));
        }
        let lines: Vec<_> = second.lines().collect();
        if !(lines.len() == 2 && lines[0].contains("the response is lost") && lines[1] == "paid") {
            return Err(format!("the charge whose response was lost: {second}"));
        }
        let charges = self.admin("/sandbox/ledger")?["ledger"]
            .as_array()
            .map_or(0, |effects| effects.iter().filter(|effect| effect["effect"] == "charge_made").count());
        if charges == 2 { Ok(()) } else { Err(format!("two charges were made, the ledger has {charges}")) }
    }

    fn admin(&self, path: &str) -> Result<Value, String> {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--fail", "--noproxy", "*", "--cacert", &self.ca_file]);
        let out = curl.arg(format!("{}{path}", self.base_url)).output().map_err(|error| format!("curl: {error}"))?;
        serde_json::from_slice(&out.stdout).map_err(|error| format!("{path}: {error}"))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readmes_have_the_programs() {
        let text = |name: &str| files::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap();
        let (readme, of_go) = (text("README.md"), text("bindings/go/README.md"));
        assert!(program(&readme, "charge.c").unwrap().contains("int main(void)"));
        assert!(program(&readme, "charge.py").unwrap().contains("import paysvc"));
        assert!(program(&of_go, "main.go").unwrap().contains("package main"));
        assert_eq!(program(&readme, "charge.cob"), None);
    }

    #[test]
    fn the_commands_of_a_heading_end_at_the_next() {
        let page = "# Install\n\n## A\n\n```sh\none\n# two\n```\n\n```python\nno\n```\n### B\n```sh\nthree\n```\n## C\n```sh\nfour\n```\n";
        assert_eq!(commands(page, "A").unwrap(), "one\n# two\nthree\n");
        assert_eq!(commands(page, "B").unwrap(), "three\n");
        assert_eq!(commands(page, "C").unwrap(), "four\n");
        assert_eq!(commands(page, "D"), None);
    }
}
