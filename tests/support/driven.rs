//! A client in another process: what [`super::capi`] is on a platform whose library this process cannot load. The
//! process is `tests/c/driver.c`, and serves one client after the other.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use super::driver::{Driver, Reply};
use super::platform::Foreign;
use super::{Link, Stage, root};

/// Drivers that wait for a client. They end with this process, which holds the other end of their input.
static IDLE: Mutex<Vec<Driver>> = Mutex::new(Vec::new());

pub struct Driven {
    /// Until it is dropped.
    driver: Mutex<Option<Driver>>,
}

impl Driven {
    pub fn new(platform: &'static Foreign, config: &str) -> Result<Driven, Box<Reply>> {
        let config = platform.config(config);
        let idle = IDLE.lock().unwrap().pop();
        let (driver, created) = match idle {
            Some(mut driver) => {
                let created = driver.call_text("client", &config);
                (driver, created)
            }
            None => {
                let driver = Driver::start_text(&mut platform.command(program()), &config);
                let created = driver.created.clone();
                (driver, created)
            }
        };
        // One that could not make a client has ended, or ends now.
        let good = created.status == "OK";
        if good { Ok(Driven { driver: Mutex::new(Some(driver)) }) } else { Err(Box::new(created)) }
    }

    /// 0: the client's own limit.
    pub fn call(&self, function: &str, request: &str, timeout_ms: i32) -> Reply {
        let mut driver = self.driver.lock().unwrap();
        let driver = driver.as_mut().unwrap();
        driver.tell("timeout", &timeout_ms.to_string());
        driver.call_text(function, request)
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        // A driver that has failed has already reported it.
        if std::thread::panicking() {
            return;
        }
        let mut driver = self.driver.get_mut().unwrap().take().unwrap();
        // As a program would: the client goes before the next one comes.
        driver.close();
        IDLE.lock().unwrap().push(driver);
    }
}

/// Compiled once a process of tests; outside of a stage, which a program that lives until the end of the process would
/// keep.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let stage = Stage::new();
        let built = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &["-std=c89", "-pedantic"]);
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-driver.exe", std::process::id()));
        std::fs::copy(built, &kept).unwrap();
        kept
    })
}
