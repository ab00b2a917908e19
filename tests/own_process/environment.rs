//! The environment of this process, changed.

use serde_json::json;

use crate::support::proxy::{Service, http_proxy};

/// A proxy in the environment changes nothing: a till must not send payments where a shell variable points.
#[test]
fn proxy_variables_are_ignored() {
    let service = Service::new();
    let (proxy, asked) = http_proxy(1, None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    for name in ["ALL_PROXY", "HTTPS_PROXY", "https_proxy", "http_proxy"] {
        // SAFETY: this is the only test of its process.
        unsafe { std::env::set_var(name, &url) };
    }
    service.refund("127.0.0.1", json!({})).expect("OK CONFIRMED");
    assert!(asked.lock().unwrap().is_empty());
}
