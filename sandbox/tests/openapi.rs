//! The OpenAPI document: valid by a validator of others, and true of what the sandbox takes and answers.

use std::path::Path;
use std::process::Command;

use crate::common::Sandbox;

#[test]
fn the_document_is_valid_and_the_answers_are_as_it_says() {
    // With a key that all requests fit into.
    let sandbox = Sandbox::start_with(&["--seed", "1"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // A copy of the tree has no tools of its own.
    let python = std::env::var_os("TEST_PYTHON").map_or(root.join("build/venv/bin/python"), Into::into);
    let output = Command::new(python)
        .arg(root.join("sandbox/tests/openapi.py"))
        .arg(root.join("tests/scenarios.json"))
        .arg(sandbox.start.to_string())
        .output()
        .expect("build/venv is made by scripts/setup.sh test");
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}
