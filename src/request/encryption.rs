//! From the key text of the dashboard to a key, and from a payload to the encrypted envelope. Pure.
//!
//! RSA with PKCS#1 v1.5 padding, one block, base64, as the interface's "Payload encryption" has it. `rsa` models and
//! checks the key; AWS-LC, which TLS uses anyway, does the operation. Nothing here can decrypt.

use std::borrow::Cow;
use std::fmt::Display;

use aws_lc_rs::rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use rsa::pkcs8::der::Decode as _;
use rsa::pkcs8::{Document, EncodePublicKey as _, SubjectPublicKeyInfoRef};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, RsaPublicKey};

use crate::util::failpoint;
use crate::util::process::section;
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

/// Shorter keys can be broken; NIST SP 800-131A disallows them.
const MIN_BITS: usize = 2048;
/// The longest that AWS-LC operates on.
const MAX_BITS: usize = 8192;
/// The longest exponent that the `rsa` crate takes; nearly all keys have 65537.
const MAX_EXPONENT_BITS: usize = 33;
/// Longest key text: several times what a key of `MAX_BITS` takes in any form.
const MAX_TEXT: usize = 16 * 1024;
/// What PKCS#1 v1.5 padding takes of each block (RFC 8017, 7.2.1).
const PADDING_BYTES: usize = 11;

/// Base64 as people paste it: with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub struct EncryptionKey {
    key: Pkcs1PublicEncryptingKey,
}

impl EncryptionKey {
    /// Accepts the dashboard's base64 text, its decoded form `4096!<RSAKeyValue>…`, or a PEM public key (SPKI or
    /// PKCS#1), each with quotes, spaces or line breaks around or within, as pasting leaves them.
    pub fn parse(text: &str) -> Result<EncryptionKey, ValidationError> {
        key_from_text(text)
            .and_then(checked)
            .and_then(|key| {
                let der = key.to_public_key_der().map_err(|_| "cannot be encoded")?;
                let key = PublicEncryptingKey::from_der(der.as_bytes()).map_err(|_| "is refused by AWS-LC")?;
                let key = Pkcs1PublicEncryptingKey::new(key).map_err(|_| "is refused by AWS-LC")?;
                Ok(EncryptionKey { key })
            })
            .map_err(|why| ValidationError::of_member(Status::Config, "the configuration", "encryption_key", why))
    }

    /// The most that one block carries: key bytes less the padding.
    pub fn max_payload(&self) -> usize {
        self.key.key_size_bytes() - PADDING_BYTES
    }

    /// Encrypts a payload into the request body `{"data":"<base64>"}`.
    pub fn encrypt(&self, payload: &[u8]) -> Result<String, ValidationError> {
        failpoint::at("encryption");
        let most = self.max_payload();
        if payload.len() > most {
            let message = format!("payload is {} bytes, this key carries at most {most}", payload.len());
            return Err(ValidationError::new(Status::Encrypt, message));
        }
        let mut block = vec![0; self.key.ciphertext_size()];
        let block = section(|| self.key.encrypt(payload, &mut block))
            .map_err(|_| ValidationError::new(Status::Encrypt, "the payload could not be encrypted"))?;
        let mut text = String::with_capacity(block.len().div_ceil(3) * 4 + 11);
        text.push_str(r#"{"data":""#);
        STANDARD.encode_string(block, &mut text);
        text.push_str(r#""}"#);
        Ok(text)
    }
}

type Why = String;

fn key_from_text(text: &str) -> Result<RsaPublicKey, Why> {
    if text.len() > MAX_TEXT {
        return Err(format!("takes {} bytes; no key takes more than {MAX_TEXT}", text.len()));
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
    let decoded = LENIENT.decode(packed(text).as_bytes()).map_err(|error| {
        format!(
            "is neither base64 of the form size!<xml> nor a PEM public key: {error}; copy it whole from the dashboard"
        )
    })?;
    let decoded =
        String::from_utf8(decoded).map_err(|_| "decodes to something that is not text of the form size!<xml>")?;
    key_from_sized_xml(decoded.trim_start_matches('\u{feff}').trim())
}

/// The text without white space: itself, where it has none.
fn packed(text: &str) -> Cow<'_, str> {
    // A fold, because it looks at many bytes at once; `all` looks at one after the other.
    match text.bytes().fold(true, |packed, byte| packed & byte.is_ascii_graphic()) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|c| !c.is_whitespace()).collect()),
    }
}

fn key_from_pem(text: &str) -> Result<RsaPublicKey, Why> {
    // Environment files often carry the line breaks as backslash and n.
    let text = text.replace("\\n", "\n").replace('\r', "");
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join("\n") + "\n";
    let unfit = |error: &dyn Display| format!("looks like PEM but is no RSA public key: {error}");
    let (label, document) = Document::from_pem(&text).map_err(|error| unfit(&error))?;
    // Read by its parts: the `rsa` crate takes no PEM above 4096 bits.
    let key = match label {
        "PUBLIC KEY" => {
            let key = SubjectPublicKeyInfoRef::from_der(document.as_bytes()).map_err(|error| unfit(&error))?;
            key.algorithm
                .assert_algorithm_oid(rsa::pkcs1::ALGORITHM_OID)
                .map_err(|_| unfit(&"it is of another kind"))?;
            key.subject_public_key.as_bytes().ok_or_else(|| unfit(&"it is not made of whole bytes"))?
        }
        "RSA PUBLIC KEY" => document.as_bytes(),
        other => {
            return Err(unfit(&format_args!("it says BEGIN {other}, not BEGIN PUBLIC KEY or BEGIN RSA PUBLIC KEY")));
        }
    };
    let key = rsa::pkcs1::RsaPublicKey::from_der(key).map_err(|error| unfit(&error))?;
    let number = |number: rsa::pkcs1::UintRef<'_>| BigUint::from_bytes_be(number.as_bytes());
    // As with XML: `checked` says what is wrong with it.
    Ok(RsaPublicKey::new_unchecked(number(key.modulus), number(key.public_exponent)))
}

/// `<size>!<xml>`: the modulus length in bits, then the key.
fn key_from_sized_xml(text: &str) -> Result<RsaPublicKey, Why> {
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

fn key_from_xml(xml: &str) -> Result<RsaPublicKey, Why> {
    if xml.contains("<!") {
        return Err("holds XML with a document type, an entity or a comment, which a key never needs".into());
    }
    // The interface calls it a fragment: two elements that need not have one root.
    let rooted = if xml.starts_with("<?xml") { xml.to_owned() } else { format!("<key>{xml}</key>") };
    // Where, but not what: the reader's own words would repeat a part of the key.
    let document = roxmltree::Document::parse(&rooted)
        .map_err(|error| format!("holds XML that cannot be read (line:column {})", error.pos()))?;
    if document.descendants().any(|node| matches!(node.tag_name().name(), "D" | "P" | "Q" | "DP" | "DQ" | "InverseQ")) {
        return Err("holds a private key; give the public encryption key of the dashboard".into());
    }
    let number = |name: &str| -> Result<BigUint, Why> {
        let mut found = document.descendants().filter(|node| node.tag_name().name() == name);
        let node = found.next().ok_or_else(|| format!("has no {name} element"))?;
        if found.next().is_some() {
            return Err(format!("has more than one {name} element"));
        }
        let text = packed(node.text().unwrap_or_default());
        let bytes =
            LENIENT.decode(text.as_bytes()).map_err(|error| format!("has a {name} that is not base64: {error}"))?;
        Ok(BigUint::from_bytes_be(&bytes))
    };
    // Looked at as it is, so that what is wrong with it can be said; `checked` lets the crate judge it too.
    Ok(RsaPublicKey::new_unchecked(number("Modulus")?, number("Exponent")?))
}

/// What makes a key unfit whatever form it came in.
fn checked(key: RsaPublicKey) -> Result<RsaPublicKey, Why> {
    // Only asked of numbers above zero: zero has no limb.
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
        .map_err(|error| format!("is no usable RSA key: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rsa::pkcs8::DecodePrivateKey as _;
    use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};
    use serde_json::Value;

    fn vector(bits: usize) -> Value {
        let file = format!("{}/tests/vectors/rsa{bits}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
    }
    fn why(text: &str) -> String {
        let refusal = EncryptionKey::parse(text).err().expect("must be refused");
        assert_eq!(refusal.status, Status::Config);
        refusal.message
    }
    fn base64_of(text: &str) -> String {
        STANDARD.encode(text)
    }

    #[test]
    fn an_independent_decryptor_reads_what_is_sealed() {
        for bits in [2048, 4096] {
            let vector = vector(bits);
            let key = EncryptionKey::parse(vector["encryption_key"].as_str().unwrap()).unwrap();
            assert_eq!(key.max_payload() as u64, vector["max_plaintext_bytes"].as_u64().unwrap());
            let private = RsaPrivateKey::from_pkcs8_pem(vector["private_key_pem"].as_str().unwrap()).unwrap();
            let open = |text: &str| private.decrypt(Pkcs1v15Encrypt, &STANDARD.decode(text).unwrap()).unwrap();
            let plaintext = vector["plaintext"].as_str().unwrap().as_bytes();
            // The vector itself is sound, so a mistake here is ours.
            assert_eq!(open(vector["sample_ciphertext_base64"].as_str().unwrap()), plaintext);
            for payload in [plaintext, b"", &vec![b'x'; key.max_payload()]] {
                let body: Value = serde_json::from_str(&key.encrypt(payload).unwrap()).unwrap();
                assert_eq!(body.as_object().unwrap().len(), 1);
                assert_eq!(body["data"].as_str().unwrap().len(), (bits / 8usize).div_ceil(3) * 4);
                assert_eq!(open(body["data"].as_str().unwrap()), payload);
            }
            assert_ne!(key.encrypt(plaintext).unwrap(), key.encrypt(plaintext).unwrap(), "padding must be random");
        }
    }

    #[test]
    fn too_long_a_payload_is_refused_with_both_sizes() {
        let key = EncryptionKey::parse(vector(4096)["encryption_key"].as_str().unwrap()).unwrap();
        let refusal = key.encrypt(&[b'x'; 509]).unwrap_err();
        assert_eq!(refusal.status, Status::Encrypt);
        assert_eq!(refusal.message, "payload is 509 bytes, this key carries at most 501");
        assert!(key.encrypt(&[b'x'; 501]).is_ok());
    }

    #[test]
    fn every_form_that_people_paste_is_accepted() {
        let vector = vector(2048);
        let key = vector["encryption_key"].as_str().unwrap();
        let decoded = vector["decoded_text"].as_str().unwrap();
        let public =
            RsaPrivateKey::from_pkcs8_pem(vector["private_key_pem"].as_str().unwrap()).unwrap().to_public_key();
        let spki = public.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap();
        let pkcs1 = rsa::pkcs1::EncodeRsaPublicKey::to_pkcs1_pem(&public, rsa::pkcs8::LineEnding::CRLF).unwrap();
        let (head, tail) = key.split_at(100);
        for form in [
            key.to_owned(),
            format!("\"{key}\"\n"),
            format!("  '{key}' "),
            format!("{head}\r\n {tail}"),
            key.trim_end_matches('=').to_owned(),
            decoded.to_owned(),
            format!("\u{feff}{decoded}\n"),
            decoded.replace("><", ">\n  <"),
            decoded.replace("<RSAKeyValue>", "").replace("</RSAKeyValue>", ""),
            decoded.replace('!', "!<?xml version=\"1.0\"?>"),
            spki.clone(),
            spki.replace('\n', "\\n"),
            pkcs1,
        ] {
            let parsed = EncryptionKey::parse(&form).map_err(|refusal| refusal.message);
            assert_eq!(parsed.map(|key| key.max_payload()), Ok(245), "{form}");
        }
    }

    /// Made by OpenSSL 3.0: `openssl rsa -pubout` and `-RSAPublicKey_out`.
    #[test]
    fn pem_keys_of_8192_bits_are_accepted_and_longer_ones_refused() {
        for form in ["spki", "pkcs1"] {
            let file = format!("{}/tests/vectors/rsa8192-{form}.pem", env!("CARGO_MANIFEST_DIR"));
            let pem = std::fs::read_to_string(file).unwrap();
            let parsed = EncryptionKey::parse(&pem).map_err(|refusal| refusal.message);
            assert_eq!(parsed.as_ref().map(EncryptionKey::max_payload), Ok(1024 - 11), "{form}");
            let Ok(key) = parsed else { unreachable!() };
            let body: Value = serde_json::from_str(&key.encrypt(&[b'x'; 1013]).unwrap()).unwrap();
            assert_eq!(STANDARD.decode(body["data"].as_str().unwrap()).unwrap().len(), 1024);
        }
        for (bits, part) in
            [(8200, "has 8200 bits; at most 8192 are supported"), (1024, "has 1024 bits; fewer than 2048")]
        {
            let modulus = BigUint::from_bytes_be(&vec![0xff; bits / 8]);
            let long = RsaPublicKey::new_unchecked(modulus, BigUint::from(65537_u32));
            let spki = long.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap();
            let pkcs1 = rsa::pkcs1::EncodeRsaPublicKey::to_pkcs1_pem(&long, rsa::pkcs8::LineEnding::LF).unwrap();
            for pem in [spki, pkcs1] {
                let message = why(&pem);
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_reason() {
        let vector = vector(2048);
        let decoded = vector["decoded_text"].as_str().unwrap();
        let xml = decoded.split_once('!').unwrap().1;
        let small = format!(
            "512!<RSAKeyValue><Modulus>{}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>",
            STANDARD.encode([0xff; 64])
        );
        let even = |modulus: &str| {
            let mut bytes = STANDARD.decode(modulus).unwrap();
            *bytes.last_mut().unwrap() &= 0xfe;
            STANDARD.encode(bytes)
        };
        let modulus = xml.split("<Modulus>").nth(1).unwrap().split('<').next().unwrap();
        for (text, part) in [
            (String::new(), "is empty"),
            ("not a key".into(), "neither base64"),
            (base64_of("hello"), "lacks the size"),
            (STANDARD.encode([0xff, 0xfe]), "is not text"),
            (xml.to_owned(), "lacks the size"),
            (format!("many!{xml}"), "does not start with the key size"),
            (format!("4096!{xml}"), "says 4096 bits, but its modulus has 2048"),
            (base64_of(&format!("4096!{xml}")), "says 4096 bits"),
            (small, "has 512 bits"),
            (decoded.replace(modulus, &even(modulus)), "even modulus"),
            (decoded.replace("AQAB", "AQ=="), "exponent"),
            (decoded.replace("AQAB", "BA=="), "exponent 4"),
            (decoded.replace("AQAB", "A*AB"), "Exponent that is not base64"),
            (decoded.replace("Exponent", "Exp"), "has no Exponent"),
            (decoded.replace("</RSAKeyValue>", "<Exponent>AQAB</Exponent></RSAKeyValue>"), "more than one Exponent"),
            (decoded.replace("</RSAKeyValue>", "<D>AQAB</D></RSAKeyValue>"), "private key"),
            (decoded.replace('!', "!<!DOCTYPE x [<!ENTITY e \"AQAB\">]>"), "document type"),
            (decoded.replace("AQAB", "&e;"), "cannot be read"),
            (decoded.replace("</Modulus>", ""), "cannot be read"),
            (vector["private_key_pem"].as_str().unwrap().to_owned(), "private key"),
            (
                "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----"
                    .into(),
                "is of another kind",
            ),
            ("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----".into(), "BEGIN CERTIFICATE"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----".into(), "no RSA public key"),
        ] {
            let message = why(&text);
            assert!(message.contains(part), "{text}\n{message}");
            assert!(message.starts_with("the configuration: encryption_key "), "{message}");
            assert!(!message.contains(&modulus[..20]), "the key itself is not repeated");
        }
    }
}
