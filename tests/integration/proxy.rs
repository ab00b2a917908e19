//! Proxies: HTTP CONNECT and SOCKS5, with and without a login, and the hosts of `no_proxy`.

use serde_json::json;

use crate::support::capi::with;
use crate::support::driver::Driver;
use crate::support::proxy::{Service, http_proxy, socks5_proxy};
use crate::support::server::Server;
use crate::support::{Link, Stage, root};

#[test]
fn calls_go_through_an_http_proxy() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(service.server.port, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": url})).expect("OK CONFIRMED");
    assert_eq!(*asked.lock().unwrap(), [format!("CONNECT service.invalid:{} HTTP/1.1", service.server.port)]);

    // base64 of us@er:p:w
    let (proxy, _) = http_proxy(service.server.port, Some("dXNAZXI6cDp3"));
    let at = format!("127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": format!("http://us%40er:p%3Aw@{at}")})).expect("OK CONFIRMED");
    let reply = service.refund("service.invalid", json!({"proxy": format!("http://{at}")}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("407"), "{}", reply.message());
}

#[test]
fn calls_go_through_a_socks5_proxy() {
    let service = Service::new();
    let (proxy, asked) = socks5_proxy(service.server.port, None, 0);
    service
        .refund("service.invalid", json!({"proxy": format!("socks5://127.0.0.1:{}", proxy.port)}))
        .expect("OK CONFIRMED");
    assert_eq!(*asked.lock().unwrap(), [format!("service.invalid:{}", service.server.port)]);

    let (proxy, _) = socks5_proxy(service.server.port, Some(("user", "pass")), 0);
    let at = format!("127.0.0.1:{}", proxy.port);
    service.refund("service.invalid", json!({"proxy": format!("socks5://user:pass@{at}")})).expect("OK CONFIRMED");
    for (login, part) in [("user:wrong@", "refused the user"), ("", "none of the login methods")] {
        let reply = service.refund("service.invalid", json!({"proxy": format!("socks5://{login}{at}")}));
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains(part) && !reply.message().contains("wrong"), "{}", reply.message());
    }

    let (proxy, _) = socks5_proxy(service.server.port, None, 2);
    let reply = service.refund("service.invalid", json!({"proxy": format!("socks5://127.0.0.1:{}", proxy.port)}));
    reply.expect("E_TRANSPORT NOT_SENT");
    assert!(reply.message().contains("rules do not allow"), "{}", reply.message());
}

#[test]
fn hosts_of_no_proxy_are_connected_directly() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(1, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    service.refund("127.0.0.1", json!({"proxy": url, "no_proxy": "example.com, 127.0.0.1"})).expect("OK CONFIRMED");
    assert!(asked.lock().unwrap().is_empty());
}

/// Some proxies offer only logins that this library does not speak.
#[test]
fn a_proxy_that_wants_another_login_is_explained() {
    let service = Service::new();
    for (headers, login, part) in [
        ("Proxy-Authenticate: NTLM\r\nProxy-Authenticate: Negotiate\r\n", "", "accepts NTLM and Negotiate only"),
        ("proxy-authenticate: Digest realm=\"a\", nonce=\"b\"\r\n", "u:p@", "accepts Digest only"),
        ("Proxy-Authenticate: Negotiate, Basic realm=\"a\"\r\n", "", "write them in proxy"),
        ("Proxy-Authenticate: Basic realm=\"a\"\r\n", "u:hunter2@", "refused the user and password in proxy"),
        ("x-folded: a\r\n b\r\nbad\r\nProxy-Authenticate: NTLM\r\n", "", "accepts NTLM only"),
        ("", "", "wants a user and password"),
    ] {
        let answer = format!("HTTP/1.1 407 Proxy Authentication Required\r\n{headers}\r\n");
        let proxy = Server::start(move |mut c| {
            c.read_request();
            c.write(&answer);
        });
        let url = format!("http://{login}127.0.0.1:{}", proxy.port);
        let reply = service.refund("service.invalid", json!({"proxy": url}));
        reply.expect("E_TRANSPORT NOT_SENT");
        assert!(reply.message().contains(part) && reply.message().contains("407"), "{}", reply.message());
        assert!(!reply.message().contains("hunter2"), "{}", reply.message());
    }
}

/// As other programs of a company do.
#[test]
fn the_proxy_of_other_programs_is_used_where_none_is_set() {
    let (stage, service) = (Stage::new(), Service::new());
    let (proxy, asked) = http_proxy(service.server.port, None);
    let at = format!("127.0.0.1:{}", proxy.port);
    let program = stage.cc(&root().join("tests/c/driver.c"), Link::Shared, &[]);
    for (variables, config, tunnels) in [
        (&[("HTTPS_PROXY", &*at)][..], json!({}), true),
        (&[("https_proxy", &at), ("HTTPS_PROXY", "127.0.0.1:1")], json!({}), true),
        (&[("PAYSVC_PROXY", &at), ("HTTPS_PROXY", "127.0.0.1:1")], json!({}), true),
        (&[("HTTPS_PROXY", &at), ("NO_PROXY", ".invalid")], json!({}), false),
        (&[("HTTPS_PROXY", &at)], json!({"no_proxy": "*"}), false),
        (&[("HTTP_PROXY", &at), ("ALL_PROXY", &at)], json!({}), false),
    ] {
        let mut command = stage.command(&program);
        for name in ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let before = asked.lock().unwrap().len();
        let mut driver = Driver::start(&mut command, &with(service.config("service.invalid"), config));
        assert_eq!(driver.created.status, "OK", "{}", driver.created.message);
        let reply = driver.call("order_refund", &json!({"reference": "R"}));
        assert_eq!(reply.status == "OK", tunnels, "{variables:?}: {}", reply.message);
        assert_eq!(asked.lock().unwrap().len() > before, tunnels, "{variables:?}");
        driver.close();
        driver.finish();
    }
}
