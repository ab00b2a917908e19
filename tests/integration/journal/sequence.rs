//! Calls that move money, one after the other, and what must be true of each whatever happens to the journal's file.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::disk::Files;
use super::recording::Op;
use crate::support::driver::{Driver, Reply};
use crate::support::sandbox::Sandbox;
use crate::support::target::calls;

/// All cases, as in `make harden`; else some.
pub fn all() -> bool {
    std::env::var("TEST_JOURNAL_DISK").is_ok_and(|what| what == "all")
}

pub struct Call {
    pub function: &'static str,
    pub request: Value,
    /// The caller's, or none.
    pub key: Option<String>,
    /// The key in the journal.
    entry: String,
    /// Effect and key in the ledger.
    effect: (&'static str, String),
    pub path: &'static str,
    /// The fault that the service applies to it.
    fault: Option<&'static str>,
}

impl Call {
    pub fn charge(order: &str, fault: Option<&'static str>) -> Call {
        let mut request = Value::Object(calls().endpoints["order_pay"].request.clone());
        request["reference"] = order.into();
        Call {
            function: "order_pay",
            request,
            key: None,
            entry: format!("charge {}", order.to_lowercase()),
            effect: ("charge_made", order.to_owned()),
            path: "/payment/order/pay",
            fault,
        }
    }

    pub fn refund(amount: &str, fault: Option<&'static str>) -> Call {
        Call {
            function: "order_refund",
            request: json!({"reference": PAID, "amount": amount}),
            key: Some(format!("refund-{amount}")),
            entry: format!("key refund-{amount}"),
            effect: ("refund_made", format!("{PAID}/{amount}")),
            path: "/payment/order/refund",
            fault,
        }
    }

    pub fn run(&self, driver: &mut Driver) -> Reply {
        if let Some(key) = &self.key {
            driver.tell("key", key);
        }
        driver.call(self.function, &self.request)
    }

    /// The service can be asked what became of it.
    pub fn can_be_looked_up(&self) -> bool {
        self.key.is_none()
    }

    /// With its fault.
    pub fn run_first(&self, driver: &mut Driver, sandbox: &Sandbox) -> Reply {
        if let Some(fault) = self.fault {
            sandbox.arm(self.path, fault);
        }
        self.run(driver)
    }

    /// The number of times it was executed.
    pub fn effects(&self, sandbox: &Sandbox) -> usize {
        sandbox.effects_with_key(self.effect.0, &self.effect.1)
    }

    /// The journal in that folder, opened with SQLite, has a claim of it.
    pub fn is_claimed_in(&self, folder: &Path) -> bool {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let Ok(file) = Connection::open_with_flags(folder.join("pay.db"), flags) else { return false };
        let count = "SELECT count(*) FROM journal_row WHERE key = ?1 AND seq = 1";
        file.query_row(count, [&self.entry], |row| row.get::<_, u32>(0)).is_ok_and(|count| count == 1)
    }

    /// The same of files.
    pub fn is_claimed(&self, files: &Files) -> bool {
        let folder = super::folder();
        super::disk::put(files, folder.path());
        self.is_claimed_in(folder.path())
    }

    /// It left after these operations.
    pub fn was_sent(&self, op: &Op) -> bool {
        matches!(op, Op::Sent(path) if path == self.path)
    }
}

/// An order that can be refunded.
const PAID: &str = "O-PAID";

/// Prepares the service for the calls.
pub fn prepare(sandbox: &Sandbox) {
    sandbox.post("/sandbox/reset", &Value::Null);
    sandbox.post("/sandbox/mandates", &json!({"mandateCode": "MDTC-1"}));
    sandbox.post("/sandbox/orders", &json!({"reference": PAID, "amount": "100.00", "paid": true}));
}

/// With more time than a call needs on a machine that is busy.
pub fn config(sandbox: &Sandbox, folder: &Path, changes: Value) -> Value {
    let mut config = sandbox.config_with(json!({
        "journal": folder.join("pay.db"), "timeout_ms": 60_000, "connect_timeout_ms": 30_000, "max_attempts": 1,
    }));
    changes.as_object().unwrap().iter().for_each(|(name, value)| config[name] = value.clone());
    config
}

/// A folder with a new journal.
pub fn new_journal(sandbox: &Sandbox, command: &dyn Fn() -> Command) -> tempfile::TempDir {
    let folder = super::folder();
    let driver = Driver::start(&mut command(), &config(sandbox, folder.path(), json!({"journal_create": true})));
    assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
    driver.finish();
    folder
}

/// Copies the files of one folder to another.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(to).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    super::disk::put(&super::disk::files_of(from), to);
}
