//! Text in Windows-1252.

use zeroize::Zeroizing;

use super::reason::{NO_MEMORY, Reason, too_large};
use crate::util::memory::MAX_TEXT;
use crate::util::text::of_cp1252;

/// The text in UTF-8.
pub fn decode(bytes: &[u8]) -> Result<Zeroizing<String>, Reason> {
    if bytes.len() > MAX_TEXT {
        return Err(too_large());
    }
    let mut length = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        length += of_cp1252(byte)
            .ok_or_else(|| format!("the value is not Windows-1252: the byte at {at} is undefined"))?
            .len_utf8();
    }
    let mut text = Zeroizing::new(String::new());
    text.try_reserve_exact(length).map_err(|_| NO_MEMORY)?;
    text.extend(bytes.iter().filter_map(|&byte| of_cp1252(byte)));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undefined_byte_is_named_by_its_place() {
        assert_eq!(*decode(b"Ren\xe9e \x80 5").unwrap(), "Renée € 5");
        assert_eq!(decode(b"ab\x8dc").unwrap_err(), "the value is not Windows-1252: the byte at 2 is undefined");
        assert_eq!(*decode(b"").unwrap(), "");
    }
}
