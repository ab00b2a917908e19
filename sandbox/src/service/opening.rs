//! Opens the body of a request as its endpoint takes it.

use super::endpoint::Endpoint;
use super::sandbox::Sandbox;
use crate::crypto::envelope::{Body, Opened, open_encrypted, open_plain};
use crate::http::answer::ApiError;
use crate::http::incoming::Incoming;
use crate::util::json::Json;

pub async fn open(sandbox: &Sandbox, endpoint: &Endpoint, incoming: &Incoming) -> (Opened, Result<Json, ApiError>) {
    let body = match incoming.body() {
        Ok(body) => body,
        Err(error) => return (Opened::NONE, Err(error)),
    };
    if endpoint.body == Body::None {
        return (Opened::NONE, Ok(incoming.query_json()));
    }
    let (opened, input) = match endpoint.body {
        Body::Plain | Body::None => open_plain(body),
        Body::Encrypted | Body::EncryptedWithHeader | Body::EncryptedHeaderOptional => {
            open_encrypted(&sandbox.encryption, body).await
        }
    };
    if !is_json(incoming.headers.content_type.as_deref()) {
        let error = ApiError::field("Content-Type", "The Content-Type header must be application/json.");
        return (opened, Err(error.with_status(415)));
    }
    let encryption = incoming.headers.encryption.as_deref().unwrap_or_default();
    if endpoint.body == Body::EncryptedWithHeader && !encryption.eq_ignore_ascii_case("RSA") {
        return (opened, Err(ApiError::field("encryption", "The encryption header is required and its value is RSA.")));
    }
    (opened, input)
}

/// The body as logged for a request that was rejected before its body was needed.
pub fn inspect_rejected(incoming: &Incoming) -> Opened {
    match &incoming.body {
        Some(body) if !body.is_empty() => {
            let opened = open_plain(body).0;
            let encrypted =
                opened.payload.as_ref().is_some_and(|payload| payload.get("data").and_then(Json::as_text).is_some());
            if encrypted { Opened { envelope: "encrypted", ..Opened::NONE } } else { opened }
        }
        _ => Opened::NONE,
    }
}

fn is_json(content_type: Option<&str>) -> bool {
    let media = content_type.and_then(|value| value.split(';').next()).unwrap_or_default();
    media.trim().eq_ignore_ascii_case("application/json")
}
