//! The matrix: endpoints × faults × plain and TLS, the reply's outcome against the sandbox's ledger.
//!
//! `make test` runs every fault on two calls that move money and one that reads, and on one of them with
//! `connection_reuse` "all"; `make harden ONLY=faults` (TEST_FAULTS=all) runs all endpoints with both settings, and prints the
//! table. TEST_FAULTS also takes names of endpoints, and `one`. After each UNKNOWN, `resolve` is asked what became of
//! the call.
//!
//! The sandbox runs with `--pay-twice`, so that nothing but the library keeps a charge from being made twice; and
//! beside the effects, the requests that carried a business key are counted. A client that sends twice is found by
//! both.

mod resolved;
mod sends_twice;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, Envelope};
use paysvc_spec::status::Outcome;
use serde_json::{Value, json};

use crate::support::capi::{Client, Reply, eventually};
use crate::support::platform::foreign;
use crate::support::sandbox::Sandbox;
use crate::support::target::{Target, target};
use resolved::Resolved;

/// Where a fault strikes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// The call itself, after another one; on the same connection if it may be used again.
    Call,
    /// The response before it.
    Before,
    /// The next new connection.
    Connect,
    /// As `Connect`, and only where there is TLS.
    Handshake,
}
use On::{Before, Call, Connect, Handshake};
use Outcome::{Confirmed, NotSent, Rejected, Unknown};

/// `connection_reuse`.
const REUSE: [&str; 2] = ["reads", "all"];

/// Fault, where it strikes, and the outcome of a call that moves money and of one that reads (and is repeated).
const FAULTS: &[(&str, On, Outcome, Outcome)] = &[
    ("reset_before_read", Call, Unknown, Confirmed),
    ("reset_before_read", Connect, Unknown, Confirmed),
    ("reset_without_commit", Call, Unknown, Confirmed),
    ("commit_then_reset", Call, Unknown, Confirmed),
    ("commit_then_close", Call, Unknown, Confirmed),
    ("commit_then_timeout", Call, Unknown, Unknown),
    ("commit_then_502", Call, Unknown, Confirmed),
    ("commit_then_500", Call, Unknown, Confirmed),
    ("commit_then_408", Call, Unknown, Confirmed),
    ("stale_keepalive", Before, Unknown, Confirmed),
    ("close_after_read", Call, Unknown, Confirmed),
    ("silent_close_idle", Before, Confirmed, Confirmed),
    ("unsolicited_response", Before, Confirmed, Confirmed),
    ("unsolicited_response", Call, Confirmed, Confirmed),
    ("late_unsolicited_response", Before, Confirmed, Confirmed),
    // Over plain HTTP the client may have written first; then nothing distinguishes the stray response from its own.
    ("early_response", Handshake, Confirmed, Confirmed),
    // A read whose response is cut off is repeated.
    ("truncate", Call, Unknown, Confirmed),
    ("drip", Call, Confirmed, Confirmed),
    ("slow_headers", Call, Confirmed, Confirmed),
    ("never_end", Call, Unknown, Unknown),
    ("endless_trailers", Call, Unknown, Unknown),
    ("endless_chunk_size", Call, Unknown, Unknown),
    ("no_crlf_after_chunk", Call, Unknown, Unknown),
    ("endless_interim", Call, Unknown, Unknown),
    ("close_delimited", Call, Confirmed, Confirmed),
    ("close_delimited_cut", Call, Unknown, Confirmed),
    ("huge_body", Call, Unknown, Unknown),
    ("gzip_bomb", Call, Unknown, Unknown),
    ("bad_utf8", Call, Unknown, Unknown),
    ("deep_nesting", Call, Confirmed, Confirmed),
    ("duplicate_members", Call, Unknown, Unknown),
    ("huge_number", Call, Confirmed, Confirmed),
    ("unknown_fields", Call, Confirmed, Confirmed),
    ("wrong_envelope", Call, Unknown, Unknown),
    ("empty_200", Call, Unknown, Unknown),
    ("html_200", Call, Unknown, Unknown),
    ("redirect_same", Call, Unknown, Unknown),
    ("redirect_other_host", Call, Unknown, Unknown),
    ("status_429", Call, Confirmed, Confirmed),
    ("status_429_retry_after", Call, Confirmed, Confirmed),
    ("status_429_paid", Call, Unknown, Confirmed),
    ("status_429_cut", Call, Unknown, Confirmed),
    // A read that is refused is REJECTED no matter who wrote the response: it changed nothing.
    ("status_403_page", Call, Unknown, Rejected),
    ("status_409_page", Call, Unknown, Rejected),
    ("status_400_paid", Call, Unknown, Rejected),
    ("pending_refusal", Call, Unknown, Rejected),
    ("success_failed_state", Call, Rejected, Confirmed),
    ("status_500", Call, Unknown, Confirmed),
    ("status_503", Call, Unknown, Confirmed),
    ("status_408", Call, Unknown, Confirmed),
    ("unauthorized", Call, Rejected, Rejected),
    ("echoes_request", Call, Rejected, Rejected),
    ("failed_then_success", Call, Rejected, Rejected),
    ("refused", Call, Rejected, Rejected),
    // They change lists only: with one element, or without a list, the response still confirms.
    ("partial_batch", Call, Confirmed, Confirmed),
    ("reorder_elements", Call, Confirmed, Confirmed),
    ("drop_element", Call, Confirmed, Confirmed),
    ("alter_element", Call, Confirmed, Confirmed),
    ("alter_amount", Call, Confirmed, Confirmed),
    // They change the messages to the browser's widget.
    ("widget_no_completed", Call, Confirmed, Confirmed),
    ("widget_no_close", Call, Confirmed, Confirmed),
    ("widget_minor_units", Call, Confirmed, Confirmed),
    ("tls_expired", Handshake, NotSent, NotSent),
    ("tls_wrong_host", Handshake, NotSent, NotSent),
    ("tls_silence", Handshake, Confirmed, Confirmed),
];

/// The connection ends when it is used again, which with "reads" only a reading does.
const WHEN_USED_AGAIN: [&str; 2] = ["stale_keepalive", "close_after_read"];

/// Faults after which a client may send again: the service did nothing.
const ASKS_AGAIN: [&str; 2] = ["status_429", "status_429_retry_after"];
/// They last until the deadline, where no bound ends them.
const ENDLESS: [&str; 6] = [
    "commit_then_timeout",
    "never_end",
    "endless_trailers",
    "endless_chunk_size",
    "no_crlf_after_chunk",
    "endless_interim",
];

/// Two that move money and one that reads.
const SAMPLE: [&str; 3] = ["order_refund", "order_create", "transaction_details"];
const WARM_UP: &str = "/payment/order/direct-debit/status";

#[derive(Default)]
struct Figures {
    cases: usize,
    false_not_sent: usize,
    false_confirmed: usize,
    twice: usize,
    sent_twice: usize,
    strays: usize,
    needless_unknown: usize,
    wrong: Vec<String>,
    resolved: Resolved,
    /// The verdicts by fault and kind of call.
    table: BTreeMap<(usize, &'static str), BTreeSet<String>>,
}

/// One endpoint with a setting of `connection_reuse`.
#[derive(Clone, Copy)]
struct Case {
    row: &'static Endpoint,
    reuse: &'static str,
    tls: bool,
}

impl Figures {
    fn add(&mut self, other: Figures) {
        self.cases += other.cases;
        self.false_not_sent += other.false_not_sent;
        self.false_confirmed += other.false_confirmed;
        self.twice += other.twice;
        self.sent_twice += other.sent_twice;
        self.strays += other.strays;
        self.needless_unknown += other.needless_unknown;
        self.wrong.extend(other.wrong);
        self.resolved.add(other.resolved);
        for (of, verdicts) in other.table {
            self.table.entry(of).or_default().extend(verdicts);
        }
    }

    fn run(&mut self, sandbox: &Sandbox, index: usize, case: Case) {
        let Case { row, reuse, tls } = case;
        let (fault, on, of_writes, of_reads) = FAULTS[index];
        let of_writes = if reuse == "reads" && WHEN_USED_AGAIN.contains(&fault) { Confirmed } else { of_writes };
        let may = as_the_row_reads(fault, row, if row.read_only() { of_reads } else { of_writes });
        let target = target(row, sandbox);
        let reply = call(sandbox, reuse, fault, on, &target);
        let seen = seen_in_the_end(sandbox, &target, on, &reply);
        let (made, sent) = (made(sandbox, &target), sent(sandbox, &target));
        let at = format!("{} / {fault} / {} / {reuse}", row.name, if tls { "TLS" } else { "plain" });
        let said = reply.outcome();

        self.cases += 1;
        let denied = said == NotSent || said == Rejected;
        self.false_not_sent += usize::from(denied && made > 0);
        self.false_confirmed += usize::from(said == Confirmed && made == 0 && target.effect.is_some());
        self.twice += usize::from(made > 1);
        self.sent_twice += usize::from(sent > 1);
        self.strays += usize::from(reply.get("/data/unsolicited").is_some());
        self.needless_unknown += usize::from(said == Unknown && may != Unknown);
        if sent > 1 || reply.get("/data/unsolicited").is_some() {
            self.wrong.push(format!("{at}: sent {sent} times, and the response is {}", reply.body()));
        }
        if said != may {
            self.wrong.push(format!("{at}: {} with {made} effects: {}", reply.verdict(), reply.message()));
        }
        if made > 1 || (denied && made > 0) {
            self.wrong.push(format!("{at}: {made} effects, and it says {}", reply.verdict()));
        }
        if usize::try_from(reply.attempts()).unwrap() != seen {
            self.wrong.push(format!("{at}: {} attempts, the service saw {seen}", reply.attempts()));
        }
        if fault == "failed_then_success" && !row.read_only() {
            let again = call_again(sandbox, &target);
            if again.outcome() != Confirmed {
                self.wrong.push(format!("{at}: the second time {}", again.verdict()));
            }
        }
        self.resolved.ask(sandbox, &target, &reply, &at);
        let kind = if row.read_only() { "reads" } else { "writes" };
        self.table.entry((index, kind)).or_default().insert(reply.verdict());
    }
}

/// The outcome of a fault's response where the row's own form of a response differs from the usual one.
fn as_the_row_reads(fault: &str, row: &Endpoint, usual: Outcome) -> Outcome {
    let answer = &row.answer;
    match fault {
        // "success" is the payment's state there, and contradicts the failed one.
        "success_failed_state" if !row.read_only() && answer.top_word_is_state() => Unknown,
        // Without an envelope any field of the row is success, and `data` is one of them.
        "wrong_envelope" if answer.envelope == Envelope::Bare && answer.members.iter().any(|it| it.name == "data") => {
            Confirmed
        }
        _ => usual,
    }
}

fn client(sandbox: &Sandbox, reuse: &str) -> Client {
    let changes = json!({"timeout_ms": 6000, "connect_timeout_ms": 500, "connection_reuse": reuse});
    Client::new(&sandbox.config_with(changes))
}

/// The call under test, which meets the fault once.
fn call(sandbox: &Sandbox, reuse: &str, fault: &str, on: On, target: &Target) -> Reply {
    let client = client(sandbox, reuse);
    sandbox.post("/sandbox/mandates", &json!({"mandateCode": "MDTC-WARM-UP"}));
    let warm_up = || {
        client.call("direct_debit_status", &json!({"mandateCode": "MDTC-WARM-UP"})).expect("OK CONFIRMED");
    };
    let arm = |path: Option<&str>, nth: u32| {
        let mut rule = json!({"fault": fault, "nth": nth, "count": 1});
        if let Some(path) = path {
            rule["path"] = path.into();
        }
        if fault == "slow_headers" {
            rule["delay_ms"] = 200.into();
        }
        sandbox.post("/sandbox/faults", &rule);
    };
    match on {
        Call if target.row.path == WARM_UP => {
            arm(Some(WARM_UP), 2);
            warm_up();
        }
        Call => {
            warm_up();
            arm(Some(&target.path), 1);
        }
        Before => {
            arm(Some(WARM_UP), 1);
            warm_up();
            match fault {
                "silent_close_idle" => wait_for(sandbox, false, &|state, _| state == CLOSE_WAIT),
                // Plain or TLS, the second response lies unread in the kept connection. In an emulator it may come before
                // the first one has been read; then the client has closed the connection.
                "late_unsolicited_response" => wait_for(sandbox, foreign().is_some(), &|_, unread| unread > 0),
                _ => {}
            }
        }
        Connect | Handshake => arm(None, 1),
    }
    // They end with the deadline only.
    let timeout_ms = if ENDLESS.contains(&fault) { 500 } else { 0 };
    let token = crate::support::capi::Call::with_timeout_ms(timeout_ms);
    client.call_with(target.row.name, &target.request, Some(&token))
}

const ESTABLISHED: &str = "01";
const CLOSE_WAIT: &str = "08";

/// Waits until the system shows a connection to the sandbox in that state, or with that many unread bytes: before the
/// sandbox's end or its stray response has arrived, nobody can know about it. `may_be_closed`: or until there is no
/// connection.
fn wait_for(sandbox: &Sandbox, may_be_closed: bool, there: &dyn Fn(&str, u64) -> bool) {
    let port: u16 = sandbox.text("base_url").rsplit(':').next().unwrap().parse().unwrap();
    let waits = |table: &str| {
        let mut open = false;
        for line in table.lines() {
            let fields: Vec<_> = line.split_whitespace().collect();
            let [_, _, remote, state, queues, ..] = fields[..] else { continue };
            if !remote.ends_with(&format!(":{port:04X}")) {
                continue;
            }
            let unread = queues.split(':').nth(1).and_then(|unread| u64::from_str_radix(unread, 16).ok());
            if there(state, unread.unwrap_or(0)) {
                return false;
            }
            open |= state == ESTABLISHED || state == CLOSE_WAIT;
        }
        open || !may_be_closed
    };
    eventually("the sandbox does it", || !waits(&std::fs::read_to_string("/proc/self/net/tcp").unwrap()));
}

fn call_again(sandbox: &Sandbox, target: &Target) -> Reply {
    client(sandbox, REUSE[0]).call(target.row.name, &target.request)
}

/// The number of times the effect of the call was committed: the truth, whatever the library says.
fn made(sandbox: &Sandbox, target: &Target) -> usize {
    let Some((effect, key)) = &target.effect else { return 0 };
    let by_call = |entry: &&Value| entry["effect"] == *effect && entry["key"] == *key && !entry["request_id"].is_null();
    sandbox.ledger().iter().filter(by_call).count()
}

/// The number of requests of the call that the sandbox saw; the warm-up has the same path for one of them. A request
/// without a method was not read: it is part of one, except after a handshake that failed.
fn seen(sandbox: &Sandbox, target: &Target, on: On) -> usize {
    let unread = |request: &Value| request["method"].is_null() && on != Handshake;
    let came = sandbox.requests();
    let count = came.iter().filter(|request| request["path"] == target.path.as_str() || unread(request)).count();
    count - usize::from(target.row.path == WARM_UP && matches!(on, Call | Before))
}

/// The same, once the sandbox has handled everything that was sent, which on a busy machine may be after the call has
/// ended.
fn seen_in_the_end(sandbox: &Sandbox, target: &Target, on: On, reply: &Reply) -> usize {
    let give_up = Instant::now() + Duration::from_secs(10);
    loop {
        let seen = seen(sandbox, target, on);
        if seen >= usize::try_from(reply.attempts()).unwrap() || Instant::now() > give_up {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The number of requests with the key of the call that may have been executed, as far as their sender can know: all
/// that came, whole or not, but those that were told to come again. More than one is too many.
fn sent(sandbox: &Sandbox, target: &Target) -> usize {
    let Some(key) = target.business_key() else { return 0 };
    let told_to_come_again =
        |request: &Value| request["fault"].as_str().is_some_and(|fault| ASKS_AGAIN.contains(&fault));
    let came = sandbox.requests();
    came.iter()
        .filter(|request| request["path"] == target.path.as_str() && carries(&request["payload"], key))
        .filter(|request| !told_to_come_again(request))
        .count()
}

/// Returns whether the key is one of the payload's strings.
fn carries(payload: &Value, key: &str) -> bool {
    match payload {
        Value::String(text) => text == key,
        Value::Array(items) => items.iter().any(|item| carries(item, key)),
        Value::Object(members) => members.values().any(|value| carries(value, key)),
        _ => false,
    }
}

/// `wanted`: all, one, or names of endpoints separated by commas; without it the sample.
/// TEST_FAULTS_JOBS (1): how many endpoints at a time, each with a sandbox of its own.
fn matrix(wanted: Option<&str>) -> Figures {
    let picked = |row: &Endpoint, reuse: &str| match wanted {
        Some("all") => true,
        Some("one") => SAMPLE[0] == row.name && reuse == REUSE[0],
        Some(names) => names.split(',').any(|name| name == row.name),
        None => SAMPLE[0] == row.name || SAMPLE.contains(&row.name) && reuse == REUSE[0],
    };
    let cases = REUSE.iter().flat_map(|reuse| ENDPOINTS.iter().map(move |row| (row, *reuse)));
    let jobs = std::env::var("TEST_FAULTS_JOBS").map_or(1, |jobs| jobs.parse().unwrap());
    let cases: Mutex<VecDeque<_>> = Mutex::new(cases.filter(|(row, reuse)| picked(row, reuse)).collect());
    let figures = Mutex::new(Figures::default());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let sandboxes = [&["--pay-twice"][..], &["--pay-twice", "--tls"]].map(Sandbox::start);
                loop {
                    let Some((row, reuse)) = cases.lock().unwrap().pop_front() else { break };
                    let of_row = endpoint(row, reuse, &sandboxes);
                    figures.lock().unwrap().add(of_row);
                }
            });
        }
    });
    figures.into_inner().unwrap()
}

/// Plain, and under TLS.
fn endpoint(row: &'static Endpoint, reuse: &'static str, [plain, over_tls]: &[Sandbox; 2]) -> Figures {
    let mut figures = Figures::default();
    for (sandbox, tls) in [(plain, false), (over_tls, true)] {
        for (index, (_, on, ..)) in FAULTS.iter().enumerate() {
            if tls || *on != Handshake {
                figures.run(sandbox, index, Case { row, reuse, tls });
            }
        }
    }
    if reuse == REUSE[0] {
        figures.resolved.variants(plain, row);
    }
    figures
}

fn print(figures: &Figures) {
    let place = |on: On| match on {
        Call => "the call",
        Before => "the response before",
        Connect | Handshake => "the connection",
    };
    println!("\n| fault | strikes | calls that move money | calls that read |\n|---|---|---|---|");
    for (index, (fault, on, ..)) in FAULTS.iter().enumerate() {
        let said = |kind| {
            figures
                .table
                .get(&(index, kind))
                .map_or(String::new(), |said| Vec::from_iter(said.iter().cloned()).join(", "))
        };
        println!("| {fault} | {} | {} | {} |", place(*on), said("writes"), said("reads"));
    }
    println!("\n{} calls, seed 7", figures.cases);
    println!("false NOT_SENT or REJECTED:            {}", figures.false_not_sent);
    println!("false CONFIRMED:                       {}", figures.false_confirmed);
    println!("effects committed twice:               {}", figures.twice);
    println!("requests of one key sent twice:        {}", figures.sent_twice);
    println!("answers that nobody asked for, taken:  {}", figures.strays);
    println!("UNKNOWN although the evidence decided: {}", figures.needless_unknown);
    figures.resolved.print();
}

/// The matrix has to know every fault that the sandbox has.
fn know_all(sandbox: &Sandbox) {
    let there: BTreeSet<_> = sandbox.faults().into_iter().collect();
    assert_eq!(there, FAULTS.iter().map(|(fault, ..)| fault.to_string()).collect());
}

#[test]
fn outcomes_agree_with_the_ledger() {
    know_all(&Sandbox::start(&[]));
    let figures = matrix(std::env::var("TEST_FAULTS").ok().as_deref());
    assert!(figures.cases > 0, "TEST_FAULTS names no endpoint");
    print(&figures);
    assert!(
        figures.wrong.is_empty(),
        "{} of {} calls:\n{}",
        figures.wrong.len(),
        figures.cases,
        figures.wrong.join("\n")
    );
    assert_eq!((figures.false_not_sent, figures.false_confirmed, figures.twice), (0, 0, 0));
    assert_eq!((figures.sent_twice, figures.strays, figures.needless_unknown), (0, 0, 0));
    assert!(figures.resolved.wrong.is_empty(), "resolved wrongly:\n{}", figures.resolved.wrong.join("\n"));
    assert!(figures.resolved.settled() > 0 || !figures.resolved.can_settle(), "nothing was resolved");
}
