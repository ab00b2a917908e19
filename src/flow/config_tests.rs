//! The configuration, from JSON and variables to what the client uses.

use std::time::Duration;

use super::*;

fn parse(json: &str) -> Result<Config, ValidationError> {
    configuration(Some(json), &|_| None)
}
fn error(json: &str) -> String {
    parse(json).err().expect(json).message
}

#[test]
fn defaults_are_the_documented_ones() {
    let config = parse("{}").unwrap();
    assert_eq!(config.timeout, Duration::from_secs(30));
    assert_eq!(config.connect_timeout, Duration::from_secs(10));
    assert_eq!((config.max_attempts, config.max_idle_connections, config.allow_http), (3, 128, false));
    assert!(config.user_agent.starts_with("libpaysvc/"));
    assert!(config.base_url.is_none());
    assert_eq!((config.row_keys, config.rows_without_headers), (vec![("payout_key", ApiKey::Secret)], vec![]));
    assert_eq!((config.journal, config.journal_create, config.journal_keep_days), (None, false, 400));
    assert!(config.former_public_keys.is_empty());
    assert_eq!((config.webhook_at_once, config.webhook_per_minute), (4, 120));
}

#[test]
fn the_environment_fills_what_is_left_out_and_nothing_else() {
    let env = |name: &str| match name {
        "PAYSVC_BASE_URL" => Some("https://env.example".to_owned()),
        "PAYSVC_PUBLIC_KEY" => Some("from-env".to_owned()),
        "PAYSVC_SECRET_KEY" => Some(" \"\" ".to_owned()),
        _ => None,
    };
    let config = configuration(Some(r#"{"public_key":"given"}"#), &env).unwrap();
    assert_eq!(config.base_url.as_ref().unwrap().host, "env.example");
    assert_eq!(config.key(ApiKey::Public).unwrap().expose(), "given");
    assert!(config.key(ApiKey::Secret).is_none());
    assert!(configuration(None, &env).unwrap().base_url.is_some());
}

fn encryption_key() -> String {
    let vector: serde_json::Value = serde_json::from_str(include_str!("../../tests/vectors/rsa2048.json")).unwrap();
    vector["encryption_key"].as_str().unwrap().to_owned()
}

/// A configuration from variables alone.
fn of_environment(variables: &[(&str, &str)]) -> Result<Config, ValidationError> {
    let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    configuration(None, &find)
}

#[test]
fn every_member_has_its_variable() {
    let read = std::cell::RefCell::new(Vec::new());
    let all = configuration(None, &|name| {
        read.borrow_mut().push(name.to_owned());
        None
    });
    assert!(all.is_ok());
    let expected: Vec<_> = settings::CONFIG.iter().map(|field| settings::variable(field.name)).collect();
    assert_eq!(read.into_inner(), expected, "each variable is read once, and without https no other");

    let key = encryption_key();
    let config = of_environment(&[
        ("PAYSVC_BASE_URL", " http://pay.example\n"),
        ("PAYSVC_PUBLIC_KEY", "p"),
        ("PAYSVC_SECRET_KEY", "s"),
        ("PAYSVC_MODE", " live "),
        ("PAYSVC_ENCRYPTION_KEY", &key),
        ("PAYSVC_TIMEOUT_MS", "5000"),
        ("PAYSVC_CONNECT_TIMEOUT_MS", " 700 "),
        ("PAYSVC_MAX_ATTEMPTS", "2"),
        ("PAYSVC_PROXY", "socks5://u:p@proxy.example"),
        ("PAYSVC_NO_PROXY", "a.example,b.example"),
        ("PAYSVC_CA_FILE", "/ca.pem"),
        ("PAYSVC_CLIENT_CERT_FILE", "/cert.pem"),
        ("PAYSVC_CLIENT_KEY_FILE", "/key.pem"),
        ("PAYSVC_USER_AGENT", "till/7"),
        ("PAYSVC_MAX_IDLE_CONNECTIONS", "9"),
        ("PAYSVC_ALLOW_HTTP", "true"),
        ("PAYSVC_JOURNAL", " /var/lib/till/journal "),
        ("PAYSVC_JOURNAL_CREATE", "1"),
        ("PAYSVC_JOURNAL_KEEP_DAYS", "30"),
        ("PAYSVC_FORMER_PUBLIC_KEYS", "old, older"),
        ("PAYSVC_WEBHOOK_AT_ONCE", "5"),
        ("PAYSVC_WEBHOOK_PER_MINUTE", "600"),
        ("PAYSVC_PAYOUT_KEY", " public"),
        ("PAYSVC_PAYOUT_ENCRYPTION_HEADER", "0"),
    ])
    .unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(config.base_url.as_ref().unwrap().host, "pay.example");
    assert_eq!((config.timeout.as_millis(), config.connect_timeout.as_millis()), (5000, 700));
    assert_eq!((config.max_attempts, config.max_idle_connections, config.allow_http), (2, 9, true));
    assert_eq!(config.user_agent, "till/7");
    assert_eq!(config.route, "through the proxy proxy.example port 1080 of PAYSVC_PROXY");
    assert_eq!(config.proxy.as_ref().unwrap().host, "proxy.example");
    assert_eq!(config.ca_file, Some("/ca.pem".into()));
    assert_eq!((config.journal, config.journal_create), (Some("/var/lib/till/journal".into()), true));
    assert_eq!((config.journal_keep_days, config.former_public_keys), (30, vec!["old".into(), "older".into()]));
    assert_eq!((config.webhook_at_once, config.webhook_per_minute), (5, 600));
    assert_eq!(config.row_keys, [("payout_key", ApiKey::Public)]);
    assert_eq!(config.rows_without_headers, ["payout_encryption_header"]);
    assert_eq!(config.encryption_key.as_ref().unwrap().max_payload(), 245);
    assert_eq!(config.keys.map(|key| key.unwrap().expose().to_owned()), ["p", "s"]);
    let files = config.client_cert.unwrap();
    assert_eq!((files.cert_file, files.key_file), ("/cert.pem".into(), "/key.pem".into()));
}

#[test]
fn a_variable_that_is_no_setting_is_refused_with_the_nearest_name() {
    let check = |names: &[&str]| check_variables(names.iter().map(|name| (*name).to_owned()));
    let known: Vec<_> = settings::CONFIG.iter().map(|field| settings::variable(field.name)).collect();
    assert!(check_variables(known.into_iter()).is_ok());
    let fine = "PATH PAYSVCX MY_PAYSVC_KEY PAYSVC_LIBRARY PAYSVC_SANDBOX PAYSVC_SERVICE_HOST PAYSVC_SERVICE_PORT_HTTPS \
        PAYSVC_PORT PAYSVC_PORT_443_TCP_ADDR PAYSVC_SANDBOX_SERVICE_HOST";
    for fine in fine.split(' ') {
        assert!(check(&[fine]).is_ok(), "{fine}");
    }
    for (wrong, near) in [
        ("PAYSVC_JOURNEL", "; did you mean PAYSVC_JOURNAL?"),
        ("PAYSVC_TIMEOUT", "; did you mean PAYSVC_TIMEOUT_MS?"),
        ("PAYSVC_Base_Url", "; did you mean PAYSVC_BASE_URL?"),
        ("PAYSVC_INSECURE", ""),
        ("PAYSVC_", ""),
    ] {
        let error = check(&["HOME", wrong]).unwrap_err();
        let expected = format!("the environment: {wrong} is no setting of the library{near}");
        assert_eq!((error.status, error.message), (Status::Config, expected));
    }
    let error = check(&["PAYSVC_Z", "PAYSVC_A"]).unwrap_err();
    assert!(error.message.ends_with("PAYSVC_A is no setting of the library (and PAYSVC_Z, see errors)"), "{error:?}");
}

#[test]
fn a_journal_is_not_left_out_by_mistake() {
    let message = |variables: &[(&str, &str)]| of_environment(variables).err().unwrap().message;
    for blank in [" ", "\t\n", "\"\"", "''"] {
        assert_eq!(message(&[("PAYSVC_JOURNAL", blank)]), "the environment: PAYSVC_JOURNAL must not be empty");
    }
    assert!(of_environment(&[("PAYSVC_JOURNAL", "")]).unwrap().journal.is_none());
    let alone = "journal_create needs journal, the path of the file: without it there is no journal";
    assert_eq!(error(r#"{"journal_create":true}"#), format!("the configuration: {alone}"));
    assert!(message(&[("PAYSVC_JOURNAL_CREATE", "1")]).starts_with("the environment: PAYSVC_JOURNAL_CREATE needs"));
    assert!(parse(r#"{"journal_create":false}"#).is_ok());
}

#[test]
fn a_wrong_variable_is_named() {
    for (variable, text, part) in [
        ("PAYSVC_TIMEOUT_MS", "5s", "PAYSVC_TIMEOUT_MS must be a whole number between 1 and 86400000"),
        ("PAYSVC_TIMEOUT_MS", "+5", "must be a whole number"),
        ("PAYSVC_TIMEOUT_MS", "5.0", "must be a whole number"),
        ("PAYSVC_MAX_ATTEMPTS", "11", "PAYSVC_MAX_ATTEMPTS must be a whole number between 1 and 10"),
        ("PAYSVC_ALLOW_HTTP", "yes", "PAYSVC_ALLOW_HTTP must be true, false, 1 or 0"),
        ("PAYSVC_PAYOUT_KEY", "private", "PAYSVC_PAYOUT_KEY must be secret or public"),
        ("PAYSVC_PAYOUT_ENCRYPTION_HEADER", "no", "PAYSVC_PAYOUT_ENCRYPTION_HEADER must be true, false, 1 or 0"),
        ("PAYSVC_BASE_URL", "pay.example", "PAYSVC_BASE_URL must start with https://"),
        ("PAYSVC_MODE", "production", "PAYSVC_MODE must be test or live"),
        ("PAYSVC_SECRET_KEY", "PGW-PUBLICKEY-1", "PAYSVC_SECRET_KEY holds the key that belongs in public_key"),
        ("PAYSVC_PROXY", "ftp://u:hunter2@p", "PAYSVC_PROXY must start with http://"),
        ("PAYSVC_USER_AGENT", "a\u{7}b", "PAYSVC_USER_AGENT holds a control character"),
        (
            "PAYSVC_CLIENT_CERT_FILE",
            "/c",
            "client_key_file is required with PAYSVC_CLIENT_CERT_FILE: set it in the configuration or as PAYSVC_CLIENT_KEY_FILE",
        ),
    ] {
        let error = of_environment(&[(variable, text)]).err().expect(variable);
        assert_eq!(error.status, Status::Config);
        assert!(error.message.contains(part) && !error.message.contains("hunter2"), "{}", error.message);
    }
    for off in ["0", "false", "", " "] {
        assert!(!of_environment(&[("PAYSVC_ALLOW_HTTP", off)]).unwrap_or_else(|error| panic!("{error:?}")).allow_http);
    }
    // An error in a given field names the field; its variable is not read.
    let env = |name: &str| (name == "PAYSVC_TIMEOUT_MS").then(|| "5s".to_owned());
    let error = configuration(Some(r#"{"timeout_ms":0}"#), &env).err().unwrap();
    assert_eq!(error.message, "the configuration: timeout_ms must be a whole number between 1 and 86400000");
    assert!(configuration(Some(r#"{"timeout_ms":1}"#), &env).is_ok());
}

#[test]
fn the_pair_of_a_client_certificate_may_come_from_both_places() {
    let env = |name: &str| (name == "PAYSVC_CLIENT_KEY_FILE").then(|| "/key.pem".to_owned());
    let config = configuration(Some(r#"{"client_cert_file":"/cert.pem"}"#), &env).ok().unwrap();
    assert!(config.client_cert.is_some());
}

/// Names that tests and bindings use are not settings.
#[test]
fn no_setting_has_the_variable_of_something_else() {
    for taken in ["LIBRARY", "SANDBOX", "FAULTS", "CANARY", "OWNERSHIP"] {
        assert!(settings::CONFIG.iter().all(|field| settings::variable(field.name) != format!("PAYSVC_{taken}")));
    }
}

#[test]
fn plain_http_is_allowed_by_its_own_setting() {
    assert!(error(r#"{"base_url":"http://pay.example"}"#).contains("base_url uses plain http to pay.example"));
    assert!(parse(r#"{"base_url":"http://pay.example","allow_http":true}"#).is_ok());
}

#[test]
fn keys_that_would_break_a_header_or_are_mixed_up_are_refused() {
    assert!(error(r#"{"public_key":"a\r\nx: y"}"#).contains("carriage return"));
    assert!(error(r#"{"public_key":"PGW-SECRETKEY-TEST-1"}"#).contains("belongs in secret_key"));
    assert!(error(r#"{"secret_key":"PGW-PUBLICKEY-TEST-1"}"#).contains("belongs in public_key"));
    assert_eq!(
        parse(r#"{"public_key":" PGW-PUBLICKEY-1\n"}"#).unwrap().key(ApiKey::Public).unwrap().expose(),
        "PGW-PUBLICKEY-1"
    );
}

#[test]
fn wrong_members_are_named() {
    assert!(error(r#"{"base_ulr":"x"}"#).contains("did you mean base_url?"));
    assert!(error(r#"{"timeout_ms":"30"}"#).contains("must be a whole number, not a string"));
    assert!(error(r#"{"timeout_ms":0}"#).contains("must be a whole number between 1 and 86400000"));
    assert!(error(r#"{"timeout_ms":-5}"#).contains("number between"));
    assert!(error(r#"{"client_cert_file":"x"}"#).contains("client_key_file is required"));
    assert!(error(r#"{"payout_key":"Secret"}"#).contains("payout_key must be secret or public"));
    assert!(error(r#"{"user_agent":"a\nb"}"#).contains("control character"));
    assert!(
        error(r#"{"former_public_keys":"a,PGW-SECRETKEY-b"}"#).contains("holds the key that belongs in secret_key")
    );
    assert!(error(r#"{"journal":" "}"#).contains("journal must not be empty"));
    assert!(error("[]").contains("must be a JSON object"));
}

/// The way to the service.
fn route(json: &str, variables: &[(&str, &str)]) -> Result<String, String> {
    let env = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    configuration(Some(json), &env).map(|config| config.route).map_err(|error| error.message)
}

#[test]
fn the_proxy_is_the_settings_or_else_that_of_other_programs() {
    const URL: &str = r#""base_url":"https://pay.example""#;
    let common: &[(&str, &str)] = &[("HTTPS_PROXY", "common:1"), ("NO_PROXY", "a.example")];
    for (json, variables, expected) in [
        (format!("{{{URL}}}"), &[][..], "without a proxy"),
        (format!("{{{URL}}}"), common, "through the proxy common port 1 of HTTPS_PROXY"),
        (
            format!("{{{URL}}}"),
            &[("https_proxy", "small:2"), common[0]],
            "through the proxy small port 2 of https_proxy",
        ),
        (format!("{{{URL}}}"), &[("PAYSVC_PROXY", "own:3"), common[0]], "through the proxy own port 3 of PAYSVC_PROXY"),
        (format!(r#"{{{URL},"proxy":"json:4"}}"#), common, "through the proxy json port 4 of proxy"),
        (format!("{{{URL}}}"), &[("HTTPS_PROXY", " ")], "without a proxy"),
        (
            format!("{{{URL}}}"),
            &[common[0], ("NO_PROXY", "pay.example")],
            "without the proxy of HTTPS_PROXY, because of NO_PROXY",
        ),
        // NO_PROXY belongs to HTTPS_PROXY.
        (
            format!("{{{URL}}}"),
            &[("PAYSVC_PROXY", "own:3"), ("NO_PROXY", "pay.example")],
            "through the proxy own port 3 of PAYSVC_PROXY",
        ),
        (format!(r#"{{{URL},"no_proxy":"*"}}"#), common, "without the proxy of HTTPS_PROXY, because of no_proxy"),
        (r#"{"base_url":"http://pay.example","allow_http":true}"#.into(), common, "without a proxy"),
        (r#"{"base_url":"https://localhost:8443"}"#.into(), common, "without a proxy"),
    ] {
        assert_eq!(route(&json, variables).as_deref(), Ok(expected), "{json} {variables:?}");
    }
    for (variables, part) in [
        (&[("HTTPS_PROXY", "http://u:12/34@host")][..], "the environment: HTTPS_PROXY must not hold a path"),
        (&[common[0], ("NO_PROXY", "<local>")], "the environment: NO_PROXY has an entry, number 1"),
    ] {
        let error = route(&format!("{{{URL}}}"), variables).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

/// Copying, shells and environment files leave characters around a value that are no part of it.
#[test]
fn quotes_and_blanks_around_settings_are_ignored() {
    let live = "PGW-SECRETKEY-0123456789abcdef0123456789abcdef";
    for quoted in [
        format!("\"{live}\""),
        format!(" '{live}'\r\n"),
        format!("\u{feff}{live}\u{200b}"),
        format!("\u{201c}{live}\u{201d}"),
    ] {
        let json = serde_json::json!({"secret_key": quoted}).to_string();
        assert_eq!(parse(&json).unwrap().key(ApiKey::Secret).unwrap().expose(), live);
        let json = serde_json::json!({"secret_key": quoted, "mode": "'test'"}).to_string();
        let message = error(&json);
        assert!(message.contains("secret_key is a live key, but mode is test") && !message.contains(live), "{message}");
    }
    let config = parse(
        r#"{"base_url":"\"https://pay.example/v1\"\r","ca_file":"'/etc/ca.pem' ","journal":"\"/var/j\"","mode":" live\r"}"#,
    );
    let config = config.unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(config.base_url.as_ref().unwrap().text, "https://pay.example/v1");
    assert_eq!((config.ca_file, config.journal), (Some("/etc/ca.pem".into()), Some("/var/j".into())));
    let config = of_environment(&[("PAYSVC_TIMEOUT_MS", "\"5000\""), ("PAYSVC_ALLOW_HTTP", "'true'")]).ok().unwrap();
    assert_eq!((config.timeout.as_millis(), config.allow_http), (5000, true));
    for (json, part) in [
        (r#"{"secret_key":"\"\""}"#, "secret_key must not be empty"),
        (r#"{"ca_file":"/etc/a\r\n/etc/b"}"#, "ca_file holds a line break"),
        (r#"{"base_url":"https://pay.example\n/v1"}"#, "base_url holds a line break"),
        (r#"{"secret_key":"/run/secrets/secret_key"}"#, "secret_key is a path"),
    ] {
        assert!(error(json).contains(part), "{}", error(json));
    }
}

#[test]
fn a_time_limit_that_was_probably_meant_in_seconds_is_a_warning() {
    assert_eq!(parse(r#"{"timeout_ms":200}"#).unwrap().warnings, [""; 0]);
    let warnings = parse(r#"{"timeout_ms":30,"connect_timeout_ms":10}"#).unwrap().warnings;
    assert_eq!(warnings[0], "timeout_ms is 30 ms: if you mean seconds, write 30000");
    assert_eq!(warnings[1], "connect_timeout_ms is 10 ms: if you mean seconds, write 10000");
}

#[test]
fn the_mode_is_that_of_the_keys_and_no_setting_changes_it() {
    let hex = "0123456789abcdef0123456789abcdef";
    let [test, live] =
        ["TEST-", ""].map(|mode| [format!("PGW-PUBLICKEY-{mode}{hex}"), format!("PGW-SECRETKEY-{mode}{hex}")]);
    let mode = |keys: [&str; 2], setting: &str| {
        let setting = if setting.is_empty() { String::new() } else { format!(r#","mode":"{setting}""#) };
        let json = format!(r#"{{"public_key":"{}","secret_key":"{}"{setting}}}"#, keys[0], keys[1]);
        parse(&json).unwrap().mode_of_keys()
    };
    for setting in ["", "test"] {
        for keys in [[&*test[0], &*test[1]], [&*test[0], "other"], ["other", &*test[1]]] {
            assert_eq!(mode(keys, setting), Some(keys::Mode::Test), "{setting}");
        }
    }
    assert_eq!(mode([&live[0], &live[1]], ""), Some(keys::Mode::Live));
    assert_eq!(mode([&test[0], &live[1]], ""), None);
    assert_eq!((mode(["a", "b"], ""), mode(["a", "b"], "live")), (None, Some(keys::Mode::Live)));
}

#[test]
fn a_binding_is_told_what_the_configuration_came_to() {
    let described = |json: &str, timeout: &str| {
        let env = |name: &str| (name == "PAYSVC_TIMEOUT_MS").then(|| timeout.to_owned());
        Client::new(Some(json), &env).ok().unwrap().described()
    };
    let body = r#"{"status":true,"message":"the client is ready","timeout_ms":"#;
    assert_eq!(described("{}", r#" "1500" "#), format!(r#"{body}1500,"has_secret_key":false}}"#));
    assert_eq!(described(r#"{"timeout_ms":20000}"#, "1500"), format!(r#"{body}20000,"has_secret_key":false}}"#));
    assert_eq!(described(r#"{"secret_key":"s"}"#, ""), format!(r#"{body}30000,"has_secret_key":true}}"#));
}
