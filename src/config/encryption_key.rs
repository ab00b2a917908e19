//! The RSA key of the dashboard: the forms in which it is accepted, and encrypting a payload with it.
//!
//! RSA with PKCS#1 v1.5 padding, one block, base64: the service's "Payload encryption". AWS-LC, which TLS uses too,
//! encrypts; nothing here can decrypt. `rsa` only models and checks the key.

use std::borrow::Cow;
use std::fmt::Display;

use aws_lc_rs::rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use rsa::pkcs8::der::Decode as _;
use rsa::pkcs8::{EncodePublicKey as _, SubjectPublicKeyInfoRef};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, RsaPublicKey};

use crate::config::pasted;
use crate::util::panics::failpoint;
use crate::util::process::critical_section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

/// Bytes of each block that PKCS#1 v1.5 padding takes (RFC 8017, 7.2.1).
const PADDING_BYTES: usize = 11;
/// Shorter keys can be broken; NIST SP 800-131A disallows them.
const MIN_BITS: usize = 2048;
/// The longest that AWS-LC operates on.
const MAX_BITS: usize = 8192;
/// The longest exponent that the `rsa` crate takes; nearly all keys have 65537.
const MAX_EXPONENT_BITS: usize = 33;
/// Longest key text in bytes: several times what a key of `MAX_BITS` takes in any form.
const MAX_KEY_TEXT: usize = 16 * 1024;
const PRIVATE: &str = "holds a private key; give the public encryption key of the dashboard";

/// Base64 with or without padding: copying often loses it.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub struct EncryptionKey {
    key: Pkcs1PublicEncryptingKey,
}

impl EncryptionKey {
    /// Accepts the dashboard's base64 text, its decoded form `4096!<RSAKeyValue>...`, and a public key (SPKI or PKCS#1)
    /// in PEM or as its base64 alone. White space and the two characters `\n` in it are ignored, as copying leaves
    /// them. The error follows the setting's name, and repeats no part of the key.
    pub fn parse(text: &str) -> Result<EncryptionKey, String> {
        let key = key_from_text(text).and_then(check_key)?;
        let der = key.to_public_key_der().map_err(|_| "cannot be encoded")?;
        let refused = "is refused by AWS-LC";
        critical_section(|| {
            let key = PublicEncryptingKey::from_der(der.as_bytes()).map_err(|_| refused)?;
            Ok(EncryptionKey { key: Pkcs1PublicEncryptingKey::new(key).map_err(|_| refused)? })
        })
    }

    /// The longest payload in bytes: the length of the key less the padding.
    pub fn max_payload(&self) -> usize {
        self.key.key_size_bytes() - PADDING_BYTES
    }

    /// Encrypts a payload into the request body `{"data":"<base64>"}`.
    pub fn encrypt(&self, payload: &[u8]) -> Result<String, ValidationError> {
        failpoint::at("encryption");
        let max = self.max_payload();
        if payload.len() > max {
            let message = format!("payload is {} bytes, this key can encrypt at most {max}", payload.len());
            return Err(ValidationError::new(Status::Encrypt, message));
        }
        let mut block = vec![0; self.key.ciphertext_size()];
        let block = critical_section(|| self.key.encrypt(payload, &mut block))
            .map_err(|_| ValidationError::new(Status::Encrypt, "the payload could not be encrypted"))?;
        let mut text = String::with_capacity(block.len().div_ceil(3) * 4 + 11);
        text.push_str(r#"{"data":""#);
        STANDARD.encode_string(block, &mut text);
        text.push_str(r#""}"#);
        Ok(text)
    }
}

/// The fault of a key, to follow the setting's name.
type Reason = String;

fn key_from_text(text: &str) -> Result<RsaPublicKey, Reason> {
    if text.len() > MAX_KEY_TEXT {
        return Err(format!("is {} bytes long; no key is longer than {MAX_KEY_TEXT}", text.len()));
    }
    let text = pasted(text);
    if text.is_empty() {
        return Err("is empty".into());
    }
    if text.contains("PRIVATE KEY") {
        return Err(PRIVATE.into());
    }
    if text.contains("-----BEGIN") {
        return key_from_pem(text);
    }
    if memchr::memchr2(b'!', b'<', text.as_bytes()).is_some() {
        return key_from_sized_xml(text);
    }
    if is_path(text) {
        return Err("is a path: give the key itself, the text in that file".into());
    }
    let decoded = LENIENT.decode(without_breaks(text).as_bytes()).map_err(|error| {
        format!(
            "is neither base64 of the form size!<xml> nor a PEM public key: {error}; copy it whole from the dashboard"
        )
    })?;
    // The tag of a SEQUENCE; the dashboard's text begins with a digit, and no key there has so few bits.
    if decoded.first() == Some(&0x30) && decoded.get(1).is_some_and(|byte| *byte >= 0x80) {
        return key_from_der(&decoded, None);
    }
    let decoded =
        String::from_utf8(decoded).map_err(|_| "decodes to something that is not text of the form size!<xml>")?;
    key_from_sized_xml(pasted(&decoded))
}

/// Returns whether a text where a key belongs is the path of a file. Base64 may begin with a slash, and then has neither small
/// letters alone nor any of these characters.
pub fn is_path(text: &str) -> bool {
    let begins = |start: &str| text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    let ends = |end: &str| text.to_ascii_lowercase().ends_with(end);
    let is_drive = |text: &[u8]| text.len() > 2 && text[0].is_ascii_alphabetic() && text[1] == b':';
    ["./", "../", "~/", ".\\", "..\\", "\\\\", "file:"].iter().any(|start| begins(start))
        || [".pem", ".key", ".pub", ".txt", ".der", ".crt", ".cer", ".xml"].iter().any(|end| ends(end))
        || is_drive(text.as_bytes())
        || text.strip_prefix('/').is_some_and(|rest| {
            rest.contains(['.', '_', '-']) || rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'/')
        })
}

/// The text without white space, and without the line breaks that are written as backslash and letter, as environment
/// files often have them; not copied if there is none.
fn without_breaks(text: &str) -> Cow<'_, str> {
    // A fold is vectorised; `all` would check byte by byte.
    match text.bytes().fold(true, |plain, byte| plain & byte.is_ascii_graphic() & (byte != b'\\')) {
        true => Cow::Borrowed(text),
        false => {
            let text = text.replace("\\n", "").replace("\\r", "");
            Cow::Owned(text.chars().filter(|c| !c.is_whitespace()).collect())
        }
    }
}

/// The line breaks may be missing or elsewhere, which parsers of PEM refuse.
fn key_from_pem(text: &str) -> Result<RsaPublicKey, Reason> {
    let part = text.split_once("-----BEGIN").map_or(text, |(_, part)| part);
    let label_and_rest = part.split_once("-----").filter(|(label, _)| label.len() < 40);
    let (label, rest) = label_and_rest.ok_or("looks like PEM, but its first line has no end; copy it whole")?;
    let (base64, end) = rest.split_once("-----END").ok_or("is cut off: the line with END is missing; copy it whole")?;
    if end.contains("-----BEGIN") {
        return Err("holds more than one key".into());
    }
    let label = without_breaks(label);
    if !matches!(&*label, "PUBLICKEY" | "RSAPUBLICKEY") {
        let is_label = label.len() <= 24 && label.bytes().all(|byte| byte.is_ascii_uppercase());
        let label = if is_label { &*label } else { "something else" };
        return Err(format!(
            "looks like PEM but is not an RSA public key: it says BEGIN {label}, not BEGIN PUBLIC KEY or BEGIN RSA \
             PUBLIC KEY"
        ));
    }
    let der = LENIENT.decode(without_breaks(base64).as_bytes());
    let der = der.map_err(|error| format!("looks like PEM, but is not base64: {error}; copy it whole"))?;
    key_from_der(&der, Some(&label))
}

/// `label`: the PEM label, without blanks.
fn key_from_der(der: &[u8], label: Option<&str>) -> Result<RsaPublicKey, Reason> {
    let invalid = |error: &dyn Display| match declared_length(der) {
        Some(length) if length > der.len() => {
            format!("is cut off: it has {} of {length} bytes; copy it whole", der.len())
        }
        _ => format!("is not an RSA public key: {error}"),
    };
    // Decoded here because the `rsa` crate accepts no key above 4096 bits.
    let spki = SubjectPublicKeyInfoRef::from_der(der);
    let key = match spki {
        Ok(key) => {
            key.algorithm
                .assert_algorithm_oid(rsa::pkcs1::ALGORITHM_OID)
                .map_err(|_| invalid(&"it is of another kind"))?;
            key.subject_public_key.as_bytes().ok_or_else(|| invalid(&"it is not made of whole bytes"))?
        }
        Err(error) if label == Some("PUBLICKEY") => return Err(invalid(&error)),
        Err(_) => der,
    };
    let key = rsa::pkcs1::RsaPublicKey::from_der(key).map_err(|error| invalid(&error))?;
    let number = |number: rsa::pkcs1::UintRef<'_>| BigUint::from_bytes_be(number.as_bytes());
    // Not checked by the crate here: `check_key` has clearer messages.
    Ok(RsaPublicKey::new_unchecked(number(key.modulus), number(key.public_exponent)))
}

/// Returns the length of the whole structure, by its first bytes; `None` if they have none.
fn declared_length(der: &[u8]) -> Option<usize> {
    let [0x30, first, rest @ ..] = der else { return None };
    let count = usize::from(first.checked_sub(0x80)?);
    let length = rest.get(..count).filter(|_| (1..=4).contains(&count))?;
    Some(2 + count + length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
}

/// `<size>!<xml>`: the modulus length in bits, then the key.
fn key_from_sized_xml(text: &str) -> Result<RsaPublicKey, Reason> {
    let (size, xml) = text.split_once('!').filter(|(size, _)| !size.contains('<')).ok_or(
        "lacks the size and the exclamation mark before the XML, like 4096!<RSAKeyValue>; copy it whole from the dashboard",
    )?;
    let size: usize = size.trim().parse().map_err(|_| "does not start with the key size in bits, like 4096!")?;
    let key = key_from_xml(xml.trim())?;
    match key.n().bits() {
        bits if bits == size => Ok(key),
        bits => Err(format!("says {size} bits, but its modulus has {bits}; copy it whole")),
    }
}

fn key_from_xml(xml: &str) -> Result<RsaPublicKey, Reason> {
    if xml.contains("<!") {
        return Err("holds XML with a document type, an entity or a comment, which a key never needs".into());
    }
    // The service calls it a fragment: two elements that need not have a common root.
    let rooted = if xml.starts_with("<?xml") { xml.to_owned() } else { format!("<key>{xml}</key>") };
    // Only the position: the parser's message would repeat a part of the key.
    let document = roxmltree::Document::parse(&rooted)
        .map_err(|error| format!("holds XML that cannot be read (line:column {}); copy it whole", error.pos()))?;
    if document.descendants().any(|node| matches!(node.tag_name().name(), "D" | "P" | "Q" | "DP" | "DQ" | "InverseQ")) {
        return Err(PRIVATE.into());
    }
    let number = |name: &str| -> Result<BigUint, Reason> {
        let mut found = document.descendants().filter(|node| node.tag_name().name() == name);
        let node = found.next().ok_or_else(|| format!("has no {name} element"))?;
        if found.next().is_some() {
            return Err(format!("has more than one {name} element"));
        }
        let text = without_breaks(node.text().unwrap_or_default());
        let bytes =
            LENIENT.decode(text.as_bytes()).map_err(|error| format!("has a {name} that is not base64: {error}"))?;
        Ok(BigUint::from_bytes_be(&bytes))
    };
    // Not checked by the crate here: `check_key` has clearer messages, and then lets the crate check as well.
    Ok(RsaPublicKey::new_unchecked(number("Modulus")?, number("Exponent")?))
}

/// The checks of a key that do not depend on its form.
fn check_key(key: RsaPublicKey) -> Result<RsaPublicKey, Reason> {
    // Only used for numbers above zero: zero has no limb.
    let (bits, odd) = (key.n().bits(), |number: &BigUint| number.get_limb(0) & 1 == 1);
    if bits < MIN_BITS {
        return Err(format!("has {bits} bits; fewer than {MIN_BITS} are not safe"));
    }
    if bits > MAX_BITS {
        return Err(format!("has {bits} bits; at most {MAX_BITS} are supported"));
    }
    if !odd(key.n()) {
        return Err("has an even modulus, so it is not an RSA key: a character was probably lost in copying".into());
    }
    if key.e().bits() > MAX_EXPONENT_BITS {
        return Err(format!("has an exponent of {} bits; at most {MAX_EXPONENT_BITS} are supported", key.e().bits()));
    }
    if key.e() < &BigUint::from(3u8) || !odd(key.e()) {
        return Err(format!("has the exponent {}; it must be odd and at least 3", key.e()));
    }
    RsaPublicKey::new_with_max_size(key.n().clone(), key.e().clone(), MAX_BITS)
        .map_err(|error| format!("is not a usable RSA key: {error}"))
}

#[cfg(test)]
mod tests;
