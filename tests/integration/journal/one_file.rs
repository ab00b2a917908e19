//! The files of a journal: what is in which of them, and who may use them at once.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::sequence::{Call, config, new_journal, prepare};
use super::{folder, with_c};
use crate::support::capi::{eventually, with};
use crate::support::driver::{Driver, Reply};
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;
use crate::support::server::Server;
use crate::support::{Link, Stage, output_of, root};

fn remove(folder: &Path, files: &[&str]) {
    for file in files {
        let _ = fs::remove_file(folder.join(file));
    }
}

/// Opens and closes the journal as `sqlite3` does on a shell, and gives the number of its rows.
fn rows_in_a_shell(folder: &Path) -> String {
    let script = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db:\n    print(db.execute('SELECT count(*) FROM journal').fetchone()[0])\ndb.close()";
    let output = Command::new("python3").args(["-c", script]).arg(folder.join("pay.db")).output().unwrap();
    assert!(output.status.success(), "{}", output_of(&output));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn rows_are_never_missed_whichever_file_is_gone() {
    with_c(|command| {
        let sandbox = Sandbox::start(&["--pay-twice", "--any-reference"]);
        prepare(&sandbox);
        let folder = folder();
        let with_settings = |more: Value| config(&sandbox, folder.path(), more);
        let start = |more: Value| Driver::start(&mut command(), &with_settings(more));
        let first = Call::refund("10.25", None);
        let mut till = start(json!({"journal_create": true}));
        assert_eq!(first.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        // After a clean end the file alone has everything.
        till.finish();
        remove(folder.path(), &["pay.db-wal", "pay.db-shm"]);
        let mut till = start(json!({}));
        assert_eq!(first.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        let second = Call::refund("5.25", None);
        assert_eq!(second.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        // Beside a shell of SQLite, which does not disturb it; after a kill, one brings in the rows.
        assert_eq!(rows_in_a_shell(folder.path()), "4");
        let third = Call::refund("1.25", None);
        assert_eq!(third.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        till.kill();
        assert_eq!(rows_in_a_shell(folder.path()), "6");
        remove(folder.path(), &["pay.db-wal", "pay.db-shm"]);
        let mut till = start(json!({}));
        let fourth = Call::refund("2.25", None);
        for call in [&first, &second, &third, &fourth] {
            assert_eq!(call.run(&mut till).verdict(), ("OK", "CONFIRMED"));
            assert_eq!(call.effects(&sandbox), 1);
        }
        // Entries in the -wal file alone, after a kill, are missed.
        till.kill();
        remove(folder.path(), &["pay.db-wal", "pay.db-shm"]);
        let refused = start(json!({}));
        assert_eq!(refused.created.verdict(), ("E_JOURNAL", "NOT_SENT"), "{:?}", refused.created);
        let message = refused.created.message.clone();
        assert!(message.contains("-wal file is gone"), "{message}");
        refused.finish();
        let loss = message.rsplit(' ').next().unwrap().to_owned();
        let mut till = start(json!({"journal_accept_lost_log": loss}));
        assert_eq!(third.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        assert_eq!([&first, &second, &third].map(|call| call.effects(&sandbox)), [1, 1, 1]);
        // A copy made meanwhile has everything.
        let copy = folder.path().join("copy.db");
        let backup = till.call("journal_backup", &json!({"path": copy}));
        assert_eq!(backup.verdict(), ("OK", "NOT_SENT"), "{backup:?}");
        till.kill();
        let mut till = start(json!({"journal": copy}));
        assert_eq!(third.run(&mut till).verdict(), ("OK", "CONFIRMED"));
        till.finish();
        assert_eq!(third.effects(&sandbox), 1);
    });
}

/// Two shops, each a process with keys of its own at a service of its own, take the same orders and keys at once.
#[test]
fn what_one_account_has_begun_is_neither_done_nor_confirmed_for_another() {
    with_c(|command| {
        let shops = [&["--pay-twice", "--any-reference"][..], &["--pay-twice", "--any-reference", "--seed", "8"]];
        let shops = shops.map(Sandbox::start);
        assert_ne!(shops[0].text("public_key"), shops[1].text("public_key"));
        shops.iter().for_each(prepare);
        let folder = new_journal(&shops[0], command);
        let charges = (0..12).map(|number| Call::charge(&format!("O-{number}"), None));
        let refunds = (10..22).map(|amount| Call::refund(&format!("1.{amount}"), None));
        let calls: Vec<Call> = charges.chain(refunds).collect();
        let start =
            |shop, changes: &Value| Driver::start(&mut command(), &config(shop, folder.path(), changes.clone()));
        let run = |mut till: Driver| -> Vec<Reply> {
            assert_eq!(till.created.status, "OK", "{}", till.created.message);
            let replies = calls.iter().map(|call| call.run(&mut till)).collect();
            till.finish();
            replies
        };
        let both = || {
            let tills = shops.each_ref().map(|shop| start(shop, &json!({})));
            std::thread::scope(|scope| tills.map(|till| scope.spawn(|| run(till))).map(|call| call.join().unwrap()))
        };
        for round in 0..2 {
            let [one, other] = both();
            for (call, replies) in calls.iter().zip(one.iter().zip(&other)) {
                let effects = shops.each_ref().map(|shop| call.effects(shop));
                let at =
                    format!("round {round}, {} {}: executed {effects:?}: {replies:?}", call.function, call.request);
                assert_eq!(effects[0] + effects[1], 1, "{at}");
                for (reply, effects) in [replies.0, replies.1].into_iter().zip(effects) {
                    let expected = if effects == 1 { ("OK", "CONFIRMED") } else { ("E_CONFIG", "UNKNOWN") };
                    assert_eq!(reply.verdict(), expected, "{at}");
                    assert!(effects == 1 || reply.message.contains("belongs to another account"), "{at}");
                }
            }
        }
        // One that has new keys names the earlier ones: what they paid is not paid again.
        let replies = run(start(&shops[1], &json!({"former_public_keys": shops[0].text("public_key")})));
        for (call, reply) in calls.iter().zip(replies) {
            let effects: usize = shops.iter().map(|shop| call.effects(shop)).sum();
            assert!(reply.verdict() == ("OK", "CONFIRMED") && effects == 1, "{effects} times: {reply:?}");
        }
        let made = shops.each_ref().map(|shop| calls.iter().map(|call| call.effects(shop)).sum::<usize>());
        println!("journal: of {} requests of two accounts, each made {made:?}", calls.len());
    });
}

/// The number of refunds that the threads of each process make.
const REFUNDS: usize = 40;
const THREADS: &str = "8";

#[test]
fn two_processes_of_eight_threads_and_kills_send_each_refund_once() {
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/journal_threads.c"), Link::Shared, &["-pthread"]);
    let threads: usize = THREADS.parse().unwrap();
    let mut random = Random::new(43, 0);
    for _ in 0..4 {
        let (server, folder) = (Server::ok(), folder());
        let journal = json!({"journal": folder.path().join("pay.db"), "journal_create": true, "timeout_ms": 3000,
            "connect_timeout_ms": 2900, "max_attempts": 1});
        let config = with(server.config(), journal).to_string();
        let start = || {
            let mut command = stage.command(&program);
            command.args([&config, THREADS, &REFUNDS.to_string()]).stdout(Stdio::piped()).spawn().unwrap()
        };
        let (mut one, other) = (start(), start());
        let killed_after = random.below(REFUNDS as u64) as usize;
        eventually("requests arrive", || server.seen().len() >= killed_after);
        one.kill().unwrap();
        one.wait().unwrap();
        assert!(other.wait_with_output().unwrap().status.success());
        let text = String::from_utf8(start().wait_with_output().unwrap().stdout).unwrap();
        let ended: Vec<usize> = text.split_whitespace().map(|count| count.parse().unwrap()).collect();
        let [confirmed, 0, 0, unknown] = ended[..] else { panic!("{text}") };
        assert_eq!(confirmed + unknown, REFUNDS * threads, "{text}");
        let mut sent = HashMap::<String, usize>::new();
        for request in server.seen().iter().filter(|request| request.contains("/payment/order/refund")) {
            let reference =
                request.split_once("\"reference\":\"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
            *sent.entry(reference.to_owned()).or_default() += 1;
        }
        println!("journal: killed after {killed_after}, {} sent, {confirmed} CONFIRMED, {unknown} UNKNOWN", sent.len());
        assert!(sent.values().all(|count| *count == 1), "{sent:?}");
        // One that was killed between its claim and its first byte has sent nothing, and nobody else does.
        assert!(confirmed <= threads * sent.len() && sent.len() + unknown / threads >= REFUNDS, "{sent:?}, {text}");
        // Each of its threads is in one call.
        assert!(sent.len() + threads >= REFUNDS, "{sent:?}");
    }
}
