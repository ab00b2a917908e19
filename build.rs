//! Renders what follows from the tables: the exported functions, `include/paysvc.h`, the bindings' generated files and
//! README's table.
//!
//! A build writes nothing outside of `OUT_DIR`. The committed files are rendered to `OUT_DIR/tree`, under the names that
//! they have in the repository: `make generate` copies them from there, and `tests/abi.rs` compares them with it.

#[path = "src/codegen/mod.rs"]
mod codegen;
#[allow(dead_code)]
#[path = "src/endpoints.rs"]
mod endpoints;
#[allow(dead_code)]
#[path = "src/settings.rs"]
mod settings;
#[allow(dead_code)]
#[path = "src/status.rs"]
mod status;

use std::path::{Path, PathBuf};
use std::{env, fs};

/// In the order of the header; the rendered exports stand between the two groups.
const SOURCES: [&[&str]; 2] = [&["types.rs", "names.rs"], &["client.rs", "call.rs", "reply.rs"]];

fn main() {
    for path in ["src", "cbindgen.toml", "build.rs"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let exports = out.join("exports.rs");
    sync(&exports, codegen::exports::render(endpoints::ENDPOINTS).as_bytes());

    let mut files = vec![("include/paysvc.h".to_owned(), header(&root, &exports))];
    for (path, text) in codegen::files(endpoints::ENDPOINTS) {
        files.push((path.to_owned(), text.into_bytes()));
    }
    files.push(("README.md".to_owned(), readme(&root).into_bytes()));
    // What is no longer rendered must not be compared.
    let _ = fs::remove_dir_all(out.join("tree"));
    for (path, text) in files {
        println!("cargo:rerun-if-changed={path}");
        if fs::read(root.join(&path)).ok().as_deref() != Some(&*text) {
            println!("cargo:warning={path} is not what the tables give: run `make generate`");
        }
        sync(&out.join("tree").join(path), &text);
    }
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // An old glibc crashes in destructors of thread-locals after dlclose.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpaysvc.so.{}", status::ABI);
    }
}

fn header(root: &Path, exports: &Path) -> Vec<u8> {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    let [before, after] = SOURCES.map(|group| group.iter().map(|source| root.join("src/ffi").join(source)));
    for source in before.chain([exports.to_owned()]).chain(after) {
        builder = builder.with_src(source);
    }
    let mut header = Vec::new();
    builder.generate().expect("the header").write(&mut header);
    header
}

/// README with its tables between their marks.
fn readme(root: &Path) -> String {
    let mut text = fs::read_to_string(root.join("README.md")).expect("README.md");
    for (name, table) in
        [("endpoints", codegen::readme::render(endpoints::ENDPOINTS)), ("settings", codegen::readme::settings())]
    {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (head, rest) = text.split_once(&open).unwrap_or_else(|| panic!("README.md lacks {open}"));
        let (_, tail) = rest.split_once(&close).unwrap_or_else(|| panic!("README.md lacks {close}"));
        text = format!("{head}{open}{table}{close}{tail}");
    }
    text
}

fn sync(path: &Path, text: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(text) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("a folder for generated files");
        }
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
