//! The way webhooks are sent, and their target; set by an admin call.

use std::time::Duration;

use hyper::Uri;

use super::message::{Form, form};
use crate::http::answer::ApiError;
use crate::http::fields::Fields;
use crate::util::json::{Json, object};

const MEMBERS: [&str; 8] = ["url", "form", "attempts", "retry_ms", "delay_ms", "duplicates", "reorder", "drop"];
const LONGEST_DELAY_MS: u64 = 600_000;
/// Max attempts, duplicates, events to reorder.
const MOST: u64 = 100;
const MOST_DROPS: u64 = 1_000_000;

#[derive(Debug, Clone)]
pub struct Behaviour {
    /// `None`: events are only logged.
    pub url: Option<Target>,
    pub form: Form,
    /// The number of attempts until one is answered with 2xx.
    pub attempts: u64,
    /// The pause between two attempts.
    pub retry: Duration,
    /// From the event to its first attempt.
    pub delay: Duration,
    /// Number of additional sends of each event.
    pub duplicates: u64,
    /// The events are collected in groups of this size, and each group is sent in reverse.
    pub reorder: usize,
    /// Number of the next events that are not sent.
    pub drop: u64,
}

impl Default for Behaviour {
    fn default() -> Behaviour {
        Behaviour {
            url: None,
            form: Form::default(),
            attempts: 1,
            retry: Duration::from_millis(100),
            delay: Duration::ZERO,
            duplicates: 0,
            reorder: 1,
            drop: 0,
        }
    }
}

impl Behaviour {
    /// The behaviour with the fields that are given; the others stay.
    pub fn changed(&self, body: &Json) -> Result<Behaviour, ApiError> {
        let mut fields = Fields::of(body);
        // A misspelt field would silently change nothing.
        fields.only(&MEMBERS);
        let changed = Behaviour {
            url: self.changed_url(body, &mut fields),
            form: form(&mut fields).unwrap_or(self.form),
            attempts: number(&mut fields, "attempts", 1, MOST).unwrap_or(self.attempts),
            retry: millis(&mut fields, "retry_ms").unwrap_or(self.retry),
            delay: millis(&mut fields, "delay_ms").unwrap_or(self.delay),
            duplicates: number(&mut fields, "duplicates", 0, MOST).unwrap_or(self.duplicates),
            reorder: number(&mut fields, "reorder", 1, MOST).map_or(self.reorder, |group| group as usize),
            drop: number(&mut fields, "drop", 0, MOST_DROPS).unwrap_or(self.drop),
        };
        fields.finish()?;
        Ok(changed)
    }

    /// Null removes the URL.
    fn changed_url(&self, body: &Json, fields: &mut Fields) -> Option<Target> {
        let text = match body.get("url") {
            None => return self.url.clone(),
            Some(Json::Null) => return None,
            Some(_) => fields.required("url"),
        };
        let parsed = text.parse::<Target>();
        parsed.map_err(|problem| fields.error("url", format!("The url field is wrong: {problem}."))).ok()
    }

    /// Returns whether the next event is dropped.
    pub fn take_drop(&mut self) -> bool {
        let is_dropped = self.drop > 0;
        self.drop -= u64::from(is_dropped);
        is_dropped
    }

    pub fn json(&self) -> Json {
        object! {
            "url": self.url.as_ref().map(|target| target.uri.to_string()),
            "form": self.form.name(),
            "attempts": self.attempts,
            "retry_ms": self.retry.as_millis() as u64,
            "delay_ms": self.delay.as_millis() as u64,
            "duplicates": self.duplicates,
            "reorder": self.reorder,
            "drop": self.drop,
        }
    }
}

fn millis(fields: &mut Fields, name: &str) -> Option<Duration> {
    number(fields, name, 0, LONGEST_DELAY_MS).map(Duration::from_millis)
}

fn number(fields: &mut Fields, name: &str, least: u64, most: u64) -> Option<u64> {
    let number = fields.optional_count(name)?;
    if !(least..=most).contains(&number) {
        fields.error(name, format!("The {name} field must be from {least} to {most}."));
    }
    Some(number)
}

#[derive(Debug, Clone)]
pub struct Target {
    pub uri: Uri,
    pub host: String,
    pub port: u16,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let uri: Uri = text.parse().map_err(|error| format!("not a URL: {error}"))?;
        if uri.scheme_str() != Some("http") {
            return Err("the URL must start with http://".to_string());
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_string();
        let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        if !is_loopback {
            return Err("the URL must name this machine: 127.0.0.1, [::1] or localhost".to_string());
        }
        let port = uri.port_u16().unwrap_or(80);
        Ok(Target { uri, host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> Result<String, String> {
        let url = Some("http://127.0.0.1:1/".parse().unwrap());
        let behaviour = Behaviour { url, ..Behaviour::default() };
        let changed = behaviour.changed(&Json::parse(text.as_bytes()).unwrap());
        changed.map(|changed| changed.json().to_string()).map_err(|error| error.message)
    }

    #[test]
    fn what_is_not_given_stays() {
        let expected = concat!(
            r#"{"url":"http://127.0.0.1:1/","form":"flat","attempts":3,"retry_ms":100,"delay_ms":0,"#,
            r#""duplicates":0,"reorder":1,"drop":0}"#
        );
        assert_eq!(changed(r#"{"form":"flat","attempts":3}"#).unwrap(), expected);
        assert!(changed(r#"{"url":null}"#).unwrap().starts_with(r#"{"url":null,"#));
    }

    #[test]
    fn wrong_members_are_refused() {
        for (text, words) in [
            (r#"{"from":"flat"}"#, "There is no field from; there are url, form"),
            (r#"{"form":"xml"}"#, "There is no form xml; there are data, pascal, flat, envelope, status."),
            (r#"{"url":"http://example.com/"}"#, "must name this machine"),
            (r#"{"url":""}"#, "is required"),
            (r#"{"attempts":0}"#, "from 1 to 100"),
            (r#"{"delay_ms":"x"}"#, "whole number"),
        ] {
            let message = changed(text).unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
    }

    #[test]
    fn only_loopback_urls_are_accepted() {
        for good in ["http://127.0.0.1:8080/hook", "http://[::1]:1/", "http://localhost/x?y=1"] {
            good.parse::<Target>().unwrap();
        }
        for bad in ["https://127.0.0.1/", "http://example.com/", "http://10.0.0.1/", "hook", ""] {
            bad.parse::<Target>().unwrap_err();
        }
    }
}
