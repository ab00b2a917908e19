//! The forms in which a public RSA key is accepted: the dashboard's text, and PEM.
//!
//! `rsa` only models and checks the key.

use std::borrow::Cow;
use std::fmt::Display;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use rsa::pkcs8::der::Decode as _;
use rsa::pkcs8::{Document, SubjectPublicKeyInfoRef};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, RsaPublicKey};

/// Shorter keys can be broken; NIST SP 800-131A disallows them.
const MIN_BITS: usize = 2048;
/// The longest that AWS-LC operates on.
const MAX_BITS: usize = 8192;
/// The longest exponent that the `rsa` crate takes; nearly all keys have 65537.
const MAX_EXPONENT_BITS: usize = 33;
/// Longest key text in bytes: several times what a key of `MAX_BITS` takes in any form.
const MAX_KEY_TEXT: usize = 16 * 1024;

/// Base64 with or without padding: copying often loses it.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is wrong with a key, to follow the setting's name.
type Reason = String;

/// Reads a key in any accepted form and checks it.
pub fn parse_key(text: &str) -> Result<RsaPublicKey, Reason> {
    key_from_text(text).and_then(check_key)
}

fn key_from_text(text: &str) -> Result<RsaPublicKey, Reason> {
    if text.len() > MAX_KEY_TEXT {
        return Err(format!("is {} bytes long; no key is longer than {MAX_KEY_TEXT}", text.len()));
    }
    let text = text.trim_start_matches('\u{feff}').trim().trim_matches(['"', '\'', '`']).trim();
    if text.is_empty() {
        return Err("is empty".into());
    }
    if text.contains("PRIVATE KEY") {
        return Err("holds a private key; give the public encryption key of the dashboard".into());
    }
    if text.contains("-----BEGIN") {
        return key_from_pem(text);
    }
    if memchr::memchr2(b'!', b'<', text.as_bytes()).is_some() {
        return key_from_sized_xml(text);
    }
    let decoded = LENIENT.decode(without_white_space(text).as_bytes()).map_err(|error| {
        format!(
            "is neither base64 of the form size!<xml> nor a PEM public key: {error}; copy it whole from the dashboard"
        )
    })?;
    let decoded =
        String::from_utf8(decoded).map_err(|_| "decodes to something that is not text of the form size!<xml>")?;
    key_from_sized_xml(decoded.trim_start_matches('\u{feff}').trim())
}

/// The text without white space; not copied if there is none.
fn without_white_space(text: &str) -> Cow<'_, str> {
    // A fold is vectorised; `all` would check byte by byte.
    match text.bytes().fold(true, |plain, byte| plain & byte.is_ascii_graphic()) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|c| !c.is_whitespace()).collect()),
    }
}

fn key_from_pem(text: &str) -> Result<RsaPublicKey, Reason> {
    // Environment files often carry the line breaks as backslash and n.
    let text = text.replace("\\n", "\n").replace('\r', "");
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n") + "\n";
    let invalid = |error: &dyn Display| format!("looks like PEM but is not an RSA public key: {error}");
    let (label, document) = Document::from_pem(&text).map_err(|error| invalid(&error))?;
    // Decoded here because the `rsa` crate accepts no PEM key above 4096 bits.
    let key = match label {
        "PUBLIC KEY" => {
            let key = SubjectPublicKeyInfoRef::from_der(document.as_bytes()).map_err(|error| invalid(&error))?;
            key.algorithm
                .assert_algorithm_oid(rsa::pkcs1::ALGORITHM_OID)
                .map_err(|_| invalid(&"it is of another kind"))?;
            key.subject_public_key.as_bytes().ok_or_else(|| invalid(&"it is not made of whole bytes"))?
        }
        "RSA PUBLIC KEY" => document.as_bytes(),
        other => {
            return Err(invalid(&format_args!("it says BEGIN {other}, not BEGIN PUBLIC KEY or BEGIN RSA PUBLIC KEY")));
        }
    };
    let key = rsa::pkcs1::RsaPublicKey::from_der(key).map_err(|error| invalid(&error))?;
    let number = |number: rsa::pkcs1::UintRef<'_>| BigUint::from_bytes_be(number.as_bytes());
    // Not checked by the crate here: `check_key` has clearer messages.
    Ok(RsaPublicKey::new_unchecked(number(key.modulus), number(key.public_exponent)))
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
        bits => Err(format!("says {size} bits, but its modulus has {bits}")),
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
        .map_err(|error| format!("holds XML that cannot be read (line:column {})", error.pos()))?;
    if document.descendants().any(|node| matches!(node.tag_name().name(), "D" | "P" | "Q" | "DP" | "DQ" | "InverseQ")) {
        return Err("holds a private key; give the public encryption key of the dashboard".into());
    }
    let number = |name: &str| -> Result<BigUint, Reason> {
        let mut found = document.descendants().filter(|node| node.tag_name().name() == name);
        let node = found.next().ok_or_else(|| format!("has no {name} element"))?;
        if found.next().is_some() {
            return Err(format!("has more than one {name} element"));
        }
        let text = without_white_space(node.text().unwrap_or_default());
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
