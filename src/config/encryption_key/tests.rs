use rsa::pkcs8::DecodePrivateKey as _;
use rsa::{BigUint, Pkcs1v15Encrypt, RsaPrivateKey, RsaPublicKey};
use serde_json::Value;

use super::*;

fn vector(bits: usize) -> Value {
    let file = format!("{}/tests/vectors/rsa{bits}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}
fn error_message(text: &str) -> String {
    EncryptionKey::parse(text).err().expect("must be refused")
}
fn base64_of(text: &str) -> String {
    STANDARD.encode(text)
}

#[test]
fn another_implementation_decrypts_the_payload() {
    for bits in [2048, 4096] {
        let vector = vector(bits);
        let key = EncryptionKey::parse(vector["encryption_key"].as_str().unwrap()).unwrap();
        assert_eq!(key.max_payload() as u64, vector["max_plaintext_bytes"].as_u64().unwrap());
        let private = RsaPrivateKey::from_pkcs8_pem(vector["private_key_pem"].as_str().unwrap()).unwrap();
        let decrypt = |text: &str| private.decrypt(Pkcs1v15Encrypt, &STANDARD.decode(text).unwrap()).unwrap();
        let plaintext = vector["plaintext"].as_str().unwrap().as_bytes();
        // The test vector is correct, so a mistake here is ours.
        assert_eq!(decrypt(vector["sample_ciphertext_base64"].as_str().unwrap()), plaintext);
        for payload in [plaintext, b"", &vec![b'x'; key.max_payload()]] {
            let body: Value = serde_json::from_str(&key.encrypt(payload).unwrap()).unwrap();
            assert_eq!(body.as_object().unwrap().len(), 1);
            assert_eq!(body["data"].as_str().unwrap().len(), (bits / 8usize).div_ceil(3) * 4);
            assert_eq!(decrypt(body["data"].as_str().unwrap()), payload);
        }
        assert_ne!(key.encrypt(plaintext).unwrap(), key.encrypt(plaintext).unwrap(), "padding must be random");
    }
}

#[test]
fn a_payload_that_is_too_long_is_refused_with_both_lengths() {
    let key = EncryptionKey::parse(vector(4096)["encryption_key"].as_str().unwrap()).unwrap();
    let error = key.encrypt(&[b'x'; 509]).unwrap_err();
    assert_eq!(error.status, Status::Encrypt);
    assert_eq!(error.message, "payload is 509 bytes, this key can encrypt at most 501");
    assert!(key.encrypt(&[b'x'; 501]).is_ok());
}

#[test]
fn every_form_of_a_key_is_accepted() {
    let vector = vector(2048);
    let key = vector["encryption_key"].as_str().unwrap();
    let decoded = vector["decoded_text"].as_str().unwrap();
    let public = RsaPrivateKey::from_pkcs8_pem(vector["private_key_pem"].as_str().unwrap()).unwrap().to_public_key();
    let spki = public.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap();
    let pkcs1 = rsa::pkcs1::EncodeRsaPublicKey::to_pkcs1_pem(&public, rsa::pkcs8::LineEnding::CRLF).unwrap();
    let (head, tail) = key.split_at(100);
    let spki_base64: String = spki.lines().filter(|line| !line.contains("-----")).collect();
    let wrapped = |base64: &str, width: usize| {
        let lines: Vec<_> = base64.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    };
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
        spki.replace('\n', "\\r\\n"),
        spki.replace('\n', ""),
        spki.replace('\n', " "),
        format!("\"{}\"", spki.trim()),
        wrapped(&spki_base64, 76),
        spki_base64.clone(),
        format!("'{}'\r", spki_base64.trim_end_matches('=')),
        pkcs1.lines().filter(|line| !line.contains("-----")).collect(),
        pkcs1,
    ] {
        let parsed = EncryptionKey::parse(&form);
        assert_eq!(parsed.map(|key| key.max_payload()), Ok(245), "{form}");
    }
}

/// Made by OpenSSL 3.0: `openssl rsa -pubout` and `-RSAPublicKey_out`.
#[test]
fn pem_keys_of_8192_bits_are_accepted_and_longer_ones_refused() {
    for form in ["spki", "pkcs1"] {
        let file = format!("{}/tests/vectors/rsa8192-{form}.pem", env!("CARGO_MANIFEST_DIR"));
        let pem = std::fs::read_to_string(file).unwrap();
        let parsed = EncryptionKey::parse(&pem);
        assert_eq!(parsed.as_ref().map(EncryptionKey::max_payload), Ok(1024 - 11), "{form}");
        let Ok(key) = parsed else { unreachable!() };
        let body: Value = serde_json::from_str(&key.encrypt(&[b'x'; 1013]).unwrap()).unwrap();
        assert_eq!(STANDARD.decode(body["data"].as_str().unwrap()).unwrap().len(), 1024);
    }
    for (bits, part) in [(8200, "has 8200 bits; at most 8192 are supported"), (1024, "has 1024 bits; fewer than 2048")]
    {
        let modulus = BigUint::from_bytes_be(&vec![0xff; bits / 8]);
        let long = RsaPublicKey::new_unchecked(modulus, BigUint::from(65537_u32));
        let spki = long.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap();
        let pkcs1 = rsa::pkcs1::EncodeRsaPublicKey::to_pkcs1_pem(&long, rsa::pkcs8::LineEnding::LF).unwrap();
        for pem in [spki, pkcs1] {
            let message = error_message(&pem);
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn other_keys_are_refused_with_the_reason() {
    let vector = vector(2048);
    let key = vector["encryption_key"].as_str().unwrap();
    let public = RsaPrivateKey::from_pkcs8_pem(vector["private_key_pem"].as_str().unwrap()).unwrap().to_public_key();
    let spki = public.to_public_key_pem(rsa::pkcs8::LineEnding::LF).unwrap();
    let spki_base64: String = spki.lines().filter(|line| !line.contains("-----")).collect();
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
        ("/etc/paysvc/key.pem".into(), "is a path"),
        ("key.pem".into(), "is a path"),
        ("C:\\keys\\dashboard".into(), "is a path"),
        (spki[..spki.len() / 2].to_owned(), "is cut off: the line with END is missing; copy it whole"),
        (spki_base64[..spki_base64.len() / 2].to_owned(), "is cut off: it has"),
        (spki.replace(&spki_base64[64..128], ""), "is cut off: it has"),
        (key[..key.len() / 2 / 4 * 4].to_owned(), "copy it whole"),
        (format!("{spki}{spki}"), "more than one key"),
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
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----".into(), "not an RSA public key"),
    ] {
        let message = error_message(&text);
        assert!(message.contains(part), "{text}\n{message}");
        assert!(!message.contains(&modulus[..20]), "the key itself is not repeated");
    }
}
