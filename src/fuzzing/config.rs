//! The configuration, and the encryption key in it.

use std::net::Ipv6Addr;

use serde_json::Value;

use super::json::value;
use super::{check_error, check_texts, has_canary, json, may_name_canary};
use crate::answer::reply::Reply;
use crate::config::Config;
use crate::config::address::BaseUrl;
use crate::config::encryption_key::EncryptionKey;
use crate::config::invalid;
use crate::flow::configuration;
use paysvc_spec::settings::{CONFIG, variable};
use paysvc_spec::status::Status;

/// Input: the configuration's JSON, then the variables of the environment in the order of the table, with a NUL before
/// each.
pub fn config(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let mut parts = input.split('\0');
    let json = parts.next().unwrap_or_default();
    let values: Vec<&str> = parts.collect();
    let env = |name: &str| {
        const COMMON: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];
        let index = CONFIG.iter().position(|field| variable(field.name) == name);
        let index = index.or_else(|| Some(CONFIG.len() + COMMON.iter().position(|common| *common == name)?));
        values.get(index.expect("no other variable is read")).map(|value| (*value).to_owned())
    };
    let parsed = value(json);
    match configuration(Some(json), &env) {
        Ok(config) => {
            assert!(!json::scan(json).named_twice, "a field given twice is accepted");
            check(&config);
        }
        Err(error) => {
            let reply = check_error(error, &[Status::Config]);
            // The message names the host of a URL, but no key, password or file name.
            let host = |url: &Value| url.as_str().is_some_and(has_canary);
            let named = may_name_canary(json)
                || parsed.is_some_and(|json| host(&json["base_url"]))
                || values.first().is_some_and(|url| has_canary(url));
            assert!(named || !has_canary(&reply.body), "{}", reply.body);
        }
    }
}

fn check(config: &Config) {
    if let Some(url) = &config.base_url {
        check_url(url, config.allow_http);
    }
    for key in config.keys.iter().flatten() {
        assert!(!key.expose().is_empty() && key.expose().bytes().all(|b| b.is_ascii_graphic()));
    }
    assert!(config.user_agent.bytes().all(|b| (b' '..0x7f).contains(&b)));
    assert!((1..=10).contains(&config.max_attempts) && config.max_idle_connections <= 10_000);
    for time in [config.timeout, config.connect_timeout] {
        assert!((1..=86_400_000).contains(&time.as_millis()));
    }
    if let Some(proxy) = &config.proxy {
        assert!(proxy.port > 0 && !proxy.host.is_empty());
        assert!(proxy.host.bytes().all(|b| b.is_ascii_graphic()));
    }
}

/// Scheme, host and port are those of the text, and there is nothing else in it.
fn check_url(url: &BaseUrl, allow_http: bool) {
    let scheme = if url.https { "https://" } else { "http://" };
    let rest = url.text.strip_prefix(scheme).expect("the scheme comes first");
    let authority = rest.split('/').next().unwrap_or_default().to_ascii_lowercase();
    let host = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host.clone() };
    let implied = if url.https { 443 } else { 80 };
    let named = authority.strip_prefix(&host).expect("the host follows");
    let port = match named.strip_prefix(':') {
        Some(digits) => digits.parse::<u16>().expect("a port is a number"),
        None => implied,
    };
    assert_eq!((named.is_empty() || named.starts_with(':'), port), (true, url.port), "{}", url.text);
    assert!(!url.host.is_empty() && url.port > 0 && !authority.contains('@'));
    assert!(url.text.bytes().all(|b| b.is_ascii_graphic()) && !url.text.contains(['?', '#']), "{}", url.text);
    assert!(!url.text.ends_with('/'));
    let loopback =
        url.host == "localhost" || url.host.starts_with("127.") || url.host.parse() == Ok(Ipv6Addr::LOCALHOST);
    assert!(url.https || allow_http || loopback, "{}", url.text);
}

/// Longest run of base64 that a message may hold: longer than any word in it, shorter than any part of a key.
const LONGEST_WORD: usize = 24;

/// Input: the text of an encryption key.
pub fn key(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match EncryptionKey::parse(text).map_err(|reason| invalid("encryption_key", reason)) {
        Ok(key) => {
            let block = key.max_payload() + 11;
            assert!((256..=1024).contains(&block), "{block} bytes");
            let encrypted = key.encrypt(b"{}").expect("two bytes fit every key");
            assert_eq!(encrypted.len(), block.div_ceil(3) * 4 + r#"{"data":""}"#.len());
            assert!(key.encrypt(&vec![b'x'; key.max_payload()]).is_ok());
            let error = key.encrypt(&vec![b'x'; key.max_payload() + 1]).expect_err("one byte more does not fit");
            check_texts(&Reply::invalid(error));
        }
        Err(error) => {
            let reply = check_error(error, &[Status::Config]);
            let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
            let longest = reply.message.split(|c| !base64(c)).map(str::len).max();
            assert!(longest <= Some(LONGEST_WORD), "a part of the key is repeated: {}", reply.message);
        }
    }
}
