//! The parts of libraries and sandbox that others wrote: crates, and parts that cargo does not see. LICENSE-THIRD-PARTY
//! and the SBOM of each package are made of it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::command;
use crate::table::{Platform, System};

/// A shipped product: a package of cargo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipped {
    Library,
    Sandbox,
}

impl Shipped {
    /// The package of cargo that it is built of.
    pub fn package(self) -> &'static str {
        match self {
            Shipped::Library => "paysvc",
            Shipped::Sandbox => "paysvc-sandbox",
        }
    }
}

/// A part that is in no tree of dependencies.
pub struct Part {
    /// As LICENSE-THIRD-PARTY names it, and where it is.
    pub title: &'static str,
    pub place: &'static str,
    /// The file of its text: one of this repository, or one below `zig/`, of the folder `lib` of zig.
    pub text: &'static str,
    /// As the SBOM names it, with the expression of its licence; None for a part of another one.
    pub component: Option<(&'static str, &'static str)>,
    pub from: From,
    /// Returns whether the part is in the build of `make libs` for a platform, or in the sandbox that `make dist` packs.
    pub is_in: fn(&Platform, Shipped) -> bool,
}

/// Where the build takes it from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Rust,
    Zig,
    /// Debian's package for x86_64 and for i686.
    Debian([&'static str; 2]),
}

pub const PARTS: &[Part] = &[
    Part {
        title: "LLVM's libunwind, which comes with zig",
        place: "libpaysvc.so of `make libs`, every platform with Linux; with musl libpaysvc.a and paysvc-sandbox, too",
        text: "zig/libunwind/LICENSE.TXT",
        component: Some(("libunwind", "Apache-2.0 WITH LLVM-exception")),
        from: From::Zig,
        is_in: |platform, _| !platform.is_windows(),
    },
    Part {
        title: "Parts of the GNU C Library that are always linked statically",
        place: "libpaysvc.so and paysvc-sandbox on Linux with glibc",
        text: "packaging/licences/glibc.txt",
        component: Some(("glibc", "LGPL-2.1-or-later")),
        from: From::Zig,
        is_in: |platform, _| matches!(platform.system, System::Glibc(_)),
    },
    Part {
        title: "musl's C library",
        place: "paysvc-sandbox on Linux with musl",
        text: "zig/libc/musl/COPYRIGHT",
        component: Some(("musl", "MIT")),
        from: From::Zig,
        is_in: |platform, shipped| platform.system == System::Musl && shipped == Shipped::Sandbox,
    },
    Part {
        title: "MinGW-w64's runtime and winpthreads, as Debian describes them",
        place: "paysvc.dll and paysvc-sandbox.exe, every platform with Windows",
        text: "packaging/licences/mingw-w64.txt",
        component: Some(("mingw-w64", "ZPL-2.1 AND MIT AND BSD-3-Clause")),
        from: From::Debian(["mingw-w64-x86-64-dev", "mingw-w64-i686-dev"]),
        is_in: |platform, _| platform.is_windows(),
    },
    Part {
        title: "GCC's libgcc and its start files, under GPL-3.0-or-later with this exception",
        place: "paysvc.dll and paysvc-sandbox.exe, every platform with Windows; on Linux libpaysvc.so and paysvc-sandbox of `make build`",
        text: "packaging/licences/gcc-exception.txt",
        component: Some(("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1")),
        from: From::Debian(["gcc-mingw-w64-x86-64-posix-runtime", "gcc-mingw-w64-i686-posix-runtime"]),
        is_in: |platform, _| platform.is_windows(),
    },
    Part {
        title: "Tables of Unicode in Rust's standard library",
        place: "every platform, and paysvc-sandbox",
        text: "packaging/licences/unicode.txt",
        component: None,
        from: From::Rust,
        is_in: |_, _| true,
    },
];

/// Source of others that a crate brings with it, and builds.
pub struct Vendored {
    pub of: &'static str,
    pub name: &'static str,
    /// None: that of the crate is for both.
    pub licence: Option<&'static str>,
    /// The version follows it.
    pub purl: &'static str,
    /// Where its version stands.
    pub header: &'static str,
    pub macro_name: &'static str,
}

pub const VENDORED: &[Vendored] = &[
    Vendored {
        of: "libsqlite3-sys",
        name: "sqlite",
        licence: Some("blessing"),
        purl: "pkg:generic/sqlite@",
        header: "sqlite3/sqlite3.h",
        macro_name: "SQLITE_VERSION",
    },
    Vendored {
        of: "aws-lc-sys",
        name: "aws-lc",
        licence: None,
        purl: "pkg:github/aws/aws-lc@v",
        header: "aws-lc/include/openssl/base.h",
        macro_name: "AWSLC_VERSION_NUMBER_STRING",
    },
];

/// The crates of others in what is built of a package for those targets: name and version.
pub fn crates<'a>(
    root: &Path,
    shipped: Shipped,
    targets: impl Iterator<Item = &'a str>,
) -> Result<BTreeSet<(String, String)>, String> {
    let mut cargo = command::cargo();
    cargo.args(["tree", "--locked", "-p", shipped.package(), "-e", "normal,no-proc-macro", "--prefix", "none"]);
    for target in targets {
        cargo.args(["--target", target]);
    }
    let tree = command::output(cargo.current_dir(root))?;
    // Crates of this workspace have a path.
    let others = tree.lines().filter(|line| !line.contains(" (/"));
    Ok(others
        .filter_map(|line| match *line.split(' ').collect::<Vec<_>>() {
            [name, version, ..] => Some((name.to_owned(), version.trim_start_matches('v').to_owned())),
            _ => None,
        })
        .collect())
}
