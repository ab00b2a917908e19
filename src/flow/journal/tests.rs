//! Recorded requests over a real socket, with a store in memory that can fail.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use paysvc_test_common::http;
use serde_json::{Value, json};

use super::*;
use crate::call::CallToken;
use crate::call::{Bounds, CallRecord};
use crate::ledger::clock::{self, Moment};
use crate::ledger::row::{Claim, Kind, Row};
use crate::ledger::store::{AppendResult, NewRow, Query, RowVisitor, Store};

/// The ways in which an append fails.
#[derive(Clone, Copy, PartialEq, Default)]
enum Failing {
    #[default]
    Nothing,
    /// The row is not written.
    Append,
    /// The first row is not written yet.
    FirstAppend,
    /// The row is written, and the response lost.
    AnswerOfAppend,
    /// From the second row on.
    SecondAppend,
    Read,
    /// Another claim of the order is made at the same time, and the number of the first end is taken.
    Race,
    /// Every claim is made during the read.
    ClaimDuringRead,
}

type Rows = BTreeMap<(String, u32), (Option<String>, bool, String)>;

#[derive(Clone, Default)]
pub struct Memory {
    rows: Arc<Mutex<Rows>>,
    failing: Arc<Mutex<Failing>>,
    is_elsewhere: Arc<AtomicBool>,
}

impl Memory {
    fn fail(&self, failing: Failing) {
        *self.failing.lock().unwrap() = failing;
    }

    /// Changes what was written, as somebody with the time to do it could.
    fn change(&self, change: impl Fn(&mut Row)) {
        for (_, _, json) in self.rows.lock().unwrap().values_mut() {
            let mut row = Row::parse(json).unwrap();
            change(&mut row);
            *json = row.to_json().unwrap();
        }
    }

    fn change_claims(&self, change: impl Fn(&mut Claim)) {
        self.change(|row| {
            if let Kind::Claim(claim) = &mut row.kind {
                change(claim);
            }
        });
    }

    /// The call of every claim is over.
    fn let_time_pass(&self) {
        self.change_claims(|claim| (claim.lease.from.ms, claim.lease.for_ms) = (0, 0));
    }

    /// As if a second claim of the key had been made.
    fn claim_again(&self, key: &str) {
        let mut rows = self.rows.lock().unwrap();
        let seq = rows.keys().filter(|(of, _)| of == key).count() as u32 + 1;
        let (order, open, json) = rows[&(key.to_owned(), 1)].clone();
        let row = Row { seq, id: format!("again-{seq}"), ..Row::parse(&json).unwrap() };
        rows.insert((key.to_owned(), seq), (order, open, row.to_json().unwrap()));
    }

    /// Writes the rows that others write at the same time as this row.
    fn race(&self, row: &Row) {
        let mut rows = self.rows.lock().unwrap();
        let mut insert = |key: &Name, seq: u32, kind: Kind| {
            let id = format!("other-{seq}");
            let other = Row { key: key.clone(), seq, id, open: false, kind, ..row.clone() };
            let order = row.order.as_ref().map(|order| order.index.clone());
            rows.insert((key.index.clone(), seq), (order, false, other.to_json().unwrap()));
        };
        let other = Name::new("key other");
        match &row.kind {
            Kind::Claim(_) => {
                insert(&other, 1, row.kind.clone());
                insert(&other, 2, Kind::End(End::not_sent("other-1")));
            }
            Kind::End(End { of, .. }) => {
                insert(&row.key, row.seq, Kind::Seen { of: of.clone(), at: Moment::now() });
                self.fail(Failing::Nothing);
            }
            _ => {}
        }
    }

    /// Returns the ids of the claims.
    fn ids(&self) -> Vec<String> {
        let rows = self.rows.lock().unwrap();
        let all = rows.values().map(|row| Row::parse(&row.2).unwrap());
        all.filter(|row| matches!(row.kind, Kind::Claim(_))).map(|row| row.id).collect()
    }

    fn kinds(&self) -> Vec<String> {
        let rows = self.rows.lock().unwrap();
        let all: Vec<Value> = rows.values().map(|(_, _, json)| serde_json::from_str(json).unwrap()).collect();
        let name = |row: &Value| {
            format!(
                "{}{}",
                row["kind"].as_str().unwrap(),
                row["outcome"].as_str().map_or(String::new(), |text| format!(" {text}"))
            )
        };
        all.iter().map(name).collect()
    }
}

impl Store for Memory {
    fn append(&self, row: &NewRow, _: &Bounds) -> Result<AppendResult, String> {
        let failing = *self.failing.lock().unwrap();
        if failing == Failing::Race {
            self.race(&Row::parse(&row.json)?);
        }
        if failing == Failing::FirstAppend {
            self.fail(Failing::Nothing);
            return Err("the connection broke".into());
        }
        let mut rows = self.rows.lock().unwrap();
        let key = (row.key.clone(), row.seq);
        if failing == Failing::Append || failing == Failing::SecondAppend && !rows.is_empty() {
            return Err("the disk is full".into());
        }
        if rows.contains_key(&key) {
            return Ok(AppendResult::Exists);
        }
        rows.insert(key, (row.order.clone(), row.open, row.json.clone()));
        if failing == Failing::AnswerOfAppend { Err("the connection broke".into()) } else { Ok(AppendResult::Done) }
    }

    fn read(&self, queries: &[Query<'_>], _: &Bounds, found: &mut RowVisitor<'_>) -> Result<(), String> {
        if *self.failing.lock().unwrap() == Failing::Read {
            return Err("the disk is gone".into());
        }
        if *self.failing.lock().unwrap() == Failing::ClaimDuringRead {
            std::thread::sleep(Duration::from_millis(5));
            self.change_claims(|claim| claim.lease.from = Moment::now());
        }
        let rows = self.rows.lock().unwrap().clone();
        for (index, query) in queries.iter().enumerate() {
            let mut hand_on = |json: &str| _ = found(index, json);
            match *query {
                Query::Key(key) => rows.iter().filter(|((of, _), _)| of == key).for_each(|(_, row)| hand_on(&row.2)),
                Query::Order(order) => {
                    rows.values().filter(|row| row.0.as_deref() == Some(order)).for_each(|row| hand_on(&row.2));
                }
                Query::Open { after, limit } => {
                    let is_last = |key: &str, seq: u32| !rows.contains_key(&(key.to_owned(), seq + 1));
                    let open = rows.iter().filter(|((key, seq), row)| &**key > after && row.1 && is_last(key, *seq));
                    open.take(limit as usize).for_each(|(_, row)| hand_on(&row.2));
                }
            }
        }
        Ok(())
    }

    fn is_elsewhere(&self) -> bool {
        self.is_elsewhere.load(Ordering::SeqCst)
    }
}

/// Counts the requests that move money, and answers them and status queries with the given responses.
struct Service {
    port: u16,
    charges: Arc<AtomicU32>,
    look_ups: Arc<AtomicU32>,
    answers: Arc<Mutex<Answers>>,
}

#[derive(Clone, Default)]
struct Answers {
    /// `None`: the connection ends without a response.
    charge: Option<(&'static str, String)>,
    look_up: (&'static str, String),
    look_up_takes: Duration,
}

impl Service {
    fn start() -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let service = Service {
            port: listener.local_addr().unwrap().port(),
            charges: Arc::default(),
            look_ups: Arc::default(),
            answers: Arc::new(Mutex::new(Answers {
                charge: Some(paid()),
                look_up: ("404 Not Found", "{}".into()),
                look_up_takes: Duration::ZERO,
            })),
        };
        let (charges, look_ups, answers) =
            (Arc::clone(&service.charges), Arc::clone(&service.look_ups), Arc::clone(&service.answers));
        std::thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let (charges, look_ups, answers) = (Arc::clone(&charges), Arc::clone(&look_ups), Arc::clone(&answers));
                std::thread::spawn(move || {
                    while let Some(request) = http::read_message(&mut connection) {
                        let is_look_up = request.lines().next().unwrap().contains("/status");
                        let number = if is_look_up { &look_ups } else { &charges }.fetch_add(1, Ordering::SeqCst);
                        let answers = answers.lock().unwrap().clone();
                        let answer = if is_look_up { Some(answers.look_up.clone()) } else { answers.charge.clone() };
                        let Some((status, body)) = answer else { break };
                        if is_look_up {
                            std::thread::sleep(answers.look_up_takes);
                        }
                        _ = connection.write_all(
                            http::response(status, "", &body.replace("NUMBER", &number.to_string())).as_bytes(),
                        );
                    }
                });
            }
        });
        service
    }

    fn charge_answers(&self, answer: Option<(&'static str, String)>) {
        self.answers.lock().unwrap().charge = answer;
    }

    fn look_up_answers(&self, state: u8, entry: &str) {
        self.answers.lock().unwrap().look_up = ("200 OK", order(state, entry));
    }

    fn charges(&self) -> u32 {
        self.charges.load(Ordering::SeqCst)
    }
}

fn order(state: u8, entries: &str) -> String {
    let last = if matches!(state, 4..=6) { "true,\"requeryNeeded\":false" } else { "false,\"requeryNeeded\":true" };
    format!(
        r#"{{"data":{{"orderSummary":{{"reference":"ORD-1","statusId":{state}}},"isFinalStatus":{last},"orderPayments":[{entries}]}}}}"#
    )
}

const FAILED: &str = r#"{"orderPaymentReference":"PAY-1","statusId":4}"#;

fn paid() -> (&'static str, String) {
    ("200 OK", r#"{"status":"success","statusCode":"00","data":{"statusId":5,"reference":"ORD-1"}}"#.into())
}

fn card() -> Value {
    json!({"cardnumber": "5123450000000008", "expirymonth": "12", "expiryyear": "39", "cvv": "100"})
}

fn declined() -> (&'static str, String) {
    ("400 Bad Request", r#"{"status":"failed","message":"declined"}"#.into())
}

/// The customer must authorize it.
fn awaiting() -> (&'static str, String) {
    let body = r#"{"status":"success","data":{"orderPayment":{"orderReference":"ORD-1","orderPaymentReference":"PAY-1","statusId":3}}}"#;
    ("200 OK", body.into())
}

struct Till {
    client: Client,
    store: Memory,
    service: Service,
}

impl Till {
    fn new() -> Till {
        let service = Service::start();
        let store = Memory::default();
        let client = client(service.port, &store);
        Till { client, store, service }
    }

    fn pay(&self) -> Reply {
        self.call("order_pay", json!({"reference": "ORD-1", "paymentOption": "C", "card": card()}), None)
    }

    fn refund(&self, amount: &str, key: Option<&str>) -> Reply {
        self.call("order_refund", json!({"reference": "ORD-1", "amount": amount}), key)
    }

    fn call(&self, name: &str, request: Value, key: Option<&str>) -> Reply {
        let token = Arc::new(CallToken::default());
        token.set_timeout_ms(3000);
        assert!(key.is_none_or(|key| token.set_key(key)));
        let record = CallRecord::new();
        let context = self.client.begin(Some(token), &record);
        self.client.call(&context, paysvc_spec::endpoint(name), &request.to_string())
    }

    fn next(&self, after: &str) -> (Option<String>, Reply) {
        self.next_within(after, 3000)
    }

    /// With a limit for the call.
    fn next_within(&self, after: &str, ms: i32) -> (Option<String>, Reply) {
        let token = Arc::new(CallToken::default());
        token.set_timeout_ms(ms);
        let record = CallRecord::new();
        self.client.journal_next(&self.client.begin(Some(token), &record), after)
    }

    /// Each order is charged once, and no response comes.
    fn lose_answers(&self, orders: &[&str]) {
        self.service.charge_answers(None);
        for order in orders {
            let request = json!({"reference": order, "paymentOption": "C", "card": card()});
            assert_eq!(self.call("order_pay", request, None).outcome(), Unknown);
        }
        self.let_time_pass();
    }

    fn settle(&self, request: Value) -> Reply {
        let record = CallRecord::new();
        self.client.journal_settle(&self.client.begin(None, &record), &request.to_string())
    }

    /// The call of every claim is over.
    fn let_time_pass(&self) {
        self.store.let_time_pass();
    }
}

fn client(port: u16, store: &Memory) -> Client {
    client_of(port, store, json!({}))
}

fn without_journal(port: u16) -> Client {
    let config = json!({"base_url": format!("http://127.0.0.1:{port}"), "secret_key": "s"});
    Client::new(Some(&config.to_string()), &|_| None).unwrap_or_else(|error| panic!("{}", error.message))
}

/// With other settings.
pub fn client_of(port: u16, store: &Memory, settings: Value) -> Client {
    let vector = include_str!("../../../tests/vectors/rsa4096.json");
    let vector: Value = serde_json::from_str(vector).unwrap();
    let mut config = json!({
        "base_url": format!("http://127.0.0.1:{port}"), "public_key": "public", "secret_key": "secret",
        "encryption_key": vector["encryption_key"], "timeout_ms": 3000, "max_attempts": 1,
    });
    settings.as_object().unwrap().iter().for_each(|(name, value)| config[name] = value.clone());
    let client = Client::new(Some(&config.to_string()), &|_| None).unwrap_or_else(|error| panic!("{}", error.message));
    client.set_store(Box::new(store.clone())).unwrap_or_else(|error| panic!("{}", error.message));
    client
}

fn seen(reply: &Reply) -> (Status, Outcome, bool) {
    (reply.status(), reply.outcome(), reply.replayed)
}

use Outcome::{Confirmed, NotSent, Rejected, Unknown};

#[test]
fn an_order_is_charged_once_however_often_it_is_paid() {
    let till = Till::new();
    let first = till.pay();
    assert_eq!(seen(&first), (Status::Ok, Confirmed, false), "{}", first.message);
    till.service.look_up_answers(5, "");
    for _ in 0..3 {
        let again = till.pay();
        assert_eq!(seen(&again), (Status::Ok, Confirmed, true), "{}", again.message);
        assert!(again.body.contains("orderSummary"), "the status query's body: {}", again.body);
    }
    assert_eq!((till.service.charges(), till.store.kinds()), (1, vec!["claim".into(), "end CONFIRMED".into()]));
}

#[test]
fn a_lost_answer_is_looked_up_and_never_sent_again() {
    let till = Till::new();
    till.service.charge_answers(None);
    assert_eq!(seen(&till.pay()), (Status::Transport, Unknown, false));
    till.let_time_pass();
    till.service.look_up_answers(2, "");
    for _ in 0..2 {
        let open = till.pay();
        assert_eq!(seen(&open), (Status::Unresolved, Unknown, false), "{}", open.message);
    }
    till.service.look_up_answers(5, "");
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 1);
    assert_eq!(till.store.kinds(), ["claim", "end UNKNOWN", "end CONFIRMED"]);
}

/// A till that dies between claim and answer: the claim has no end, and its call may still be under way.
#[test]
fn a_claim_without_an_end_is_waited_for_and_then_looked_up() {
    let till = Till::new();
    till.service.charge_answers(None);
    till.pay();
    let (last, _) = till.store.rows.lock().unwrap().pop_last().unwrap();
    assert_eq!(last.1, 2, "the end");
    let started = std::time::Instant::now();
    let waited = till.pay();
    assert_eq!(seen(&waited), (Status::Unresolved, Unknown, false), "{}", waited.message);
    assert!(
        started.elapsed() >= Duration::from_secs(2) || waited.message.contains("status query"),
        "{}",
        waited.message
    );
    till.let_time_pass();
    till.service.look_up_answers(4, FAILED);
    till.service.charge_answers(Some(paid()));
    let paid = till.pay();
    assert_eq!(seen(&paid), (Status::Ok, Confirmed, false), "{}", paid.message);
    assert_eq!(till.service.charges(), 2);
    assert_eq!(till.store.kinds(), ["claim", "end REJECTED", "claim", "end CONFIRMED"]);
}

#[test]
fn what_the_service_confirmed_and_calls_failed_for_good_is_unknown() {
    let till = Till::new();
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    till.service.look_up_answers(2, FAILED);
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true), "in progress");
    till.service.look_up_answers(4, FAILED);
    let failed = till.pay();
    assert_eq!(seen(&failed), (Status::Unresolved, Unknown, false), "{}", failed.message);
    assert!(failed.body.contains(r#""key":"charge ORD-1""#), "{}", failed.body);
    till.service.look_up_answers(5, "");
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 1);
}

/// The service named the second attempt before its response was lost for good; it has failed, and so has the first. That
/// proves nothing where others may have paid: with another journal, or on a checkout.
#[test]
fn a_later_attempt_is_refused_once_its_own_entry_has_failed() {
    for (is_elsewhere, has_page, expected) in [(false, false, Rejected), (true, false, Unknown), (false, true, Unknown)]
    {
        let till = Till::new();
        if has_page {
            let page = r#"{"isSuccess":true,"redirectUrl":"https://pay.example/1"}"#;
            till.service.charge_answers(Some(("200 OK", page.into())));
            let order = json!({"reference": "ORD-1", "amount": "5", "currency": "NGN"});
            let made = till.call("checkout_create", json!({"order": order}), None);
            assert_eq!(made.outcome(), Confirmed, "{}", made.message);
        }
        till.service.charge_answers(Some(declined()));
        assert_eq!(till.pay().outcome(), Rejected);
        let first = r#"{"orderPaymentReference":"PAY-0","statusId":4}"#;
        till.service.look_up_answers(4, first);
        till.service.charge_answers(Some(awaiting()));
        assert_eq!(till.pay().outcome(), Confirmed, "for now");
        till.store.is_elsewhere.store(is_elsewhere, Ordering::SeqCst);
        assert_eq!(till.next("").1.outcome(), Unknown, "its entry is not there yet");
        till.service.look_up_answers(4, &format!("{first},{FAILED}"));
        let reply = till.next("").1;
        assert_eq!(reply.outcome(), expected, "{}", reply.message);
        assert_eq!(till.service.charges(), 2 + u32::from(has_page));
    }
}

#[test]
fn a_declined_card_may_be_followed_by_another_unless_the_service_has_one_in_progress() {
    let till = Till::new();
    till.service.charge_answers(Some(declined()));
    assert_eq!(seen(&till.pay()), (Status::Rejected, Rejected, false));
    till.service.look_up_answers(2, r#"{"orderPaymentReference":"PAY-1","statusId":2}"#);
    assert_eq!(seen(&till.pay()), (Status::Unresolved, Unknown, false));
    assert_eq!(till.service.charges(), 1);
    till.service.look_up_answers(4, FAILED);
    till.service.charge_answers(Some(paid()));
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 2);
}

#[test]
fn an_order_that_the_service_has_paid_already_is_not_charged() {
    let till = Till::new();
    till.service.look_up_answers(5, r#"{"orderPaymentReference":"PAY-9","statusId":5}"#);
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true));
    assert_eq!((till.service.charges(), till.store.kinds()), (0, vec!["claim".into(), "end CONFIRMED".into()]));
    let other = Till::new();
    other.service.look_up_answers(4, FAILED);
    assert_eq!(seen(&other.pay()), (Status::Unresolved, Unknown, false), "an attempt of somebody else");
    assert_eq!((other.service.charges(), other.store.kinds().len()), (0, 0));
}

#[test]
fn a_refund_needs_a_key_and_its_key_is_for_one_refund() {
    let till = Till::new();
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success","message":"refunded"}"#.into())));
    let without = till.refund("5", None);
    assert_eq!(seen(&without), (Status::Argument, NotSent, false));
    assert!(without.message.contains("idempotency key"), "{}", without.message);
    assert_eq!(seen(&till.refund("5.00", Some("k"))), (Status::Ok, Confirmed, false));
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, true));
    let other = till.refund("6", Some("k"));
    assert_eq!(seen(&other), (Status::KeyReused, Unknown, false));
    assert!(other.message.contains("amount") && !other.message.contains('6'), "{}", other.message);
    assert_eq!(seen(&till.refund("6", Some("l"))), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 2);
}

#[test]
fn a_journal_that_fails_lets_nothing_be_sent() {
    for (failing, outcome, kinds) in [(Failing::Append, NotSent, 0), (Failing::Read, Unknown, 0)] {
        let till = Till::new();
        till.store.fail(failing);
        assert_eq!(seen(&till.pay()), (Status::Journal, outcome, false));
        if failing == Failing::Read {
            let authorize = json!({"orderPaymentReference": "PAY-1", "otp": "1"});
            let authorized = till.call("order_pay_authorize", authorize, None);
            assert_eq!(seen(&authorized), (Status::Journal, Unknown, false), "its order is not known");
        }
        till.store.fail(Failing::Nothing);
        assert_eq!((till.service.charges(), till.store.kinds().len()), (0, kinds));
        assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    }
}

#[test]
fn an_insert_whose_answer_was_lost_is_recognised() {
    let till = Till::new();
    till.store.fail(Failing::AnswerOfAppend);
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn an_insert_that_may_still_arrive_finds_its_number_taken() {
    let till = Till::new();
    till.store.fail(Failing::FirstAppend);
    assert_eq!(seen(&till.pay()), (Status::Journal, NotSent, false));
    assert_eq!((till.service.charges(), till.store.kinds()), (0, vec!["end NOT_SENT".to_owned()]));
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn a_journal_that_fails_after_sending_leaves_the_reply_and_the_key_open() {
    let till = Till::new();
    till.store.fail(Failing::SecondAppend);
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    till.store.fail(Failing::Nothing);
    till.let_time_pass();
    till.service.look_up_answers(5, "");
    assert_eq!(till.store.kinds(), ["claim"]);
    let (key, reply) = till.next("");
    assert_eq!((key.as_deref(), reply.outcome()), (Some("charge ORD-1"), Confirmed), "{}", reply.message);
    assert_eq!(till.next("charge ORD-1").0.as_deref(), Some(""));
    assert_eq!(till.next("").0.as_deref(), Some(""));
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn a_row_that_its_key_does_not_find_counts_if_its_order_finds_it() {
    let till = Till::new();
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success","message":"refunded"}"#.into())));
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, false));
    {
        let mut rows = till.store.rows.lock().unwrap();
        *rows = rows.iter().map(|((_, seq), row)| (("key j".to_owned(), *seq), row.clone())).collect();
    }
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn a_claim_that_lost_a_race_is_ended_even_if_others_write_to_its_key() {
    let till = Till::new();
    till.store.fail(Failing::Race);
    let paid = till.pay();
    assert_eq!(seen(&paid), (Status::Ok, Confirmed, false), "{}", paid.message);
    let own = ["claim", "seen", "end NOT_SENT", "claim", "end CONFIRMED"];
    assert_eq!(till.store.kinds(), [&own[..], &["claim", "end NOT_SENT"]].concat());
    assert_eq!(till.service.charges(), 1);
}

/// A new order is not looked for: its claim finds the rows.
#[test]
fn an_order_that_this_client_has_made_and_another_till_has_paid_is_not_charged_again() {
    let till = Till::new();
    let another = client(till.service.port, &till.store);
    let request = json!({"reference": "ORD-1", "paymentOption": "C", "card": card()}).to_string();
    let record = CallRecord::new();
    let paid = another.call(&another.begin(None, &record), paysvc_spec::endpoint("order_pay"), &request);
    assert_eq!((paid.outcome(), till.service.charges()), (Confirmed, 1));
    assert!(till.client.remember_reference("ORD-1"));
    let replayed = till.pay();
    assert_eq!((replayed.replayed, till.service.charges()), (true, 1), "{}", replayed.message);
}

#[test]
fn a_claim_that_is_made_during_the_read_is_of_this_boot() {
    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    till.store.fail(Failing::ClaimDuringRead);
    assert_eq!(seen(&till.pay()), (Status::Unresolved, Unknown, false));
    assert!(!till.store.kinds().contains(&"seen".to_owned()), "{:?}", till.store.kinds());
}

#[test]
fn of_many_that_pay_at_once_one_is_sent() {
    let till = Till::new();
    till.service.look_up_answers(5, "");
    let answers = Arc::clone(&till.service.answers);
    answers.lock().unwrap().look_up = ("404 Not Found", "{}".into());
    let clients: Vec<_> = (0..8).map(|_| client(till.service.port, &till.store)).collect();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .into_iter()
            .map(|client| {
                let till = Till {
                    client,
                    store: till.store.clone(),
                    service: Service {
                        port: 0,
                        charges: Arc::default(),
                        look_ups: Arc::default(),
                        answers: Arc::clone(&answers),
                    },
                };
                scope.spawn(move || till.pay())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(till.service.charges(), 1);
    for reply in &outcomes {
        assert_eq!(reply.outcome(), Confirmed, "{}", reply.message);
    }
    assert_eq!(outcomes.iter().filter(|reply| !reply.replayed).count(), 1);
}

#[test]
fn an_authorization_belongs_to_the_open_charge_that_it_completes() {
    let till = Till::new();
    let authorize =
        |otp: &str| till.call("order_pay_authorize", json!({"orderPaymentReference": "PAY-1", "otp": otp}), None);
    assert_eq!(seen(&authorize("1")), (Status::Unresolved, Unknown, false), "no such charge");
    till.service.charge_answers(Some(awaiting()));
    let charge = till.pay();
    assert_eq!((charge.outcome(), charge.state().0), (Confirmed, 3), "{}", charge.message);
    till.service.charge_answers(Some(paid()));
    let authorized = authorize("123456");
    assert_eq!(seen(&authorized), (Status::Ok, Confirmed, false), "{}", authorized.message);
    till.service.look_up_answers(5, r#"{"orderPaymentReference":"PAY-1","statusId":5}"#);
    assert_eq!(seen(&authorize("123456")), (Status::Ok, Confirmed, true));
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 2);
    let rows = till.store.rows.lock().unwrap();
    assert!(rows.values().all(|row| !row.2.contains("123456") && !row.2.contains("5123450000000008")));
}

#[test]
fn a_person_settles_what_stays_open_and_later_news_outweighs_it() {
    let till = Till::new();
    till.service.charge_answers(None);
    till.pay();
    till.let_time_pass();
    till.service.look_up_answers(2, "");
    let (key, open) = till.next("");
    assert_eq!((key.as_deref(), open.outcome()), (Some("charge ORD-1"), Unknown));
    let id = open.message.split("(claim ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let settled = till.settle(json!({"id": id, "outcome": "REJECTED", "who": "A", "why": "not in the statement"}));
    assert_eq!(seen(&settled), (Status::Rejected, Rejected, false), "{}", settled.message);
    let again = till.settle(json!({"id": id, "outcome": "REJECTED", "who": "A", "why": "twice"}));
    assert_eq!(seen(&again), (Status::Argument, Unknown, false));
    till.service.charge_answers(Some(paid()));
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 2);
}

/// A program that dies between the return and its own record hears of the payment again.
#[test]
fn the_end_that_journal_next_returned_is_written_when_the_program_comes_back_with_the_key() {
    let (key, open) = ("charge ORD-1", ["claim", "end UNKNOWN"]);
    for (state, entry, outcome, end) in [(5, "", Confirmed, "end CONFIRMED"), (4, FAILED, Rejected, "end REJECTED")] {
        let till = Till::new();
        till.lose_answers(&["ORD-1"]);
        till.service.look_up_answers(state, entry);
        for after in ["", "", "a"] {
            let (next, reply) = till.next(after);
            assert_eq!((next.as_deref(), reply.outcome()), (Some(key), outcome), "{}", reply.message);
        }
        assert_eq!(till.store.kinds(), open, "nobody has come back with the key");
        let next_run = Till { client: client(till.service.port, &till.store), ..till };
        assert_eq!(next_run.next(key).0.as_deref(), Some(""), "this client has returned nothing");
        assert_eq!(next_run.store.kinds(), open);
        assert_eq!(next_run.next("").1.outcome(), outcome);
        // The service's response now is news that the program has not received.
        next_run.service.look_up_answers(if state == 5 { 4 } else { 5 }, FAILED);
        let look_ups = next_run.service.look_ups.load(Ordering::SeqCst);
        assert_eq!(next_run.next("CHARGE ord-1").0.as_deref(), Some(""));
        assert_eq!(next_run.store.kinds(), ["claim", "end UNKNOWN", end]);
        assert_eq!(next_run.service.look_ups.load(Ordering::SeqCst), look_ups);
        assert_eq!(next_run.next(key).0.as_deref(), Some(""));
        assert_eq!(next_run.store.kinds().len(), 3);
    }
}

#[test]
fn of_two_loops_in_one_process_the_first_to_come_back_may_be_the_one_that_heard_unknown() {
    let (till, key) = (Till::new(), "charge ORD-1");
    till.lose_answers(&["ORD-1"]);
    till.service.look_up_answers(2, "");
    assert_eq!(till.next("").1.outcome(), Unknown);
    till.service.look_up_answers(5, "");
    assert_eq!(till.next("").1.outcome(), Confirmed);
    till.next(key);
    assert_eq!(till.store.kinds().len(), 2);
    till.next(key);
    assert_eq!(till.store.kinds(), ["claim", "end UNKNOWN", "end CONFIRMED"]);
}

/// A loop that repeats a call which failed comes back twice for one return.
#[test]
fn a_call_that_could_not_read_the_journal_acknowledges_nothing() {
    let (till, key) = (Till::new(), "charge ORD-1");
    till.lose_answers(&["ORD-1"]);
    till.service.look_up_answers(2, "");
    assert_eq!(till.next("").1.outcome(), Unknown);
    till.service.look_up_answers(5, "");
    assert_eq!(till.next("").1.outcome(), Confirmed);
    till.store.fail(Failing::Read);
    assert_eq!(till.next(key).0, None);
    till.store.fail(Failing::Nothing);
    till.next(key);
    assert_eq!(till.store.kinds().len(), 2, "of the loop that heard UNKNOWN");
    till.next(key);
    assert_eq!(till.store.kinds().len(), 3);
}

#[test]
fn an_end_that_could_not_be_written_is_written_at_the_next_call_and_a_settlement_is_not_overruled_by_rejected() {
    let (till, key) = (Till::new(), "charge ORD-1");
    till.lose_answers(&["ORD-1"]);
    till.service.look_up_answers(4, FAILED);
    assert_eq!(till.next("").1.outcome(), Rejected);
    till.store.fail(Failing::Append);
    let (next, reply) = till.next(key);
    assert_eq!((next, seen(&reply)), (None, (Status::Journal, Unknown, false)));
    till.store.fail(Failing::Nothing);
    assert_eq!(till.next(key).0.as_deref(), Some(""));
    assert_eq!(till.store.kinds(), ["claim", "end UNKNOWN", "end REJECTED"]);

    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    till.service.look_up_answers(4, FAILED);
    assert_eq!(till.next("").1.outcome(), Rejected);
    let id = till.store.ids().remove(0);
    let settled = till.settle(json!({"id": id, "outcome": "CONFIRMED", "who": "A", "why": "B"}));
    assert_eq!(settled.outcome(), Confirmed, "{}", settled.message);
    till.next(key);
    assert_eq!(till.store.kinds(), ["claim", "end UNKNOWN", "end CONFIRMED"]);
}

#[test]
fn what_there_is_no_time_to_ask_is_returned_as_it_is() {
    let till = Till::new();
    till.lose_answers(&["ORD-1", "ORD-2", "ORD-3"]);
    till.service.answers.lock().unwrap().look_up_takes = Duration::from_secs(20);
    let started = std::time::Instant::now();
    let (mut key, mut keys) = (String::new(), Vec::new());
    loop {
        let (next, reply) = till.next_within(&key, 200);
        assert_eq!(reply.outcome(), if next.as_deref() == Some("") { NotSent } else { Unknown }, "{}", reply.message);
        key = next.unwrap();
        if key.is_empty() {
            break;
        }
        keys.push(key.clone());
    }
    assert_eq!(keys, ["charge ORD-1", "charge ORD-2", "charge ORD-3"]);
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    // A cancelled token asks nothing more.
    let (token, record) = (Arc::new(CallToken::default()), CallRecord::new());
    token.cancel();
    let look_ups = till.service.look_ups.load(Ordering::SeqCst);
    let (next, reply) = till.client.journal_next(&till.client.begin(Some(token), &record), "charge ORD-1");
    assert_eq!((next.as_deref(), seen(&reply)), (Some("charge ORD-2"), (Status::Cancelled, Unknown, false)));
    assert_eq!(till.service.look_ups.load(Ordering::SeqCst), look_ups);
}

/// Two claims of a key are open, which share the call's time.
#[test]
fn several_open_claims_of_a_key_share_the_time_of_the_call() {
    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    till.store.claim_again("charge ord-1");
    till.service.answers.lock().unwrap().look_up_takes = Duration::from_secs(20);
    let started = std::time::Instant::now();
    let (next, reply) = till.next_within("", 300);
    assert_eq!((next.as_deref(), reply.outcome()), (Some("charge ORD-1"), Unknown));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    // Both ends are written together, when both are known.
    till.service.answers.lock().unwrap().look_up_takes = Duration::ZERO;
    till.service.look_up_answers(5, "");
    till.next("charge ORD-1");
    assert_eq!(till.next("").1.outcome(), Confirmed);
    till.next("charge ORD-1");
    assert_eq!(till.store.kinds(), ["claim", "end UNKNOWN", "claim", "end CONFIRMED", "end CONFIRMED"]);
}

#[test]
fn a_damaged_key_is_named_so_that_the_next_call_goes_on_after_it() {
    let till = Till::new();
    till.lose_answers(&["ORD-1", "ORD-2", "ORD-3"]);
    // The first row of one key; then the last, by which it is found.
    for seq in [1, 2] {
        let place = ("charge ord-2".to_owned(), seq);
        let whole = till.store.rows.lock().unwrap()[&place].clone();
        till.store.rows.lock().unwrap().get_mut(&place).unwrap().2 = whole.2.replace("\"time_ms\":1", "\"time_ms\":2");
        let (next, reply) = till.next("charge ORD-1");
        assert_eq!((next.as_deref(), seen(&reply)), (Some("charge ORD-2"), (Status::Journal, Unknown, false)));
        assert_eq!(till.next("charge ORD-2").0.as_deref(), Some("charge ORD-3"));
        till.store.rows.lock().unwrap().insert(place, whole);
    }
    // A name that is damaged, too, is not returned: the call after it would skip others.
    let place = ("charge ord-2".to_owned(), 2);
    for name in ["charge ORD-0", "charge ORD-9"] {
        let whole = till.store.rows.lock().unwrap()[&place].clone();
        let damaged = whole.2.replace("charge ORD-2", name).replace("charge ord-2", &name.to_lowercase());
        till.store.rows.lock().unwrap().get_mut(&place).unwrap().2 = damaged;
        let (next, reply) = till.next("charge ORD-1");
        assert_eq!((next, reply.status()), (None, Status::Journal));
        till.store.rows.lock().unwrap().insert(place.clone(), whole);
    }
}

/// The till is dead, and its customer waits.
#[test]
fn a_claim_whose_lease_holds_is_settled_if_a_person_says_that_its_sender_has_ended() {
    let till = Till::new();
    till.service.charge_answers(None);
    till.pay();
    let id = till.store.ids().remove(0);
    let request = json!({"id": id, "outcome": "REJECTED", "who": "A", "why": "B"});
    let early = till.settle(request.clone());
    assert_eq!(seen(&early), (Status::Unresolved, Unknown, false));
    assert!(early.message.contains("sender_ended"), "{}", early.message);
    let with = |ended: bool| {
        let mut request = request.clone();
        request["sender_ended"] = json!(ended);
        till.settle(request)
    };
    assert_eq!(with(false).status(), Status::Unresolved);
    assert_eq!(seen(&with(true)), (Status::Rejected, Rejected, false));
    let rows = till.store.rows.lock().unwrap();
    let ends = rows.values().map(|row| serde_json::from_str::<Value>(&row.2).unwrap());
    let recorded: Vec<_> = ends.filter(|row| row["by"] == "person").collect();
    assert_eq!((recorded.len(), &recorded[0]["sender_ended"]), (1, &json!(true)));
}

#[test]
fn a_refund_that_was_accepted_and_failed_later_is_settled_as_rejected() {
    let till = Till::new();
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success","data":{"statusId":2}}"#.into())));
    assert_eq!(seen(&till.refund("5", Some("R-1"))), (Status::Ok, Confirmed, false));
    let id = till.store.ids().remove(0);
    let settle = |key: Option<&str>, outcome: &str, who: &str| {
        let mut request = json!({"id": id, "outcome": outcome, "who": who, "why": "returned by the bank"});
        if let Some(key) = key {
            request["key"] = json!(key);
        }
        till.settle(request)
    };
    let without = settle(None, "REJECTED", "A");
    assert_eq!(seen(&without), (Status::Argument, Unknown, false));
    assert!(without.message.contains("give its key"), "{}", without.message);
    let confirmed = settle(Some("key R-1"), "CONFIRMED", "A");
    assert_eq!(seen(&confirmed), (Status::Argument, Unknown, false), "{}", confirmed.message);
    let other = settle(Some("key R-2"), "REJECTED", "A");
    assert_eq!(seen(&other), (Status::Argument, Unknown, false));
    assert_eq!(seen(&settle(Some("key r-1"), "REJECTED", "A. Clerk")), (Status::Rejected, Rejected, false));
    assert_eq!(till.store.kinds(), ["claim", "end CONFIRMED", "end REJECTED"]);
    let again = settle(Some("key R-1"), "CONFIRMED", "B");
    let words = format!("was settled by A. Clerk on {} as REJECTED", clock::day(clock::now_ms()));
    assert_eq!(seen(&again), (Status::Argument, Unknown, false));
    assert!(again.message.contains(&words), "{}", again.message);
    // The key names the refund that failed; another one has another key.
    assert_eq!(seen(&till.refund("5", Some("R-1"))), (Status::Rejected, Rejected, true));
    assert_eq!(till.service.charges(), 1);
    assert_eq!(seen(&till.refund("5", Some("R-2"))), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 2);
}

/// The settlement stands, and somebody must hear of it.
#[test]
fn a_refund_that_was_settled_as_rejected_and_is_found_done_is_reported() {
    let till = Till::new();
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success","data":{"statusId":2}}"#.into())));
    let refund = |token: Arc<CallToken>| {
        assert!(token.set_key("R-1"));
        let record = CallRecord::new();
        let context = till.client.begin(Some(token), &record);
        till.client.call(&context, paysvc_spec::endpoint("order_refund"), r#"{"reference":"ORD-1"}"#)
    };
    assert_eq!(refund(Arc::default()).outcome(), Confirmed);
    let id = till.store.ids().remove(0);
    let request = json!({"id": id, "key": "key R-1", "outcome": "REJECTED", "who": "A", "why": "B"});
    assert_eq!(till.settle(request).outcome(), Rejected);
    for (state, expected) in [(5, false), (6, true)] {
        till.service.look_up_answers(state, "");
        let token = Arc::new(CallToken::default());
        token.set_kept_level(1);
        let reply = refund(Arc::clone(&token));
        assert_eq!(seen(&reply), (Status::Rejected, Rejected, true), "{}", reply.message);
        assert_eq!(!token.take_line().is_null(), expected, "{state}");
    }
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn what_was_done_or_is_a_charge_is_not_settled_afterwards() {
    let till = Till::new();
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success","data":{"statusId":5}}"#.into())));
    assert_eq!((till.refund("5", Some("R-1")).state(), till.pay().outcome()), (State::SUCCESSFUL, Confirmed));
    for (id, key) in till.store.ids().into_iter().zip(["charge ORD-1", "key R-1"]) {
        let reply = till.settle(json!({"id": id, "key": key, "outcome": "REJECTED", "who": "A", "why": "B"}));
        assert_eq!(seen(&reply), (Status::Argument, Unknown, false));
        assert!(reply.message.contains("it is CONFIRMED"), "{}", reply.message);
    }
}

#[test]
fn words_that_are_too_long_for_a_row_and_claims_of_others_are_refused() {
    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    let id = till.store.ids().remove(0);
    for name in ["who", "why"] {
        let mut request = json!({"id": id, "outcome": "REJECTED", "who": "A", "why": "B"});
        request[name] = json!("x".repeat(1001));
        let reply = till.settle(request.clone());
        assert_eq!(seen(&reply), (Status::Argument, NotSent, false));
        assert!(reply.message.contains(&format!("{name} must have at most 1000 bytes")), "{}", reply.message);
    }
    till.store.change(|row| row.account = "test  other".to_owned());
    let request = json!({"id": id, "key": "charge ORD-1", "outcome": "REJECTED", "who": "A", "why": "B"});
    assert_eq!(seen(&till.settle(request)), (Status::Config, Unknown, false));
}

/// A program needs the name to show the claim to a person, and to settle it.
#[test]
fn every_unknown_about_a_claim_names_it_in_its_body() {
    let till = Till::new();
    let journal = |reply: &Reply| {
        let body: Value = serde_json::from_str(&reply.body).unwrap();
        assert!(reply.document.as_ref().is_none_or(|read| read.root(&reply.body).find("/journal/claim").is_some()));
        body["journal"].clone()
    };
    let pay = || {
        let order = json!({"reference": "Ord-1", "amount": "10.50", "currency": "NGN", "description": "tea"});
        let customer = json!({"firstname": "A", "lastname": "B", "mobile": "+2348000000000", "country": "NG",
            "email": "a@example.com"});
        let request = json!({"reference": "Ord-1", "paymentoption": "C", "country": "NG", "card": card(), "order": order,
            "customer": customer});
        till.call("order_create", request, None)
    };
    // The service's own answer keeps its fields.
    till.service.charge_answers(Some(("504 Gateway Timeout", r#"{"status":"error","upstream":"late"}"#.into())));
    let sent = pay();
    assert_eq!(sent.outcome(), Unknown, "{}", sent.message);
    let expected = json!({"claim": till.store.ids()[0], "key": "charge Ord-1", "step": "charge", "order": "Ord-1",
        "amount": "10.50", "currency": "NGN"});
    assert_eq!(journal(&sent), expected, "{}", sent.body);
    assert!(sent.body.starts_with(r#"{"status":"error","upstream":"late","#), "{}", sent.body);
    for over in [false, true] {
        // While its call may be under way, and afterwards.
        if over {
            till.let_time_pass();
        }
        for reply in [pay(), till.next("").1] {
            assert_eq!((reply.outcome(), journal(&reply)), (Unknown, expected.clone()), "{}", reply.body);
            assert!(reply.message.contains(&format!("(claim {} in", till.store.ids()[0])), "{}", reply.message);
        }
    }
    // For a refund, only what its request names.
    let till = Till::new();
    till.service.charge_answers(None);
    let refund = till.refund("5", Some("R-1"));
    let id = till.store.ids().pop().unwrap();
    let expected = json!({"claim": id, "key": "key R-1", "step": "refund", "order": "ORD-1", "amount": "5"});
    assert_eq!(journal(&refund), expected);
    // A checkout beside an open charge, and beside a paid one; and what has no claim.
    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    let checkout = || till.call("order_create", json!({"order": {"reference": "ORD-1", "amount": "5"}}), None);
    let beside = checkout();
    assert_eq!((beside.outcome(), journal(&beside)["claim"].as_str()), (Unknown, Some(&*till.store.ids()[0])));
    till.service.look_up_answers(5, "");
    assert_eq!(till.pay().outcome(), Confirmed);
    let beside = checkout();
    assert_eq!((beside.outcome(), journal(&beside)["claim"].as_str()), (Unknown, Some(&*till.store.ids()[0])));
    let unknown = json!({"orderPaymentReference": "PAY-9", "otp": "1"});
    let unknown = till.call("order_pay_authorize", unknown, None);
    assert_eq!((unknown.outcome(), journal(&unknown)), (Unknown, json!({"key": "authorization PAY-9"})));
    let till = Till::new();
    till.service.look_up_answers(2, "");
    let attempted = till.pay();
    assert_eq!((attempted.outcome(), journal(&attempted)), (Unknown, json!({"key": "charge ORD-1"})));
    // So does what a status query finds.
    let till = Till::new();
    till.lose_answers(&["ORD-1"]);
    till.service.look_up_answers(5, "");
    let found = till.next("").1;
    assert_eq!((found.outcome(), journal(&found)["key"].as_str()), (Confirmed, Some("charge ORD-1")), "{}", found.body);
    assert!(found.body.contains("orderSummary"), "{}", found.body);
}

#[test]
fn a_key_without_a_journal_is_refused() {
    let till = Till::new();
    let till = Till { client: without_journal(till.service.port), ..till };
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Config, NotSent, false));
    assert_eq!(till.service.charges(), 0);
}

/// The response to a batch with one recipient; NUMBER is that of the request, because no reference comes twice.
fn accepted(account: &str) -> (&'static str, String) {
    let payout = format!(r#"{{"payoutReference":"P-NUMBER","accountNumber":"{account}","amount":5}}"#);
    let body =
        r#"{"status":"success","statusCode":"00","message":"logged","batchReference":"B-NUMBER","batchId":1,"data":["#;
    ("200 OK", format!("{body}{payout}]}}"))
}

/// A list that pays each of these that amount.
pub fn list_of(references: &[&str], amount: &str) -> Vec<Value> {
    let one = |reference: &&str| {
        json!({"clientReference": reference, "accountNumber": "0690000031", "bankCode": "000014", "amount": amount,
            "description": "May", "accountName": "A", "creditCurrency": "NGN", "debitCurrency": "NGN"})
    };
    references.iter().map(one).collect()
}

/// Goes on with what other lists have paid.
fn pay_list(client: &Client, references: &[&str], amount: &str) -> (Reply, Value) {
    pay_list_with(client, &list_of(references, amount), true, None)
}

fn pay_list_with(client: &Client, list: &[Value], continues: bool, token: Option<Arc<CallToken>>) -> (Reply, Value) {
    let record = CallRecord::new();
    let context = client.begin(token, &record);
    let request = json!({"payoutDetails": list, "continue": continues, "continue_after_unknown": true});
    let reply = client.payout_bulk(&context, &request.to_string());
    let report = serde_json::from_str(&reply.body).unwrap();
    (reply, report)
}

#[test]
fn a_recipient_is_paid_once_across_lists() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    let (first, _) = pay_list(&till.client, &["may-1"], "5");
    assert_eq!(seen(&first), (Status::Ok, Confirmed, false), "{}", first.body);
    let (again, report) = pay_list(&till.client, &["may-1"], "5.0");
    assert_eq!((again.outcome(), report["payouts"][0]["payoutReference"].as_str()), (Confirmed, Some("P-0")));
    let (more, report) = pay_list(&till.client, &["may-1", "may-2"], "5");
    assert_eq!(more.outcome(), Confirmed, "{}", report);
    let (other, report) = pay_list(&till.client, &["may-1"], "6");
    assert_eq!((other.status(), other.outcome()), (Status::KeyReused, Unknown), "{report}");
    assert!(report["payouts"][0]["message"].as_str().unwrap().contains("amount"), "{report}");
    assert_eq!(till.service.charges(), 2);
}

#[test]
fn without_a_journal_no_list_is_paid() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    let (reply, _) = pay_list(&without_journal(till.service.port), &["may-1"], "5");
    assert_eq!((seen(&reply), till.service.charges()), ((Status::Config, NotSent, false), 0));
    for line in ["\"journal\": \"/", "\"journal_create\": true", "PAYSVC_JOURNAL ", "client_set_store"] {
        assert!(reply.message.contains(line), "{}", reply.message);
    }
}

/// Employee numbers as references: the second month would be CONFIRMED, and nobody paid.
#[test]
fn a_list_that_names_who_was_paid_by_another_one_is_refused_as_a_whole() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    let may = list_of(&["E-17", "E-18"], "5");
    assert_eq!(pay_list_with(&till.client, &may, false, None).0.outcome(), Confirmed);
    let mut june = list_of(&["E-19", "E-17", "E-18"], "5");
    june.iter_mut().for_each(|one| one["description"] = json!("June"));
    let today = clock::day(clock::now_ms());
    for list in [&june[..], &june[1..], &may[..1]] {
        let (reply, body) = pay_list_with(&till.client, list, false, None);
        assert_eq!((seen(&reply), till.service.charges()), ((Status::KeyReused, Unknown, false), 2), "{body}");
        let paid = |name: &str| format!("{name} was paid on {today} by another list");
        assert!(reply.message.contains(&paid("E-17")) && reply.message.contains("\"continue\": true"), "{body}");
        let place = list.iter().position(|one| one["clientReference"] == "E-17").unwrap();
        assert_eq!(body["errors"][format!("payoutDetails.{place}.clientReference")], paid("E-17"));
        assert_eq!(reply.message.contains(", as were 1 more"), list.len() > 1, "{body}");
    }
    // The same list again is a resume, in any order, and reports that nothing was sent.
    let again: Vec<Value> = may.iter().rev().cloned().collect();
    let (reply, body) = pay_list_with(&till.client, &again, false, None);
    assert_eq!((seen(&reply), till.service.charges()), ((Status::Ok, Confirmed, true), 2), "{body}");
    assert!(
        reply.message.contains(&format!("nothing was sent: all were accepted by earlier calls, the last on {today}"))
    );
    let (reply, body) = pay_list_with(&till.client, &june, true, None);
    assert_eq!((seen(&reply), till.service.charges()), ((Status::Ok, Confirmed, false), 3), "{body}");
    let replayed = |row: &Value| (row["replayed"].clone(), row["date"].clone());
    let all: Vec<_> = body["payouts"].as_array().unwrap().iter().map(replayed).collect();
    let earlier = (json!(true), json!(today));
    assert_eq!(all, [(json!(null), json!(null)), earlier.clone(), earlier], "{body}");
    // Afterwards the longer list is a list of its own, which did not pay all of its recipients.
    assert_eq!(pay_list_with(&till.client, &june, false, None).0.status(), Status::KeyReused);
    assert_eq!(till.service.charges(), 3);
}

#[test]
fn who_was_paid_by_a_claim_without_a_list_or_settled_counts_as_paid_by_another_list() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    let list = list_of(&["E-17"], "5");
    assert_eq!(pay_list_with(&till.client, &list, false, None).0.outcome(), Confirmed);
    till.store.change_claims(|claim| claim.list = None);
    assert_eq!(pay_list_with(&till.client, &list, false, None).0.status(), Status::KeyReused);
    till.service.charge_answers(None);
    let open = list_of(&["E-18"], "5");
    let (_, report) = pay_list_with(&till.client, &open, false, None);
    assert_eq!(report["payouts"][0]["outcome"], "UNKNOWN");
    let (_, report) = pay_list_with(&till.client, &list_of(&["E-18"], "6"), false, None);
    let message = report["payouts"][0]["message"].as_str().unwrap();
    assert!(message.contains("amount"), "what is open and differs is told as such: {report}");
    let id = message.rsplit_once("(claim ").unwrap().1.split_once(' ').unwrap().0;
    till.let_time_pass();
    let settlement = json!({"id": id, "outcome": "CONFIRMED", "who": "A", "why": "B"});
    let record = CallRecord::new();
    let settled = till.client.journal_settle(&till.client.begin(None, &record), &settlement.to_string());
    assert_eq!(settled.outcome(), Confirmed, "{}", settled.message);
    assert_eq!(pay_list_with(&till.client, &list_of(&["E-18"], "6"), false, None).0.status(), Status::KeyReused);
    let (reply, report) = pay_list_with(&till.client, &open, false, None);
    assert_eq!((reply.outcome(), &report["payouts"][0]["settled"]), (Confirmed, &json!(true)), "{report}");
    assert_eq!(till.service.charges(), 2);
}

/// A refusal without a vote proves nothing of the request that was answered with 429 before, in whichever call.
#[test]
fn what_a_429_proved_is_remembered_by_the_journal() {
    let till = Till::new();
    let gone = ("404 Not Found", "{}".to_owned());
    till.service.charge_answers(Some(gone.clone()));
    assert_eq!(pay_list(&till.client, &["first"], "5").0.outcome(), Rejected);
    till.service.charge_answers(Some(("429 Too Many Requests\r\nretry-after: 600", "{}".into())));
    let token = Arc::new(CallToken::default());
    // There is no time for that wait.
    token.set_timeout_ms(60_000);
    let (busy, report) = pay_list_with(&till.client, &list_of(&["second"], "5"), false, Some(token));
    assert_eq!((busy.status(), busy.outcome()), (Status::RateLimited, Rejected), "{report}");
    till.service.charge_answers(Some(gone));
    let (reply, report) = pay_list(&till.client, &["second"], "5");
    assert_eq!((reply.status(), reply.outcome()), (Status::Response, Unknown), "{report}");
}

/// One refund of an order may be another one whose response was lost.
#[test]
fn a_second_refund_waits_for_the_first_unless_it_is_of_another_part() {
    let till = Till::new();
    fn refund(till: &Till, amount: Option<&str>, key: &str) -> Reply {
        let mut request = json!({"reference": "ORD-1"});
        amount.iter().for_each(|amount| request["amount"] = json!(amount));
        till.call("order_refund", request, Some(key))
    }
    till.service.charge_answers(None);
    assert_eq!(refund(&till, Some("5"), "lost").outcome(), Unknown);
    till.let_time_pass();
    let accepted = Some(("200 OK", r#"{"status":"success","message":"refunded"}"#.to_owned()));
    till.service.charge_answers(accepted.clone());
    for amount in [Some("5.00"), None] {
        let refused = refund(&till, amount, "again");
        assert_eq!(seen(&refused), (Status::Unresolved, Unknown, false), "{}", refused.message);
        assert!(refused.message.contains("(claim "), "{}", refused.message);
    }
    assert_eq!(seen(&refund(&till, Some("6"), "another part")), (Status::Ok, Confirmed, false));
    assert_eq!(till.service.charges(), 2);
    let till = Till::new();
    till.service.charge_answers(accepted);
    assert_eq!(seen(&refund(&till, Some("30.00"), "part")), (Status::Ok, Confirmed, false));
    let rest = refund(&till, None, "rest");
    assert_eq!(seen(&rest), (Status::Argument, NotSent, false));
    assert!(rest.message.contains("30.00 is refunded already"), "{}", rest.message);
    assert_eq!(till.service.charges(), 1);
}

#[test]
fn an_order_that_is_paid_with_another_amount_is_no_answer_to_a_charge() {
    let till = Till::new();
    let pay = |amount: &str| {
        let order = json!({"reference": "ORD-1", "amount": amount, "currency": "NGN"});
        till.call("order_create", json!({"order": order, "paymentOption": "C", "card": card()}), None)
    };
    assert_eq!(pay("10").outcome(), Confirmed);
    till.service.look_up_answers(5, "");
    assert_eq!(seen(&pay("10.00")), (Status::Ok, Confirmed, true));
    let other = pay("5000");
    assert_eq!(seen(&other), (Status::KeyReused, Unknown, false), "{}", other.message);
    assert!(other.message.contains("amount") && !other.message.contains("10"), "{}", other.message);
    assert_eq!(till.service.charges(), 1);
    // Somebody else has paid it.
    let till = Till::new();
    let pay = |amount: &str| {
        let order = json!({"reference": "ORD-1", "amount": amount, "currency": "NGN"});
        till.call("order_create", json!({"order": order, "paymentOption": "C", "card": card()}), None)
    };
    let paid_as = |amounts: &str| {
        let text = order(5, "").replace(r#""statusId""#, &format!(r#"{amounts},"statusId""#));
        till.service.answers.lock().unwrap().look_up = ("200 OK", text);
    };
    paid_as(r#""totalChargedAmount":"10.10","TotalChargedAmount":"11""#);
    assert_eq!(seen(&pay("5000")), (Status::Unresolved, Unknown, false), "what contradicts itself is not recorded");
    paid_as(r#""totalChargedAmount":"10.10","fee":0.1"#);
    assert_eq!(seen(&pay("5000")), (Status::KeyReused, Unknown, false));
    assert_eq!(seen(&pay("10")), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 0);
}

/// It is not known whether the service distinguishes them.
#[test]
fn another_spelling_is_no_other_order_and_no_other_key() {
    let till = Till::new();
    till.service.charge_answers(None);
    assert_eq!(till.pay().outcome(), Unknown);
    let other = till.call("order_pay", json!({"reference": "ord-1", "paymentOption": "C", "card": card()}), None);
    assert_eq!(seen(&other), (Status::KeyReused, Unknown, false), "{}", other.message);
    assert!(other.message.contains("differ only in case"), "{}", other.message);
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success"}"#.into())));
    assert_eq!(till.refund("5", Some("Key")).outcome(), Confirmed);
    assert_eq!(till.refund("5", Some("key")).status(), Status::KeyReused);
    assert_eq!(till.service.charges(), 2);
}

#[test]
fn what_the_service_answers_never_makes_the_journal_unreadable() {
    let till = Till::new();
    let long = "x".repeat(70_000);
    let odd = format!(
        r#"{{"status":"success","data":{{"orderPayment":{{"orderReference":"ORD-1","orderPaymentReference":"{long}","statusId":-1}}}}}}"#
    );
    till.service.charge_answers(Some(("200 OK", odd)));
    let reply = till.pay();
    assert_ne!(reply.status(), Status::Journal, "{}", reply.message);
    till.let_time_pass();
    assert_ne!(till.next("").1.status(), Status::Journal);
    till.service.look_up_answers(5, "");
    assert_eq!(seen(&till.pay()), (Status::Ok, Confirmed, true));
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success"}"#.into())));
    let reason = "r".repeat(70_000);
    let settled = till.settle(json!({"id": "x", "outcome": "REJECTED", "who": "A", "why": reason}));
    assert_ne!(settled.status(), Status::Journal, "{}", settled.message);
    assert_eq!(till.refund("5", Some("k")).outcome(), Confirmed);
}

/// A store returns the row that was asked for, or the call's outcome is UNKNOWN.
#[test]
fn a_row_that_is_damaged_or_another_one_is_never_taken_for_none() {
    for key in ["k", "l"] {
        let till = Till::new();
        till.service.charge_answers(Some(("200 OK", r#"{"status":"success"}"#.into())));
        assert_eq!(till.refund("5", Some("k")).outcome(), Confirmed);
        assert_eq!(till.refund("6", Some("l")).outcome(), Confirmed);
        let rows = till.store.rows.lock().unwrap().clone();
        let own: Vec<_> = rows.keys().filter(|(of, _)| of.ends_with(key)).cloned().collect();
        let other = rows.iter().find(|((of, seq), _)| !of.ends_with(key) && *seq == 1).unwrap().1.2.clone();
        for place in &own {
            let text = rows[place].2.clone();
            let changes =
                [other.clone(), text.replace("claim", "Claim"), text.replace("\"seq\":", "\"seq\": "), String::new()];
            for change in changes.into_iter().filter(|change| *change != text) {
                till.store.rows.lock().unwrap().get_mut(place).unwrap().2 = change.clone();
                let reply = till.refund(if key == "k" { "5" } else { "6" }, Some(key));
                assert_eq!(seen(&reply), (Status::Journal, Unknown, false), "{change}: {}", reply.message);
                assert!(reply.message.contains(&format!("key {key}")), "{}", reply.message);
                assert!(reply.body.contains(&format!(r#""journal":{{"key":"key {key}"}}"#)), "{}", reply.body);
            }
            till.store.rows.lock().unwrap().insert(place.clone(), rows[place].clone());
        }
        assert_eq!(till.refund(if key == "k" { "5" } else { "6" }, Some(key)).outcome(), Confirmed);
        till.store.rows.lock().unwrap().remove(&own[0]);
        assert_eq!(till.refund(if key == "k" { "5" } else { "6" }, Some(key)).status(), Status::Journal);
        assert_eq!(till.service.charges(), 2);
    }
}

#[test]
fn another_account_finds_nothing_out_and_sends_nothing() {
    let till = Till::new();
    till.service.charge_answers(None);
    assert_eq!(till.pay().outcome(), Unknown);
    till.let_time_pass();
    let with = |key: &str, former: &str| Till {
        client: client_of(till.service.port, &till.store, json!({"public_key": key, "former_public_keys": former})),
        store: till.store.clone(),
        service: Service { port: 0, charges: Arc::default(), look_ups: Arc::default(), answers: Arc::default() },
    };
    let other = with("another", "unrelated");
    let refused = other.pay();
    assert_eq!(seen(&refused), (Status::Config, Unknown, false), "{}", refused.message);
    assert!(refused.message.contains("former_public_keys"), "{}", refused.message);
    assert_eq!(other.next("").0.as_deref(), Some(""), "it is not asked about what is another's");
    till.service.look_up_answers(5, "");
    assert_eq!(seen(&with("another", "unrelated, public").pay()), (Status::Ok, Confirmed, true));
    assert_eq!(till.service.charges(), 1);
}

/// As the attempts of one call: a refusal after a 429 may be about the request before it.
#[test]
fn a_429_of_an_earlier_call_counts_for_the_key_and_for_a_charge_of_its_order() {
    let busy = ("429 Too Many Requests", "{}".to_owned());
    let till = Till::new();
    till.service.charge_answers(Some(busy.clone()));
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::RateLimited, Rejected, false));
    till.service.charge_answers(Some(("404 Not Found", "{}".to_owned())));
    let after = till.refund("5", Some("k"));
    assert_eq!(seen(&after), (Status::Response, Unknown, false), "{}", after.message);
    assert_eq!(seen(&till.refund("6", Some("l"))), (Status::Rejected, Rejected, false), "another refund");
    till.service.charge_answers(Some(busy));
    assert_eq!(seen(&till.pay()), (Status::RateLimited, Rejected, false));
    till.service.charge_answers(Some(declined()));
    assert_eq!(seen(&till.pay()), (Status::Response, Unknown, false));
    assert_eq!(till.service.charges(), 5);
}

/// A list that stops at its first recipient reports for the others what an earlier list did.
#[test]
fn who_was_not_reached_is_what_the_journal_has() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    assert_eq!(pay_list(&till.client, &["paid"], "5").0.outcome(), Confirmed);
    till.service.charge_answers(None);
    assert_eq!(pay_list(&till.client, &["open"], "5").0.outcome(), Unknown);
    let outcomes = |report: &Value| -> Vec<String> {
        let rows = report["payouts"].as_array().unwrap().iter();
        rows.map(|row| row["outcome"].as_str().unwrap().to_owned()).collect()
    };
    let all = ["first", "paid", "open", "never"];
    till.service.charge_answers(Some(("401 Unauthorized", "{}".into())));
    let (_, report) = pay_list(&till.client, &all, "5");
    assert_eq!(outcomes(&report), ["REJECTED", "ACCEPTED", "UNKNOWN", "NOT_SENT"], "{report}");
    let token = Arc::new(CallToken::default());
    token.cancel();
    let (_, report) = pay_list_with(&till.client, &list_of(&all, "5"), true, Some(token));
    assert_eq!(outcomes(&report), ["UNKNOWN"; 4], "{report}");
    till.store.fail(Failing::Read);
    let (_, report) = pay_list(&till.client, &all, "5");
    assert_eq!(outcomes(&report), ["UNKNOWN"; 4], "{report}");
    assert_eq!(report["batches"].as_array().unwrap().len(), 1, "{report}");
}

/// A payout that was proved not to be done may be corrected; one that may have been done is compared.
#[test]
fn what_became_of_a_recipient_decides_whether_a_later_list_pays_it() {
    for (answer, account, outcome, (later, is_reused, charges)) in [
        (None, "0690000031", Unknown, (Unknown, false, 1)),
        (None, "0690000032", Unknown, (Unknown, true, 1)),
        (Some(declined()), "0690000031", Rejected, (Confirmed, false, 2)),
        (Some(declined()), "0690000032", Rejected, (Confirmed, false, 2)),
    ] {
        let till = Till::new();
        till.service.charge_answers(answer);
        let mut list = list_of(&["may-1"], "5");
        list[0]["accountNumber"] = json!(account);
        assert_eq!(pay_list_with(&till.client, &list, false, None).0.outcome(), outcome);
        till.service.charge_answers(Some(accepted("0690000031")));
        let (reply, report) = pay_list(&till.client, &["may-1"], "5");
        let found = (reply.outcome(), reply.status() == Status::KeyReused, till.service.charges());
        assert_eq!(found, (later, is_reused, charges), "{account} {report}");
    }
}

#[test]
fn of_many_processes_with_one_list_each_recipient_is_paid_by_one() {
    let till = Till::new();
    till.service.charge_answers(Some(accepted("0690000031")));
    let clients: Vec<_> = (0..6).map(|_| client(till.service.port, &till.store)).collect();
    let references = ["a", "b", "c", "d"];
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let pay = |client: &Client| pay_list(client, &references, "5");
        let threads: Vec<_> = clients.iter().map(|client| scope.spawn(move || pay(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (reply, report) in &outcomes {
        assert_eq!(reply.outcome(), Confirmed, "{report}");
    }
    assert_eq!(till.service.charges(), references.len() as u32);
}

#[test]
fn a_request_that_json_describes_needs_a_key_and_leaves_charges_to_their_functions() {
    let till = Till::new();
    let send_request = |request: &Value, key: Option<&str>| {
        let token = Arc::new(CallToken::default());
        assert!(key.is_none_or(|key| token.set_key(key)));
        let record = CallRecord::new();
        let context = till.client.begin(Some(token), &record);
        till.client.request(&context, &request.to_string())
    };
    let with = |path: &str, body: Value| json!({"method": "POST", "path": path, "key": "secret", "body": body});
    let send_body = |path: &str, key: Option<&str>, body: Value| send_request(&with(path, body), key);
    let send = |path: &str, key: Option<&str>| send_body(path, key, json!({"amount": 5}));
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success"}"#.into())));
    for path in ["pay", "refund", "pay/capture"] {
        let mut request = with(&format!("/payment/order/{path}"), json!({"reference": "ORD-1"}));
        if path == "pay" {
            (request["key"], request["encrypt"]) = (json!("public"), json!(true));
        }
        let of_order = send_request(&request, Some("k"));
        assert_eq!(seen(&of_order), (Status::Argument, NotSent, false), "{path}");
        assert!(of_order.message.contains("the journal must know the order"), "{}", of_order.message);
    }
    assert_eq!(seen(&send("/payment/new", None)), (Status::Argument, NotSent, false));
    assert_eq!(seen(&send("/payment/new", Some("k"))), (Status::Ok, Confirmed, false));
    assert_eq!(seen(&send("/payment/new", Some("k"))), (Status::Ok, Confirmed, true));
    assert_eq!(seen(&send("/payment/other", Some("k"))), (Status::KeyReused, Unknown, false));
    let other = send_body("/payment/new", Some("k"), json!({"amount": 6}));
    assert_eq!(seen(&other), (Status::KeyReused, Unknown, false));
    assert!(other.message.contains("body") && !other.message.contains('6'), "{}", other.message);
    assert_eq!(till.service.charges(), 1);
    till.service.charge_answers(None);
    assert_eq!(send("/payment/new", Some("l")).outcome(), Unknown);
    assert_eq!(seen(&send("/payment/new", Some("l"))), (Status::Unresolved, Unknown, false));
    assert_eq!(till.service.charges(), 2);
}

#[test]
fn what_a_row_says_is_true_however_old_it_is() {
    let till = Till::new();
    let age = |days: u64| till.store.change(|row| row.time_ms = clock::now_ms() - days * 86_400_000);
    till.service.charge_answers(Some(("200 OK", r#"{"status":"success"}"#.into())));
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, false));
    age(399);
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, true));
    age(401);
    assert_eq!(seen(&till.refund("5", Some("k"))), (Status::Ok, Confirmed, true));
    assert_eq!(seen(&till.refund("6", Some("k"))), (Status::KeyReused, Unknown, false));
    till.service.charge_answers(None);
    assert_eq!(till.refund("5", Some("open")).outcome(), Unknown);
    age(4000);
    till.let_time_pass();
    assert_eq!(seen(&till.refund("5", Some("open"))), (Status::Unresolved, Unknown, false));
    assert_eq!(till.service.charges(), 2);
}

/// Nothing was sent now, but that does not mean that nothing is open.
#[test]
fn a_call_that_ends_before_the_journal_was_read_knows_nothing_of_its_key() {
    let till = Till::new();
    till.service.charge_answers(None);
    assert_eq!(till.pay().outcome(), Unknown);
    let token = Arc::new(CallToken::default());
    token.cancel();
    let record = CallRecord::new();
    let context = till.client.begin(Some(token), &record);
    let request = json!({"reference": "ORD-1", "paymentOption": "C", "card": card()});
    let reply = till.client.call(&context, paysvc_spec::endpoint("order_pay"), &request.to_string());
    assert_eq!(seen(&reply), (Status::Cancelled, Unknown, false), "{}", reply.message);
}

#[cfg(not(feature = "journal"))]
#[test]
fn a_build_without_the_file_refuses_the_setting() {
    let error = Client::new(Some(r#"{"journal":"pay.db","journal_create":true}"#), &|_| None).map(drop).unwrap_err();
    assert_eq!(error.status, Status::Config);
    assert!(error.message.contains("journal") && error.message.contains("client_set_store"), "{}", error.message);
    assert!(!std::path::Path::new("pay.db").exists());
}
