//! State between starts: `--state` keeps keys and data, `--ca-dir` and `--ca-file` the certificate authority.

use std::path::Path;
use std::time::Instant;

use crate::common::folder::Folder;
#[cfg(unix)]
use crate::common::folder::mode;
use crate::common::wire::{Client, TIMEOUT};
use crate::common::{Sandbox, refusal};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use serde_json::{Value, json};

const CARD: &str = "4111111111111111";
/// Without a seed: the keys are those of the first start.
const QUICK: [&str; 2] = ["--key-bits", "2048"];

fn start(path: &str, arguments: &[&str]) -> Sandbox {
    Sandbox::start_with(&[&["--state", path, "--any-reference"], arguments].concat())
}

fn keys(sandbox: &Sandbox) -> Value {
    let mut start = sandbox.start.clone();
    start["base_url"].take();
    start
}

/// Everything that a program can ask for.
fn facts(sandbox: &Sandbox, mandate: &str) -> Vec<Value> {
    let payouts = sandbox.admin("payouts");
    let mut state = sandbox.admin("state");
    // The log of deliveries starts anew.
    state["webhooks"].take();
    let balance = sandbox.get_secret("/payout/balance-enquiry?currency=NGN").expect(200).json();
    vec![state, sandbox.admin("ledger"), sandbox.admin(&format!("otp/{mandate}")), payouts, balance, behaviour(sandbox)]
}

fn behaviour(sandbox: &Sandbox) -> Value {
    let mut shown = sandbox.admin("webhooks");
    shown["deliveries"].take();
    shown
}

/// One of each kind of data; returns the code of a mandate that waits for its one-time code.
fn a_day(sandbox: &Sandbox) -> String {
    let mandate = sandbox.mandate("0690000031");
    sandbox.code(&mandate);
    sandbox.charge_card("PAID", CARD).expect(200);
    sandbox.charge_card("DECLINED", "4000000000000002").expect(200);
    sandbox.charge_card("WAITS", "4000002500003155").expect(200);
    sandbox.post("/payment/order/pay", r#"{"reference":"TRANSFER","paymentoption":"BT"}"#).expect(200);
    sandbox.post_secret("/payment/order/refund", r#"{"reference":"PAID","amount":"20"}"#).expect(200);
    sandbox.post_marked("/payment/virtual-account/generate", &sandbox.public, r#"{"Alias":"till-1"}"#).expect(200);
    sandbox.admin_post("fund", r#"{"alias":"till-1","amount":"1500.00","senderName":"Ada"}"#).expect(200);
    sandbox.admin_post("cards", r#"{"cardToken":"TOKEN","cardnumber":"4111111111111111"}"#).expect(200);
    let payout = r#"{"batchReference":"B","payoutDetails":[{"clientReference":"S","accountNumber":"0690000031","accountName":"Ada","bankCode":"000014","amount":"12.30"}]}"#;
    sandbox.admin_post("payouts", payout).expect(200);
    sandbox.admin_post("webhooks", r#"{"url":"http://127.0.0.1:9/hook","attempts":3,"form":"pascal"}"#).expect(200);
    mandate
}

#[test]
fn a_day_survives_a_restart() {
    let folder = Folder::new("saved-day");
    let path = folder.file("day.state");
    let first = start(&path, &QUICK);
    let mandate = a_day(&first);
    let (before, start_line) = (facts(&first, &mandate), keys(&first));
    let last_request = first.requests().last().unwrap()["request_id"].as_u64().unwrap();
    first.end();

    let text = std::fs::read_to_string(&path).unwrap();
    for secret in [CARD, "4000002500003155", "\"193\""] {
        assert!(!text.contains(secret), "{secret} is in the file");
    }
    #[cfg(unix)]
    assert_eq!(crate::common::folder::mode(&path), 0o600);

    let second = start(&path, &[]);
    assert_eq!(keys(&second), start_line);
    assert_eq!(facts(&second, &mandate), before);
    // Operations that were begun go on: a one-time code, a holder's consent, a refund, references.
    let otp = second.admin(&format!("otp/{mandate}"))["otp"].as_str().unwrap().to_string();
    second.pay("BY-MANDATE", &mandate, &otp).expect(200);
    second.pay("AGAIN", &mandate, &otp).expect_error(400, "directDebitPaymentRequest.otp", "used before");
    let waiting = |sandbox: &Sandbox, place: &str| {
        let orders = sandbox.admin("state")["orders"].as_array().unwrap().clone();
        let order = orders.iter().find(|order| order["reference"] == place).unwrap().clone();
        order["payments"][0]["reference"].as_str().unwrap().to_string()
    };
    second.admin_post(&format!("payments/{}/confirm", waiting(&second, "WAITS")), "").expect(200);
    second.charge_card("PAID", CARD).expect(400);
    second.charge_card("NEW", CARD).expect(200);
    assert_ne!(waiting(&second, "NEW"), waiting(&second, "PAID"));
    assert_eq!(second.admin("duplicates")["duplicates"], json!([]));
    // The ledger names the requests of both days, so their ids differ.
    assert!(second.requests()[0]["request_id"].as_u64().unwrap() > last_request);
    second.end();

    // A flag counts for more than what was saved; a setting that is no data comes from the command line.
    let third = start(&path, &["--webhook", "http://127.0.0.1:8/", "--pay-twice"]);
    let behaviour = behaviour(&third);
    assert_eq!((&behaviour["url"], &behaviour["attempts"]), (&json!("http://127.0.0.1:8/"), &json!(3)));
    third.charge_card("PAID", CARD).expect(200);
    third.admin_post("reset", "").expect(200);
    let cleared = keys(&third);
    third.end();
    let fourth = start(&path, &[]);
    assert_eq!((keys(&fourth), fourth.admin("ledger")["ledger"].clone()), (cleared, json!([])));
}

/// A fault that acted once does not act again on the status queries after the restart.
#[test]
fn used_magic_values_stay_used() {
    let folder = Folder::new("saved-magic");
    let path = folder.file("day.state");
    let first = start(&path, &QUICK);
    first.charge_card("sbx-commit_then_502-1", CARD).expect(502);
    first.end();
    let second = start(&path, &[]);
    second.status("sbx-commit_then_502-1").expect(200);
}

/// The state is in the file soon, without an end.
#[cfg(unix)]
#[test]
fn a_killed_sandbox_has_saved_what_is_older() {
    let folder = Folder::new("saved-killed");
    let path = folder.file("day.state");
    let mut first = start(&path, &QUICK);
    let start_line = keys(&first);
    first.charge_card("A", CARD).expect(200);
    let begin = Instant::now();
    while !std::fs::read_to_string(&path).unwrap().contains("charge_made") {
        assert!(begin.elapsed() < TIMEOUT);
        std::thread::yield_now();
    }
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let second = start(&path, &[]);
    assert_eq!((keys(&second), second.effects("charge_made").len()), (start_line, 1));
}

/// Every charge that was answered before the signal is in the file.
#[cfg(unix)]
#[test]
fn signals_lose_nothing() {
    let folder = Folder::new("saved-signals");
    let path = folder.file("day.state");
    for (number, signal) in ["TERM", "INT"].into_iter().enumerate() {
        let sandbox = start(&path, &["--seed", "1", "--key-bits", "2048"]);
        assert_eq!(sandbox.effects("charge_made").len(), number);
        sandbox.charge_card(signal, CARD).expect(200);
        sandbox.signal(signal);
    }
    assert_eq!(start(&path, &[]).effects("charge_made").len(), 2);
}

#[test]
fn a_file_that_cannot_be_used_is_refused_and_kept() {
    let folder = Folder::new("saved-bad");
    let path = folder.file("day.state");
    let first = start(&path, &QUICK);
    first.charge_card("A", CARD).expect(200);
    assert!(refusal(&["--state", &path]).contains("another sandbox uses this file"));
    first.end();
    let good = std::fs::read_to_string(&path).unwrap();
    let newer = good.replacen("\"paysvc_sandbox_state\":1", "\"paysvc_sandbox_state\":2", 1);
    for (text, words) in [
        ("", "not a state of paysvc-sandbox"),
        ("{}\n", "not a state of paysvc-sandbox"),
        (&good[..good.len() / 2], "it is damaged"),
        (&good.replace("100.00", "900.00"), "it is damaged"),
        (&newer, "its version is 2, and this paysvc-sandbox reads version 1 only"),
    ] {
        std::fs::write(&path, text).unwrap();
        let said = refusal(&["--state", &path]);
        assert!(said.contains(&format!("--state {path}: ")) && said.contains(words), "{words}: {said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    std::fs::write(&path, &good).unwrap();
    for flags in [&["--seed", "2"][..], &["--fresh-key"], &["--key-bits", "4096"]] {
        let said = refusal(&[&["--state", path.as_str()], flags].concat());
        assert!(said.contains("leave that out, or name another file"), "{flags:?}: {said}");
    }
    assert!(refusal(&["--state", &folder.file("no/such.state")]).contains("No such file"));
    start(&path, &["--key-bits", "2048"]).end();
}

#[test]
fn a_fresh_key_stays() {
    let folder = Folder::new("saved-fresh");
    let path = folder.file("day.state");
    let flags = ["--fresh-key", "--key-bits", "2048"];
    let first = start(&path, &flags);
    let start_line = keys(&first);
    first.end();
    let second = start(&path, &flags);
    assert_eq!(keys(&second), start_line);
    second.charge_card("A", CARD).expect(200);
}

fn serves(sandbox: &Sandbox) {
    let mut client = Client::new(sandbox);
    client.ask_for_banks(sandbox);
    client.answer().expect(200);
}

#[cfg(unix)]
fn set_mode(path: &str, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, permissions).unwrap();
}

#[test]
fn a_ca_is_made_once_and_stays() {
    let folder = Folder::new("ca-kept");
    let directory = folder.file("new/ca");
    let certificate = folder.file("new/ca/ca.pem");
    let first = Sandbox::start(&["--tls", "--ca-dir", &directory]);
    assert_eq!(first.start["ca_file"], certificate.as_str());
    serves(&first);
    let made = std::fs::read_to_string(&certificate).unwrap();
    assert!(made.contains("BEGIN CERTIFICATE") && !made.contains("PRIVATE"));
    #[cfg(unix)]
    assert_eq!((mode(&certificate), mode(&folder.file("new/ca/ca-key.pem"))), (0o644, 0o600));
    first.end();
    // The other flag with the same file.
    let second = Sandbox::start(&["--tls", "--ca-file", &certificate]);
    assert_eq!(second.start["ca_file"], certificate.as_str());
    serves(&second);
    second.end();
    assert_eq!(std::fs::read_to_string(&certificate).unwrap(), made);
}

#[test]
fn sandboxes_that_start_together_have_one_ca() {
    let folder = Folder::new("ca-race");
    let directory = folder.file("ca");
    let start = || Sandbox::start(&["--tls", "--ca-dir", &directory]);
    let sandboxes = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
    });
    sandboxes.iter().for_each(serves);
}

/// The certificate and its key in a file each.
fn write(certificate: &str, key: &str, params: CertificateParams) {
    let pair = KeyPair::generate().unwrap();
    std::fs::write(certificate, params.self_signed(&pair).unwrap().pem()).unwrap();
    std::fs::write(key, pair.serialize_pem()).unwrap();
    #[cfg(unix)]
    set_mode(key, 0o600);
}

fn ca() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

#[test]
fn a_ca_of_another_program_signs() {
    let folder = Folder::new("ca-other");
    let (certificate, key) = (folder.file("rootCA.pem"), folder.file("rootCA-key.pem"));
    write(&certificate, &key, ca());
    // As some programs make it.
    #[cfg(unix)]
    set_mode(&key, 0o400);
    serves(&Sandbox::start(&["--tls", "--ca-file", &certificate]));
}

#[test]
fn what_cannot_be_used_is_refused_and_kept() {
    let folder = Folder::new("ca-bad");
    let (certificate, key) = (folder.file("ca.pem"), folder.file("ca-key.pem"));
    let expired = || {
        let mut params = ca();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        params
    };
    let cases: [(&dyn Fn(), &str); 8] = [
        (&|| write(&certificate, &key, CertificateParams::default()), "not the certificate of a certificate authority"),
        (&|| write(&certificate, &key, expired()), "valid from Jan  1 00:00:00 2020"),
        (&|| write(&folder.file("other.pem"), &key, ca()), "ca-key.pem is not its key"),
        (&|| std::fs::write(&key, "x").unwrap(), "ca-key.pem: not a private key"),
        (&|| std::fs::write(&key, "").unwrap(), "ca-key.pem: it is empty, but"),
        (&|| std::fs::remove_file(&key).unwrap(), "ca-key.pem is missing"),
        (
            &|| [&certificate, &key].iter().for_each(|path| std::fs::write(path, "x").unwrap()),
            "ca.pem: not a certificate",
        ),
        (&|| std::fs::remove_file(&certificate).unwrap(), "ca.pem: No such file"),
    ];
    write(&certificate, &key, ca());
    for (damage, words) in cases {
        // The certificate of the case before is that of a CA.
        if words.contains("key") {
            write(&certificate, &key, ca());
        }
        damage();
        #[cfg(unix)]
        if Path::new(&key).exists() {
            set_mode(&key, 0o600);
        }
        let before = std::fs::read(&certificate).ok();
        let said = refusal(&["--tls", "--ca-dir", folder.path().to_str().unwrap()]);
        assert!(said.contains("--ca-dir: ") && said.contains(words), "{words}: {said}");
        assert_eq!(std::fs::read(&certificate).ok(), before, "{words}");
    }
    assert!(refusal(&["--tls", "--ca-file", "/dev/null/ca.pem"]).contains("--ca-file: /dev/null"));
    assert!(refusal(&["--ca-dir", "x"]).contains("--tls"));
    assert!(refusal(&["--tls", "--ca-dir", "x", "--ca-file", "y"]).contains("cannot be used with"));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_use_is_refused() {
    let folder = Folder::new("ca-exposed");
    let (certificate, key) = (folder.file("ca.pem"), folder.file("ca-key.pem"));
    write(&certificate, &key, ca());
    let said = || refusal(&["--tls", "--ca-file", &certificate]);
    for exposed in [0o640, 0o604, 0o622] {
        set_mode(&key, exposed);
        let said = said();
        assert!(said.contains(&format!("ca-key.pem: its mode is 0{exposed:o}, so other users can use it")), "{said}");
    }
    set_mode(&key, 0o600);
    // Only root can give a file away.
    if std::os::unix::fs::chown(&key, Some(12345), None).is_ok() {
        let said = said();
        assert!(said.contains("ca-key.pem: it belongs to another user"), "{said}");
    } else {
        paysvc_test_common::left_out::left_out(
            "a CA's key of another user is NOT tried: only root can give a file away",
        );
    }
}
