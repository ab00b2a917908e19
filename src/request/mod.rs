//! A row of the table and a caller's JSON become method, URL, headers and body. Pure.

pub mod encryption;
pub mod policy;
pub mod raw;
pub mod validate;

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::value::RawValue;

use crate::client::config::{BaseUrl, Config, MAX_LINE};
use crate::request::encryption::EncryptionKey;
use crate::response::facts::{REQUESTED, References};
use crate::response::redact::Secrets;
use crate::util::failpoint;
use crate::util::json::{self, Members, Type};
use crate::util::memory;
use crate::util::secret::SecretBytes;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Answer, ApiKey, Endpoint, Field, Location, Method, Safety};
use paysvc_spec::settings;
use paysvc_spec::status::Status;

/// All but the unreserved characters of RFC 3986, so that any text arrives as it was given.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request ready for the wire, but for the API key.
pub struct Prepared {
    pub method: Method,
    pub url: String,
    pub key: ApiKey,
    /// Headers of this request alone.
    pub headers: Vec<(String, String)>,
    pub body: Option<SecretBytes>,
    pub safety: Safety,
    pub answer: &'static Answer,
    /// What an answer to this request may not name otherwise.
    pub references: References,
    /// What no message may repeat, but for the API key.
    pub secrets: Secrets,
    /// The row's path, or what stands for it: nothing that the caller gave.
    pub place: &'static str,
}

impl Prepared {
    /// What the log calls it.
    pub fn label(&self) -> String {
        format!("{} {}", self.method.name(), self.place)
    }
}

/// Checks that everything is configured which the request needs, and says all that is missing at once. Gives the
/// service's address.
pub fn needs<'a>(
    what: &str,
    key: ApiKey,
    encrypted: bool,
    config: &'a Config,
    encryption_key: Option<&EncryptionKey>,
) -> Result<&'a BaseUrl, ValidationError> {
    let mut missing = Vec::new();
    let mut need = |present: bool, member: &str| {
        if !present {
            missing.push((member.to_owned(), settings::not_configured(member)));
        }
    };
    need(config.base_url.is_some(), "base_url");
    need(config.key(key).is_some(), key.setting());
    need(!encrypted || encryption_key.is_some(), "encryption_key");
    match &config.base_url {
        Some(base_url) if missing.is_empty() => Ok(base_url),
        _ => Err(ValidationError::of_members(Status::Config, what, missing)),
    }
}

/// Makes the request of an endpoint out of one flat JSON object with the member names of the interface.
pub fn prepare(
    row: &'static Endpoint,
    text: &str,
    config: &Config,
    encryption_key: Option<&EncryptionKey>,
) -> Result<Prepared, ValidationError> {
    failpoint::at("request");
    let base_url = needs(row.name, row.key, row.encrypted, config, encryption_key)?;
    let members = validate::read(text, row.fields, row.allows_extra, row.name, Status::Argument)?;
    let body = match row.method {
        Method::Get => None,
        _ => Some(body(row.name, row.fields, &members, text.len())?),
    };
    let body = body.map(|payload| on_the_wire(payload, row.encrypted, encryption_key)).transpose()?;
    Ok(Prepared {
        method: row.method,
        url: url(base_url, row, &members)?,
        key: row.key,
        headers: row.headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        body,
        safety: row.safety,
        answer: &row.answer,
        references: references(&members),
        // An open payload is encrypted, which has bounded it by now.
        secrets: Secrets::of_row(&members, row.fields, &|| false),
        place: row.path,
    })
}

/// The references that the request names, in any case.
pub fn references(members: &Members<'_>) -> References {
    let mut found = Vec::new();
    let named = |members: &Members<'_>, name: &str, found: &mut Vec<_>, kind| {
        for (_, value) in members.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)) {
            let text = match Type::of(value) {
                Type::Text => json::text(value),
                Type::Number => Some(Cow::Borrowed(value.get())),
                _ => None,
            };
            found.extend(text.filter(|text| !text.trim().is_empty()).map(|text| (kind, text.into_owned())));
        }
    };
    for (path, kind) in REQUESTED {
        match path {
            [name] => named(members, name, &mut found, *kind),
            [outer, name] => {
                for (_, value) in members.iter().filter(|(known, _)| known.eq_ignore_ascii_case(outer)) {
                    named(&json::members(value).unwrap_or_default(), name, &mut found, *kind);
                }
            }
            _ => {}
        }
    }
    found
}

/// The body as compact JSON, with the members that belong there.
fn body(what: &str, fields: &[Field], members: &Members<'_>, capacity: usize) -> Result<SecretBytes, ValidationError> {
    let elsewhere = |name: &str| fields.iter().any(|field| field.name == name && field.location != Location::Body);
    let mut out = buffer(what, capacity)?;
    out.push(b'{');
    for (name, value) in members.iter().filter(|(name, _)| !elsewhere(name)) {
        if out.len() > 1 {
            out.push(b',');
        }
        json::quote(name, &mut out);
        out.push(b':');
        compact(what, name, value, &mut out)?;
    }
    out.push(b'}');
    Ok(out)
}

/// What a request of that many bytes is written to.
pub fn buffer(what: &str, size: usize) -> Result<SecretBytes, ValidationError> {
    memory::buffer(size).map(SecretBytes::new).ok_or_else(|| validate::no_memory(what, size, Status::Argument))
}

/// Appends a value compactly; the refusal names the member.
pub fn compact(what: &str, member: &str, value: &RawValue, out: &mut Vec<u8>) -> Result<(), ValidationError> {
    json::compact(value, out)
        .map_err(|error| ValidationError::of_member(Status::Argument, what, member, error.to_string()))
}

/// A payload without an endpoint: any object, compactly.
pub fn payload(text: &str) -> Result<SecretBytes, ValidationError> {
    const WHAT: &str = "the payload";
    let members = validate::read(text, &[], true, WHAT, Status::Argument)?;
    body(WHAT, &[], &members, text.len())
}

/// A payload as it is sent. `needs` has asked for the key, and even without it nothing goes out in clear.
pub fn on_the_wire(
    payload: SecretBytes,
    encrypted: bool,
    key: Option<&EncryptionKey>,
) -> Result<SecretBytes, ValidationError> {
    match (encrypted, key) {
        (false, _) => Ok(payload),
        (true, Some(key)) => key.encrypt(&payload).map(|body| SecretBytes::new(body.into_bytes())),
        (true, None) => {
            let why = settings::not_configured("encryption_key");
            Err(ValidationError::of_member(Status::Config, "request", "encryption_key", why))
        }
    }
}

/// The address with path and query, and the members that belong there.
fn url(base_url: &BaseUrl, row: &Endpoint, members: &Members<'_>) -> Result<String, ValidationError> {
    let (mut path, mut query) = (Cow::Borrowed(row.path), String::new());
    for field in row.fields.iter().filter(|field| field.location != Location::Body) {
        let Some(value) = json::member(members, field.name).and_then(json::text) else { continue };
        fits_url(row.name, field.name, value.len())?;
        match field.location {
            Location::Path => {
                path = path.replace(&format!("{{{}}}", field.name), &segment(row, field, &value)?).into();
            }
            _ => push_query(&mut query, field.name, &value),
        }
    }
    Ok([&base_url.text, &*path, &query].concat())
}

/// One path segment. `.` and `..` would change the path even when escaped, and so would a server that reads `%2F` as
/// a slash before it resolves them.
fn segment(row: &Endpoint, field: &Field, value: &str) -> Result<String, ValidationError> {
    match value.split(['/', '\\']).any(|part| part == "." || part == "..") {
        true => Err(ValidationError::of_member(Status::Argument, row.name, field.name, "must not be a dot segment")),
        false => Ok(utf8_percent_encode(value, ESCAPED).to_string()),
    }
}

/// Refused before it is escaped, which makes it up to three times as long.
pub fn fits_url(what: &str, member: &str, length: usize) -> Result<(), ValidationError> {
    match length {
        0..=MAX_LINE => Ok(()),
        _ => {
            let why = format!("is {length} bytes, too long for a URL");
            Err(ValidationError::of_member(Status::Argument, what, member, why))
        }
    }
}

/// Appends one `name=value` to a query, each percent-encoded.
pub fn push_query(query: &mut String, name: &str, value: &str) {
    query.push(if query.is_empty() { '?' } else { '&' });
    query.extend(utf8_percent_encode(name, ESCAPED));
    query.push('=');
    query.extend(utf8_percent_encode(value, ESCAPED));
}

#[cfg(test)]
mod tests {
    use super::*;
    use paysvc_spec::ENDPOINTS;

    #[test]
    fn no_value_makes_a_segment_of_its_own() {
        let row = ENDPOINTS.iter().find(|row| row.fields.iter().any(|field| field.location == Location::Path)).unwrap();
        let field = row.fields.iter().find(|field| field.location == Location::Path).unwrap();
        for dots in [".", "..", "a/../b", r"a\..\b", "../a", "a/."] {
            let message = segment(row, field, dots).unwrap_err().message;
            assert!(message.contains("dot segment"), "{message}");
        }
        assert_eq!(segment(row, field, "a/b c..%2e").unwrap(), "a%2Fb%20c..%252e");
    }
}
