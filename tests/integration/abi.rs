//! The interface: the header alone, the symbols, the soname, and that the committed files are what the tables give.

mod stub;
mod versions;
mod windows;

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::{Link, Stage, build, debug_file, root, run, sha256};
use xtask::interface;

fn header() -> String {
    std::fs::read_to_string(root().join("include/paysvc.h")).unwrap()
}

fn names(of: impl IntoIterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
    of.into_iter().map(|name| name.as_ref().to_owned()).collect()
}

#[test]
fn header_table_and_exported_symbols_are_the_same() {
    let declared = names(interface::functions(&header()).into_iter().map(|function| function.name));
    let symbols = versions::exported(&build().join("lib/libpaysvc.so"));
    let exported = names(symbols.iter().map(|symbol| symbol.split('@').next().unwrap()));
    assert_eq!(exported, declared, "the shared library exports what the header declares, and nothing else");
    let rows = names(paysvc_spec::ENDPOINTS.iter().map(|row| format!("paysvc_{}", row.name)));
    assert!(rows.is_subset(&declared));
}

/// Each release with the digest of its header in `spec/released/`. None has been published yet.
const RELEASES: &[(&str, &str)] = &[];

/// A change of a name in all files must not reach them.
#[test]
fn a_released_header_stays_as_it_is() {
    let entries = std::fs::read_dir(root().join("spec/released")).into_iter().flatten();
    let mut frozen: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), sha256(&std::fs::read(entry.path()).unwrap()))
        })
        .collect();
    frozen.sort();
    let expected: Vec<_> =
        RELEASES.iter().map(|(version, digest)| (format!("{version}.h"), (*digest).to_owned())).collect();
    assert_eq!(frozen, expected);
}

/// `xtask/src/released.rs` tests that this check can fail.
#[test]
fn nothing_that_was_released_is_gone_or_changed() {
    let broken = xtask::released::broken_promises(root(), &header()).unwrap();
    assert!(broken.is_empty(), "a program in the field may use these:\n{}", broken.join("\n"));
}

#[test]
fn the_soname_carries_the_abi() {
    let output = run(Command::new("readelf").arg("-dW").arg(build().join("lib/libpaysvc.so")));
    let dynamic = String::from_utf8(output.stdout).unwrap();
    assert!(dynamic.contains(&format!("soname: [libpaysvc.so.{}]", paysvc_spec::status::ABI)), "{dynamic}");
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
}

#[test]
fn the_header_compiles_alone_and_twice_as_old_and_new_c_and_cpp() {
    let stage = Stage::new();
    let source = "#include <paysvc.h>\n#include <paysvc.h>\nint main(void) { return PAYSVC_OK; }\n";
    for (compiler, name, standards) in
        [("cc", "alone.c", &["c89", "c99", "c11", "c17"][..]), ("c++", "alone.cpp", &["c++98", "c++11", "c++20"])]
    {
        std::fs::write(stage.path().join(name), source).unwrap();
        for standard in standards {
            let mut command = Command::new(compiler);
            command.arg(format!("-std={standard}")).args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
            run(command.args(["-Ibuild/include", name]).current_dir(stage.path()));
        }
    }
}

const SALE: &str = r#"
int main(void)
{
    const char *reference = "ORDER-1", *why_not;
    const char *earlier = "{\"endpoint\":\"order_create\",\"request\":{\"order\":"
        "{\"reference\":\"ORDER-1\",\"amount\":\"25.50\",\"currency\":\"NGN\"}},\"wait\":true}";
    const char *request = "{\"reference\":\"ORDER-1\",\"paymentoption\":\"C\",\"country\":\"NG\",\"card\":"
        "{\"cardnumber\":\"4111111111111111\",\"expirymonth\":\"01\",\"expiryyear\":\"39\",\"cvv\":\"193\"},"
        "\"order\":{\"reference\":\"ORDER-1\",\"amount\":\"25.50\",\"currency\":\"NGN\"}}";
    paysvc_client *client;
    paysvc_reply *reply;
    if (paysvc_client_new(NULL, &client, NULL) != PAYSVC_OK) {
        return 1;
    }
"#;

#[test]
fn the_charge_in_the_comment_of_the_header_charges_once_and_tells_what_is_paid() {
    let header = header();
    let example = header.split("\n/* A charge.").nth(1).unwrap().split(" */").next().unwrap();
    let code = example.lines().filter_map(|line| line.strip_prefix(" *   ")).collect::<Vec<_>>().join("\n");
    let stage = Stage::new();
    let source = stage.path().join("sale.c");
    let program = format!(
        "#include <paysvc.h>\n#include <stdio.h>\n{SALE}{code}\n    paysvc_client_free(client);\n    return 0;\n}}\n"
    );
    std::fs::write(&source, program).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    crate::support::charge::check(&|| stage.command(&program));
}

/// A callback that a program defines without the macro is accepted elsewhere.
#[test]
fn callbacks_have_a_calling_convention_on_32_bit_windows_only() {
    let stage = Stage::new();
    let source = "#include <paysvc.h>\ntypedef void (*plain)(void *, int, const char *);\n\
                  void callback(void *a, int b, const char *c);\n\
                  paysvc_log_fn log_fn = callback; plain same = (paysvc_log_fn)0;\n";
    std::fs::write(stage.path().join("callback.c"), source).unwrap();
    let compiler = |more: &[&str]| {
        let mut command = Command::new("cc");
        command.args(["-std=c89", "-pedantic", "-Werror", "-Ibuild/include"]).args(more).arg("callback.c");
        String::from_utf8(run(command.current_dir(stage.path())).stdout).unwrap()
    };
    compiler(&["-fsyntax-only"]);
    for (system, expected) in [(&[][..], false), (&["-D_WIN32"], true), (&["-D_WIN32", "-D_WIN64"], false)] {
        let text = compiler(&[&["-E"], system].concat());
        assert_eq!(text.contains("(__cdecl *paysvc_log_fn)"), expected, "{system:?}");
        assert_eq!(text.contains("( *paysvc_log_fn)"), !expected, "{system:?}");
    }
}

#[test]
fn committed_files_are_what_the_tables_give() {
    xtask::generate::verify(root()).unwrap_or_else(|error| panic!("{error}"));
    let header = header();
    for field in paysvc_spec::settings::CONFIG.iter().chain(paysvc_spec::settings::REQUEST) {
        assert!(header.contains(&format!("- {} (", field.name)), "{} is not documented", field.name);
    }
    for row in paysvc_spec::ENDPOINTS {
        let request = format!("{} {}, ", row.method.name(), row.path);
        assert!(header.contains(&request) && header.contains(row.doc), "{} is not documented", row.name);
    }
}

/// AWS-LC's own entropy source costs each process about 30 ms (`.cargo/config.toml` leaves it out).
#[test]
fn no_entropy_is_gathered_from_cpu_jitter() {
    let output = run(Command::new("nm").arg(debug_file()));
    let symbols = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(symbols.contains("CRYPTO_sysrand"), "AWS-LC is in the library");
    assert!(!symbols.contains("jent_"), "the jitter source is in the library");
}
