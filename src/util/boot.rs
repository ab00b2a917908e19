//! The clock of a lease: the time since the machine started. It counts suspend, and nobody can set it. Two moments have it
//! in common only if machine, start and time namespace are the same; otherwise they are not compared.

use std::fs;
use std::time::Instant;

use once_cell::race::OnceBox;

use crate::util::process::PerProcess;
use crate::util::unique;

/// A time of the boot-time clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Equal for two processes only if they share the clock.
    pub boot: String,
    pub ms: u64,
}

impl Moment {
    pub fn now() -> Moment {
        Moment { boot: boot().to_owned(), ms: ms() }
    }

    /// The time from this moment until `now`. `None` if the clocks differ, or if this moment is later: then it was written
    /// in another boot, whatever boot it names.
    pub fn passed_ms(&self, now: &Moment) -> Option<u64> {
        if self.boot == now.boot { now.ms.checked_sub(self.ms) } else { None }
    }
}

/// The boot-time clock, which only this process may compare.
pub fn ms() -> u64 {
    system_ms().unwrap_or_else(process_ms)
}

/// Read once in each process. A forked child reads it again, because its time namespace may be another.
fn boot() -> &'static str {
    static BOOT: OnceBox<PerProcess<OnceBox<String>>> = OnceBox::new();
    BOOT.get_or_init(|| Box::new(PerProcess::new())).current().1.get_or_init(|| Box::new(identify()))
}

/// Without an identity of the boot, or without its clock, no two processes share one.
fn identify() -> String {
    system_ms().and_then(|_| boot_of_system()).unwrap_or_else(|| format!("process {}", unique::process_prefix()))
}

/// Containers of one machine have the same boot ID, but each time namespace shifts the clock.
fn boot_of_system() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let id = id.trim();
    let is_id = id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    // Absent before Linux 5.6.
    let namespace = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    is_id.then(|| format!("{id} {}", namespace.display()).trim_end().to_owned())
}

/// The system's clock, if it has one that counts suspend. One call into the vDSO on Linux.
#[cfg(unix)]
fn system_ms() -> Option<u64> {
    use nix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::CLOCK_BOOTTIME;
    #[cfg(target_vendor = "apple")]
    let clock = ClockId::from_raw(libc::CLOCK_MONOTONIC_RAW);
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    let clock = ClockId::CLOCK_MONOTONIC;
    let now = std::time::Duration::from(clock_gettime(clock).ok()?);
    u64::try_from(now.as_millis()).ok()
}

#[cfg(not(unix))]
fn system_ms() -> Option<u64> {
    None
}

fn process_ms() -> u64 {
    static STARTED: OnceBox<Instant> = OnceBox::new();
    STARTED.get_or_init(|| Box::new(Instant::now())).elapsed().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_passes_within_one_boot_only() {
        let first = Moment::now();
        sleep(Duration::from_millis(20));
        let second = Moment::now();
        assert!((20..60_000).contains(&first.passed_ms(&second).unwrap()));
        assert_eq!(first.passed_ms(&first), Some(0));
        assert_eq!(second.passed_ms(&first), None, "a later moment");
        let elsewhere = Moment { boot: format!("{}x", first.boot), ..second };
        assert_eq!((first.passed_ms(&elsewhere), elsewhere.passed_ms(&first)), (None, None));
    }

    #[test]
    fn the_clock_of_the_process_runs_too() {
        let first = process_ms();
        sleep(Duration::from_millis(20));
        assert!(process_ms() >= first + 20);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_boot_is_the_systems_and_the_clock_its_uptime() {
        let now = Moment::now();
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        assert!(now.boot.starts_with(id.trim()) && now.boot == Moment::now().boot, "{}", now.boot);
        assert_eq!(now.boot.contains("time:["), fs::read_link("/proc/self/ns/time").is_ok());
        let uptime = fs::read_to_string("/proc/uptime").unwrap();
        let seconds: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
        assert!((seconds - now.ms as f64 / 1000.0).abs() < 60.0, "{seconds} s and {} ms", now.ms);
    }
}
