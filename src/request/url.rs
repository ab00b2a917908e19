//! The URL of a request: base URL, path and query.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::config::address::BaseUrl;
use crate::json::Fields;
use crate::util::memory::MAX_LINE;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Endpoint, Field, Location};
use paysvc_spec::status::Status;

/// Every character except the unreserved ones of RFC 3986, so that any text arrives as it was given.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub fn url(base_url: &BaseUrl, row: &Endpoint, given: Fields<'_>) -> Result<String, ValidationError> {
    let (mut path, mut query) = (Cow::Borrowed(row.path), String::new());
    for field in row.fields.iter().filter(|field| field.location != Location::Body) {
        let Some(value) = given.text(field.name) else { continue };
        check_length(row.name, field.name, value.len())?;
        match field.location {
            Location::Path => {
                path = path.replace(&format!("{{{}}}", field.name), &segment(row, field, &value)?).into();
            }
            _ => push_query(&mut query, field.name, &value),
        }
    }
    Ok([&base_url.text, &*path, &query].concat())
}

/// One percent-encoded path segment. `.` and `..` are refused: they change the path even when escaped, and so does a
/// server that decodes `%2F`, decodes twice, or removes a parameter before it resolves them.
fn segment(row: &Endpoint, field: &Field, value: &str) -> Result<String, ValidationError> {
    const MAX_ROUNDS: usize = 8;
    let mut decoded = value.to_owned();
    for _ in 0..MAX_ROUNDS {
        decoded = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
    }
    let is_dots = |part: &str| {
        let bare = part.split(';').next().unwrap_or_default().trim();
        !bare.is_empty() && bare.bytes().all(|b| b == b'.')
    };
    match decoded.split(['/', '\\']).any(is_dots) {
        true => Err(ValidationError::of_member(Status::Argument, row.name, field.name, "must not be a dot segment")),
        false => Ok(utf8_percent_encode(value, ESCAPED).to_string()),
    }
}

/// Checks the length before percent-encoding, which makes a text up to three times as long.
pub fn check_length(what: &str, member: &str, length: usize) -> Result<(), ValidationError> {
    match length {
        0..=MAX_LINE => Ok(()),
        _ => {
            let reason = format!("is {length} bytes, too long for a URL");
            Err(ValidationError::of_member(Status::Argument, what, member, reason))
        }
    }
}

/// Appends `name=value` to a query, both percent-encoded.
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
    fn a_value_never_adds_a_path_segment() {
        let row = ENDPOINTS.iter().find(|row| row.fields.iter().any(|field| field.location == Location::Path)).unwrap();
        let field = row.fields.iter().find(|field| field.location == Location::Path).unwrap();
        for dots in
            [".", "..", "a/../b", r"a\..\b", "../a", "a/.", "..;", "..;a=b/x", "%2e%2E", "%252e.", "a%2f..", " .. "]
        {
            let message = segment(row, field, dots).unwrap_err().message;
            assert!(message.contains("dot segment"), "{message}");
        }
        assert_eq!(segment(row, field, "a/b c..%2e").unwrap(), "a%2Fb%20c..%252e");
    }
}
