//! Values without members or elements, as JSON text.

use std::io;

use super::reason::{NO_MEMORY, Reason, too_large};
use crate::json::{self, Type};
use crate::util::memory::{self, MAX_TEXT};
use crate::util::secret::SecretBytes;

/// A JSON string. Its buffer has the right size from the start, so that no copy is made while it grows.
pub fn quoted(text: &str) -> Result<SecretBytes, Reason> {
    if text.len() > MAX_TEXT {
        return Err(too_large());
    }
    let mut out = buffer(quoted_len(text))?;
    json::quote(text, &mut out);
    Ok(out)
}

fn quoted_len(text: &str) -> usize {
    struct Length(usize);
    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut length, text);
    length.0
}

/// A number exactly as it is written, without white space around it.
pub fn number(text: &str) -> Result<SecretBytes, Reason> {
    let is_number =
        json::parse(text).is_ok_and(|value| matches!(Type::of(value), Type::Number) && value.get().len() == text.len());
    if !is_number {
        return Err("must be a number as JSON writes it, like 100.10: digits, and a point before a fraction".into());
    }
    literal(text)
}

/// Text that is JSON already.
pub fn literal(text: &str) -> Result<SecretBytes, Reason> {
    let mut out = buffer(text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(out)
}

pub fn buffer(size: usize) -> Result<SecretBytes, Reason> {
    if size > MAX_TEXT {
        return Err(too_large());
    }
    memory::buffer(size).map(SecretBytes::new).ok_or(NO_MEMORY.into())
}
