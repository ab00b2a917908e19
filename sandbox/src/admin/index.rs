//! The index: what there is, as HTML for browsers and as JSON for everybody else; and the endpoints as an OpenAPI
//! document.
//!
//! The admin calls are those of the README's table, which a test compares with the program.

use crate::browser;
use crate::http::answer::Answer;
use crate::http::incoming::Incoming;
use crate::http::path_pattern;
use crate::service::router::Router;
use crate::service::sandbox::Sandbox;
use crate::util::json::{Json, object};

const README: &str = include_str!("../../README.md");
const TABLE: &str = "| call | effect |\n|---|---|\n";

/// A row of the table: the methods, the path and what the call does.
struct Call {
    methods: String,
    path: &'static str,
    does: &'static str,
}

pub fn answer(sandbox: &Sandbox, incoming: &Incoming) -> Answer {
    match (incoming.accepts_html(), incoming.path.as_str()) {
        (true, "/") => browser::page(),
        (true, _) => browser::html(html(sandbox)),
        (false, _) => Answer::ok(&json(&sandbox.router)),
    }
}

fn calls() -> impl Iterator<Item = Call> {
    let (_, rest) = README.split_once(TABLE).unwrap_or_default();
    rest.lines().map_while(|line| {
        let (call, does) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let (methods, path) = call.split_once(" `")?;
        Some(Call { methods: methods.replace(" or ", ", "), path: path.trim_end_matches('`'), does })
    })
}

/// The methods of the calls at this path.
pub fn allowed(path: &str) -> Option<String> {
    let is_here = |call: &Call| path_pattern::values(call.path.split('?').next().unwrap_or_default(), path).is_some();
    let methods: Vec<String> = calls().filter(is_here).map(|call| call.methods).collect();
    (!methods.is_empty()).then(|| methods.join(", "))
}

fn json(router: &Router) -> Json {
    let admin =
        calls().map(|call| object! { "methods": call.methods, "path": call.path, "does": call.does.replace('`', "") });
    let endpoints = router.all().map(|endpoint| {
        object! { "method": endpoint.method.as_ref(), "path": endpoint.path.as_ref(), "key": endpoint.key.name(), "envelope": endpoint.body.envelope() }
    });
    object! {
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "description": "A simulated payments service for development and tests. It moves no money.",
        "admin": admin.collect::<Vec<_>>(),
        "endpoints": endpoints.collect::<Vec<_>>(),
    }
}

fn html(sandbox: &Sandbox) -> String {
    let admin: String = calls()
        .map(|call| {
            let path = escaped(call.path);
            let is_link = call.methods.starts_with("GET") && !call.path.contains('{');
            // A browser would wait for the end of the events.
            let is_link = is_link && call.path != browser::events::PATH;
            let target = call.path.split('?').next().unwrap_or_default();
            let shown = if is_link { format!("<a href=\"{target}\">{path}</a>") } else { path };
            format!("<tr><td>{}<td>{shown}<td>{}\n", call.methods, code(call.does))
        })
        .collect();
    let endpoints: String = sandbox
        .router
        .all()
        .map(|endpoint| {
            let (path, key, envelope) = (escaped(&endpoint.path), endpoint.key.name(), endpoint.body.envelope());
            format!("<tr><td>{}<td>{path}<td>{key}<td>{envelope}\n", endpoint.method)
        })
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>paysvc-sandbox</title>\n\
         <link rel=\"icon\" href=\"/sandbox/page/icon.svg\"><link rel=\"stylesheet\" href=\"/sandbox/page/style.css\">\n\
         <link rel=\"stylesheet\" href=\"/sandbox/page/page.css\">\n<main>\
         <h1>paysvc-sandbox {version}</h1>\n<p>A simulated payments service for development and tests. It moves no money.\n\
         <h2>Admin calls</h2>\n<table class=\"calls\"><tr><th>method<th>path<th>effect\n{admin}</table>\n\
         <h2>Endpoints</h2>\n<table class=\"calls\"><tr><th>method<th>path<th>API key<th>body\n{endpoints}</table>\n</html>\n"
    )
}

/// Text as HTML, also between double quotes.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text between backticks in `code` elements.
fn code(markdown: &str) -> String {
    let parts = markdown.split('`').enumerate();
    let shown = |(place, part): (usize, &str)| {
        if place % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) }
    };
    parts.map(shown).collect()
}

pub const OPENAPI: &str = "/openapi.json";

/// Rendered by `build.rs`. Endpoints of `--scenarios` are not in it.
const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));
const SERVER: &str = r#""url":"/""#;

pub fn openapi(sandbox: &Sandbox) -> Answer {
    let server = format!(r#""url":{}"#, Json::from(sandbox.base_url.as_str()));
    Answer { body: DOCUMENT.replacen(SERVER, &server, 1).into_bytes(), ..Answer::ok(&Json::Null) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_the_calls() {
        let calls: Vec<Call> = calls().collect();
        assert!(calls.iter().any(|call| (call.methods.as_str(), call.path) == ("GET", "/sandbox/ledger")));
        assert!(calls.iter().any(|call| call.methods == "GET, POST, DELETE" && call.path == "/sandbox/faults"));
        assert!(calls.iter().all(|call| crate::admin::is_admin(call.path)));
        assert_eq!(code("a `<b>` & c"), "a <code>&lt;b&gt;</code> &amp; c");
    }
}
