//! A new endpoint takes two edits by hand: its row, and its entry in `tests/scenarios.json`.
//!
//! The test makes them in a copy of the tree, for an endpoint that no service has, and finds the endpoint in everything
//! that follows from the two: header, bindings, documentation, sandbox, and the tests that go through all endpoints.
//! It builds the copy, so it is not a part of `make test`: `make two-edits` runs it, and so does CI.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{root, run};

const NAME: &str = "made_up_transfer";

/// With a member of every location, a secret one, a nested one, an amount and an answer.
const ROW: &str = r#"
    Endpoint {
        name: "made_up_transfer",
        path: "/payment/made-up/{batchId}/transfer",
        key: ApiKey::Secret,
        encrypted: true,
        headers: &[("encryption", "RSA")],
        fields: &[
            Field::path("batchId", "the batch that the transfer belongs to"),
            Field::required("reference", Kind::Text, "reference of the transfer"),
            Field::required("amount", Kind::Amount(Wire::Text), "what is transferred"),
            Field::optional(
                "payee",
                Kind::Object(&[Field::required("walletPin", Kind::Text, "the payee's code").secret()]),
                "who receives it",
            ),
        ],
        answer: Answer {
            members: &[
                super::envelope::STATUS_WORD,
                super::envelope::STATUS_CODE,
                super::envelope::MESSAGE,
                crate::schema::Member::object(
                    "data",
                    &[
                        crate::schema::Member::text("transferReference", "the service's reference of the transfer"),
                        crate::schema::Member::integer("statusId", "state of the transfer"),
                    ],
                    "the transfer",
                ),
            ],
            ..Endpoint::ANSWER
        },
        doc: "Makes up a transfer.",
        ..Endpoint::ROW
    },
"#;

const ENTRY: &str = r#"
    "made_up_transfer": {
      "setup": [],
      "request": {"batchId": "B-1", "reference": "T-1", "amount": "12.50", "payee": {"walletPin": "4711"}},
      "wire": ["POST", "/payment/made-up/{batchId}/transfer", "secret", "encrypted", "RSA"],
      "effect": ["made_up_transfer_made", "{reference}"],
      "amount": "{amount}",
      "answer": {"status": "success", "statusCode": "00", "message": "Transferred", "data": {"transferReference": "X-1", "statusId": 5}}
    },"#;

const ROWS: &str = "spec/src/endpoints/orders.rs";
const SCENARIOS: &str = "tests/scenarios.json";

/// A copy of the tree in cargo's target folder, where a second run finds what the first has built.
struct Copy(PathBuf);

impl Copy {
    fn of_the_tree() -> Copy {
        let copy = Copy(paysvc_platforms::libs::target_folder(root()).join("two-edits/tree"));
        let there = copy.files();
        for file in committed() {
            let (from, to) = (root().join(&file), copy.0.join(&file));
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            let text = std::fs::read(&from).unwrap();
            // A file that is the same keeps its time, so that it is not built again.
            if std::fs::read(&to).ok().as_ref() != Some(&text) {
                std::fs::copy(&from, &to).unwrap();
            }
        }
        for left_over in there.difference(&committed()) {
            std::fs::remove_file(copy.0.join(left_over)).unwrap();
        }
        copy
    }

    /// The files of the copy, without what its programs build.
    fn files(&self) -> BTreeSet<String> {
        let (mut folders, mut files) = (vec![self.0.clone()], BTreeSet::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&self.0).unwrap().to_str().unwrap().to_owned();
                if ["target", "build"].contains(&name.as_str()) || name.contains("__pycache__") {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() { folders.push(path) } else { _ = files.insert(name) }
            }
        }
        files
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Puts a text behind the first place that has `after`.
    fn insert(&self, file: &str, after: &str, text: &str) {
        let old = self.read(file);
        let at = old.find(after).unwrap_or_else(|| panic!("{file} has no {after:?}")) + after.len();
        std::fs::write(self.0.join(file), [&old[..at], text, &old[at..]].concat()).unwrap();
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(&self.0).env("CARGO_TARGET_DIR", self.0.join("target"));
        command.env("PAYSVC_PYTHON", root().join("build/venv/bin/python"));
        for variable in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "PAYSVC_BUILD"] {
            command.env_remove(variable);
        }
        command
    }

    /// What the integration tests use, without the optimisations that take minutes.
    fn make_build(&self) -> Command {
        let mut make = Command::new("make");
        make.args(["--no-print-directory", "build"]).current_dir(&self.0);
        make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env("CARGO_TARGET_DIR", self.0.join("target"));
        make.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        make.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        make
    }

    /// Files that are not as they are in the tree.
    fn changed(&self) -> BTreeSet<String> {
        let differs = |file: &String| std::fs::read(root().join(file)).ok() != std::fs::read(self.0.join(file)).ok();
        self.files().union(&committed()).filter(|file| differs(file)).cloned().collect()
    }
}

/// What belongs to the tree, uncommitted new files included.
fn committed() -> BTreeSet<String> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let files = String::from_utf8(run(&mut list).stdout).unwrap();
    files.split('\0').filter(|file| !file.is_empty() && root().join(file).is_file()).map(str::to_owned).collect()
}

fn set(files: &[&str]) -> BTreeSet<String> {
    files.iter().map(|file| (*file).to_owned()).collect()
}

#[test]
#[ignore = "builds a copy of the tree: make two-edits"]
fn a_new_endpoint_takes_two_edits_by_hand() {
    let copy = Copy::of_the_tree();
    copy.insert(ROWS, "pub const ROWS: &[Endpoint] = &[", ROW);
    copy.insert(SCENARIOS, "\"endpoints\": {", ENTRY);
    copy.insert(SCENARIOS, "\"canaries\": {", "\"walletPin\": \"83615\", ");
    assert_eq!(copy.changed(), set(&[ROWS, SCENARIOS]), "edited by hand");

    run(&mut copy.cargo(&["xtask", "gen"]));
    let rendered: BTreeSet<_> = copy.changed().difference(&set(&[ROWS, SCENARIOS])).cloned().collect();
    for (file, parts) in [
        (
            "include/paysvc.h",
            &["paysvc_status PAYSVC_CDECL paysvc_made_up_transfer(", "walletPin (string, required)"][..],
        ),
        ("src/ffi/exports.rs", &["fn paysvc_made_up_transfer("]),
        ("src/ffi/exports.map", &["        paysvc_made_up_transfer;\n"]),
        ("src/ffi/exports.def", &["    paysvc_made_up_transfer\n"]),
        ("bindings/python/src/paysvc/_endpoints.py", &["    def made_up_transfer(", "    async def made_up_transfer("]),
        ("bindings/python/src/paysvc/_replies.py", &["class MadeUpTransferReply(Reply):"]),
        (
            "bindings/python/src/paysvc/_answers.py",
            &["class MadeUpTransferAnswerData(", "def transfer_reference(self)"],
        ),
        ("bindings/go/generated.go", &["func (c *Client) MadeUpTransfer(", "type MadeUpTransferRequest struct"]),
        ("bindings/go/generated_answers.go", &["type MadeUpTransferAnswer struct", "TransferReference Text"]),
        (
            "bindings/cpp/paysvc_endpoints.hpp",
            &["made_up_transfer_reply made_up_transfer(", "class made_up_transfer_request"],
        ),
        ("bindings/cpp/paysvc_answers.hpp", &["class made_up_transfer_answer", "> transferReference() const"]),
        ("docs/endpoints.md", &["paysvc_made_up_transfer"]),
        (
            "docs/endpoints/made_up_transfer.md",
            &["/data/transferReference", "/payee/walletPin", "data.transfer_reference", "def made_up_transfer("],
        ),
    ] {
        assert!(rendered.contains(file), "{file} is not among {rendered:?}");
        let text = copy.read(file);
        for part in parts {
            assert!(text.contains(part), "{file} has no {part:?}");
        }
    }
    run(&mut copy.cargo(&["xtask", "gen", "--verify"]));
    let before = copy.changed();

    // What goes through all rows: every language calls it, the sandbox answers it, its secrets are searched for, and it
    // meets every fault.
    run(&mut copy.cargo(&["test", "--quiet", "--locked", "-p", "paysvc-spec", "-p", "xtask", "-p", "paysvc-sandbox"]));
    run(&mut copy.make_build());
    let mut tests = copy.cargo(&["test", "--locked", "--test", "integration", "--"]);
    tests.args([
        "abi::",
        "endpoints::",
        "endpoint_examples::",
        "scenarios::",
        "typed_answers::",
        "canary::",
        "config::",
        "guards::",
        "faults::outcomes",
    ]);
    tests.arg("--nocapture").env("PAYSVC_FAULTS", NAME);
    let output = run(&mut tests);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("test result: ok") && text.contains("calls, seed 7"), "{text}");
    assert_eq!(copy.changed(), before, "the tests change no file");
    without_the_entry(&copy);
}

/// The row alone is not enough.
fn without_the_entry(copy: &Copy) {
    std::fs::copy(root().join(SCENARIOS), copy.0.join(SCENARIOS)).unwrap();
    run(&mut copy.make_build());
    let mut tests = copy.cargo(&["test", "--locked", "--test", "integration", "--", "endpoints::"]);
    let output = tests.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for test in [
        "every_row_has_an_entry_and_every_entry_a_row",
        "every_secret_member_has_a_canary_and_every_canary_a_secret_member",
    ] {
        assert!(text.contains(&format!("{test} ... FAILED")), "{text}");
    }
}
