//! `paysvc_request`: a request described by JSON, for endpoints that the table does not have yet.
//!
//! The rules of a row also apply here: the payload of an encrypted endpoint is never sent unencrypted.

use std::collections::HashSet;

use crate::config::Config;
use crate::json::{self, Members, RawValue, Type};
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

/// Prepares the request that the JSON describes.
pub fn prepare<'a>(text: &'a str, settings: &Config, stop: Stop<'_>) -> Result<Request<'a>, ValidationError> {
    let members = validate::object(text, REQUEST, validate::Rules::CLOSED, WHAT, Status::Argument)?;
    let method = choice(&members, "method", Method::ALL, |method| method.name())?;
    let key = choice(&members, "key", ApiKey::ALL, |key| key.name())?;
    let encrypt = flag(&members, "encrypt").unwrap_or(false);
    let path = path(&members)?;
    let has_body = json::member(&members, "body").is_some();
    let request = RawRequest { method, key, encrypt, has_body, read_only: flag(&members, "read_only") };
    let base_path = settings.base_url.as_ref().map_or("", |base_url| base_url.path());
    let Policy { row, read_only } =
        policy::enforce(base_path, &path, &request, settings).map_err(|(member, reason)| invalid(member, reason))?;
    let within = |name| json::member(&members, name).and_then(|value| json::members(value).ok()).unwrap_or_default();
    let given = ["body", "query"].map(|name| (name, within(name)));
    let safety = match (read_only, row) {
        (true, _) => Safety::ReadOnly,
        (false, Some(row)) => row.safety,
        (false, None) => Safety::Moves,
    };
    if !read_only && row.is_none_or(Endpoint::is_exact) {
        check_exactness(&given, row)?;
    }
    let base_url = settings.require(WHAT, key, encrypt)?;
    let body = body(&members, method, encrypt, text.len())?;
    let headers = headers(&members)?;
    let query = query(&members)?;
    let names = if row.is_none() { names::of_fields(&members, &["body", "query"]) } else { Vec::new() };
    // Encrypted before the secrets are collected: that refuses a long payload, whose secrets would take long to
    // collect.
    let body = body.map(|payload| body::encode(payload, encrypt, settings)).transpose()?;
    let secrets = secrets(&members, row, &path, &headers, stop);
    let named = given.iter().flat_map(|(_, members)| names::of_any(members));
    Ok(Request {
        name: WHAT,
        row,
        members,
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
        lacks_price: row.is_some_and(|row| super::lacks_price(row, &given[0].1)),
        log_path: "(paysvc_request)",
    })
}

/// What a request that JSON describes would send if it were not encrypted.
pub fn plain_body(request: &Request<'_>) -> Result<Option<SecretBytes>, ValidationError> {
    let length = json::member(&request.members, "body").map_or(0, |body| body.len());
    body(&request.members, request.method, false, length)
}

fn invalid(member: &str, reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Argument, WHAT, member, reason)
}

fn text_of(members: &Members<'_>, name: &str) -> String {
    json::member(members, name).and_then(json::text).unwrap_or_default().into_owned()
}

fn flag(members: &Members<'_>, name: &str) -> Option<bool> {
    json::member(members, name).map(|value| value == "true")
}

fn choice<T: Copy>(
    members: &Members<'_>,
    member: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, ValidationError> {
    let given = text_of(members, member);
    all.iter().copied().find(|one| name(*one) == given).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| name(*one)).collect();
        invalid(member, format!("must be one of {}", names.join(", ")))
    })
}

fn path(members: &Members<'_>) -> Result<String, ValidationError> {
    let path = text_of(members, "path");
    url::check_length(WHAT, "path", path.len())?;
    if !path.starts_with('/') {
        return Err(invalid("path", "must start with a slash"));
    }
    url_path::check(&path).map_err(|reason| invalid("path", reason))?;
    Ok(path)
}

/// References have one spelling, amounts are above zero, and an order that the row charges has its price.
fn check_exactness(given: &[(&str, Members<'_>)], row: Option<&Endpoint>) -> Result<(), ValidationError> {
    let charges = row.is_some_and(|row| !Step::of(row, true).is_some_and(Step::needs_key));
    let mut errors = Vec::new();
    for (within, members) in given {
        let mut found = validate::price_errors(members, charges);
        names::each_of_any(members, &mut |path, _, value| {
            let fault = json::text(value).and_then(|text| spelling_fault(&text));
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
    members: &Members<'_>,
    row: Option<&Endpoint>,
    path: &str,
    headers: &[(String, String)],
    stop: Stop<'_>,
) -> Secrets {
    let mut found = Secrets::of_request(members, row.map_or(&[], |row| row.fields), stop);
    if row.is_none() {
        let digits = |segment: &String| segment.chars().filter(char::is_ascii_digit).count();
        let numbers = url_path::segments(path).into_iter().filter(|segment| digits(segment) >= ACCOUNT_DIGITS);
        numbers.for_each(|segment| found.add(&segment));
    }
    headers.iter().for_each(|(_, value)| found.add_header(value));
    found
}

fn body(
    members: &Members<'_>,
    method: Method,
    encrypt: bool,
    capacity: usize,
) -> Result<Option<SecretBytes>, ValidationError> {
    let Some(value) = json::member(members, "body") else {
        return match encrypt {
            true => Err(invalid("body", "is required with encrypt")),
            false => Ok(None),
        };
    };
    if method == Method::Get {
        return Err(invalid("body", "must be left out of a GET"));
    }
    let mut out = body::buffer(WHAT, capacity)?;
    json::compact(value, &mut out).map_err(|error| invalid("body", error))?;
    Ok(Some(out))
}

/// Members of an optional object of plain values.
fn pairs<'a>(
    members: &Members<'a>,
    member: &str,
    plain: impl Fn(&'a RawValue) -> Option<String>,
) -> Result<Vec<(String, String)>, ValidationError> {
    let Some(value) = json::member(members, member) else { return Ok(Vec::new()) };
    // Checked first, because the JSON parser's message would repeat the value.
    if Type::of(value) != Type::Object {
        return Err(invalid(member, format!("must be an object, not {}", Type::of(value).name())));
    }
    let pairs = json::members(value).map_err(|error| invalid(member, error.to_string()))?;
    let pair = |(name, value): (std::borrow::Cow<'a, str>, &'a RawValue)| match plain(value) {
        Some(text) => Ok((name.into_owned(), text)),
        None => Err(invalid(&format!("{member}.{name}"), format!("must not be {}", Type::of(value).name()))),
    };
    pairs.into_iter().map(pair).collect()
}

fn query(members: &Members<'_>) -> Result<String, ValidationError> {
    let plain = |value| match Type::of(value) {
        Type::Text => json::text(value).map(|text| text.into_owned()),
        Type::Number | Type::Bool => Some(value.to_owned()),
        _ => None,
    };
    let mut query = String::new();
    for (name, value) in pairs(members, "query", plain)? {
        url::check_length(WHAT, "query", query.len() + name.len() + value.len())?;
        url::push_query(&mut query, &name, &value);
    }
    Ok(query)
}

fn headers(members: &Members<'_>) -> Result<Vec<(String, String)>, ValidationError> {
    let headers = pairs(members, "headers", |value| json::text(value).map(|text| text.into_owned()))?;
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
            return Err(invalid(&member, "is given twice"));
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
        let members = json::members(&text).unwrap();
        super::headers(&members).expect_err(headers).message
    }

    #[test]
    fn header_names_are_compared_without_case() {
        assert!(error(r#"{"X-A":"1","x-a":"2"}"#).contains("headers.x-a is given twice"));
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
