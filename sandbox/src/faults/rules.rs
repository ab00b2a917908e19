//! Fault rules: when one matches and when it fires.

use std::time::Duration;

use super::fault::{Acts, Fault};
use crate::http::path_pattern;
use crate::util::json::{Json, object};
use crate::util::seed::Seed;

/// What rules are matched against.
pub enum Subject<'a> {
    NewConnection,
    Request { method: &'a str, path: &'a str, on_connection: u64 },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    NewConnections,
    /// `path` is a literal path, a pattern such as `/a/{x}`, or a prefix followed by `*`.
    Requests {
        path: String,
        method: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// From 1, in the order in which rules were added.
    pub id: u64,
    pub fault: &'static Fault,
    pub scope: Scope,
    /// The number of the first match that may fire, from 1.
    pub nth: u64,
    /// The maximum number of times it fires; `None`: no limit.
    pub count: Option<u64>,
    pub probability: Option<Probability>,
    pub delay: Option<Duration>,
    pub matched: u64,
    pub fired: u64,
}

/// A probability whose outcomes depend only on the seed and the number of the match.
#[derive(Debug, Clone, PartialEq)]
pub struct Probability {
    /// As written in the rule.
    pub text: String,
    pub chance: f64,
    pub seed: u64,
}

impl Probability {
    fn fires(&self, matched: u64) -> bool {
        let bytes = Seed::from_number(self.seed).bytes("fault rule", matched);
        let number = bytes[..8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        // A float holds 53 bits exactly; the result is below 1.
        ((number >> 11) as f64 / (1_u64 << 53) as f64) < self.chance
    }
}

impl Rule {
    /// A rule that fires once, on the next new connection.
    pub fn of_next_connection(fault: &'static Fault) -> Rule {
        let scope = Scope::NewConnections;
        Rule { id: 0, fault, scope, nth: 1, count: Some(1), probability: None, delay: None, matched: 0, fired: 0 }
    }

    /// Whether the rule fires. It counts every match, even if an earlier rule has fired (`is_free` is false).
    pub fn fires_for(&mut self, subject: &Subject, is_free: bool) -> bool {
        if !self.matches(subject) {
            return false;
        }
        self.matched += 1;
        let fires = is_free
            && self.matched >= self.nth
            && self.count.is_none_or(|count| self.fired < count)
            && self.probability.as_ref().is_none_or(|probability| probability.fires(self.matched));
        self.fired += u64::from(fires);
        fires
    }

    fn matches(&self, subject: &Subject) -> bool {
        match (&self.scope, subject) {
            (Scope::NewConnections, Subject::NewConnection) => true,
            (Scope::Requests { path: wanted, method: only }, Subject::Request { method, path, on_connection }) => {
                only.as_deref().is_none_or(|only| only == *method)
                    && path_fits(wanted, path)
                    && (self.fault.acts != Acts::Reused || *on_connection > 1)
            }
            _ => false,
        }
    }

    pub fn json(&self) -> Json {
        let (path, method) = match &self.scope {
            Scope::NewConnections => (None, None),
            Scope::Requests { path, method } => (Some(path.clone()), method.clone()),
        };
        object! {
            "id": self.id,
            "fault": self.fault.name,
            "path": path,
            "method": method,
            "nth": self.nth,
            "count": self.count,
            "probability": self.probability.as_ref().map(|probability| probability.text.clone()),
            "seed": self.probability.as_ref().map(|probability| probability.seed),
            "delay_ms": self.delay.map(|delay| delay.as_millis() as u64),
            "matched": self.matched,
            "fired": self.fired,
        }
    }
}

fn path_fits(wanted: &str, path: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(prefix) => path.starts_with(prefix),
        None => wanted == path || path_pattern::values(wanted, path).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::table::named;

    fn rule(path: &str, nth: u64, count: Option<u64>) -> Rule {
        Rule {
            id: 0,
            fault: named("truncate").unwrap(),
            scope: Scope::Requests { path: path.into(), method: None },
            nth,
            count,
            probability: None,
            delay: None,
            matched: 0,
            fired: 0,
        }
    }

    fn at(path: &str) -> Subject<'_> {
        Subject::Request { method: "POST", path, on_connection: 1 }
    }

    #[test]
    fn paths() {
        for (wanted, path, fits) in [
            ("/a", "/a", true),
            ("/a", "/a/b", false),
            ("/a/{x}", "/a/b", true),
            ("/a/{x}", "/a/", false),
            ("/a/{x}", "/a/{x}", true),
            ("/a/*", "/a/b/c", true),
            ("/a*", "/ab", true),
            ("*", "/", true),
            ("/a/*", "/a", false),
        ] {
            assert_eq!(path_fits(wanted, path), fits, "{wanted} {path}");
        }
    }

    #[test]
    fn nth_and_count() {
        let mut rule = rule("/a", 2, Some(2));
        let fired: Vec<bool> = (0..5).map(|_| rule.fires_for(&at("/a"), true)).collect();
        assert_eq!(fired, [false, true, true, false, false]);
        assert!(!rule.fires_for(&at("/b"), true) && !rule.fires_for(&Subject::NewConnection, true));
        assert_eq!((rule.matched, rule.fired), (5, 2));
    }

    #[test]
    fn methods_and_reused_connections() {
        let mut get = rule("/a", 1, None);
        get.scope = Scope::Requests { path: "/a".into(), method: Some("GET".into()) };
        assert!(!get.fires_for(&at("/a"), true));
        let mut reused = Rule { fault: named("close_after_read").unwrap(), ..rule("/a", 1, None) };
        assert!(!reused.fires_for(&at("/a"), true));
        assert!(reused.fires_for(&Subject::Request { method: "POST", path: "/a", on_connection: 2 }, true));
        let mut connection = Rule { scope: Scope::NewConnections, ..rule("", 1, None) };
        assert!(!connection.fires_for(&at("/a"), true) && connection.fires_for(&Subject::NewConnection, true));
    }

    #[test]
    fn the_first_rule_that_fires_wins() {
        let mut faults = super::super::Faults::default();
        faults.add(rule("/a", 1, Some(1)));
        faults.add(Rule { fault: named("drip").unwrap(), ..rule("/a", 1, Some(1)) });
        let fired: Vec<_> = (0..3).map(|_| faults.choose(&at("/a")).map(|chosen| chosen.fault.name)).collect();
        assert_eq!(fired, [Some("truncate"), Some("drip"), None]);
        assert_eq!(faults.clear(), 2);
        assert_eq!(faults.choose(&at("/a")), None);
    }

    #[test]
    fn a_probability_repeats_with_its_seed() {
        let fired = |chance: f64, seed: u64| -> Vec<bool> {
            let probability = Some(Probability { text: String::new(), chance, seed });
            let mut rule = Rule { probability, ..rule("/a", 1, None) };
            (0..400).map(|_| rule.fires_for(&at("/a"), true)).collect()
        };
        let count = |fired: &[bool]| fired.iter().filter(|fired| **fired).count();
        assert_eq!(fired(0.25, 1), fired(0.25, 1));
        assert_ne!(fired(0.25, 1), fired(0.25, 2));
        assert!((50..150).contains(&count(&fired(0.25, 1))), "{}", count(&fired(0.25, 1)));
        assert_eq!((count(&fired(0.0, 1)), count(&fired(1.0, 1))), (0, 400));
    }
}
