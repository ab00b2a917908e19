//! The format of the file: one line is a request and its response, masked. The address and the keys of a sandbox have
//! names in it, because another start has others.

use std::time::Duration;

use crate::crypto::envelope::Opened;
use crate::crypto::keys::{ApiKeys, KeyKind};
use crate::faults::{Chosen, table};
use crate::http::answer::Answer;
use crate::http::incoming::Incoming;
use crate::service::mask;
use crate::util::clock::Moment;
use crate::util::json::{Json, object};

/// To be raised when an older program could misread a line.
pub const VERSION: u64 = 1;
/// The largest file that is written or read.
pub const LARGEST_FILE: u64 = 64 << 20;
/// A shorter secret is a part of too many other texts; an error may repeat it, and there it is masked as well.
const SHORTEST_SECRET: usize = 6;

/// The record of a request or of a connection.
#[derive(Debug)]
pub struct Exchange {
    /// `None`: a new connection met the fault.
    pub asked: Option<Json>,
    pub chosen: Option<Chosen>,
    pub answer: Option<Answer>,
}

/// The client's request. The card data, codes and keys of two clients differ, and are masked.
pub fn asked(incoming: &Incoming, key: KeyKind, opened: &Opened) -> Json {
    let masked = |value: &Json| mask::without(&mask::mask(value), &long(mask::hidden(value)));
    object! {
        "method": &incoming.method,
        "path": &incoming.path,
        "query": masked(&incoming.query_json()),
        "key": key.name(),
        "envelope": opened.envelope,
        "payload": opened.payload.as_ref().map(masked),
    }
}

/// The known parts of a request whose body was not read.
pub fn asked_unread(incoming: &Incoming) -> Json {
    let query = mask::mask(&incoming.query_json());
    object! { "method": &incoming.method, "path": &incoming.path, "query": query }
}

pub fn line(asked: Option<Json>, chosen: Option<Chosen>, answer: Json) -> Json {
    let delay = chosen.map(|chosen| chosen.delay.as_millis() as u64).filter(|delay| *delay > 0);
    object! {
        "at": Moment::now().millis_utc(),
        "request": asked,
        "fault": chosen.map(|chosen| chosen.fault.name),
        "delay_ms": delay,
        "answer": answer,
    }
}

/// The response before a fault changes it, without what the request and the response itself hide.
pub fn shown(answer: &Answer, incoming: &Incoming, opened: &Opened) -> Json {
    let json = Json::parse(&answer.body);
    let mut secrets: Vec<String> = opened.payload.iter().chain(json.iter()).flat_map(mask::hidden).collect();
    secrets.extend(mask::hidden(&incoming.query_json()));
    secrets.extend(incoming.headers.api_key.clone());
    let secrets = if answer.status >= 400 { secrets } else { long(secrets) };
    let headers = answer.headers.iter().map(|(name, value)| (name.to_string(), Json::from(value)));
    let (member, body) = match &json {
        Ok(json) => ("json", mask::without(&mask::mask(json), &secrets)),
        Err(_) => ("text", mask::without_in(&String::from_utf8_lossy(&answer.body), &secrets).into()),
    };
    let head = object! {
        "status": answer.status,
        "content_type": answer.content_type.as_ref(),
        "headers": Json::Object(headers.collect()),
        "assumed": answer.assumed,
    };
    head.and(Json::Object(vec![(member.to_string(), body)]))
}

fn long(secrets: Vec<String>) -> Vec<String> {
    secrets.into_iter().filter(|secret| secret.len() >= SHORTEST_SECRET).collect()
}

pub fn parse(line: &Json) -> Result<Exchange, String> {
    let text = |value: &Json, name: &str| value.get(name).and_then(Json::as_text).map(str::to_string);
    let some = |name: &str| line.get(name).filter(|value| **value != Json::Null);
    let asked = some("request").cloned();
    if let Some(asked) = &asked {
        for name in ["method", "path"] {
            text(asked, name).ok_or_else(|| format!("request.{name} is not a text"))?;
        }
    }
    let delay = some("delay_ms").map(|delay| whole(delay).map(Duration::from_millis).ok_or("delay_ms is not a number"));
    let delay = delay.transpose()?;
    let chosen = match text(line, "fault") {
        Some(name) => Some(Chosen::new(table::named(&name).ok_or_else(|| table::unknown(&name))?, delay)),
        None => None,
    };
    let answer = some("answer").map(parse_answer).transpose()?;
    if chosen.is_none() && (asked.is_none() || answer.is_none()) {
        return Err("it has neither a fault nor a request with its response".to_string());
    }
    Ok(Exchange { asked, chosen, answer })
}

fn parse_answer(answer: &Json) -> Result<Answer, String> {
    let problem = |name: &str| format!("answer.{name} is missing or of the wrong type");
    let status = answer.get("status").and_then(whole).and_then(|status| u16::try_from(status).ok());
    let content_type = answer.get("content_type").and_then(Json::as_text).ok_or_else(|| problem("content_type"))?;
    let Some(Json::Object(headers)) = answer.get("headers") else { return Err(problem("headers")) };
    let header = |(name, value): &(String, Json)| Some((name.clone().into(), value.as_text()?.to_string()));
    let body = match (answer.get("json"), answer.get("text").and_then(Json::as_text)) {
        (Some(json), None) => json.to_string(),
        (None, Some(text)) => text.to_string(),
        _ => return Err(problem("json")),
    };
    Ok(Answer {
        status: status.filter(|status| (200..600).contains(status)).ok_or_else(|| problem("status"))?,
        content_type: content_type.to_string().into(),
        headers: headers.iter().map(header).collect::<Option<_>>().ok_or_else(|| problem("headers"))?,
        body: body.into_bytes(),
        assumed: answer.get("assumed") == Some(&Json::Bool(true)),
    })
}

fn whole(value: &Json) -> Option<u64> {
    match value {
        Json::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

#[derive(Default)]
pub struct Places(Vec<(&'static str, String)>);

impl Places {
    pub fn new(base_url: &str, encryption_key: &str, keys: &ApiKeys) -> Places {
        Places(vec![
            ("{base_url}", base_url.to_string()),
            ("{encryption_key}", encryption_key.to_string()),
            ("{public_key}", keys.public.clone()),
            ("{secret_key}", keys.secret.clone()),
        ])
    }

    /// The text with the names. JSON writes all these values as they are.
    pub fn named(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (name, value)| replace_whole(&text, value, name))
    }

    /// The text with the values.
    pub fn filled(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
    }
}

/// Not where the value goes on: `http://127.0.0.1:80` is not the start of `http://127.0.0.1:8080`.
fn replace_whole(text: &str, value: &str, name: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(value) {
        let goes_on = after.starts_with(|next: char| next.is_ascii_alphanumeric() || matches!(next, ':' | '.' | '-'));
        replaced.push_str(before);
        replaced.push_str(if goes_on { value } else { name });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_address_is_another() {
        let replaced = |text: &str| replace_whole(text, "http://127.0.0.1:80", "{base_url}");
        assert_eq!(replaced(r#""http://127.0.0.1:80/a","http://127.0.0.1:80""#), r#""{base_url}/a","{base_url}""#);
        assert_eq!(replaced("http://127.0.0.1:8080/a"), "http://127.0.0.1:8080/a");
    }
}
