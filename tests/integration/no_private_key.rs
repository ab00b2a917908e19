//! The shared library holds no RSA decryption: neither of the `rsa` crate, whose timing an advisory is about
//! (RUSTSEC-2023-0071), nor one of AWS-LC's that anything could call.
//!
//! It does hold AWS-LC's RSA *signature*, which a TLS client certificate with an RSA key needs
//! (`client_key_file`), and with it the private operation itself, in constant time. AWS-LC's table of methods also
//! names its RSA decryption, so that is linked; its one way in, `EVP_PKEY_decrypt`, is not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{build, debug_file, run};

/// Private keys of the `rsa` crate, and of the crates that read them for it.
const RSA_CRATE: &[&str] =
    &["RsaPrivateKey", "PrivateKeyParts", "rsa::rsa_decrypt", "pkcs1v15::decrypt", "oaep::decrypt"];
/// The only ways from a caller to AWS-LC's RSA decryption.
const WAYS_IN: &[&str] = &["_EVP_PKEY_decrypt", "_EVP_PKEY_decrypt_init"];

fn text(command: &mut Command) -> String {
    String::from_utf8_lossy(&run(command.stderr(Stdio::null())).stdout).into_owned()
}

/// The functions of a file, demangled.
fn functions(file: &Path) -> Vec<String> {
    let symbols = text(Command::new("nm").args(["-C", "--defined-only"]).arg(file));
    let function = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (_, kind, name) = (words.next()?, words.next()?, words.next()?);
        ["t", "T", "w", "W"].contains(&kind).then(|| name.to_owned())
    };
    symbols.lines().filter_map(function).collect()
}

fn of_rsa_crate(functions: &[String]) -> Vec<&String> {
    functions.iter().filter(|name| RSA_CRATE.iter().any(|part| name.contains(part))).collect()
}

fn ways_in(functions: &[String]) -> Vec<&String> {
    functions.iter().filter(|name| WAYS_IN.iter().any(|way| name.ends_with(way))).collect()
}

#[test]
fn the_library_has_no_rsa_decryption() {
    let library = functions(&debug_file());
    assert!(library.iter().any(|name| name.ends_with("EncryptionKey::encrypt")));
    assert_eq!(of_rsa_crate(&library), Vec::<&String>::new());
    assert_eq!(ways_in(&library), Vec::<&String>::new());
    // The same search finds them where they are.
    assert!(!of_rsa_crate(&functions(&build().join("bin/paysvc-sandbox"))).is_empty(), "the sandbox decrypts");
    assert_eq!(ways_in(&functions(&all_of_aws_lc())).len(), WAYS_IN.len());
}

/// AWS-LC's archive, of the build of these tests.
fn all_of_aws_lc() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let folders = std::fs::read_dir(program.parent().unwrap().with_file_name("build")).unwrap();
    let outputs = folders.filter_map(|folder| std::fs::read_dir(folder.unwrap().path().join("out")).ok()).flatten();
    let archives = outputs.map(|file| file.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libaws_lc_") && name.ends_with("_crypto.a")
    });
    archives.last().expect("the archive of AWS-LC")
}

/// The functions whose machine code calls or names a function.
fn users(code: &str, of: &str) -> BTreeSet<String> {
    let (mut current, mut users) = ("", BTreeSet::new());
    let (plain, prefixed) = (format!("<{of}>"), format!("_{of}>"));
    for line in code.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split_once('<')) {
            current = name.1;
        } else if line.ends_with(&plain) || line.ends_with(&prefixed) {
            users.insert(current.rsplit_once("_0_").map_or(current, |(_, name)| name).to_owned());
        }
    }
    users
}

/// Only the table of methods refers to what is linked of AWS-LC's decryption.
#[test]
fn aws_lc_s_decryption_has_no_caller() {
    // objdump takes the names from the debug file if that lies beside the library.
    let folder = tempfile::tempdir().unwrap();
    let [library, _] = [build().join("lib/libpaysvc.so"), debug_file()].map(|file| {
        let to = folder.path().join(file.file_name().unwrap());
        std::fs::copy(file, &to).unwrap();
        to
    });
    let code = text(Command::new("objdump").args(["-d", "-WK", "--no-show-raw-insn"]).arg(library));
    let only = |of: &str| users(&code, of).into_iter().collect::<Vec<_>>();
    assert_eq!(only("RSA_decrypt"), ["pkey_rsa_decrypt"]);
    // Which of its functions fills the table depends on what the compiler has inlined.
    let table = only("pkey_rsa_decrypt");
    assert!(table.len() == 1 && table[0].starts_with("EVP_PKEY_rsa_pkey_meth"), "{table:?}");
    // The same reading finds callers where there are some.
    assert!(!only("RSA_encrypt").is_empty() && !only("rsa_private_transform").is_empty());
}
