//! What browsers load from the sandbox: the page, the hosted checkout's files and the script of the widget.

pub mod cors;
pub mod events;

use crate::http::answer::Answer;
use crate::http::incoming::Incoming;
use crate::util::json::Json;

/// Of the hosted checkout: it loads nothing from elsewhere, and a merchant's page may show it in a frame. It does not
/// restrict forms, because a browser would apply that to the merchant's address after the payment, too.
const CSP: &str = "default-src 'self'; base-uri 'none'; object-src 'none'";
/// Of the page, which no other page may show in a frame.
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
    if (incoming.method.as_str(), incoming.path.as_str()) == ("GET", cors::WIDGET) {
        return Some(cors::allow(cors::WIDGET, text(SCRIPT, include_str!("widget.js"))));
    }
    cors::preflight(incoming)
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
