//! `certify`: a client that makes every mistake fails every scenario, and the findings name the reason.

use std::path::Path;
use std::process::Output;

use crate::common::folder::Folder;
use crate::common::{Sandbox, command};

/// Each scenario, and words of what is seen of the bad client.
const EXPECTED: [(&str, &str); 15] = [
    ("plain_body", "It sent a plain body to /payment/order/create"),
    ("secrets_in_the_open", "It sent cardnumber in the query of /payment/order/create."),
    ("wrong_key", "/payment/order/refund was answered 401: its api-key was public."),
    ("lost_answer", "It sent 2 requests that charge the order; the order was charged 2 times."),
    ("no_answer", "It sent 2 requests that charge the order; the order was charged 2 times."),
    ("gateway_error", "It sent 2 requests that charge the order; the order was charged 2 times."),
    ("success_not_paid", "It took the order for paid, and it is not."),
    ("pending_not_paid", "It took the order for paid, and it is not."),
    ("verify_00", "It took the order for paid, and it is not."),
    ("forged_webhook", "It did not ask the service about the order"),
    ("amount_compared", "It took the order for paid, and it is not."),
    ("currency_compared", "It took the order for paid, and it is not."),
    ("redirect", "It followed a redirect to localhost:"),
    ("rate_limit", "It was told to wait one second and came back after"),
    ("polling", "status queries came less than 200 ms after the one before."),
];

fn certify(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_client.py");
    let sandbox = ["--seed", "1", "certify"];
    command(&[&sandbox, arguments, &["--", "python3", folder.to_str().unwrap()]].concat()).output().unwrap()
}

#[test]
fn a_bad_client_fails_every_scenario() {
    let folder = Folder::new("certify");
    let output = certify(&["--report-dir", folder.path().to_str().unwrap()]);
    let told = String::from_utf8(output.stdout).unwrap();
    let files = ["txt", "html", "xml"]
        .map(|ending| std::fs::read_to_string(folder.file(&format!("certificate.{ending}"))).unwrap());
    assert_eq!(output.status.code(), Some(1), "{told}");
    for (name, words) in EXPECTED {
        let (_, rest) = told.split_once(&format!("FAILED {name}\n")).unwrap_or_else(|| panic!("{name}: {told}"));
        let own = rest.split("  why:").next().unwrap();
        assert!(own.contains(words), "{name}: {own}");
    }
    assert!(told.ends_with("0 of 15 scenarios passed\n"), "{told}");
    let [text, html, xml] = files;
    assert_eq!(text, told);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let failures = document.descendants().filter(|node| node.has_tag_name("failure")).count();
    assert_eq!((failures, document.root_element().attribute("tests")), (15, Some("15")));
    assert!(html.contains("color-scheme:light dark") && !html.contains("src=") && !html.contains("href="), "{html}");
}

#[test]
fn a_person_reads_the_task_and_tells_the_conclusion() {
    let start = ["--seed", "1", "--key-bits", "2048", "certify", "--scenario", "verify_00"];
    let mut command = command(&start);
    let mut sandbox = Sandbox::of(command.spawn().unwrap());
    let step = sandbox.admin("certify");
    assert_eq!((step["scenario"].as_str(), step["task"].as_str()), (Some("verify_00"), Some("check")));
    let reference = step["reference"].as_str().unwrap();
    let page = sandbox.send("GET", "/sandbox/certify", &[("accept", "text/html")], "").expect(200);
    assert!(page.text.contains(reference) && page.text.contains("It is not known"), "{}", page.text);
    sandbox.admin_post("certify/result", r#"{"paid":1}"#).expect_error(400, "paid", "true, false");
    sandbox.admin_post("certify/result", r#"{"paid":true,"reference":"X"}"#).expect_error(400, "reference", reference);
    let verified = sandbox.verify(reference).expect(200);
    assert_eq!((&verified.json()["statusCode"], &verified.json()["data"]["statusId"]), (&"00".into(), &4.into()));
    sandbox.admin_post("certify/result", r#"{"paid":"unknown"}"#).expect(200);
    assert!(sandbox.child.wait().unwrap().success());
    let mut told = String::new();
    std::io::Read::read_to_string(&mut sandbox.out, &mut told).unwrap();
    assert!(told.ends_with("passed verify_00\n1 of 1 scenarios passed\n"), "{told}");
}

#[test]
fn a_command_that_cannot_be_started_is_an_error() {
    let output = command(&["--key-bits", "2048", "certify", "--", "/nowhere/client"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("certify: /nowhere/client: "), "{told}");
    let output = command(&["certify", "--scenario", "x"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("the scenarios are plain_body, "));
}

#[test]
fn without_certify_there_is_no_task() {
    let sandbox = Sandbox::start(&[]);
    assert!(sandbox.send("GET", "/sandbox/certify", &[], "").expect(200).json()["scenario"].is_null());
    sandbox.admin_post("certify/result", r#"{"paid":true}"#).expect(404);
}

fn plain_client(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plain_client.py");
    let start = ["--seed", "1"];
    let mut command = command(&[&start, arguments, &["--", "python3", client.to_str().unwrap()]].concat());
    let output = command.envs(variables.iter().copied()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Consequences of a refusal are no mistake: nothing but the refusal is reported, and it comes first.
#[test]
fn a_client_that_is_refused_is_told_so_and_not_accused() {
    let folder = Folder::new("certify-refused");
    let arguments = ["certify", "--report-dir", folder.path().to_str().unwrap()];
    let (code, told) = plain_client(&arguments, &[("CLIENT_KEY", "PGW-PUBLICKEY-TEST-0")]);
    let [html, xml] =
        ["html", "xml"].map(|ending| std::fs::read_to_string(folder.file(&format!("certificate.{ending}"))).unwrap());
    let lead = "The sandbox refused requests of this client. Mend this first:\n  \
                POST /payment/order/create was answered 401: api-key is not valid. (8 scenarios)\n  \
                POST /payment/order/refund was answered 401: api-key is not valid. (1 scenario)\n  \
                POST /payment/order/verify was answered 401: api-key is not valid. (5 scenarios)\n\n";
    assert!(told.starts_with(lead), "{told}");
    let refused =
        "not tested lost_answer\n  refused: POST /payment/order/create was answered 401: api-key is not valid.\n";
    assert!(told.contains(refused), "{told}");
    // The rule of rate_limit acts before the key is looked at.
    assert_eq!((told.matches("\nnot tested ").count(), told.matches("FAILED").count()), (13, 1), "{told}");
    assert!(told.contains("FAILED wrong_key\n") && !told.contains("It took") && !told.contains("It sent no"), "{told}");
    assert!(told.ends_with("1 of 15 scenarios passed, 13 not tested\n") && code == Some(1), "{told}");
    assert!(html.contains("<ul><li>POST /payment/order/create was answered 401"), "{html}");
    assert!(xml.contains(r#"tests="15" failures="1" errors="13" skipped="0""#), "{xml}");
}

#[test]
fn a_name_of_the_sandbox_is_no_other_host() {
    let arguments = ["--host", "payments.example", "certify", "--scenario", "redirect"];
    let (code, told) = plain_client(&arguments, &[("CLIENT_HOST", "payments.example")]);
    assert_eq!((code, told.as_str()), (Some(0), "passed redirect\n1 of 1 scenarios passed\n"));
}

#[test]
fn scenarios_can_be_left_out() {
    let chosen = ["certify", "--scenario", "wrong_key", "--scenario", "verify_00", "--scenario", "polling"];
    let (code, told) = plain_client(&[&chosen[..], &["--no-refunds", "--skip", "polling"]].concat(), &[]);
    let expected = "skipped wrong_key\n  why: this client has no refunds\npassed verify_00\n\
                    skipped polling\n  why: --skip\n1 of 1 scenarios passed, 2 skipped\n";
    assert_eq!((code, told.as_str()), (Some(0), expected));
}

/// A client that makes its own references never meets the fault.
#[test]
fn a_fault_that_touches_nothing_tests_nothing() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plain_client.py");
    let script = format!("CERTIFY_REFERENCE=OWN exec python3 {}", client.to_str().unwrap());
    let start = ["--seed", "1", "certify", "--scenario", "lost_answer", "--", "sh", "-c", &script];
    let output = command(&start).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("not tested lost_answer\n  why: No request of the client met the fault"), "{told}");
    assert!(output.status.code() == Some(1) && told.ends_with("0 of 1 scenarios passed, 1 not tested\n"), "{told}");
}
