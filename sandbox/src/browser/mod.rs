//! The files that browsers load from the sandbox: the page, the hosted checkout and the script of the widget; and the
//! paths that a page of another origin may call.
//!
//! The widget's script runs on the merchant's page and calls one path. Other paths stay closed, also those that take
//! the public key: nothing shows that the service lets a page call them, and no page may read the admin calls.

pub mod events;

use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::util::json::Json;

/// CSP of the hosted checkout: it loads nothing from elsewhere, and a merchant's page may show it in a frame. It does
/// not restrict forms, because a browser would apply that to the merchant's address after the payment, too.
const CSP: &str = "default-src 'self'; base-uri 'none'; object-src 'none'";
/// CSP of the page, which no other page may show in a frame.
const PAGE_CSP: &str =
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const ICON: &str = "image/svg+xml";
const STYLE: &str = "text/css; charset=utf-8";

/// The files below `/sandbox/page/`: name, media type and text.
macro_rules! files {
    ($($name:literal $kind:ident)*) => {
        const FILES: &[(&str, &str, &str)] = &[$(($name, $kind, include_str!(concat!("page/", $name)))),*];
    };
}

files! {
    "icon.svg" ICON
    "style.css" STYLE
    "checkout.css" STYLE
    "page.css" STYLE
    "order.css" STYLE
    "checkout.js" SCRIPT
    "app.js" SCRIPT
    "dom.js" SCRIPT
    "faults.js" SCRIPT
    "list.js" SCRIPT
    "lists.js" SCRIPT
    "api.js" SCRIPT
    "order.js" SCRIPT
    "sending.js" SCRIPT
    "story.js" SCRIPT
    "timeline.js" SCRIPT
}

/// The script of the widget, and what a browser asks before the script calls.
pub fn answer(incoming: &Incoming) -> Option<Answer> {
    if (incoming.method.as_str(), incoming.path.as_str()) == ("GET", WIDGET) {
        return Some(allow(WIDGET, text(SCRIPT, include_str!("widget.js"))));
    }
    preflight(incoming)
}

/// The page at `/`.
pub fn page() -> Answer {
    text(HTML, include_str!("page/page.html")).header("content-security-policy", PAGE_CSP)
}

/// A file below `/sandbox/page/`.
pub fn file(name: &str) -> Option<Answer> {
    FILES.iter().find(|(known, ..)| *known == name).map(|(_, kind, content)| text(kind, content))
}

/// HTML that loads its scripts and styles from this sandbox only.
pub fn html(html: String) -> Answer {
    Answer::page(200, html).header("content-security-policy", CSP)
}

/// The kinds of a file are not guessed, and a restarted sandbox of another version is not mixed with the old one.
fn text(content_type: &'static str, content: &str) -> Answer {
    Answer { content_type: content_type.into(), body: content.as_bytes().to_vec(), ..Answer::ok(&Json::Null) }
        .header("x-content-type-options", "nosniff")
        .header("cache-control", "no-store")
}

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
