//! Admin calls for people with curl: encrypt a payload, and the public key as PEM.

use crate::http::answer::{Answer, ApiError};
use crate::service::sandbox::Sandbox;
use crate::util::json::{Json, object};

/// Encrypts the bytes as they were sent.
pub fn encrypt(sandbox: &Sandbox, payload: &[u8]) -> Result<Json, ApiError> {
    let data = sandbox.encryption.encrypt(payload).map_err(|problem| ApiError::field("body", problem))?;
    Ok(object! { "data": data })
}

pub fn pem(sandbox: &Sandbox) -> Result<Answer, ApiError> {
    let body = sandbox.encryption.pem().map_err(|problem| ApiError::new(500, problem))?.into_bytes();
    Ok(Answer { content_type: "application/x-pem-file".into(), body, ..Answer::ok(&Json::Null) })
}
