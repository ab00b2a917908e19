//! The examples of `docs/endpoints/`: those of a language are put into one program, which is compiled and then run once for
//! each endpoint against the sandbox, and once against a service that answers nothing.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{Outcome, State};
use serde_json::Value;

use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::target::{filled, good, target};
use crate::support::{Link, Stage, answers, bindings, markdown, output_of, root, run};

struct Example {
    row: &'static Endpoint,
    code: String,
    /// The function that it defines.
    function: String,
}

const LANGUAGES: [&str; 4] = ["c", "cpp", "go", "python"];

/// Every endpoint has one example in each language.
fn examples(language: &str) -> Vec<Example> {
    let of_row = |row: &'static Endpoint| {
        let page = format!("docs/endpoints/{}.md", row.name);
        let text = std::fs::read_to_string(root().join(&page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let blocks = markdown::blocks(&page, &text).unwrap_or_else(|why| panic!("{why}"));
        let languages: Vec<_> = blocks.iter().map(|block| block.language.as_str()).collect();
        assert_eq!(languages, LANGUAGES, "{page}");
        let code = &blocks.iter().find(|block| block.language == language).unwrap().text;
        let head = code.split('(').next().unwrap();
        let (_, function) = head.rsplit_once(' ').unwrap_or_else(|| panic!("{page}: no function in {code}"));
        Example { row, code: format!("{code}\n"), function: function.to_owned() }
    };
    ENDPOINTS.iter().map(of_row).collect()
}

/// The examples, with a line for each of them in the place of `CASES` in the frame.
fn program(examples: &[Example], head: &str, case: &dyn Fn(&Example) -> String, main: &str) -> String {
    let code: Vec<_> = examples.iter().map(|example| example.code.as_str()).collect();
    let cases: String = examples.iter().map(case).collect();
    format!("{head}\n{}\n{}", code.join("\n"), main.replace("CASES", cases.trim_end()))
}

fn c(stage: &Stage) -> Command {
    let main = "int main(int argc, char **argv)\n{\n    paysvc_client *client;\n    paysvc_reply *reply;\n    \
        if (argc != 2 || paysvc_client_new(NULL, &client, &reply) != PAYSVC_OK) {\n        return 1;\n    }\n    \
        paysvc_reply_free(reply);\nCASES\n    paysvc_client_free(client);\n    return 0;\n}\n";
    let case = |it: &Example| format!("    if (strcmp(argv[1], \"{}\") == 0) {}(client);\n", it.row.name, it.function);
    let head = "#include <paysvc.h>\n#include <stdio.h>\n#include <string.h>\n";
    let source = stage.path().join("examples.c");
    std::fs::write(&source, program(&examples("c"), head, &case, main)).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    stage.command(&program)
}

fn cpp(stage: &Stage) -> Command {
    let main = "int main(int, char **argv) {\n    const std::string name = argv[1];\n    const paysvc::client client;\n\
        CASES\n}\n";
    let case = |it: &Example| format!("    if (name == \"{}\") {}(client);\n", it.row.name, it.function);
    let source = stage.path().join("examples.cpp");
    let head = "#include <paysvc.hpp>\n#include <iostream>\n";
    std::fs::write(&source, program(&examples("cpp"), head, &case, main)).unwrap();
    stage.command(&stage.cpp(&source, Link::Shared, &["-std=c++11"]))
}

fn go(stage: &Stage) -> Command {
    let folder = stage.path().join("examples");
    std::fs::create_dir(&folder).unwrap();
    let head = "package main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"errors\"\n\t\"fmt\"\n\t\"log\"\n\t\"os\"\n\n\t\
        \"paysvc.example/go/paysvc\"\n)\n\nvar _ json.RawMessage // some examples need it\n";
    let main = "func main() {\n\tclient, err := paysvc.New(paysvc.Config{})\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\t\
        defer client.Close()\n\tswitch os.Args[1] {\nCASES\n\t}\n}\n";
    let case =
        |it: &Example| format!("\tcase \"{}\":\n\t\t{}(context.Background(), client)\n", it.row.name, it.function);
    std::fs::write(folder.join("main.go"), program(&examples("go"), head, &case, main)).unwrap();
    let module = root().join("bindings/go");
    run(stage.go(&folder).args(["mod", "init", "example.com/examples"]));
    run(stage
        .go(&folder)
        .args(["mod", "edit", "-require=paysvc.example/go/paysvc@v0.0.0"])
        .arg(format!("-replace=paysvc.example/go/paysvc={}", module.display())));
    let root_of_go = run(stage.go(&folder).args(["env", "GOROOT"])).stdout;
    let gofmt = Path::new(String::from_utf8(root_of_go).unwrap().trim()).join("bin/gofmt");
    let output = run(Command::new(gofmt).args(["-d", "main.go"]).current_dir(&folder));
    assert!(output.stdout.is_empty(), "not as gofmt writes it: {}", output_of(&output));
    run(stage.go(&folder).args(["vet", "."]));
    run(stage.go(&folder).args(["build", "-o", "program", "."]));
    stage.command(&folder.join("program"))
}

fn python(stage: &Stage) -> Command {
    let head = "import json\nimport sys\n\nimport paysvc\n\n";
    let main = "\nwith paysvc.Client.from_env() as client:\nCASES\n";
    let case = |it: &Example| format!("    if sys.argv[1] == \"{}\":\n        {}(client)\n", it.row.name, it.function);
    let source = stage.path().join("examples.py");
    std::fs::write(&source, program(&examples("python"), head, &case, main)).unwrap();
    bindings::python(source.to_str().unwrap())
}

/// What the example must print, from a call without it: the member that its C form reads, as the reference reads it.
fn expected(row: &'static Endpoint, c_code: &str, sandbox: &Sandbox) -> String {
    let client = Client::new(&sandbox.config());
    let reply = client.call(row.name, &target(row, sandbox).request);
    assert_eq!(reply.outcome(), Outcome::Confirmed, "{}: {}", row.name, reply.message());
    let mut out = String::new();
    let pointer = c_code.split("paysvc_reply_get(reply, \"").nth(1).map(|rest| rest.split('"').next().unwrap());
    match pointer {
        Some(pointer) => {
            let entries = answers::of_text(row, reply.body());
            let value = match &entries[pointer] {
                Value::String(text) => text,
                Value::Null => "none",
                other => panic!("{}: {pointer} is {other}", row.name),
            };
            writeln!(out, "{}: {value}", pointer.rsplit('/').next().unwrap()).unwrap();
        }
        None => writeln!(out, "{}", reply.message()).unwrap(),
    }
    // The data of a batch is a list, which has no word of its own.
    let has_word = good(row).answer.get("data").is_some_and(|data| data.get("status").is_some());
    if row.answer.state().is_some() || row.answer.success_is_state && has_word {
        let done = reply.state() == State::SUCCESSFUL.0;
        writeln!(out, "{}", if done { "successful" } else { "not successful, or not yet" }).unwrap();
    }
    out
}

/// Go says why there is no value.
fn without_reason(printed: &str) -> String {
    printed
        .lines()
        .map(|line| line.split_once(": none;").map_or(line.to_owned(), |(name, _)| format!("{name}: none")) + "\n")
        .collect()
}

fn works(start: &mut Command) {
    let sandbox = Sandbox::start(&[]);
    for setting in ["base_url", "public_key", "secret_key", "encryption_key"] {
        start.env(format!("PAYSVC_{}", setting.to_uppercase()), sandbox.text(setting));
    }
    let program = start.get_program().to_owned();
    for c in examples("c") {
        let expected = expected(c.row, &c.code, &sandbox);
        let target = target(c.row, &sandbox);
        let output = again(start).arg(c.row.name).output().unwrap();
        let printed = without_reason(&String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success(), "{program:?} {}: {}", c.row.name, output_of(&output));
        assert_eq!(printed, expected, "{program:?} {}", c.row.name);
        let requests = sandbox.get("/sandbox/requests");
        assert_eq!(requests["requests"].as_array().unwrap().len(), 1, "{program:?} {}", c.row.name);
        let ledger = sandbox.get("/sandbox/ledger");
        if let Some((effect, key)) = &target.effect {
            let mut entries = ledger["ledger"].as_array().unwrap().iter();
            let made = entries.find(|made| made["effect"] == **effect && made["key"] == **key);
            let made = made.unwrap_or_else(|| panic!("{program:?} {}: no {effect} {key} in {ledger}", c.row.name));
            if let Some(amount) = &good(c.row).amount {
                assert_eq!(made["amount"], filled(amount, &good(c.row).request), "{program:?} {}", c.row.name);
            }
        }
    }
    says_unknown(start);
}

/// The same command, to be run once more.
fn again(of: &Command) -> Command {
    let mut command = Command::new(of.get_program());
    command.args(of.get_args());
    for (name, value) in of.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

/// The request was read, and there is no answer.
fn says_unknown(start: &Command) {
    let server = Server::start(|mut connection| _ = connection.read_request());
    for row in ENDPOINTS {
        let mut command = again(start);
        command.env("PAYSVC_BASE_URL", server.config()["base_url"].as_str().unwrap()).env("PAYSVC_MAX_ATTEMPTS", "1");
        let output = command.arg(row.name).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<_> = printed.lines().collect();
        assert!(output.status.success(), "{}: {}", row.name, output_of(&output));
        assert!(lines.len() == 1 && lines[0].starts_with("UNKNOWN, "), "{}: {printed}", row.name);
    }
}

#[test]
fn every_example_in_c_works() {
    let stage = Stage::new();
    works(&mut c(&stage));
}

#[test]
fn every_example_in_cpp_works() {
    let stage = Stage::new();
    works(&mut cpp(&stage));
}

#[test]
fn every_example_in_go_works() {
    let stage = Stage::new();
    works(&mut go(&stage));
}

#[test]
fn every_example_in_python_works() {
    let stage = Stage::new();
    works(&mut python(&stage));
}
