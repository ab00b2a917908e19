//! Which paths a page of another origin may call.
//!
//! The widget's script runs on the merchant's page and calls one path. Other paths stay closed, also those that take the
//! public key: nothing shows that the service lets a page call them, and no page may read the admin calls.

use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::util::json::Json;

pub const WIDGET: &str = "/v1/checkout";

/// The response to the browser's question before a call with an `api-key` or a JSON body.
pub fn preflight(incoming: &Incoming) -> Option<Answer> {
    if incoming.method != "OPTIONS" || incoming.path != WIDGET {
        return None;
    }
    let answer = Answer { status: 204, body: Vec::new(), ..Answer::ok(&Json::Null) };
    let answer = allow(WIDGET, answer)
        .header("access-control-allow-methods", "GET, POST")
        .header("access-control-allow-headers", "api-key, content-type")
        .header("access-control-max-age", "600");
    Some(match incoming.headers.private_network.as_deref() {
        // Some browsers ask this before a page from elsewhere calls this machine.
        Some("true") => answer.header("access-control-allow-private-network", "true"),
        _ => answer,
    })
}

/// Any origin: the API key authorizes the call, and there are no cookies.
pub fn allow(path: &str, answer: Answer) -> Answer {
    if path == WIDGET { answer.header("access-control-allow-origin", "*") } else { answer }
}

/// Refuses what a page of another origin sends without asking first, such as a form that resets the sandbox. A redirect of
/// the customer's browser is a GET.
pub fn foreign(incoming: &Incoming) -> Option<Answer> {
    let headers = &incoming.headers;
    let is_elsewhere = matches!(headers.fetch_site.as_deref(), Some("cross-site" | "same-site"));
    // "null" is no host: a page from a file, or in a sandboxed frame.
    let host = |origin: &String| origin.split_once("://").map_or_else(String::new, |(_, host)| host.to_string());
    let is_own = |origin: &String| headers.host.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(&host(origin)));
    let is_foreign = is_elsewhere || headers.origin.as_ref().is_some_and(|origin| !is_own(origin));
    let error = || ApiError::new(403, "A page of another origin may not change the sandbox.");
    (is_foreign && incoming.method != "GET").then(|| error().into_answer())
}
