//! The images of docs/install.md, as far as they can be had without a container: roots with the program, the library, the
//! root certificates where the image has them, and the C library if there is one.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::programs::{Link, Unpacked};
use super::stage::CA_FILE;
use crate::command::output;
use crate::{compile, files};

/// Libraries of glibc that libpaysvc.so needs.
const GLIBC: &[&str] = &["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"];

/// As distroless images for C programs are.
pub fn glibc(unpacked: &Unpacked) -> Result<(), String> {
    let from = unpacked.dist.root.join("build/roots/bullseye");
    let libraries = "lib/x86_64-linux-gnu";
    // In the root's lib64 there is a link with an absolute path.
    let loader = "ld-linux-x86-64.so.2";
    let mut files = vec![(from.join(libraries).join(loader), format!("lib64/{loader}"))];
    files.extend(GLIBC.iter().map(|name| (from.join(libraries).join(name), format!("{libraries}/{name}"))));
    let program = unpacked.with_pkg_config("glibc", "charge.c", Link::Shared, &[])?;
    charges(unpacked, &program, &files, true)
}

/// As Alpine's are.
pub fn musl(unpacked: &Unpacked) -> Result<(), String> {
    let loader = "lib/ld-musl-x86_64.so.1";
    let from = unpacked.dist.root.join("build/roots/musl").join(loader);
    let program = unpacked.with_pkg_config("musl", "charge.c", Link::Shared, &[])?;
    charges(unpacked, &program, &[(from, loader.to_owned())], true)
}

/// As distroless images for static programs, and "scratch", are.
pub fn nothing(unpacked: &Unpacked) -> Result<(), String> {
    let program = unpacked.work.join("alone");
    let mut cc = Command::new(unpacked.compiler("cc")?);
    cc.arg(unpacked.stage.programs.join("charge.c")).arg("-I").arg(unpacked.prefix.join("include"));
    // By its path: zig takes no -l:libpaysvc.a of pkg-config together with -static.
    output(cc.arg(unpacked.prefix.join("lib/libpaysvc.a")).args(["-static", "-o"]).arg(&program))?;
    charges(unpacked, &program, &[], false)
}

/// The sandbox's CA is the only root certificate of that root, and no variable names it.
fn charges(unpacked: &Unpacked, program: &Path, contents: &[(PathBuf, String)], shared: bool) -> Result<(), String> {
    let root = unpacked.work.join("root");
    files::empty(&root)?;
    let mut contents = contents.to_vec();
    contents.push((program.to_owned(), "charge".to_owned()));
    if shared {
        contents.push((unpacked.prefix.join("lib/libpaysvc.so.1"), "usr/lib/libpaysvc.so.1".to_owned()));
    }
    for (from, to) in contents {
        files::copy(&from, &root.join(to))?;
    }
    let certificates = root.join("etc/ssl/certs");
    files::make(&certificates)?;
    files::link(CA_FILE.as_ref(), &certificates.join("ca-certificates.crt"))?;
    let mut run = compile::runner(&unpacked.dist.root, "empty", &root.join("charge"));
    run.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    unpacked.stage.charges_seeing(&certificates, |_| None, &mut run)
}
