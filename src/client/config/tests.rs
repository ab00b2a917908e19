use super::*;

fn parse(json: &str) -> Result<Config, ValidationError> {
    Config::parse(Some(json), &|_| None)
}
fn refused(json: &str) -> String {
    parse(json).err().expect(json).message
}

#[test]
fn the_host_header_names_a_port_only_where_it_is_not_the_schemes_own() {
    for (url, expected) in [
        ("https://Pay.example/v1", "pay.example"),
        ("https://pay.example:443", "pay.example"),
        ("https://pay.example:80", "pay.example:80"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://127.0.0.1:443/", "127.0.0.1:443"),
        ("https://[::1]", "[::1]"),
        ("https://[::1]:8443/v1", "[::1]:8443"),
    ] {
        let config = parse(&format!(r#"{{"base_url":"{url}"}}"#)).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        assert_eq!(config.base_url.unwrap().host_header(), expected, "{url}");
    }
}

#[test]
fn defaults_are_the_documented_ones() {
    let config = parse("{}").unwrap();
    assert_eq!(config.timeout, Duration::from_secs(30));
    assert_eq!(config.connect_timeout, Duration::from_secs(10));
    assert_eq!((config.max_attempts, config.max_idle_connections, config.allow_http), (3, 128, false));
    assert!(config.user_agent.starts_with("libpaysvc/"));
    assert!(config.base_url.is_none());
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
    let asked = std::cell::RefCell::new(Vec::new());
    let all = Config::parse(None, &|name| {
        asked.borrow_mut().push(name.to_owned());
        None
    });
    assert!(all.is_ok());
    let expected: Vec<_> = settings::CONFIG.iter().map(|field| settings::variable(field.name)).collect();
    assert_eq!(asked.into_inner(), expected, "one look at each, and at no other");

    let config = of_environment(&[
        ("PAYSVC_BASE_URL", " http://pay.example\n"),
        ("PAYSVC_PUBLIC_KEY", "p"),
        ("PAYSVC_SECRET_KEY", "s"),
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
    ])
    .unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert_eq!(config.base_url.unwrap().host, "pay.example");
    assert_eq!((config.timeout.as_millis(), config.connect_timeout.as_millis()), (5000, 700));
    assert_eq!((config.max_attempts, config.max_idle_connections, config.allow_http), (2, 9, true));
    assert_eq!((config.user_agent.as_str(), config.no_proxy.len()), ("till/7", 2));
    assert_eq!(config.proxy.unwrap().host, "proxy.example");
    assert_eq!(config.ca_file, Some("/ca.pem".into()));
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
        ("PAYSVC_BASE_URL", "pay.example", "PAYSVC_BASE_URL must start with https://"),
        ("PAYSVC_SECRET_KEY", "PGW-PUBLICKEY-1", "PAYSVC_SECRET_KEY holds the key that belongs in public_key"),
        ("PAYSVC_PROXY", "ftp://u:hunter2@p", "PAYSVC_PROXY must start with http://"),
        ("PAYSVC_USER_AGENT", "a\u{7}b", "PAYSVC_USER_AGENT holds a control character"),
        (
            "PAYSVC_CLIENT_CERT_FILE",
            "/c",
            "client_key_file is required with PAYSVC_CLIENT_CERT_FILE: set it in the configuration or as PAYSVC_CLIENT_KEY_FILE",
        ),
    ] {
        let refusal = of_environment(&[(variable, text)]).err().expect(variable);
        assert_eq!(refusal.status, Status::Config);
        assert!(refusal.message.contains(part) && !refusal.message.contains("hunter2"), "{}", refusal.message);
    }
    for off in ["0", "false", "", " "] {
        assert!(
            !of_environment(&[("PAYSVC_ALLOW_HTTP", off)]).unwrap_or_else(|refusal| panic!("{refusal:?}")).allow_http
        );
    }
    // A member that is given is the one to blame, and its variable is not looked at.
    let env = |name: &str| (name == "PAYSVC_TIMEOUT_MS").then(|| "5s".to_owned());
    let refusal = Config::parse(Some(r#"{"timeout_ms":0}"#), &env).err().unwrap();
    assert_eq!(refusal.message, "the configuration: timeout_ms must be a whole number between 1 and 86400000");
    assert!(Config::parse(Some(r#"{"timeout_ms":1}"#), &env).is_ok());
}

#[test]
fn the_pair_of_a_client_certificate_may_come_from_both_places() {
    let env = |name: &str| (name == "PAYSVC_CLIENT_KEY_FILE").then(|| "/key.pem".to_owned());
    let config = Config::parse(Some(r#"{"client_cert_file":"/cert.pem"}"#), &env).ok().unwrap();
    assert!(config.client_cert.is_some());
}

/// Names that tests and bindings use are no settings.
#[test]
fn no_setting_has_the_variable_of_something_else() {
    for taken in ["LIBRARY", "SANDBOX", "FAULTS", "CANARY", "OWNERSHIP"] {
        assert!(settings::CONFIG.iter().all(|field| settings::variable(field.name) != format!("PAYSVC_{taken}")));
    }
}

#[test]
fn base_urls() {
    for (text, host, port, url) in [
        ("https://Pay.Example", "pay.example", 443, "https://Pay.Example"),
        ("https://pay.example:8443/api/v1/", "pay.example", 8443, "https://pay.example:8443/api/v1"),
        ("http://127.0.0.1:9", "127.0.0.1", 9, "http://127.0.0.1:9"),
        ("http://[::1]:9/", "::1", 9, "http://[::1]:9"),
        ("http://localhost", "localhost", 80, "http://localhost"),
    ] {
        let base = parse(&format!(r#"{{"base_url":"{text}"}}"#)).unwrap().base_url.unwrap();
        assert_eq!((base.host.as_str(), base.port, base.text.as_str()), (host, port, url));
    }
    for (text, part) in [
        ("pay.example", "must start with https://"),
        ("ftp://pay.example", "must start with https://"),
        ("http://pay.example", "plain http to pay.example"),
        ("http://127.0.0.1.evil.example", "plain http"),
        ("https://user:pw@pay.example", "must not hold a user"),
        ("https://pay.example/?a=1", "query"),
        ("https://pay.example/#a", "fragment"),
        ("https://pay.example:99999", "port"),
        ("https://pay.example:0", "port 0"),
        ("https://pay.example:http", "port that does not exist"),
        ("https://pay.example:", "port that does not exist"),
        ("http://[::1]2x", "more than a port"),
        ("https://pay.example/é", "percent-encoded"),
        ("https:///x", "base_url"),
    ] {
        let message = refused(&format!(r#"{{"base_url":"{text}"}}"#));
        assert!(message.contains(part), "{text}: {message}");
    }
    assert!(parse(r#"{"base_url":"http://pay.example","allow_http":true}"#).is_ok());
}

#[test]
fn keys_that_would_break_a_header_or_are_mixed_up_are_refused() {
    assert!(refused(r#"{"public_key":"a\r\nx: y"}"#).contains("control character"));
    assert!(refused(r#"{"public_key":"PGW-SECRETKEY-TEST-1"}"#).contains("belongs in secret_key"));
    assert!(refused(r#"{"secret_key":"PGW-PUBLICKEY-TEST-1"}"#).contains("belongs in public_key"));
    assert_eq!(
        parse(r#"{"public_key":" PGW-PUBLICKEY-1\n"}"#).unwrap().public_key.unwrap().expose(),
        "PGW-PUBLICKEY-1"
    );
}

#[test]
fn wrong_members_are_named() {
    assert!(refused(r#"{"base_ulr":"x"}"#).contains("did you mean base_url?"));
    assert!(refused(r#"{"timeout_ms":"30"}"#).contains("must be a whole number, it is a string"));
    assert!(refused(r#"{"timeout_ms":0}"#).contains("must be a whole number between 1 and 86400000"));
    assert!(refused(r#"{"timeout_ms":-5}"#).contains("number between"));
    assert!(refused(r#"{"client_cert_file":"x"}"#).contains("client_key_file is required"));
    assert!(refused(r#"{"user_agent":"a\nb"}"#).contains("control character"));
    assert!(refused("[]").contains("must be a JSON object"));
}

#[test]
fn proxies() {
    let proxy =
        parse(r#"{"proxy":"socks5://us%40er:p%3Aw@Proxy.example","no_proxy":"a.example, .b.example,"}"#).unwrap();
    assert_eq!(proxy.no_proxy, ["a.example", ".b.example"]);
    let proxy = proxy.proxy.unwrap();
    assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 1080));
    let (user, password) = proxy.user.unwrap();
    assert_eq!((user.expose(), password.expose()), ("us@er", "p:w"));
    let message = refused(r#"{"proxy":"ftp://user:hunter2@p"}"#);
    assert!(message.contains("must start with") && !message.contains("hunter2"));
    for port in ["0", "99999", "+80"] {
        let message = refused(&format!(r#"{{"proxy":"http://user:hunter2@p:{port}"}}"#));
        assert!(message.contains("port") && !message.contains("hunter2"), "{message}");
    }
}
