//! Fault rules: how they are read from JSON, when one matches and when it fires.

use std::time::Duration;

use strsim::levenshtein;

use super::fault::{Acts, Fault};
use super::table;
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::http::path_pattern;
use crate::util::json::{Json, object};
use crate::util::seed::Seed;

/// The input that rules are matched against.
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

    /// Returns whether the rule fires. It counts every match, even if an earlier rule has fired (`is_free` is false).
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

const MEMBERS: [&str; 8] = ["path", "method", "fault", "nth", "count", "probability", "seed", "delay_ms"];
const LONGEST_DELAY_MS: u64 = 600_000;

/// Without `speaks_tls`, TLS faults are an error, and so is a path that no endpoint has: they could never act.
pub fn parse(body: &Json, speaks_tls: bool, known: &[&str]) -> Result<Rule, ApiError> {
    let mut fields = Fields::of(body);
    check_members(body, &mut fields);
    let name = fields.required("fault");
    let fault = table::named(&name);
    if fault.is_none() && !name.is_empty() {
        fields.error("fault", table::unknown(&name));
    }
    if fault.is_some_and(Fault::is_tls) && !speaks_tls {
        fields.error("fault", format!("The fault {name} needs a sandbox that was started with --tls."));
    }
    let scope = scope(&mut fields, fault, known);
    let probability = probability(body, &mut fields);
    let nth = at_least_one(&mut fields, "nth").unwrap_or(1);
    // By default a rule fires once, or without limit if it has a probability.
    let count = at_least_one(&mut fields, "count").or(if probability.is_some() { None } else { Some(1) });
    let delay = fields.optional_count("delay_ms");
    if delay.is_some_and(|delay| delay > LONGEST_DELAY_MS) {
        fields.error("delay_ms", format!("The delay_ms field must be at most {LONGEST_DELAY_MS}."));
    }
    if delay.is_some() && fault.is_some_and(|fault| fault.delay.is_none()) {
        let delayed: Vec<_> = table::all().filter(|fault| fault.delay.is_some()).map(|fault| fault.name).collect();
        fields.error("delay_ms", format!("The delay_ms field belongs to {} only.", delayed.join(", ")));
    }
    fields.finish()?;
    let fault = fault.ok_or_else(|| ApiError::field("fault", "The fault field is required."))?;
    let delay = delay.map(Duration::from_millis);
    Ok(Rule { scope, nth, count, probability, delay, ..Rule::of_next_connection(fault) })
}

/// A misspelt field would silently change the meaning of the rule.
fn check_members(body: &Json, fields: &mut Fields) {
    let Json::Object(members) = body else {
        return;
    };
    for (name, _) in members {
        if !MEMBERS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            fields.error(name, format!("There is no field {name}; there are {}.", MEMBERS.join(", ")));
        }
    }
}

fn scope(fields: &mut Fields, fault: Option<&'static Fault>, known: &[&str]) -> Scope {
    let acts = fault.map(|fault| fault.acts);
    let method = fields.optional("method").map(|method| method.to_ascii_uppercase());
    let Some(path) = fields.optional("path") else {
        match acts {
            Some(Acts::Request | Acts::Reused) => fields.error("path", "The path field is required.".to_string()),
            _ if method.is_some() => fields.error("method", "A rule without a path takes no method.".to_string()),
            _ => {}
        }
        return Scope::NewConnections;
    };
    if acts == Some(Acts::Connection) {
        let text = "This fault acts on new connections, before any path is known: leave path out.";
        fields.error("path", text.to_string());
    }
    if !path.starts_with('/') && path != "*" {
        fields.error("path", "The path field starts with / or is *.".to_string());
    } else if let Err(problem) = check_path(&path, known) {
        fields.error("path", problem);
    }
    Scope::Requests { path, method }
}

fn at_least_one(fields: &mut Fields, name: &str) -> Option<u64> {
    let count = fields.optional_count(name);
    if count == Some(0) {
        fields.error(name, format!("The {name} field must be at least 1."));
    }
    count
}

/// A probability is not an amount of money, so it may be a float.
fn probability(body: &Json, fields: &mut Fields) -> Option<Probability> {
    let seed = fields.optional_count("seed").unwrap_or(0);
    let text = match body.get("probability") {
        None | Some(Json::Null) => return None,
        Some(Json::Text(text) | Json::Number(text)) => text.clone(),
        Some(_) => String::new(),
    };
    match text.parse::<f64>() {
        Ok(chance) if (0.0..=1.0).contains(&chance) => Some(Probability { text, chance, seed }),
        _ => {
            fields.error("probability", "The probability field must be a number from 0 to 1.".to_string());
            None
        }
    }
}

/// Max number of similar paths that an error lists.
const SHOWN: usize = 5;

/// An error, with the nearest paths, if a rule for this path could never act. `known` are the paths of the endpoints.
pub fn check_path(path: &str, known: &[&str]) -> Result<(), String> {
    if known.iter().any(|known| can_match(path, known)) {
        return Ok(());
    }
    let mut near: Vec<&str> = known.to_vec();
    near.sort_by_key(|known| levenshtein(path.trim_end_matches('*'), known));
    near.dedup();
    near.truncate(SHOWN);
    Err(format!("No endpoint has the path {path}; near it are {}.", near.join(", ")))
}

fn can_match(path: &str, known: &str) -> bool {
    let Some(prefix) = path.strip_suffix('*') else {
        return path_pattern::values(known, path).is_some() || path_pattern::values(path, known).is_some();
    };
    let literal = known.split('{').next().unwrap_or_default();
    known.starts_with(prefix) || (literal != known && prefix.starts_with(literal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::table::named;

    fn rule(path: &str, nth: u64, count: Option<u64>) -> Rule {
        let scope = Scope::Requests { path: path.into(), method: None };
        Rule { scope, nth, count, ..Rule::of_next_connection(named("truncate").unwrap()) }
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
        let mut faults = crate::faults::Faults::default();
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

    fn parsed(text: &str) -> Result<Rule, ApiError> {
        parse(&Json::parse(text.as_bytes()).unwrap(), true, &["/a"])
    }

    #[test]
    fn defaults() {
        let once = parsed(r#"{"path":"/a","fault":"drip"}"#).unwrap();
        assert_eq!((once.nth, once.count, &once.probability), (1, Some(1), &None));
        let chance = parsed(r#"{"path":"/a","fault":"drip","probability":"0.5","method":"get"}"#).unwrap();
        assert_eq!((chance.count, chance.probability.unwrap().chance), (None, 0.5));
        assert_eq!(chance.scope, Scope::Requests { path: "/a".into(), method: Some("GET".into()) });
        assert_eq!(parsed(r#"{"fault":"tls_silence","count":3}"#).unwrap().scope, Scope::NewConnections);
        assert_eq!(parsed(r#"{"fault":"reset_before_read"}"#).unwrap().scope, Scope::NewConnections);
    }

    #[test]
    fn invalid_rules_are_refused() {
        for (text, words) in [
            (r"{}", "fault field is required"),
            (r#"{"path":"/a","fault":"drop"}"#, "There is no fault drop; there are reset_before_read, "),
            (r#"{"fault":"drip"}"#, "path field is required"),
            (r#"{"path":"a","fault":"drip"}"#, "starts with /"),
            (r#"{"path":"/b","fault":"drip"}"#, "No endpoint has the path /b; near it are /a."),
            (r#"{"path":"/a","fault":"tls_silence"}"#, "leave path out"),
            (r#"{"method":"GET","fault":"tls_silence"}"#, "takes no method"),
            (r#"{"path":"/a","fault":"drip","nth":0}"#, "nth field must be at least 1"),
            (r#"{"path":"/a","fault":"drip","count":"x"}"#, "count field must be a whole number"),
            (r#"{"path":"/a","fault":"drip","probability":1.5}"#, "from 0 to 1"),
            (r#"{"path":"/a","fault":"drip","probability":"NaN"}"#, "from 0 to 1"),
            (r#"{"path":"/a","fault":"drip","times":2}"#, "There is no field times"),
            (r#"{"path":"/a","fault":"drip","delay_ms":2}"#, "belongs to slow_headers"),
        ] {
            let message = parsed(text).unwrap_err().message;
            assert!(message.contains(words), "{text}: {message}");
        }
        let plain = parse(&Json::parse(br#"{"fault":"tls_silence"}"#).unwrap(), false, &[]);
        assert!(plain.unwrap_err().message.contains("--tls"));
    }

    const KNOWN: [&str; 4] =
        ["/payment/order/pay", "/payment/banks", "/payout/{batchReference}/status", "/payout/initiate"];

    #[test]
    fn paths_that_exist() {
        for path in [
            "/payment/banks",
            "/payout/B-1/status",
            "/payout/{x}/status",
            "/payment/{x}",
            "*",
            "/payment/*",
            "/payout/B-*",
        ] {
            assert_eq!(check_path(path, &KNOWN), Ok(()), "{path}");
        }
    }

    #[test]
    fn paths_that_do_not() {
        let problem = check_path("/payment/order/apy", &KNOWN[..3]).unwrap_err();
        assert_eq!(
            problem,
            "No endpoint has the path /payment/order/apy; near it are /payment/order/pay, /payment/banks, \
             /payout/{batchReference}/status."
        );
        for path in ["/payment", "/payment/banks/", "/refund*", "/payment/banks?x=1", "/payout/x"] {
            assert!(check_path(path, &KNOWN).is_err(), "{path}");
        }
    }
}
