//! Libraries that declare what a header does and do nothing: those of other releases.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::support::run;
use xtask::codegen;
use xtask::interface::{self, Function};
use xtask::released::Node;

fn definition(out: &mut String, function: &Function) {
    let arguments: Vec<_> = function.arguments.iter().map(|it| format!("{} {}", it.kind, it.name)).collect();
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let result = if function.returns == "void" { "" } else { " return 0;" };
    writeln!(out, "{} {}({arguments}) {{{result} }}", function.returns, function.name).unwrap();
}

/// Compiles the library of a header into a new folder. Its functions have the versions of those nodes.
pub fn stub(folder: &Path, header: &str, nodes: &[Node]) {
    std::fs::create_dir(folder).unwrap();
    let mut source = "#include \"stub.h\"\n".to_owned();
    interface::functions(header).iter().for_each(|function| definition(&mut source, function));
    let script = codegen::symbols::version_script(nodes);
    for (name, text) in [("stub.h", header), ("stub.c", &source), ("exports.map", &script)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let soname = format!("libpaysvc.so.{}", paysvc_spec::status::ABI);
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "stub.c", "-o", &soname]).arg(format!("-Wl,-soname,{soname}"));
    run(compiler.arg("-Wl,--version-script=exports.map").current_dir(folder));
    std::os::unix::fs::symlink(soname, folder.join("libpaysvc.so")).unwrap();
}
