//! The samples of `docs/` that a program takes over as they are: what they do against the sandbox. And the sizes in
//! docs/keys.md are the library's. `documents.rs` checks that all other blocks compile.

use std::process::Command;

use paysvc_spec::ENDPOINTS;
use serde_json::{Value, json};

use crate::support::capi::Client;
use crate::support::sandbox::Sandbox;
use crate::support::target::good;
use crate::support::{Link, Stage, bindings, markdown, root, run};

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The only block of that language.
fn block(name: &str, language: &str) -> String {
    let blocks = markdown::blocks(name, &page(name)).unwrap_or_else(|why| panic!("{why}"));
    let mut found = blocks.into_iter().filter(|block| block.language == language);
    let block = found.next().unwrap_or_else(|| panic!("{name} has no {language}"));
    assert!(found.next().is_none(), "{name} has two blocks of {language}");
    block.text
}

/// Pointers to the texts in a request.
fn texts(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(index, value)| texts(value, &format!("{at}/{index}"), found))
        }
        Value::Object(all) => all.iter().for_each(|(name, value)| texts(value, &format!("{at}/{name}"), found)),
        _ => {}
    }
}

/// The number of encrypted bytes: the library reports it for a request that is too long by a known number.
fn size(client: &Client, function: &str, request: &Value) -> usize {
    const MORE: usize = 600;
    let mut pointers = Vec::new();
    texts(request, "", &mut pointers);
    let said = pointers.iter().find_map(|pointer| {
        let mut longer = request.clone();
        let text = longer.pointer_mut(pointer).unwrap();
        *text = json!(format!("{}{}", text.as_str().unwrap(), "x".repeat(MORE)));
        // Where the text may be of any length.
        let message = client.call(function, &longer).message().to_owned();
        let number = message.strip_prefix("payload is ")?.split(' ').next()?;
        Some(number.parse::<usize>().unwrap() - MORE)
    });
    said.unwrap_or_else(|| panic!("{function}: no text of {request} may be longer"))
}

#[test]
fn the_sizes_are_those_of_what_is_encrypted() {
    let sandbox = Sandbox::start(&["--key-bits", "2048"]);
    let client = Client::new(&sandbox.config());
    let page = page("docs/keys.md");
    for row in ENDPOINTS.iter().filter(|row| row.encrypted) {
        let bytes = size(&client, row.name, &Value::Object(good(row).request.clone()));
        assert!(page.contains(&format!("| `{}` | {bytes} | ", row.name)), "{} has {bytes} bytes", row.name);
    }
    let reference = format!("TILL-7-{}", "0".repeat(26));
    let order = json!({
        "order": {"reference": reference, "amount": 25.5, "currency": "NGN", "description": "tea"},
        "customer": {"firstname": "Ada", "lastname": "Lovelace", "mobile": "+2348000000000", "country": "NG",
            "email": "ada@example.com"},
    });
    let card = json!({
        "paymentOption": "C", "reference": reference, "country": "NG",
        "card": {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"},
    });
    // The price is written 25.50 there.
    let sizes = [size(&client, "order_create", &order) + 1, size(&client, "order_pay", &card)];
    assert!(page.contains(&format!("takes {} bytes", sizes[0])), "{sizes:?}");
    assert!(page.contains(&format!("takes {}.", sizes[1])), "{sizes:?}");
}

const ASK_IN_C: &str = r#"
#include <stdlib.h>

int main(int argc, char **argv)
{
    char request[1024];
    paysvc_client *client;
    paysvc_reply *reply;
    if (argc != 4 || paysvc_client_new(NULL, &client, NULL) != PAYSVC_OK) {
        return 2;
    }
    sprintf(request, "{\"reference\":\"%s\",\"paymentoption\":\"C\",\"country\":\"NG\",\"card\":{\"cardnumber\":\"%s\","
        "\"expirymonth\":\"01\",\"expiryyear\":\"39\",\"cvv\":\"193\"},\"order\":{\"reference\":\"%s\","
        "\"amount\":25.50,\"currency\":\"NGN\"}}", argv[1], argv[2], argv[1]);
    paysvc_order_create(client, request, NULL, &reply);
    printf("%s, ", paysvc_outcome_name(paysvc_reply_outcome(reply)));
    paysvc_reply_free(reply);
    reply = ask(client, argv[1], "25.50", "NGN", atoi(argv[3]));
    printf("%s %s %d\n", paysvc_outcome_name(paysvc_reply_outcome(reply)), paysvc_state_name(paysvc_reply_state(reply)),
        paysvc_reply_is_paid(reply, argv[1], "25.50", "NGN", NULL));
    paysvc_reply_free(reply);
    paysvc_client_free(client);
    return 0;
}
"#;

const ASK_IN_PYTHON: &str = r#"

import sys

reference, card, attempts = sys.argv[1:]
with paysvc.Client.from_env() as client:
    try:
        client.order_create(
            reference=reference, payment_option="C", country="NG",
            card=paysvc.Card(cardnumber=card, expirymonth="01", expiryyear="39", cvv="193"),
            order=paysvc.Order(reference=reference, amount="25.50", currency="NGN"),
        )
    except paysvc.OutcomeUnknown as lost:
        reply = ask(client, lost, int(attempts))
        paid = int(reply.is_paid(reference, "25.50", "NGN"))
        print(f"{lost.outcome.name}, {reply.outcome.name} {reply.state.name} {paid}")
"#;

#[test]
fn a_till_asks_what_became_of_a_lost_charge() {
    const PAGE: &str = "docs/at-the-till.md";
    let stage = Stage::new();
    // The customer waits 30 s; this test does not.
    let (c, python) = (block(PAGE, "c"), block(PAGE, "python"));
    let shorter = |text: String, long: &str, short: &str| {
        assert_eq!(text.matches(long).count(), 1, "{long}");
        text.replace(long, short)
    };
    let c = shorter(c, "timeout_ms(call, 30000)", "timeout_ms(call, 2000)") + ASK_IN_C;
    let python = shorter(python, "timeout=30)", "timeout=2)") + ASK_IN_PYTHON;
    let [c_file, python_file] = [("ask.c", c), ("ask.py", python)].map(|(name, text)| {
        std::fs::write(stage.path().join(name), text).unwrap();
        stage.path().join(name)
    });
    let program = stage.cc(&c_file, Link::Shared, &["-std=c89", "-pedantic"]);
    let sandbox = Sandbox::start(&["--pay-twice"]);
    for start in
        [&|| stage.command(&program), &|| bindings::python(python_file.to_str().unwrap())] as [&dyn Fn() -> Command; 2]
    {
        for (fault, card, attempts, expected) in [
            ("commit_then_reset", "4111111111111111", "0", "UNKNOWN, CONFIRMED SUCCESSFUL 1\n"),
            ("commit_then_reset", "4000000000000002", "1", "UNKNOWN, REJECTED FAILED 0\n"),
            ("commit_then_reset", "4000000000000002", "0", "UNKNOWN, UNKNOWN FAILED 0\n"),
            ("reset_without_commit", "4111111111111111", "1", "UNKNOWN, UNKNOWN NONE 0\n"),
        ] {
            sandbox.post("/sandbox/reset", &Value::Null);
            sandbox.post("/sandbox/faults", &json!({"path": "/payment/order/create", "fault": fault}));
            let mut command = start();
            let output = run(sandbox.configure(&mut command).args(["SALE-1", card, attempts]));
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{command:?}");
        }
    }
}

#[test]
fn an_amount_in_the_smallest_unit_is_written_in_major_units() {
    const PAGE: &str = "docs/amounts.md";
    let stage = Stage::new();
    let main = "\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    char text[40];\n    \
        if (argc == 3 && amount_of(strtoul(argv[1], NULL, 10), (unsigned)atoi(argv[2]), text)) puts(text);\n    \
        else puts(\"none\");\n    return 0;\n}\n";
    let source = stage.path().join("amount.c");
    std::fs::write(&source, block(PAGE, "c") + main).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    let python = stage.path().join("amount.py");
    let main = "\n\nimport sys\nprint(amount_of(int(sys.argv[1]), int(sys.argv[2])))\n";
    std::fs::write(&python, block(PAGE, "python") + main).unwrap();
    for (units, decimals, expected) in
        [("2550", "2", "25.50"), ("2550", "0", "2550"), ("5", "2", "0.05"), ("4294967295", "4", "429496.7295")]
    {
        for mut command in [stage.command(&program), bindings::python(python.to_str().unwrap())] {
            let output = run(command.args([units, decimals]));
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{command:?}");
        }
    }
    for arguments in [["0", "2"], ["1", "5"]] {
        assert_eq!(run(stage.command(&program).args(arguments)).stdout, b"none\n");
    }
}

#[test]
fn a_program_that_loads_the_library_itself_asks_for_an_order() {
    const PAGE: &str = "docs/linking.md";
    let stage = Stage::new();
    let (source, program) = (stage.path().join("loaded.c"), stage.path().join("loaded"));
    std::fs::write(&source, block(PAGE, "c")).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c89", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Ibuild/include", "loaded.c", "-ldl"]);
    run(compiler.arg("-o").arg(&program).current_dir(stage.path()));
    let sandbox = Sandbox::start(&[]);
    sandbox.post("/sandbox/orders", &json!({"reference": "ORDER-1", "amount": "25.50", "paid": true}));
    let start = |folder: &str| {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", stage.path().join(folder));
        let output = sandbox.configure(&mut command).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, told) = start("build/lib");
    assert!(code == Some(0) && told.starts_with("state 5: "), "{code:?}: {told}");
    let none = "libpaysvc.so.1 cannot be loaded, or is not of this ABI\n";
    assert_eq!(start("build/include"), (Some(2), none.to_owned()));
}
