//! Random faults, limits and cancels: many threads on shared clients against a raw server that does anything to its
//! connections; then what the calls returned is compared with what the server saw.
//!
//! `make test` runs it for 3 seconds with each `connection_reuse`, `make harden ONLY=faults` (TEST_FAULTS=all) for 60. SEED
//! repeats what is drawn; which call meets which fault also depends on how the threads run. Keys are unique, so each
//! response names the request it is for.

mod answers;
mod evidence;
mod peer;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use paysvc_spec::status::Outcome;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::capi::{Call, Client};
use crate::support::random::Random;
use crate::support::tls::Authority;
use crate::support::{long_encryption_key, root};
use evidence::{Given, Returned, Seen, Violation, check, may_have_met_a_stray};
use peer::{Manner, Peer};

const CALLERS: u64 = 32;
/// All calls have a limit below a second.
const HANG: Duration = Duration::from_secs(60);

/// A trace begins with it, and ends with the digits of the key.
const TRACE: &str = "feedfeedfeedfeedfeedfeed";

/// The keys of lists begin with a 9.
fn is_batch(key: &str) -> bool {
    key.starts_with("KEY-9")
}

/// The account that a list pays.
fn account_of(key: &str) -> String {
    format!("00{}", key.trim_start_matches("KEY-"))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Refund,
    Free,
    /// With a journal.
    Keyed,
    /// A list of one recipient, with a journal.
    Batch,
    Details,
    Status,
}

impl Kind {
    const ALL: [(Kind, &str); 6] = [
        (Kind::Refund, "order_refund (money)"),
        (Kind::Free, "request, POST (money)"),
        (Kind::Keyed, "order_refund with a journal (money)"),
        (Kind::Batch, "payout_bulk (money)"),
        (Kind::Details, "transaction_details (reads)"),
        (Kind::Status, "direct_debit_status (reads)"),
    ];

    fn moves_money(self) -> bool {
        matches!(self, Kind::Refund | Kind::Free | Kind::Keyed | Kind::Batch)
    }

    fn has_journal(self) -> bool {
        matches!(self, Kind::Keyed | Kind::Batch)
    }

    fn call(self, key: &str) -> (&'static str, Value) {
        match self {
            Kind::Refund | Kind::Keyed => ("order_refund", json!({"reference": key, "amount": "25.50"})),
            Kind::Batch => {
                let payout = json!({
                    "clientReference": key, "accountNumber": account_of(key), "bankCode": "000014", "amount": "25.50",
                    "description": "May", "accountName": "Ada Obi", "creditCurrency": "NGN", "debitCurrency": "NGN"
                });
                ("payout_bulk", json!({"payoutDetails": [payout]}))
            }
            Kind::Free => {
                let path = format!("/till/charge/{key}");
                ("request", json!({"method": "POST", "path": path, "key": "secret", "body": {"reference": key}}))
            }
            Kind::Details => ("transaction_details", json!({"sessionId": key})),
            Kind::Status => ("direct_debit_status", json!({"mandateCode": key})),
        }
    }
}

/// Two servers, one of them under TLS, and clients of all kinds: direct, through the proxy, with 1 to 4 attempts.
struct World {
    // Dropped first, so that the servers' connections end.
    clients: Vec<Client>,
    /// The clients with a journal.
    journaled: Vec<Client>,
    peers: [Peer; 2],
    _journals: TempDir,
    _authority: Authority,
}

impl World {
    fn new(seed: u64, reuse: &str) -> World {
        let authority = Authority::new();
        let mut tls = (*Authority::server(&authority.leaf(&["127.0.0.1"]), rustls::ALL_VERSIONS, None)).clone();
        // The server may speak before the client has finished its handshake.
        tls.send_half_rtt_data = true;
        let manner = Manner { seed, calm: false, tls: None };
        let peers =
            [Peer::start(manner.clone()), Peer::start(Manner { seed: seed ^ 1, tls: Some(Arc::new(tls)), ..manner })];
        let config = |https: bool, attempts: usize, proxy: bool| {
            let (scheme, peer) = if https { ("https", &peers[1]) } else { ("http", &peers[0]) };
            let mut config = json!({
                "base_url": format!("{scheme}://127.0.0.1:{}", peer.port),
                "public_key": "public",
                "secret_key": "secret",
                "connect_timeout_ms": 300,
                "max_attempts": attempts,
                "max_idle_connections": 2 + attempts,
                "connection_reuse": reuse,
            });
            if https {
                config["ca_file"] = authority.file().to_str().unwrap().into();
            }
            if proxy {
                config["proxy"] = format!("http://127.0.0.1:{}", peers[0].port).into();
            }
            config
        };
        let clients = (1..=4)
            .flat_map(|attempts| {
                [config(false, attempts, false), config(false, attempts, true), config(true, attempts, false)]
            })
            .map(|config| Client::new(&config))
            .collect();
        // On a disk: the library refuses a file system in memory.
        let journals = TempDir::new_in(root().join("build")).unwrap();
        let journaled = (1..=3)
            .map(|attempts| {
                let mut config = config(attempts == 2, attempts, attempts == 3);
                config["journal"] = json!(journals.path().join(format!("{attempts}.db")));
                config["journal_create"] = json!(true);
                config["encryption_key"] = json!(long_encryption_key());
                // A batch begins only if the call has so much time.
                config["timeout_ms"] = json!(300);
                Client::new(&config)
            })
            .collect();
        World { clients, journaled, peers, _journals: journals, _authority: authority }
    }

    /// The requests of a key, at whichever server they came.
    fn seen(&self, key: &str) -> Vec<Seen> {
        self.peers.iter().flat_map(|peer| peer.evidence.of(key)).collect()
    }

    fn count(&self, of: impl Fn(&Peer) -> usize) -> usize {
        self.peers.iter().map(of).sum()
    }
}

/// One call with a key of its own, a limit of its own, and perhaps a cancel.
fn call(client: &Client, reads: bool, kind: Kind, key: String, random: &mut Random) -> Returned {
    let (function, request) = kind.call(&key);
    let most = if kind == Kind::Batch { 1600 } else { 800 };
    let limit = Duration::from_millis(random.between(20, most));
    let cancel = random.percent(20).then(|| Duration::from_micros(random.below(300_000)));
    let token = Call::with_timeout_ms(limit.as_millis() as i32);
    assert!(kind != Kind::Keyed || token.set_key(&key));
    if kind == Kind::Batch {
        let digits = key.trim_start_matches("KEY-");
        assert!(token.set_traceparent(Some(&format!("00-{TRACE}{digits}-b7ad6b7169203331-01"))));
    }
    let started = Instant::now();
    let (reply, returned, cancelled) = std::thread::scope(|scope| {
        let token = &token;
        let (ended, has_ended) = mpsc::channel::<()>();
        let canceller = cancel.map(|after| {
            scope.spawn(move || {
                // Not after the call: that would cancel nothing.
                let _ = has_ended.recv_timeout(after);
                token.cancel();
                Instant::now()
            })
        });
        let reply = client.call_with(function, &request, Some(token));
        let returned = Instant::now();
        drop(ended);
        (reply, returned, canceller.map(|canceller| canceller.join().unwrap()))
    });
    let end = cancelled.map_or(started + limit, |cancelled| cancelled.min(started + limit));
    Returned {
        moves_money: kind.moves_money(),
        must_be_first: reads && kind.moves_money(),
        outcome: reply.outcome(),
        attempts: usize::try_from(reply.attempts()).unwrap(),
        token: reply.get(if kind == Kind::Batch { "/payouts/0/payoutReference" } else { "/data/token" }),
        late: returned.saturating_duration_since(end),
        said: format!("{}: {}", reply.verdict(), reply.message()),
        key,
    }
}

fn run(world: &World, reads: bool, seed: u64, duration: Duration) -> Vec<(Kind, Returned)> {
    let keys = AtomicU64::new(0);
    let until = Instant::now() + duration;
    std::thread::scope(|scope| {
        let (done, all_done) = mpsc::channel();
        for caller in 0..CALLERS {
            let (keys, done) = (&keys, done.clone());
            scope.spawn(move || {
                let mut random = Random::new(seed, 1_000_000 + caller);
                let mut returned = Vec::new();
                while Instant::now() < until {
                    let kind = Kind::ALL[random.below(Kind::ALL.len() as u64) as usize].0;
                    let first = if kind == Kind::Batch { 90_000_000 } else { 0 };
                    let key = format!("KEY-{:08}", first + keys.fetch_add(1, Ordering::Relaxed));
                    let clients = if kind.has_journal() { &world.journaled } else { &world.clients };
                    let client = &clients[random.below(clients.len() as u64) as usize];
                    if random.percent(5) {
                        client.warm(Some(&Call::with_timeout_ms(200)));
                    }
                    returned.push((kind, call(client, reads, kind, key, &mut random)));
                    // Now and then long enough for connections to lie idle with a stray response in them.
                    if random.percent(1) {
                        std::thread::sleep(Duration::from_millis(random.below(1200)));
                    }
                }
                done.send(returned).unwrap();
            });
        }
        let mut all = Vec::new();
        for _ in 0..CALLERS {
            match all_done.recv_timeout(duration + HANG) {
                Ok(returned) => all.extend(returned),
                Err(_) => {
                    // The scope would wait for ever for a call that never returns.
                    eprintln!("a call did not return within {HANG:?} of its limit (seed {seed})");
                    std::process::abort();
                }
            }
        }
        all
    })
}

#[derive(Default)]
struct Figures {
    calls: BTreeMap<(Kind, &'static str), usize>,
    violations: BTreeMap<Violation, usize>,
    excluded: usize,
    excluded_money: usize,
    shown: Vec<String>,
}

fn judge(world: &World, calls: &[(Kind, Returned)]) -> Figures {
    let mut figures = Figures::default();
    for (kind, returned) in calls {
        let seen = world.seen(&returned.key);
        let name = match returned.outcome {
            Outcome::NotSent => "NOT_SENT",
            Outcome::Confirmed => "CONFIRMED",
            Outcome::Rejected => "REJECTED",
            Outcome::Unknown => "UNKNOWN",
        };
        *figures.calls.entry((*kind, name)).or_default() += 1;
        let is_shifted_last = |token: &str| world.peers.iter().any(|peer| peer.evidence.is_shifted_last(token));
        let excluded = may_have_met_a_stray(returned, &seen, is_shifted_last);
        figures.excluded += usize::from(excluded);
        figures.excluded_money += usize::from(excluded && returned.moves_money);
        let found = check(returned, &seen, !excluded);
        if !found.is_empty() && figures.shown.len() < 30 {
            figures.shown.push(format!("{found:?}: {returned:?}\n    the server saw {seen:?}"));
            for token in returned.token.iter().filter(|token| token.starts_with("STRAY-")) {
                let of = |peer: &Peer| peer.evidence.history_of(token).join("\n        ");
                figures
                    .shown
                    .extend(world.peers.iter().map(|peer| format!("    its connection:\n        {}", of(peer))));
            }
        }
        found.into_iter().for_each(|violation| *figures.violations.entry(violation).or_default() += 1);
    }
    figures
}

const OUTCOMES: [&str; 4] = ["CONFIRMED", "REJECTED", "UNKNOWN", "NOT_SENT"];

fn print(world: &World, figures: &Figures, reuse: &str, seed: u64, duration: Duration) {
    let seconds = duration.as_secs();
    println!("\nrandom faults, connection_reuse {reuse}, {seconds} s, seed {seed} (SEED={seed} draws the same)\n");
    println!("| calls | all | {} |\n|---|---|---|---|---|---|", OUTCOMES.join(" | "));
    for (kind, name) in Kind::ALL {
        let of = |outcome| figures.calls.get(&(kind, outcome)).copied().unwrap_or(0);
        let counts = OUTCOMES.map(of);
        println!(
            "| {name} | {} | {} |",
            counts.iter().sum::<usize>(),
            counts.map(|count| count.to_string()).join(" | ")
        );
    }
    println!("\n{} calls, 15 clients, {CALLERS} threads", figures.calls.values().sum::<usize>());
    println!("{} connections", world.count(|peer| peer.counts.connections.load(Ordering::SeqCst)));
    println!("{} whole requests", world.count(|peer| peer.counts.requests.load(Ordering::SeqCst)));
    println!("{} stray answers", world.count(|peer| peer.counts.strays.load(Ordering::SeqCst)));
    println!(
        "{} calls that read, {} that move money, whose response is not judged: a stray may have come after the request",
        figures.excluded - figures.excluded_money,
        figures.excluded_money
    );
    for (violation, what) in Violation::ALL {
        println!("violations: {:>6}  {what}", figures.violations.get(&violation).copied().unwrap_or(0));
    }
}

/// Nothing is excused where money moves.
#[test]
fn random_faults_limits_and_cancels_where_money_is_the_first_on_its_connection() {
    random_faults_limits_and_cancels("reads");
}

#[test]
fn random_faults_limits_and_cancels_where_all_connections_are_used_again() {
    random_faults_limits_and_cancels("all");
}

fn random_faults_limits_and_cancels(reuse: &str) {
    let all = std::env::var("TEST_FAULTS").is_ok_and(|what| what == "all");
    let seed = std::env::var("SEED").map_or(20_260_101, |seed| seed.parse().expect("SEED is a number"));
    let duration = Duration::from_secs(if all { 60 } else { 3 });
    let mut world = World::new(seed, reuse);
    let calls = run(&world, reuse == "reads", seed, duration);
    world.clients.clear();
    world.journaled.clear();
    // Requests still on their way to the servers are seen before anything is judged.
    world.peers.iter_mut().for_each(Peer::stop);
    let figures = judge(&world, &calls);
    print(&world, &figures, reuse, seed, duration);
    assert!(figures.violations.is_empty(), "seed {seed}:\n{}", figures.shown.join("\n"));
    // Every outcome occurred, so that each of them was checked.
    for outcome in OUTCOMES {
        assert!(figures.calls.keys().any(|(_, found)| *found == outcome), "no call ended {outcome}");
    }
}

/// The check finds a client that sends twice, on a real connection to the same server, and one whose reports about the
/// same requests cannot be true.
#[test]
fn a_broken_client_is_found() {
    use std::io::{Read as _, Write as _};
    let mut peer = Peer::start(Manner { seed: 1, calm: true, tls: None });
    let send = |key: &str, times: usize| {
        let body = format!(r#"{{"reference":"{key}"}}"#);
        let request =
            format!("POST /payment/order/refund HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        for _ in 0..times {
            let mut tcp = std::net::TcpStream::connect(("127.0.0.1", peer.port)).unwrap();
            tcp.write_all(request.as_bytes()).unwrap();
            let mut answer = [0; 4096];
            let count = tcp.read(&mut answer).unwrap();
            assert!(String::from_utf8_lossy(&answer[..count]).contains(key));
        }
    };
    send("KEY-00000001", 2);
    send("KEY-00000002", 1);
    {
        let mut tcp = std::net::TcpStream::connect(("127.0.0.1", peer.port)).unwrap();
        tcp.write_all(b"POST /till/charge/KEY-00000003 HT").unwrap();
    }
    peer.stop();
    let says = |key: &str, outcome, attempts, token: Option<&str>| {
        let (key, token) = (key.to_owned(), token.map(str::to_owned));
        let returned = Returned {
            key,
            moves_money: true,
            must_be_first: true,
            outcome,
            attempts,
            token,
            late: Duration::ZERO,
            said: String::new(),
        };
        check(&returned, &peer.evidence.of(&returned.key), true)
    };
    let own = Some("KEY-00000002");
    assert_eq!(says("KEY-00000001", Outcome::Confirmed, 2, Some("KEY-00000001")), [Violation::SentTwice]);
    assert_eq!(
        says("KEY-00000001", Outcome::Confirmed, 1, None),
        [Violation::SentTwice, Violation::MoreSeenThanAttempts]
    );
    assert_eq!(says("KEY-00000002", Outcome::Confirmed, 1, own), []);
    assert_eq!(says("KEY-00000002", Outcome::Unknown, 1, None), []);
    assert_eq!(
        says("KEY-00000002", Outcome::NotSent, 0, None),
        [Violation::NotSentButSeen, Violation::MoreSeenThanAttempts]
    );
    assert_eq!(says("KEY-00000002", Outcome::Confirmed, 1, Some("STRAY-7")), [Violation::WrongAnswer]);
    assert_eq!(says("KEY-00000002", Outcome::Rejected, 1, own), [Violation::RejectedWithoutProof]);
    assert_eq!(says("KEY-00000003", Outcome::Unknown, 1, None), []);
    assert_eq!(says("KEY-00000003", Outcome::NotSent, 1, None), [Violation::NotSentButSeen]);
    assert_eq!(says("KEY-00000003", Outcome::Confirmed, 1, None), [Violation::ConfirmedWithoutProof]);
    assert_eq!(says("KEY-00000004", Outcome::Confirmed, 1, None), [Violation::ConfirmedWithoutProof]);
    assert_eq!(says("KEY-00000004", Outcome::NotSent, 0, None), []);
}

#[test]
fn what_may_be_sent_again_and_what_is_late() {
    let seen = |given, after_stray| Seen {
        connection: 0,
        whole: true,
        given,
        first: true,
        act: "",
        after_stray,
        after_shifted_429: false,
    };
    let returned = |moves_money, outcome, late| Returned {
        key: "KEY-00000001".into(),
        moves_money,
        must_be_first: false,
        outcome,
        attempts: 3,
        token: Some("STRAY-1".into()),
        late: Duration::from_millis(late),
        said: String::new(),
    };
    let judged = |returned: &Returned, seen: &[Seen]| {
        check(returned, seen, !may_have_met_a_stray(returned, seen, |token| token == "KEY-LAST"))
    };
    let again = |first: Given| [seen(first, true), seen(Given::Success, true)];
    let money = returned(true, Outcome::Confirmed, 0);
    assert_eq!(judged(&money, &again(Given::ComeAgain)), [], "a whole 429 asks for it");
    for first in [Given::Nothing, Given::Success, Given::Refusal, Given::Unclear] {
        assert_eq!(judged(&money, &again(first)), [Violation::SentTwice], "{first:?}");
        assert_eq!(judged(&returned(false, Outcome::Confirmed, 0), &again(first)), [], "a reading may be repeated");
    }
    let after_shifted_429 = Seen { after_shifted_429: true, ..seen(Given::Success, true) };
    let shifted = [after_shifted_429, seen(Given::Success, true)];
    assert_eq!(judged(&money, &shifted), [], "it may have read a 429");
    // Where money is the first on its connection, nothing is excused.
    let first = Returned { must_be_first: true, ..money.clone() };
    assert_eq!(judged(&first, &shifted), [Violation::SentTwice, Violation::WrongAnswer]);
    let second = Seen { first: false, ..seen(Given::Success, false) };
    let own = Returned { token: Some(first.key.clone()), ..first };
    assert_eq!(
        (judged(&own, std::slice::from_ref(&second)), judged(&money, &[second])),
        (vec![Violation::NotFirst], vec![Violation::WrongAnswer])
    );
    // The response of one that may have met a stray is not judged; one that had none is.
    let stray = |after_stray| judged(&money, &[seen(Given::Success, after_stray)]);
    assert_eq!((stray(true), stray(false)), (vec![], vec![Violation::WrongAnswer]));
    // Nor is one whose request was never read, behind a response that came a request late and was the connection's last.
    let unread =
        |token: &str| judged(&Returned { token: Some(token.into()), ..returned(true, Outcome::Confirmed, 0) }, &[]);
    assert_eq!(unread("KEY-LAST"), []);
    assert_eq!(unread("KEY-00000002"), [Violation::WrongAnswer, Violation::ConfirmedWithoutProof]);
    assert_eq!(judged(&returned(true, Outcome::Unknown, 3000), &again(Given::ComeAgain)), [Violation::ReturnedLate]);
    assert_eq!(judged(&returned(true, Outcome::Unknown, 2999), &again(Given::ComeAgain)), []);
    let refused =
        |given| judged(&returned(true, Outcome::Rejected, 0), &[Seen { after_stray: false, ..seen(given, false) }]);
    for given in [Given::ComeAgain, Given::Refusal] {
        assert_eq!(refused(given), [Violation::WrongAnswer], "a refusal proves itself, the token does not fit");
    }
    assert!(refused(Given::Unclear).contains(&Violation::RejectedWithoutProof));
}
