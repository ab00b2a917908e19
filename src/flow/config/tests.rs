use super::*;

fn parse(json: &str) -> Result<Config, ValidationError> {
    Config::parse(Some(json), &|_| None)
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
    assert_eq!(config.merchant, "");
}

#[test]
fn the_environment_fills_what_is_left_out_and_nothing_else() {
    let env = |name: &str| match name {
        "PAYSVC_BASE_URL" => Some("https://env.example".to_owned()),
        "PAYSVC_PUBLIC_KEY" => Some("from-env".to_owned()),
        "PAYSVC_SECRET_KEY" => Some(" ".to_owned()),
        _ => None,
    };
    let config = Config::parse(Some(r#"{"public_key":"given"}"#), &env).unwrap();
    assert_eq!(config.base_url.unwrap().host, "env.example");
    assert_eq!(config.public_key.unwrap().expose(), "given");
    assert!(config.secret_key.is_none());
    assert!(Config::parse(None, &env).unwrap().base_url.is_some());
}

/// A configuration from variables alone.
fn of_environment(variables: &[(&str, &str)]) -> Result<Config, ValidationError> {
    let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    Config::parse(None, &find)
}

#[test]
fn every_member_has_its_variable() {
    let read = std::cell::RefCell::new(Vec::new());
    let all = Config::parse(None, &|name| {
        read.borrow_mut().push(name.to_owned());
        None
    });
    assert!(all.is_ok());
    let expected: Vec<_> = settings::CONFIG.iter().map(|field| settings::variable(field.name)).collect();
    assert_eq!(read.into_inner(), expected, "each variable is read once, and no other");

    let config = of_environment(&[
        ("PAYSVC_BASE_URL", " http://pay.example\n"),
        ("PAYSVC_PUBLIC_KEY", "p"),
        ("PAYSVC_SECRET_KEY", "s"),
        ("PAYSVC_MODE", " live "),
        ("PAYSVC_ENCRYPTION_KEY", "e"),
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
        ("PAYSVC_MERCHANT", "shop 7"),
        ("PAYSVC_PAYOUT_KEY", " public"),
        ("PAYSVC_PAYOUT_ENCRYPTION_HEADER", "0"),
    ])
    .unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(config.base_url.unwrap().host, "pay.example");
    assert_eq!((config.timeout.as_millis(), config.connect_timeout.as_millis()), (5000, 700));
    assert_eq!((config.max_attempts, config.max_idle_connections, config.allow_http), (2, 9, true));
    assert_eq!((config.user_agent.as_str(), config.no_proxy.len()), ("till/7", 2));
    assert_eq!(config.proxy.unwrap().host, "proxy.example");
    assert_eq!(config.ca_file, Some("/ca.pem".into()));
    assert_eq!((config.journal, config.journal_create), (Some("/var/lib/till/journal".into()), true));
    assert_eq!((config.journal_keep_days, config.merchant.as_str()), (30, "shop 7"));
    assert_eq!(config.row_keys, [("payout_key", ApiKey::Public)]);
    assert_eq!(config.rows_without_headers, ["payout_encryption_header"]);
    let files = config.client_cert.unwrap();
    assert_eq!((files.cert_file, files.key_file), ("/cert.pem".into(), "/key.pem".into()));
    assert_eq!(
        [config.public_key, config.secret_key, config.encryption_key].map(|key| key.unwrap().expose().to_owned()),
        ["p", "s", "e"]
    );
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
    // An error in a given member names the member; its variable is not read.
    let env = |name: &str| (name == "PAYSVC_TIMEOUT_MS").then(|| "5s".to_owned());
    let error = Config::parse(Some(r#"{"timeout_ms":0}"#), &env).err().unwrap();
    assert_eq!(error.message, "the configuration: timeout_ms must be a whole number between 1 and 86400000");
    assert!(Config::parse(Some(r#"{"timeout_ms":1}"#), &env).is_ok());
}

#[test]
fn the_pair_of_a_client_certificate_may_come_from_both_places() {
    let env = |name: &str| (name == "PAYSVC_CLIENT_KEY_FILE").then(|| "/key.pem".to_owned());
    let config = Config::parse(Some(r#"{"client_cert_file":"/cert.pem"}"#), &env).ok().unwrap();
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
    assert!(error(r#"{"public_key":"a\r\nx: y"}"#).contains("control character"));
    assert!(error(r#"{"public_key":"PGW-SECRETKEY-TEST-1"}"#).contains("belongs in secret_key"));
    assert!(error(r#"{"secret_key":"PGW-PUBLICKEY-TEST-1"}"#).contains("belongs in public_key"));
    assert_eq!(
        parse(r#"{"public_key":" PGW-PUBLICKEY-1\n"}"#).unwrap().public_key.unwrap().expose(),
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
    assert!(error(r#"{"merchant":"a\u0007b"}"#).contains("merchant is longer than 200 bytes or holds a control"));
    assert!(error(r#"{"journal":" "}"#).contains("journal must not be empty"));
    assert!(error("[]").contains("must be a JSON object"));
}

#[test]
fn proxies() {
    let proxy =
        parse(r#"{"proxy":"socks5://us%40er:p%3Aw@Proxy.example","no_proxy":"a.example, .b.example,"}"#).unwrap();
    assert_eq!(proxy.no_proxy, ["a.example", ".b.example"]);
    let proxy = proxy.proxy.unwrap();
    assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 1080));
    let (user, password) = proxy.credentials.unwrap();
    assert_eq!((user.expose(), password.expose()), ("us@er", "p:w"));
    let message = error(r#"{"proxy":"ftp://user:hunter2@p"}"#);
    assert!(message.contains("must start with") && !message.contains("hunter2"));
    for port in ["0", "99999", "+80"] {
        let message = error(&format!(r#"{{"proxy":"http://user:hunter2@p:{port}"}}"#));
        assert!(message.contains("port") && !message.contains("hunter2"), "{message}");
    }
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
