//! Libraries that declare what a header does and do nothing: other releases, and copies with planted changes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{root, run};
use xtask::interface::{self, Function};
use xtask::{codegen, released};

fn definition(out: &mut String, function: &Function) {
    let arguments: Vec<_> = function.arguments.iter().map(|it| format!("{} {}", it.kind, it.name)).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let result = if function.returns == "void" { "" } else { " return 0;" };
    writeln!(out, "{} {}({arguments}) {{{result} }}", function.returns, function.name).unwrap();
}

/// Compiles the library of a header into a new folder. Its symbols have the versions of their releases, or none.
pub fn stub(folder: &Path, header: &str, with_versions: bool) -> PathBuf {
    std::fs::create_dir(folder).unwrap();
    let mut source = "#include \"stub.h\"\n".to_owned();
    interface::functions(header).iter().for_each(|function| definition(&mut source, function));
    let script = codegen::symbols::version_script(&released::nodes(root(), header).unwrap());
    for (name, text) in [("stub.h", header), ("stub.c", &source), ("exports.map", &script)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let soname = format!("libpaysvc.so.{}", paysvc_spec::status::ABI);
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-shared", "-fPIC", "stub.c", "-o", &soname]).arg(format!("-Wl,-soname,{soname}"));
    if with_versions {
        compiler.arg("-Wl,--version-script=exports.map");
    }
    run(compiler.current_dir(folder));
    let library = folder.join("libpaysvc.so");
    std::os::unix::fs::symlink(soname, &library).unwrap();
    library
}
