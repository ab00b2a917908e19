//! Input: the text of an encryption key.
//!
//! Here and not in `fuzz/`, because the parser of keys is private.

use super::{check_error, check_texts};
use crate::answer::reply::Reply;
use crate::request::encryption::EncryptionKey;
use paysvc_spec::status::Status;

/// Longest run of base64 that a message may hold: longer than any word in it, shorter than any part of a key.
const LONGEST_WORD: usize = 24;

pub fn key(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match EncryptionKey::parse(text) {
        Ok(key) => {
            let block = key.max_payload() + 11;
            assert!((256..=1024).contains(&block), "{block} bytes");
            let encrypted = key.encrypt(b"{}").expect("two bytes fit every key");
            assert_eq!(encrypted.len(), block.div_ceil(3) * 4 + r#"{"data":""}"#.len());
            assert!(key.encrypt(&vec![b'x'; key.max_payload()]).is_ok());
            let error = key.encrypt(&vec![b'x'; key.max_payload() + 1]).expect_err("one byte more does not fit");
            check_texts(&Reply::invalid(error));
        }
        Err(error) => {
            let reply = check_error(error, &[Status::Config]);
            let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
            let longest = reply.message.split(|c| !base64(c)).map(str::len).max();
            assert!(longest <= Some(LONGEST_WORD), "a part of the key is repeated: {}", reply.message);
        }
    }
}
