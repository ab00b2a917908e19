//! A session in a file: `--record` writes it without secrets, `--replay` answers from it.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::common::folder::Folder;
use crate::common::wire::{Client, TIMEOUT};
use crate::common::{Answer, JSON, Sandbox, card, command, refusal, request};
use serde_json::Value;

const CARD: &str = "5123450000784608";
const ACCOUNT: &str = "0690000031";
const TOKEN: &str = "TOKEN-CANARY-77";
const ORDER: &str =
    r#"{"order":{"reference":"ORDER-1","amount":"2500.50","currency":"NGN"},"customer":{"email":"ada@example.com"}}"#;

fn start(flag: &str, path: &str, seed: &str) -> Sandbox {
    Sandbox::start_with(&["--seed", seed, "--key-bits", "2048", "--any-reference", flag, path])
}

/// The response as a client sees it: whole or in part, and how the connection ended.
fn seen(sandbox: &Sandbox, target: &str, payload: &str) -> String {
    let mut client = Client::new(sandbox);
    let headers = [("api-key", sandbox.public.as_str()), JSON];
    // A fault may end the connection before everything is sent.
    let _ = client.stream.write_all(&request("POST", target, &headers, &sandbox.encrypt(payload)));
    let (bytes, ended) = client.rest(TIMEOUT);
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("date: ")).collect();
    format!("{ended:?} {}", lines.join("\n"))
}

fn text(sandbox: &Sandbox, answer: &Answer) -> String {
    format!("{} {} {}", answer.status, answer.is_assumed(), answer.text.replace(sandbox.address(), "ADDRESS"))
}

/// A client's day: what it asks, and what it sees. The one-time code came by mail.
fn a_day(sandbox: &Sandbox, code: impl Fn(&str) -> String) -> Vec<String> {
    let mandate = sandbox.mandate("0690000047");
    sandbox.post("/payment/order/direct-debit/otp", &format!(r#"{{"mandateCode":"{mandate}"}}"#)).expect(200);
    let paid = sandbox.pay("M-0690000047", &mandate, &code(&mandate)).expect(200);
    let mut day = vec![text(sandbox, &paid)];
    let mut note = |answer: Answer| day.push(text(sandbox, &answer));
    note(sandbox.get("/payment/banks"));
    note(sandbox.post("/payment/order/create", ORDER));
    note(sandbox.charge_card("CARD-1", "4111111111111111"));
    note(sandbox.charge_card("CARD-2", CARD));
    note(sandbox.verify("CARD-1"));
    note(sandbox.post_secret("/payment/order/refund", r#"{"reference":"CARD-1","amount":"20"}"#));
    note(sandbox.post("/payment/order/pay", r#"{"reference":"ORDER-1","paymentoption":"BT"}"#));
    note(sandbox.post_marked("/payment/virtual-account/generate", &sandbox.public, r#"{"Alias":"till-1"}"#));
    note(sandbox.get("/payment/account-details?alias=till-1"));
    note(sandbox.post_secret("/payment/tokenize/charge", &format!(r#"{{"cardToken":"{TOKEN}","reference":"T-1"}}"#)));
    let payout = format!(
        r#"{{"batchReference":"B","payoutDetails":[{{"clientReference":"S","accountNumber":"{ACCOUNT}","accountName":"Ada","bankCode":"000014","amount":"12.30","creditCurrency":"NGN","debitCurrency":"NGN","description":"{ACCOUNT}"}}]}}"#
    );
    note(sandbox.post_marked("/payout/initiate", &sandbox.secret, &payout));
    note(sandbox.get_secret("/payout/B/status"));
    note(sandbox.send("GET", "/payment/banks", &[("api-key", "WRONG-CANARY-88")], ""));
    // Where no secret belongs, and in an error that repeats it.
    note(sandbox.post("/payment/order/create", &card(CARD, CARD).replace("\"NG\"", &format!("\"{CARD}\""))));
    day
}

/// Rules of the recorded sandbox; a replaying one has the faults from the file.
fn faults(sandbox: &Sandbox) {
    sandbox.rule(r#"{"fault":"commit_then_reset","path":"/payment/order/create","nth":1,"count":1}"#);
    sandbox.rule(r#"{"fault":"reset_before_read","path":"/payment/order/create","nth":2,"count":1}"#);
    sandbox.rule(r#"{"fault":"bad_utf8","path":"/payment/order/create","nth":3,"count":1}"#);
    sandbox.rule(r#"{"fault":"drip","path":"/payment/order/create","nth":4,"count":1}"#);
}

fn faulty(sandbox: &Sandbox) -> Vec<String> {
    let references = ["LOST", "UNREAD", "UTF8", "DRIP"];
    references.iter().map(|it| seen(sandbox, "/payment/order/create", &card(it, "4111111111111111"))).collect()
}

/// Returns whether the replayed response is the live one; its masked parts are asterisks.
fn fits(live: &str, replayed: &str) -> bool {
    let mut pieces = replayed.split('*').filter(|piece| !piece.is_empty());
    let rest = pieces.try_fold(live, |rest, piece| rest.split_once(piece).map(|(_, rest)| rest));
    rest == Some("") && replayed.split('*').next().is_some_and(|start| live.starts_with(start))
}

#[test]
fn a_session_is_replayed_by_another_sandbox() {
    let folder = Folder::new("session");
    let path = folder.file("day.session");
    let live = start("--record", &path, "1");
    live.admin_post("cards", &format!(r#"{{"cardToken":"{TOKEN}","cardnumber":"4111111111111111"}}"#)).expect(200);
    let code = std::cell::OnceCell::new();
    let day = a_day(&live, |mandate| {
        let shown = live.admin(&format!("otp/{mandate}"));
        code.get_or_init(|| shown["otp"].as_str().unwrap().to_string()).clone()
    });
    faults(&live);
    let broken = faulty(&live);
    assert!(broken[0] == "Reset " && broken[1] == "Reset ", "{broken:?}");
    assert!(broken[2].contains('\u{fffd}') && broken[3].contains("HTTP/1.1 200"), "{broken:?}");
    let secrets =
        [live.public.clone(), live.secret.clone(), live.start["encryption_key"].as_str().unwrap().to_string()];
    live.end();

    let file = std::fs::read_to_string(&path).unwrap();
    let known = [
        &format!("\"{}\"", code.get().unwrap()),
        CARD,
        "4111111111111111",
        "\"193\"",
        ACCOUNT,
        TOKEN,
        "WRONG-CANARY-88",
        "\"0690000047\"",
    ]
    .map(str::to_string);
    for secret in known.iter().chain(&secrets) {
        assert!(!file.contains(secret), "{secret} is in the file");
    }
    assert!(file.contains("2500.50") && file.contains("{base_url}"), "{file}");
    #[cfg(unix)]
    assert_eq!(crate::common::folder::mode(&path), 0o600);

    let replay = start("--replay", &path, "2");
    for (live, replayed) in day.iter().zip(a_day(&replay, |_| "000000".to_string())) {
        assert!(fits(live, &replayed), "\n{live}\n{replayed}");
    }
    assert_eq!(broken, faulty(&replay));
    let left = replay.admin("replay");
    assert_eq!((&left["unused"], &left["unmatched"]), (&Value::Array(vec![]), &Value::Array(vec![])), "{left}");
    assert_eq!(replay.effects("charge_made").len(), 0);
    // From the start again.
    replay.admin_post("reset", "").expect(200);
    assert!(fits(&day[2], &text(&replay, &replay.post("/payment/order/create", ORDER))));
    replay.end();
}

#[test]
fn a_connection_that_met_a_fault_meets_it_again() {
    let folder = Folder::new("session-connection");
    let path = folder.file("day.session");
    let ask = |sandbox: &Sandbox| {
        let mut client = Client::new(sandbox);
        client.ask_for_banks(sandbox);
        client.rest(TIMEOUT).1
    };
    let live = start("--record", &path, "1");
    live.rule(r#"{"fault":"reset_before_read","count":1}"#);
    let ended = ask(&live);
    live.get("/payment/banks").expect(200);
    live.end();
    let replay = start("--replay", &path, "2");
    assert_eq!(ask(&replay), ended);
    replay.get("/payment/banks").expect(200);
    replay.end();
}

#[test]
fn a_request_that_was_not_recorded_is_told_apart() {
    let folder = Folder::new("session-unmatched");
    let path = folder.file("day.session");
    let live = start("--record", &path, "1");
    live.post("/payment/order/create", ORDER).expect(200);
    live.status("ORDER-1").expect(200);
    live.end();

    let mut child = command(&["--seed", "2", "--key-bits", "2048", "--replay", &path, "--exit-with-parent"]);
    let mut replay = Sandbox::of(child.stderr(Stdio::piped()).spawn().unwrap());
    let wrong = |answer: Answer| answer.expect(500).json()["error"]["message"].as_str().unwrap().to_string();
    let other = replay.post("/payment/order/create", &ORDER.replace("2500.50", "2500.5"));
    let expected =
        r#"POST /payment/order/create differs from line 2: payload.order.amount is "2500.5", and was "2500.50"."#;
    assert_eq!(wrong(other), format!("This sandbox answers from a recording. {expected}"));
    // A payment is not repeated; a status query is.
    replay.post("/payment/order/create", ORDER).expect(200);
    assert!(wrong(replay.post("/payment/order/create", ORDER)).contains("more often than in the recording"));
    for _ in 0..2 {
        replay.status("ORDER-1").expect(200);
    }
    assert!(
        wrong(replay.get("/payment/banks"))
            .ends_with("GET /payment/banks was not recorded; the nearest call is line 3: POST /payment/order/status.")
    );
    assert_eq!(replay.admin("replay")["unmatched"].as_array().unwrap().len(), 3);
    drop(replay.child.stdin.take());
    assert_eq!(replay.child.wait().unwrap().code(), Some(1));
    let mut told = String::new();
    replay.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains(expected) && told.contains("not in the recording: 3"), "{told}");
}

#[test]
fn files_that_are_no_sessions_are_refused() {
    let folder = Folder::new("session-files");
    let path = folder.file("day.session");
    let live = start("--record", &path, "1");
    live.get("/payment/banks").expect(200);
    live.end();
    // Another session is never lost.
    assert!(refusal(&["--record", &path]).contains("exists"));
    assert!(refusal(&["--replay", &folder.file("none")]).contains("--replay"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let refused = |text: &str| {
        let path = folder.file("other");
        std::fs::write(&path, text).unwrap();
        refusal(&["--replay", &path])
    };
    assert!(refused("").contains("it is not a session of paysvc-sandbox"));
    assert!(refused("{\"base_url\":1}\n").contains("it is not a session of paysvc-sandbox"));
    assert!(refused(&whole.replace("_session\":1", "_session\":2")).contains("its version is 2"));
    assert!(refused(&whole.replace("\"GET\"", "7")).contains("line 2: request.method is not a text"));
    assert!(refused(&format!("{whole}{{\"fault\":\"tls_\"}}\n")).contains("line 3: There is no fault tls_"));
    let huge = folder.file("huge");
    std::fs::File::create(&huge).unwrap().set_len((64 << 20) + 1).unwrap();
    assert!(refusal(&["--replay", &huge]).contains("larger than 64 MB"));
    // The recording sandbox was killed within a line.
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"at\":\"20").unwrap();
    start("--replay", &path, "2").get("/payment/banks").expect(200);
}

/// Runs of a client that makes its own references, times and UUIDs, each of another number.
fn own_names(sandbox: &Sandbox, run: u64) -> Vec<String> {
    let uuid = format!("0f8fad5b-d9cb-469f-a165-7086772895{run:02}");
    let (order, batch) = (format!("SHOP-{}", 1_769_850_487_000 + run), format!("B{run}-{uuid}"));
    let url = format!("https://shop.example/back?order={order}");
    let created = format!(
        r#"{{"order":{{"reference":"{order}","amount":"5","description":"Order {order} of 2026-01-{run:02}T09:30:00Z"}},"payment":{{"RedirectUrl":"{url}"}},"note":"{uuid}"}}"#
    );
    let mut day = Vec::new();
    let mut note = |answer: Answer| {
        let shown = text(sandbox, &answer.expect(200));
        // A response has the recorded time.
        day.push(shown.replace(&order, "ORDER").replace("2026-01-11", "DAY"));
    };
    note(sandbox.post("/payment/order/create", &created));
    note(sandbox.charge_card(&order, "4111111111111111"));
    for _ in 0..2 {
        note(sandbox.verify(&order));
    }
    note(sandbox.post_secret("/payment/order/refund", &format!(r#"{{"reference":"{order}","amount":"2"}}"#)));
    let alias = format!("till-{run}");
    note(sandbox.post_marked(
        "/payment/virtual-account/generate",
        &sandbox.public,
        &format!(r#"{{"Alias":"{alias}"}}"#),
    ));
    sandbox.get(&format!("/payment/account-details?alias={alias}")).expect(200);
    let payout = format!(
        r#"{{"batchReference":"{batch}","payoutDetails":[{{"clientReference":"S-{run}","accountNumber":"{ACCOUNT}","accountName":"Ada","bankCode":"000014","amount":"12.30","creditCurrency":"NGN","debitCurrency":"NGN","description":"pay"}}]}}"#
    );
    note(sandbox.post_marked("/payout/initiate", &sandbox.secret, &payout));
    let made = day.last().unwrap();
    let reference = made.split(r#""batchReference":""#).nth(1).unwrap().split('"').next().unwrap().to_string();
    sandbox.get_secret(&format!("/payout/{reference}/status")).expect(200);
    day
}

#[test]
fn a_client_that_makes_its_own_references_is_replayed_to_the_end() {
    let folder = Folder::new("session-own-names");
    let path = folder.file("day.session");
    let start = |flag: &str, seed: &str| Sandbox::start_with(&["--seed", seed, flag, &path]);
    let live = start("--record", "1");
    let day = own_names(&live, 11);
    // A second order: a new reference must not stand for both.
    live.post("/payment/order/create", r#"{"order":{"reference":"SECOND","amount":"5"}}"#).expect(200);
    live.end();
    let replay = start("--replay", "2");
    for (live, replayed) in day.iter().zip(own_names(&replay, 22)) {
        assert!(fits(live, &replayed.replace("till-22", "till-11")), "\n{live}\n{replayed}");
    }
    // The same reference is a repetition, not the next order.
    let again = replay.post("/payment/order/create", r#"{"order":{"reference":"SHOP-1769850487022","amount":"5"}}"#);
    let why = again.expect(500).json()["error"]["message"].as_str().unwrap().to_string();
    assert!(why.contains("differs from line 11"), "{why}");
    replay.post("/payment/order/create", r#"{"order":{"reference":"THIRD","amount":"5"}}"#).expect(200);
    let left = replay.admin("replay");
    assert_eq!((&left["unused"], left["unmatched"].as_array().unwrap().len()), (&Value::Array(vec![]), 1), "{left}");
}
