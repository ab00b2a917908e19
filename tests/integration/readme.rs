//! README's programs are those of the packages, and its program in C links in every way that docs/linking.md shows. The
//! parts of programs in other pages work, too.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::{Link, Stage, output_of, root, run, static_libraries};

fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap()
}

/// The code blocks of a language in a document.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let text = text(document);
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// The only block of a language.
fn only(document: &str, language: &str) -> String {
    let blocks = blocks(document, language);
    let [block] = &blocks[..] else { panic!("{document} has {} blocks of {language}", blocks.len()) };
    block.clone()
}

/// The first charge.
fn program() -> String {
    only("README.md", "c")
}

/// So what is tested of those is true of these.
#[test]
fn the_programs_in_python_and_go_are_those_of_the_packages() {
    for language in ["python", "go"] {
        let package = blocks(&format!("bindings/{language}/README.md"), language);
        assert_eq!(only("README.md", language), package[0]);
    }
}

#[test]
fn the_parts_of_the_tills_are_those_of_the_programs() {
    for (language, program) in [("c", "examples/till.c"), ("python", "examples/till.py")] {
        let program = text(program);
        let parts = blocks("docs/journal.md", language).into_iter();
        let parts: Vec<_> = parts.filter(|part| part.contains("look_up_what_is_open")).collect();
        assert!(parts.len() == 1 && program.contains(&parts[0]), "{language}");
    }
}

/// Refunds a part of a paid order by the functions that use no JSON library.
const REFUND: &str = r#"
int main(int argc, char **argv)
{
    paysvc_client *client;
    paysvc_reply *reply;
    if (argc != 4 || paysvc_client_new(NULL, &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    if (!is_ready(client)) {
        return 3;
    }
    refund(client, argv[1], argv[2], argv[3], &reply);
    printf("%s: %s\n", paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_reply_message(reply));
    paysvc_reply_free(reply);
    paysvc_order_verify(client, "{\"reference\":\"ORDER-1\"}", NULL, &reply);
    print_payments(reply);
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    return 0;
}
"#;

#[test]
fn a_request_is_built_and_an_answer_walked_without_a_json_library() {
    let stage = Stage::new();
    let source = stage.path().join("refund.c");
    std::fs::write(&source, only("docs/configuration.md", "c") + &only("docs/calls.md", "c") + REFUND).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    let sandbox = Sandbox::start(&[]);
    sandbox.post("/sandbox/orders", &json!({"reference": "ORDER-1", "amount": "25.50", "paid": true}));
    let run = |arguments: [&[u8]; 3]| {
        let mut command = stage.command(&program);
        command.args(arguments.map(OsStr::from_bytes)).env("PAYSVC_BASE_URL", sandbox.text("base_url"));
        for member in ["public_key", "secret_key", "encryption_key"] {
            command.env(format!("PAYSVC_{}", member.to_uppercase()), sandbox.text(member));
        }
        let output = run(&mut command);
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    // The second reason has a byte that Windows-1252 lacks: nothing is refunded.
    let ready = "every check passed; the secret key and the encryption key were not tried with the service\n";
    let paid = "payment 1 of 1: Successful\n";
    assert_eq!(
        run([b"ORDER-1", b"10.00", b"\x84caf\xe9\x93 was cold"]),
        [format!("{ready}CONFIRMED: Refund has been initiated\n{paid}"), String::new()]
    );
    let error = "/reason: the value is not Windows-1252: the byte at 1 is undefined".to_owned();
    assert_eq!(
        run([b"ORDER-1", b"10.00", b"a\x81"]),
        [
            format!(
                "{ready}NOT_SENT: request_json is NULL: the last paysvc_json_text() of this thread was, and paysvc_json_error() says: {error}\n{paid}"
            ),
            error.clone()
        ]
    );
    let orders = sandbox.get("/sandbox/state")["orders"].take();
    let refunds = orders[0]["refunds"].as_array().unwrap();
    assert_eq!(refunds.len(), 1, "{orders}");
    assert_eq!((&refunds[0]["amount"], &refunds[0]["reason"]), (&"10.00".into(), &"„café“ was cold".into()));
}

#[test]
fn the_example_compiles_with_the_lines_given_and_runs() {
    let lines: Vec<_> = blocks("docs/linking.md", "sh")
        .concat()
        .lines()
        .filter(|line| line.starts_with("cc "))
        .map(str::to_owned)
        .collect();
    assert_eq!(lines.len(), 4, "a line for the shared library, one for the archive, and both with pkg-config");
    for line in lines {
        let stage = Stage::new();
        std::fs::write(stage.path().join("charge.c"), program()).unwrap();
        run(Command::new("sh")
            .arg("-c")
            .arg(line.replace("cc ", "cc -std=c89 -pedantic -Wall -Wextra -Werror "))
            .env("PKG_CONFIG_PATH", "build/lib/pkgconfig")
            .current_dir(stage.path()));
        // Nothing is configured: it must say what is missing instead of sending anything.
        let output = stage
            .command(&stage.path().join("charge"))
            .env_clear()
            .env("LD_LIBRARY_PATH", stage.path().join("build/lib"))
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.starts_with("NOT_SENT: order_create: base_url is not configured"),
            "{}",
            output_of(&output)
        );
        crate::support::charge::check(&|| stage.command(&stage.path().join("charge")));
    }
}

/// All but two. Every compiler links its own unwinder, as a shared library or, in a static program, as an archive: a program
/// that named libgcc_s could not be linked statically. And every compiler links the C library.
#[test]
fn the_system_libraries_are_those_that_the_compiler_names() {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    rustc
        .args(["--print", "native-static-libs", "--crate-type", "staticlib", "-", "-o"])
        .arg(std::env::temp_dir().join("paysvc-native-libs.a"));
    let output = run(rustc.stdin(std::process::Stdio::null()));
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = printed.lines().find_map(|line| line.split("native-static-libs: ").nth(1)).expect("rustc names them");
    let named: Vec<_> = named.split_whitespace().filter(|library| !["-lgcc_s", "-lc"].contains(library)).collect();
    assert_eq!(named, static_libraries());
    assert!(text("docs/linking.md").contains(&static_libraries().join(" ")));
}

#[test]
fn the_archive_links_with_a_static_unwinder_and_wholly_statically() {
    let stage = Stage::new();
    std::fs::write(stage.path().join("charge.c"), program()).unwrap();
    let can = crate::support::has_static_c(&stage);
    for (compiler, flag) in [("cc", "-static-libgcc"), ("c++", "-static-libgcc"), ("cc", "-static"), ("c++", "-static")]
    {
        if flag == "-static" && !can {
            continue;
        }
        let mut command = Command::new(compiler);
        command.args(["-Ibuild/include", flag, "-x"]).arg(if compiler == "cc" { "c" } else { "c++" });
        command
            .args(["charge.c", "-x", "none", "build/lib/libpaysvc.a"])
            .args(static_libraries())
            .args(["-o", "charge"]);
        run(command.current_dir(stage.path()));
        let headers = run(Command::new("readelf").arg("-dW").arg(stage.path().join("charge")));
        let needed = String::from_utf8_lossy(&headers.stdout).into_owned();
        assert!(!needed.contains("libgcc_s") && !needed.contains("libpaysvc"), "{compiler} {flag}: {needed}");
        assert!(flag != "-static" || !needed.contains("NEEDED"), "{compiler} {flag}: {needed}");
        let output = Command::new(stage.path().join("charge")).env_clear().output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("NOT_SENT: "), "{}", output_of(&output));
    }
}
