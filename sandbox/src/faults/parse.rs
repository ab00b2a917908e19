//! Reads a fault rule from the JSON of an admin call or of the command line.

use std::time::Duration;

use super::fault::{Acts, Fault};
use super::paths;
use super::rules::{Probability, Rule, Scope};
use super::table;
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::util::json::Json;

const MEMBERS: [&str; 8] = ["path", "method", "fault", "nth", "count", "probability", "seed", "delay_ms"];
const LONGEST_DELAY_MS: u64 = 600_000;

/// Without `speaks_tls`, TLS faults are an error, and so is a path that no endpoint has: they could never act.
pub fn rule(body: &Json, speaks_tls: bool, known: &[&str]) -> Result<Rule, ApiError> {
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
    Ok(Rule {
        id: 0,
        fault,
        scope,
        nth,
        count,
        probability,
        delay: delay.map(Duration::from_millis),
        matched: 0,
        fired: 0,
    })
}

/// A misspelt member would silently change the meaning of the rule.
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
    } else if let Err(problem) = paths::check(&path, known) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Rule, ApiError> {
        rule(&Json::parse(text.as_bytes()).unwrap(), true, &["/a"])
    }

    #[test]
    fn defaults() {
        let once = parse(r#"{"path":"/a","fault":"drip"}"#).unwrap();
        assert_eq!((once.nth, once.count, &once.probability), (1, Some(1), &None));
        let chance = parse(r#"{"path":"/a","fault":"drip","probability":"0.5","method":"get"}"#).unwrap();
        assert_eq!((chance.count, chance.probability.unwrap().chance), (None, 0.5));
        assert_eq!(chance.scope, Scope::Requests { path: "/a".into(), method: Some("GET".into()) });
        assert_eq!(parse(r#"{"fault":"tls_silence","count":3}"#).unwrap().scope, Scope::NewConnections);
        assert_eq!(parse(r#"{"fault":"reset_before_read"}"#).unwrap().scope, Scope::NewConnections);
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
            let message = parse(text).unwrap_err().message;
            assert!(message.contains(words), "{text}: {message}");
        }
        let plain = rule(&Json::parse(br#"{"fault":"tls_silence"}"#).unwrap(), false, &[]);
        assert!(plain.unwrap_err().message.contains("--tls"));
    }
}
