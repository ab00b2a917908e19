//! Link arguments of the shared library. Writes nothing: `cargo xtask gen` renders the committed files.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // An old glibc crashes in destructors of thread-locals after dlclose.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpaysvc.so.{}", paysvc_spec::status::ABI);
    }
}
