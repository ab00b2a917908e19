//! The interface as others see it: the header alone, the symbols, the soname, and that nothing committed has drifted.

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use support::{Stage, artifacts, root, run};

/// Every function of the interface. Append only: a program in the field may use any of them.
const FUNCTIONS: &[&str] = &[
    "paysvc_version",
    "paysvc_abi",
    "paysvc_status_name",
    "paysvc_outcome_name",
    "paysvc_client_new",
    "paysvc_client_free",
    "paysvc_client_set_log",
    "paysvc_call_new",
    "paysvc_call_set_timeout_ms",
    "paysvc_call_cancel",
    "paysvc_call_free",
    "paysvc_direct_debit_history",
    "paysvc_direct_debit_create",
    "paysvc_direct_debit_status",
    "paysvc_direct_debit_otp",
    "paysvc_order_pay",
    "paysvc_virtual_account_generate",
    "paysvc_order_refund",
    "paysvc_transaction_details",
    "paysvc_order_create",
    "paysvc_request",
    "paysvc_encrypt",
    "paysvc_reply_status",
    "paysvc_reply_outcome",
    "paysvc_reply_state",
    "paysvc_reply_http_status",
    "paysvc_reply_body",
    "paysvc_reply_body_len",
    "paysvc_reply_get",
    "paysvc_reply_code",
    "paysvc_reply_message",
    "paysvc_reply_retry_after_ms",
    "paysvc_reply_attempts",
    "paysvc_reply_free",
];

/// Every number of the interface. Append only, and never changed.
const NUMBERS: &[(&str, i32)] = &[
    ("PAYSVC_OK", 0),
    ("PAYSVC_E_ARGUMENT", 1),
    ("PAYSVC_E_CONFIG", 2),
    ("PAYSVC_E_ENCRYPT", 3),
    ("PAYSVC_E_TRANSPORT", 10),
    ("PAYSVC_E_TIMEOUT", 11),
    ("PAYSVC_E_CANCELLED", 12),
    ("PAYSVC_E_REJECTED", 20),
    ("PAYSVC_E_UNAUTHORIZED", 21),
    ("PAYSVC_E_RATE_LIMITED", 22),
    ("PAYSVC_E_SERVER", 23),
    ("PAYSVC_E_RESPONSE", 24),
    ("PAYSVC_E_INTERNAL", 90),
    ("PAYSVC_OUTCOME_NOT_SENT", 0),
    ("PAYSVC_OUTCOME_CONFIRMED", 1),
    ("PAYSVC_OUTCOME_REJECTED", 2),
    ("PAYSVC_OUTCOME_UNKNOWN", 3),
    ("PAYSVC_STATE_NONE", 0),
    ("PAYSVC_STATE_INITIATED", 1),
    ("PAYSVC_STATE_PENDING", 2),
    ("PAYSVC_STATE_AWAITING", 3),
    ("PAYSVC_STATE_FAILED", 4),
    ("PAYSVC_STATE_SUCCESSFUL", 5),
    ("PAYSVC_STATE_REVERSED", 6),
    ("PAYSVC_STATE_PROCESSING", 7),
    ("PAYSVC_ABI", 1),
];

fn header() -> String {
    std::fs::read_to_string(root().join("include/paysvc.h")).unwrap()
}

fn names(of: impl IntoIterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
    of.into_iter().map(|name| name.as_ref().to_owned()).collect()
}

/// Functions that the header declares: a name right before a parenthesis, outside comments.
fn declared() -> BTreeSet<String> {
    let header = header();
    let code: String = header.split("*/").map(|part| part.split("/*").next().unwrap()).collect();
    let words = code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '('));
    names(
        words.filter_map(|word| word.split_once('(')).map(|(name, _)| name).filter(|name| name.starts_with("paysvc_")),
    )
}

#[test]
fn header_table_and_exported_symbols_are_the_same() {
    let expected = names(FUNCTIONS);
    assert_eq!(declared(), expected);
    let output = run(Command::new("nm").args(["-D", "--defined-only"]).arg(artifacts().join("libpaysvc.so")));
    let symbols = String::from_utf8(output.stdout).unwrap();
    let exported = names(symbols.lines().filter_map(|line| line.split_whitespace().nth(2)));
    assert_eq!(exported, expected, "the shared library exports these and nothing else");
    let rows = names(paysvc_spec::ENDPOINTS.iter().map(|row| format!("paysvc_{}", row.name)));
    assert!(rows.is_subset(&expected));
}

#[test]
fn numbers_never_change() {
    let header = header();
    let defined =
        header.lines().filter_map(|line| line.strip_prefix("#define ")).filter_map(|line| line.split_once(' '));
    let defined: BTreeSet<_> = defined.map(|(name, value)| (name.to_owned(), value.parse::<i32>().unwrap())).collect();
    assert_eq!(defined, NUMBERS.iter().map(|(name, value)| (name.to_string(), *value)).collect());
}

#[test]
fn the_soname_carries_the_abi() {
    let output = run(Command::new("readelf").arg("-dW").arg(artifacts().join("libpaysvc.so")));
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
    let output = run(Command::new("nm").arg(artifacts().join("libpaysvc.a")).stderr(std::process::Stdio::null()));
    let symbols = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(symbols.contains("CRYPTO_sysrand"), "AWS-LC is in the archive");
    assert!(!symbols.contains("jent_"), "the jitter source is in the archive");
}
