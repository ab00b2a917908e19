//! Parses the body of a request: plain JSON, or `{"data":"<base64 of one RSA block>"}`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::traits::PublicKeyParts;

use super::keys::{EncryptionKey, Failure};
use crate::http::answer::ApiError;
use crate::util::json::Json;
use crate::util::seed::sha256_hex;

/// The service's own message for a plain body at an encrypted endpoint.
const NOT_ENCRYPTED: &str = "Unable to find the encrypted data, please encrypt your payload and try again";

/// Clients look for the words "decrypt your payload".
const NOT_DECRYPTED: &str =
    "Unable to decrypt your payload: it was encrypted with another key, or its padding is not PKCS#1 v1.5.";

/// The body that an endpoint takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    None,
    Plain,
    Encrypted,
    /// Encrypted, with the header `encryption: RSA`.
    EncryptedWithHeader,
    /// Encrypted, with or without the header: the evidence conflicts.
    EncryptedHeaderOptional,
}

impl Body {
    pub fn envelope(self) -> &'static str {
        match self {
            Body::None => "none",
            Body::Plain => "plain",
            Body::Encrypted | Body::EncryptedWithHeader | Body::EncryptedHeaderOptional => "encrypted",
        }
    }

    /// Returns whether the header `encryption: RSA` is required: true, false or the text `optional`.
    pub fn header(self) -> Json {
        match self {
            Body::EncryptedHeaderOptional => Json::from("optional"),
            Body::EncryptedWithHeader => Json::from(true),
            Body::None | Body::Plain | Body::Encrypted => Json::from(false),
        }
    }

    /// Returns whether requests in this envelope are accepted where `self` is the rule.
    pub fn takes(self, other: Body) -> bool {
        let both = [Body::Encrypted, Body::EncryptedWithHeader];
        self == other || (self == Body::EncryptedHeaderOptional && both.contains(&other))
    }
}

/// The parsed body, for the handler and the request log.
#[derive(Debug)]
pub struct Opened {
    /// `none`, `plain` or `encrypted`: what the client sent, even if the endpoint expects another.
    pub envelope: &'static str,
    pub payload: Option<Json>,
    /// Hash of the decrypted bytes, or of the body as sent if it is plain.
    pub sha256: Option<String>,
    pub decrypted_bytes: Option<usize>,
}

impl Opened {
    pub const NONE: Opened = Opened { envelope: "none", payload: None, sha256: None, decrypted_bytes: None };

    fn plain(body: &[u8], payload: Option<Json>) -> Opened {
        Opened { envelope: "plain", payload, sha256: Some(sha256_hex(body)), decrypted_bytes: None }
    }
}

pub fn open_plain(body: &[u8]) -> (Opened, Result<Json, ApiError>) {
    let input = object(body, "body", "body");
    (Opened::plain(body, input.as_ref().ok().cloned()), input)
}

pub async fn open_encrypted(key: &EncryptionKey, body: &[u8]) -> (Opened, Result<Json, ApiError>) {
    let (mut opened, sent) = open_plain(body);
    let ciphertext = match sent.and_then(|json| ciphertext(&json)) {
        Ok(ciphertext) => ciphertext,
        Err(error) => return (opened, Err(error)),
    };
    opened.envelope = "encrypted";
    // The log does not keep ciphertext.
    (opened.payload, opened.sha256) = (None, None);
    let bytes = match decrypt(key, &ciphertext).await {
        Ok(bytes) => bytes,
        Err(error) => return (opened, Err(error)),
    };
    opened.sha256 = Some(sha256_hex(&bytes));
    opened.decrypted_bytes = Some(bytes.len());
    let input = object(&bytes, "data", "decrypted payload");
    opened.payload = input.as_ref().ok().cloned();
    (opened, input)
}

fn object(text: &[u8], member: &str, what: &str) -> Result<Json, ApiError> {
    match Json::parse(text) {
        Ok(json) if json.is_object() => Ok(json),
        Ok(_) => Err(ApiError::field(member, format!("The {what} must be a JSON object."))),
        // The parser's message contains positions and field names, never a value.
        Err(problem) => Err(ApiError::field(member, format!("The {what} is not JSON: {problem}."))),
    }
}

/// The text of `data`, which must be the only field.
fn ciphertext(json: &Json) -> Result<String, ApiError> {
    let Some(data) = json.get("data").and_then(Json::as_text) else {
        return Err(bad_data(NOT_ENCRYPTED));
    };
    let Json::Object(members) = json else {
        return Err(bad_data(NOT_ENCRYPTED));
    };
    let extra: Vec<&str> =
        members.iter().map(|(name, _)| name.as_str()).filter(|name| !name.eq_ignore_ascii_case("data")).collect();
    if !extra.is_empty() {
        let text = format!("An encrypted request has the field data and nothing else: remove {}.", extra.join(", "));
        return Err(bad_data(&text));
    }
    Ok(data.to_string())
}

async fn decrypt(key: &EncryptionKey, ciphertext: &str) -> Result<Vec<u8>, ApiError> {
    let block =
        STANDARD.decode(ciphertext).map_err(|error| bad_data(&format!("The data is not standard base64: {error}.")))?;
    let size = key.private.size();
    if block.len() != size {
        return Err(bad_data(&format!("The data is {} bytes; one RSA block of this key is {size}.", block.len())));
    }
    key.decrypt(block).await.map_err(refusal)
}

fn refusal(failure: Failure) -> ApiError {
    match failure {
        Failure::Undecipherable => bad_data(NOT_DECRYPTED),
        Failure::Busy => ApiError::new(503, "Too many requests wait to be decrypted; this one was not executed.")
            .header("retry-after", "1".to_string()),
        Failure::Bug => ApiError::new(500, "The data could not be decrypted: this is a bug of the sandbox."),
    }
}

fn bad_data(text: &str) -> ApiError {
    ApiError::field("data", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_sandbox_says_when_to_ask_again() {
        let answer = refusal(Failure::Busy).into_answer();
        assert_eq!((answer.status, answer.headers), (503, vec![("retry-after".into(), "1".to_string())]));
    }
}
