//! Input: the name of an endpoint, or `request` for `paysvc_request`, and a line break; then the request's JSON.
//!
//! Here and not in `fuzz/`, because a request before it is sent is private.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use ureq::http::Uri;

use super::json::{take_string, value};
use super::{check_error, choose, first_line, has_canary, json as reader, may_name_canary};
use crate::config::Config;
use crate::config::address::BaseUrl;
use crate::config::encryption_key::EncryptionKey;
use crate::json::Given;
use crate::request::{self, Request, body, raw};
use crate::util::secret::Secret;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Endpoint, Field, Kind, Location, Method, Safety, Wire};
use paysvc_spec::status::Status;

/// Names `paysvc_request`, which has no row.
const RAW: &str = "request";
const BASE: &str = "https://pay.example/api";
const REFUSED: &[Status] = &[Status::Argument, Status::Config, Status::Encrypt];

fn settings() -> &'static Config {
    static SETTINGS: OnceLock<Config> = OnceLock::new();
    SETTINGS.get_or_init(|| settings_with(include_str!("../../tests/vectors/rsa2048.json")))
}

/// Everything that a request needs, with the encryption key of this vector.
pub(super) fn settings_with(vector: &str) -> Config {
    let vector: Value = serde_json::from_str(vector).unwrap();
    let key = EncryptionKey::parse(vector["encryption_key"].as_str().unwrap()).unwrap();
    Config {
        base_url: BaseUrl::parse(BASE, false).ok().map(Arc::new),
        keys: ["p", "s"].map(|key| Some(Secret::new(key))),
        encryption_key: Some(key),
        ..Config::default()
    }
}

pub fn request(input: &[u8]) {
    let (name, json) = first_line(input);
    let Ok(json) = std::str::from_utf8(json) else { return };
    if let Ok(payload) = body::payload(json) {
        assert_eq!(std::str::from_utf8(&payload).ok(), Some(reader::scan(json).compact.as_str()), "what is encrypted");
    }
    let name = choose(name, ENDPOINTS.iter().map(|row| row.name).chain([RAW]));
    let row = ENDPOINTS.iter().find(|row| row.name == name);
    let given = Given::read(json);
    let prepared = match row {
        Some(row) => request::prepare(row, &given, settings(), &|| false),
        None => raw::prepare(&given, settings(), &|| false),
    };
    match prepared {
        Ok(prepared) => {
            let scan = reader::scan(json);
            assert!(!scan.named_twice, "a field given twice is accepted");
            check_wire(&prepared);
            match row {
                Some(row) => check_row(row, &prepared, json, &scan.compact),
                None => check_raw(&prepared, json, &scan.compact),
            }
        }
        Err(error) => {
            let reply = check_error(error, REFUSED);
            assert!(may_name_canary(json) || !has_canary(&reply.body), "a value is repeated: {}", reply.body);
        }
    }
}

/// No value of the caller gets out of its place in the request.
fn check_wire(prepared: &Request<'_>) {
    let target = prepared.url.strip_prefix(BASE).expect("the configured host and path");
    assert!(target.starts_with('/') && target.bytes().all(|b| b.is_ascii_graphic()) && !target.contains('#'));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    assert!(!query.contains('?'));
    let decoded = percent_decode_str(path).decode_utf8_lossy().into_owned();
    assert!(!decoded.split(['/', '\\']).any(|segment| segment == "." || segment == ".."), "{path}");
    if let Ok(uri) = prepared.url.parse::<Uri>() {
        assert_eq!((uri.host(), uri.path().strip_prefix("/api")), (Some("pay.example"), Some(path)));
        assert_eq!(uri.query().unwrap_or_default(), query);
    }
    let mut names = HashSet::new();
    for (name, value) in &prepared.headers {
        assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic() && b != b':'), "{name:?}");
        assert!(value.bytes().all(|b| (b' '..0x7f).contains(&b)), "{value:?}");
        assert!(names.insert(name.to_ascii_lowercase()), "{name} is sent twice");
        for own in ["api-key", "host", "content-length", "transfer-encoding", "connection", "content-type"] {
            assert!(!name.eq_ignore_ascii_case(own), "{name} is set by the library");
        }
    }
    let label = prepared.label();
    assert!(!has_canary(&label), "the log would show {label}");
}

fn check_row(row: &'static Endpoint, prepared: &Request<'_>, json: &str, compact: &str) {
    assert_eq!((prepared.method, prepared.key), (row.method, row.key));
    assert_eq!(prepared.safety, row.safety);
    assert!(std::ptr::eq(prepared.answer, &row.answer));
    let given = value(json).unwrap_or_default();
    let given = |name: &str| given[name].as_str();
    let (path, query) = prepared.url[BASE.len()..].split_once('?').unwrap_or((&prepared.url[BASE.len()..], ""));
    let mut segments = path.split('/');
    for known in row.path.split('/') {
        let segment = segments.next().expect("as many segments as the row has");
        match known.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            None => assert_eq!(segment, known),
            Some(name) => assert_eq!(percent_decode_str(segment).decode_utf8().ok().as_deref(), given(name)),
        }
    }
    assert_eq!(segments.next(), None, "a value added a segment: {path}");
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').expect("name=value");
        assert!(row.fields.iter().any(|field| field.name == name && field.location == Location::Query));
        assert_eq!(percent_decode_str(value).decode_utf8().ok().as_deref(), given(name));
    }
    match (&prepared.body, row.method) {
        (None, Method::Get) => {}
        (Some(body), Method::Post | Method::Put | Method::Delete) if row.encrypted => check_encrypted(body),
        (Some(body), Method::Post | Method::Put | Method::Delete) => {
            assert_eq!(std::str::from_utf8(body).ok(), Some(&*as_sent(row, compact)), "every digit as it was written");
        }
        _ => panic!("a body with GET, or none with another method"),
    }
}

/// Exactly `{"data":"<one block in base64>"}`, without the payload.
fn check_encrypted(body: &[u8]) {
    let text = std::str::from_utf8(body).expect("text");
    let data = text.strip_prefix(r#"{"data":""#).and_then(|text| text.strip_suffix(r#""}"#)).expect("the envelope");
    assert_eq!(STANDARD.decode(data).map(|block| block.len()), Ok(256));
}

fn check_raw(prepared: &Request<'_>, json: &str, compact: &str) {
    let Some(given) = value(json) else { return };
    assert_eq!(given["method"], prepared.method.name());
    assert_eq!(given["key"], if prepared.key == ApiKey::Secret { "secret" } else { "public" });
    match (&prepared.body, given["encrypt"] == true) {
        (Some(body), true) => check_encrypted(body),
        (Some(body), false) => {
            let body = std::str::from_utf8(body).expect("text");
            assert!(compact.contains(&format!("\"body\":{body}")), "every digit as it was written");
        }
        (None, encrypted) => assert!(!encrypted && given.get("body").is_none()),
    }
    if prepared.method != Method::Get {
        assert!(prepared.safety != Safety::ReadOnly || given["read_only"] == true, "only GET is read-only by default");
    }
    // However the path is spelled, its endpoint's key, encryption and retry rule apply.
    let path = prepared.url[BASE.len()..].split('?').next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy().to_ascii_lowercase();
    assert!(!path.contains([';', '\\', '%', '?', '#']) && !path.contains("//"), "servers read {path} differently");
    let same = |row: &&Endpoint| row.method == prepared.method && row.path.eq_ignore_ascii_case(&path);
    if !ENDPOINTS.iter().any(|row| same(&row)) {
        for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
            let below =
                path.strip_prefix(&row.path.to_ascii_lowercase()).is_some_and(|rest| rest.starts_with(['/', '\\']));
            assert!(!below || prepared.safety != Safety::ReadOnly, "{path} below {} would be repeated", row.name);
        }
    }
    for row in ENDPOINTS.iter().filter(same) {
        assert_eq!(prepared.key, row.key);
        assert!(given["encrypt"] == true || !row.encrypted, "{} in clear", row.name);
        assert!(prepared.safety != Safety::ReadOnly || row.read_only(), "{} would be repeated", row.name);
    }
}

/// The body of a plain row by a second writer: `compact` with its amounts in the row's form.
fn as_sent(row: &Endpoint, compact: &str) -> String {
    let (mut rest, mut out) = (compact, String::new());
    append_value(Some(Kind::Object(row.fields)), &mut rest, &mut out);
    out
}

/// Takes a value off the text and appends it.
fn append_value(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    match rest.as_bytes()[0] {
        b'{' => append_members(kind, rest, out),
        b'[' => append_elements(kind, rest, out),
        b'"' => {
            let text = take_string(rest);
            match kind {
                Some(Kind::Amount(Wire::Number)) => {
                    let digits = text.trim_matches('"').trim_start_matches('0');
                    *out += if digits.starts_with('.') { "0" } else { "" };
                    *out += digits;
                }
                _ => *out += text,
            }
        }
        _ => {
            let literal = take(rest, rest.find([',', '}', ']']).unwrap_or(rest.len()));
            match kind {
                Some(Kind::Amount(Wire::Text)) => *out += &format!("\"{literal}\""),
                _ => *out += literal,
            }
        }
    }
}

fn append_members(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    let fields = if let Some(Kind::Object(fields)) = kind { fields } else { &[] };
    *out += take(rest, 1);
    while !rest.starts_with('}') {
        *out += take(rest, usize::from(rest.starts_with(',')));
        let name = take_string(rest);
        *out += name;
        *out += take(rest, 1);
        let is_named = |field: &&Field| serde_json::from_str::<String>(name).is_ok_and(|name| field.name == name);
        append_value(fields.iter().find(is_named).map(|field| field.kind), rest, out);
    }
    *out += take(rest, 1);
}

fn append_elements(kind: Option<Kind>, rest: &mut &str, out: &mut String) {
    let each = if let Some(Kind::List(fields)) = kind { Some(Kind::Object(fields)) } else { None };
    *out += take(rest, 1);
    while !rest.starts_with(']') {
        *out += take(rest, usize::from(rest.starts_with(',')));
        append_value(each, rest, out);
    }
    *out += take(rest, 1);
}

/// The first bytes of the text, which are taken off.
fn take<'t>(rest: &mut &'t str, length: usize) -> &'t str {
    let (taken, after) = rest.split_at(length);
    *rest = after;
    taken
}
