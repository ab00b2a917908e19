//! The journal's files: every byte that is ever written to them or to any other file, all that can be read in them
//! while a call runs, and what a killed program leaves.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::journal::Step;
use paysvc_spec::schema::Endpoint;
use serde_json::json;

use super::{canaries, in_memory, plant};
use crate::journal::folder;
use crate::journal::recording::{Op, SystemCall, read, recorded, system_calls};
use crate::journal::sequence::{all, config, copy, new_journal};
use crate::support::driver::Driver;
use crate::support::languages::c_only;
use crate::support::memory::Needles;
use crate::support::random::Random;
use crate::support::sandbox::Sandbox;
use crate::support::strace::has_strace;
use crate::support::target::target;

const SEED: u64 = 26;

/// The faults that may hit a request; in `make harden` each meets all of them.
const FAULTS: [Option<&str>; 4] = [None, Some("commit_then_reset"), Some("status_500"), Some("status_429_paid")];

#[derive(Default)]
struct Figures {
    calls: usize,
    claimed: usize,
    bytes: usize,
    looks: usize,
    leaks: Vec<String>,
}

impl Figures {
    fn search(&mut self, needles: &Needles, bytes: &[u8], what: &str) {
        self.bytes += bytes.len();
        self.leaks.extend(needles.found_in(bytes).into_iter().map(|needle| format!("{needle}: {what}")));
    }
}

/// All files, however many there are just now.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // One may be gone by now.
    names.filter_map(|name| std::fs::read(name).ok()).flatten().collect()
}

/// A file is made in another folder.
fn is_foreign(call: &SystemCall, folder: &Path) -> bool {
    call.name == "openat" && call.arguments.contains("O_CREAT") && !call.concerns(folder)
}

#[test]
fn no_secret_is_in_the_files_of_the_journal_at_any_moment() {
    if !has_strace("the journal's files are NOT searched for secrets while they are written") {
        return;
    }
    let rows: Vec<&'static Endpoint> = ENDPOINTS.iter().filter(|row| Step::of(row, true).is_some()).collect();
    assert!(rows.len() > 5);
    c_only().run(|command| {
        let sandbox = Sandbox::start(&["--pay-twice"]);
        let keys = ["public_key", "secret_key"].map(|name| (name, sandbox.text(name).to_owned()));
        let needles = Needles::new(canaries().map(in_memory).collect::<Vec<_>>().iter().chain(&keys));
        let new = new_journal(&sandbox, command);
        let (mut figures, mut random) = (Figures::default(), Random::new(SEED, 0));
        for (index, row) in rows.iter().enumerate() {
            for (number, fault) in FAULTS.iter().enumerate() {
                if !all() && index % FAULTS.len() != number {
                    continue;
                }
                let mut target = target(row, &sandbox);
                plant(row.fields, &mut target.request);
                if let Some(fault) = fault {
                    sandbox.arm(row.path, fault);
                }
                let at = format!("{} under {fault:?}", row.name);
                let (folder, traces) = (folder(), folder());
                copy(new.path(), folder.path());
                let trace = traces.path().join("trace");
                let config = config(&sandbox, folder.path(), json!({"timeout_ms": 3000}));
                let start = |program: &mut std::process::Command| {
                    let mut driver = Driver::start(program, &config);
                    if Step::of(row, true).is_some_and(Step::needs_key) {
                        driver.tell("key", "K-1");
                    }
                    driver
                };
                let mut driver = start(&mut recorded(&command(), &trace, None));
                let is_over = AtomicBool::new(false);
                std::thread::scope(|scope| {
                    let looking = scope.spawn(|| {
                        let mut seen = Vec::new();
                        while !is_over.load(Ordering::SeqCst) {
                            seen.push(bytes_in(folder.path()));
                            std::thread::sleep(Duration::from_millis(2));
                        }
                        seen
                    });
                    driver.call(row.name, &target.request);
                    is_over.store(true, Ordering::SeqCst);
                    for bytes in looking.join().unwrap() {
                        figures.looks += 1;
                        figures.search(&needles, &bytes, &format!("in the files while it ran, {at}"));
                    }
                });
                driver.finish();
                let mut written = 0;
                for op in read(&trace, folder.path()) {
                    if let Op::Write { name, bytes, .. } = op {
                        written += bytes.len();
                        figures.search(&needles, &bytes, &format!("written to {name}, {at}"));
                    }
                }
                // Some are refused before a claim is written.
                figures.claimed += usize::from(written > 4096);
                let folder_path = std::fs::canonicalize(folder.path()).unwrap();
                let others = system_calls(&trace).iter().filter(|call| is_foreign(call, &folder_path)).count();
                assert_eq!(others, 0, "{at}: it made files in other folders");
                figures.search(&needles, &bytes_in(folder.path()), &format!("after the end, {at}"));
                let after = Duration::from_micros(random.below(20_000));
                start(&mut command()).call_and_kill(row.name, &target.request, after);
                figures.search(&needles, &bytes_in(folder.path()), &format!("after a kill, {at}"));
                figures.calls += 1;
            }
        }
        println!(
            "canary: {} calls with a journal, {} of them recorded, {} looks into its files while they ran, {} kB searched, {} leaks",
            figures.calls,
            figures.claimed,
            figures.looks,
            figures.bytes >> 10,
            figures.leaks.len()
        );
        assert!(figures.leaks.is_empty(), "{}", figures.leaks.join("\n"));
        assert!(figures.claimed * 2 > figures.calls);
        assert!(!needles.found_in(sandbox.text("secret_key").as_bytes()).is_empty(), "the search finds what is there");
    });
}
