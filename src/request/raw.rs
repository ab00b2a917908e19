//! `paysvc_request`: a request described by JSON, for endpoints that the table does not have yet.
//!
//! The rules of a row also apply here: the payload of an encrypted endpoint is never sent unencrypted.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::config::Config;
use crate::json::{Fields, Given, Type, Value};
use crate::request::Request;
use crate::request::names;
use crate::request::policy::{self, Policy, RawRequest};
use crate::request::secrets::{Secrets, Stop};
use crate::request::{body, url, validate};
use crate::util::memory::{MAX_ERRORS, MAX_LINE};
use crate::util::secret::SecretBytes;
use crate::util::text::spelling_fault;
use crate::util::url_path;
use crate::util::validation_error::ValidationError;
use paysvc_spec::journal::Step;
use paysvc_spec::schema::{Answer, ApiKey, Endpoint, Method, Safety};
use paysvc_spec::settings::REQUEST;
use paysvc_spec::status::Status;

pub const WHAT: &str = "request";
/// Apache refuses more by default.
const MAX_HEADERS: usize = 100;
/// Bank account numbers have this many digits, card numbers have more.
const ACCOUNT_DIGITS: usize = 10;

/// Headers that the library sets itself, or that would change the framing of the request.
const OWN_HEADERS: &[&str] = &[
    "api-key",
    "host",
    "accept",
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
    "expect",
    "te",
    "trailer",
    "upgrade",
    "user-agent",
    "accept-encoding",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
];
/// Headers that make some servers and frameworks take another path or method than those of the request.
const REROUTING_HEADERS: &[&str] =
    &["x-original-url", "x-rewrite-url", "x-http-method", "x-http-method-override", "x-method-override"];

pub fn prepare<'a>(json: &'a Given<'_>, settings: &Config, stop: Stop<'_>) -> Result<Request<'a>, ValidationError> {
    let given = validate::object(json, REQUEST, validate::Rules::CLOSED, WHAT, Status::Argument)?;
    let method = choice(given, "method", Method::ALL, |method| method.name())?;
    let key = choice(given, "key", ApiKey::ALL, |key| key.name())?;
    let encrypt = given.flag("encrypt").unwrap_or(false);
    let path = path(given)?;
    let has_body = given.get("body").is_some();
    let request = RawRequest { method, key, encrypt, has_body, read_only: given.flag("read_only") };
    let base_path = settings.base_url.as_ref().map_or("", |base_url| base_url.path());
    let Policy { row, read_only } =
        policy::enforce(base_path, &path, &request, settings).map_err(|(member, reason)| invalid(member, reason))?;
    let within = |name| given.get(name).map_or(Fields::Named(&[]), Value::fields);
    let parts = ["body", "query"].map(|name| (name, within(name)));
    let safety = match (read_only, row) {
        (true, _) => Safety::ReadOnly,
        (false, Some(row)) => row.safety,
        (false, None) => Safety::Moves,
    };
    if !read_only && row.is_none_or(Endpoint::is_exact) {
        check_exactness(&parts, row)?;
    }
    let base_url = settings.require(WHAT, key, encrypt)?;
    let body = body(given, method, encrypt, json.len())?;
    let headers = headers(given)?;
    let query = query(given)?;
    let values = ["body", "query"].into_iter().filter_map(|name| given.get(name));
    let names = if row.is_none() { names::of_fields(values) } else { Vec::new() };
    // Encrypted before the secrets are collected: that refuses a long payload, whose secrets would take long to
    // collect.
    let body = body.map(|payload| body::encode(payload, encrypt, settings)).transpose()?;
    let secrets = secrets(given, row, &path, &headers, stop);
    let named = parts.iter().flat_map(|(_, part)| names::of_any(*part));
    Ok(Request {
        name: WHAT,
        row,
        given,
        method,
        url: base_url.text.clone() + &path + &query,
        key,
        headers,
        body,
        safety,
        answer: row.map_or(Answer::UNKNOWN, |row| &row.answer),
        references: named.map(|(kind, text)| (kind, text.into_owned().into())).collect(),
        names,
        secrets,
        lacks_price: row.is_some_and(|row| super::lacks_price(row, parts[0].1)),
        log_path: "(paysvc_request)",
    })
}

/// Returns the body that a request described by JSON would send if it were not encrypted.
pub fn plain_body(request: &Request<'_>) -> Result<Option<SecretBytes>, ValidationError> {
    let length = request.given.get("body").map_or(0, |body| body.raw().len());
    body(request.given, request.method, false, length)
}

fn invalid(member: &str, reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Argument, WHAT, member, reason)
}

fn choice<T: Copy>(
    given: Fields<'_>,
    member: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, ValidationError> {
    let text = given.text(member).unwrap_or_default();
    all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| name(*one)).collect();
        invalid(member, format!("must be one of {}", names.join(", ")))
    })
}

fn path(given: Fields<'_>) -> Result<String, ValidationError> {
    let path = given.text("path").unwrap_or_default().into_owned();
    url::check_length(WHAT, "path", path.len())?;
    if !path.starts_with('/') {
        return Err(invalid("path", "must start with a slash"));
    }
    url_path::check(&path).map_err(|reason| invalid("path", reason))?;
    Ok(path)
}

/// References have one spelling, amounts are above zero, and an order that the row charges has its price.
fn check_exactness(parts: &[(&str, Fields<'_>)], row: Option<&Endpoint>) -> Result<(), ValidationError> {
    let charges = row.is_some_and(|row| !Step::of(row, true).is_some_and(Step::needs_key));
    let mut errors = Vec::new();
    for (within, part) in parts {
        let mut found = validate::price_errors(*part, charges);
        names::each_of_any(*part, &mut |path, _, value| {
            let fault = value.text().and_then(|text| spelling_fault(&text));
            found.extend(fault.map(|fault| (path.to_owned(), fault)));
        });
        errors.extend(found.into_iter().map(|(path, text)| (format!("{within}.{path}"), text)));
    }
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(()) } else { Err(ValidationError::of_members(Status::Argument, WHAT, errors)) }
}

/// The values that no message may repeat: the secrets of a row; for other requests, the whole body and query, and
/// account numbers in the path; and the caller's headers.
fn secrets(
    given: Fields<'_>,
    row: Option<&Endpoint>,
    path: &str,
    headers: &[(String, String)],
    stop: Stop<'_>,
) -> Secrets {
    let mut found = Secrets::of_request(given, row.map_or(&[], |row| row.fields), stop);
    if row.is_none() {
        let digits = |segment: &String| segment.chars().filter(char::is_ascii_digit).count();
        let numbers = url_path::segments(path).into_iter().filter(|segment| digits(segment) >= ACCOUNT_DIGITS);
        numbers.for_each(|segment| found.add(&segment));
    }
    headers.iter().for_each(|(_, value)| found.add_header(value));
    found
}

fn body(
    given: Fields<'_>,
    method: Method,
    encrypt: bool,
    capacity: usize,
) -> Result<Option<SecretBytes>, ValidationError> {
    let Some(value) = given.get("body") else {
        return match encrypt {
            true => Err(invalid("body", "is required with encrypt")),
            false => Ok(None),
        };
    };
    if method == Method::Get {
        return Err(invalid("body", "must be left out of a GET"));
    }
    let mut out = body::buffer(WHAT, capacity)?;
    value.compact(&mut out);
    Ok(Some(out))
}

/// Fields of an optional object of plain values.
fn pairs<'a>(
    given: Fields<'a>,
    member: &str,
    plain: impl Fn(Value<'a>) -> Option<String>,
) -> Result<Vec<(String, String)>, ValidationError> {
    let Some(value) = given.get(member) else { return Ok(Vec::new()) };
    if value.kind() != Type::Object {
        return Err(invalid(member, format!("must be an object, not {}", value.kind().name())));
    }
    let pair = |(name, value): (Cow<'a, str>, Value<'a>)| match plain(value) {
        Some(text) => Ok((name.into_owned(), text)),
        None => Err(invalid(&format!("{member}.{name}"), format!("must not be {}", value.kind().name()))),
    };
    value.fields().iter().map(pair).collect()
}

fn query(given: Fields<'_>) -> Result<String, ValidationError> {
    let plain = |value: Value<'_>| match value.kind() {
        Type::Text => value.text().map(Cow::into_owned),
        Type::Number | Type::Bool => Some(value.raw().to_owned()),
        _ => None,
    };
    let mut query = String::new();
    for (name, value) in pairs(given, "query", plain)? {
        url::check_length(WHAT, "query", query.len() + name.len() + value.len())?;
        url::push_query(&mut query, &name, &value);
    }
    Ok(query)
}

fn headers(given: Fields<'_>) -> Result<Vec<(String, String)>, ValidationError> {
    let headers = pairs(given, "headers", |value| value.text().map(Cow::into_owned))?;
    if headers.len() > MAX_HEADERS {
        return Err(invalid("headers", format!("has {} fields; at most {MAX_HEADERS} are sent", headers.len())));
    }
    let mut seen = HashSet::new();
    for (name, value) in &headers {
        if name.len() + value.len() > MAX_LINE {
            return Err(invalid("headers", format!("has a field that is longer than {MAX_LINE} bytes")));
        }
        let member = format!("headers.{name}");
        let lower_case = name.to_ascii_lowercase();
        if OWN_HEADERS.contains(&lower_case.as_str()) {
            return Err(invalid(&member, "is set by the library"));
        }
        if REROUTING_HEADERS.contains(&lower_case.as_str()) {
            return Err(invalid(&member, "would change the path or the method that was checked"));
        }
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)) {
            return Err(invalid(&member, "is not a header name"));
        }
        if !seen.insert(lower_case) {
            return Err(invalid(&member, "is given more than once"));
        }
        if !value.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
            return Err(invalid(&member, "holds a control character or a character outside ASCII"));
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(headers: &str) -> String {
        let text = format!(r#"{{"headers":{headers}}}"#);
        super::headers(Given::read(&text).fields().unwrap()).expect_err(headers).message
    }

    #[test]
    fn header_names_are_compared_without_case() {
        assert!(error(r#"{"X-A":"1","x-a":"2"}"#).contains("headers.x-a is given more than once"));
    }

    #[test]
    fn a_header_that_reroutes_the_request_is_refused() {
        for name in ["X-Original-URL", "x-rewrite-url", "X-HTTP-Method-Override"] {
            assert!(error(&format!(r#"{{"{name}":"/x"}}"#)).contains("was checked"), "{name}");
        }
    }

    #[test]
    fn a_value_in_place_of_headers_is_not_repeated() {
        let message = error(r#""authorization: secret""#);
        assert!(message.contains("must be an object, not a string") && !message.contains("secret"), "{message}");
    }
}
