//! The endpoints as an OpenAPI document, with the address of this sandbox.

use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::service::sandbox::Sandbox;
use crate::util::json::Json;

pub const PATH: &str = "/openapi.json";

/// Rendered by `build.rs`. Endpoints of `--scenarios` are not in it.
const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));
const SERVER: &str = r#""url":"/""#;

pub fn answer(sandbox: &Sandbox, incoming: &Incoming) -> Answer {
    if incoming.method != "GET" {
        return ApiError::method_not_allowed(&incoming.method, &incoming.path, "GET").into_answer();
    }
    let server = format!(r#""url":{}"#, Json::from(sandbox.base_url.as_str()));
    Answer { body: DOCUMENT.replacen(SERVER, &server, 1).into_bytes(), ..Answer::ok(&Json::Null) }
}
