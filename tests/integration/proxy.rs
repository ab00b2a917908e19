//! Proxies: HTTP CONNECT and SOCKS5, with and without a login, and the hosts of `no_proxy`.

use serde_json::json;

use crate::support::proxy::{Service, http_proxy, socks5_proxy};

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
