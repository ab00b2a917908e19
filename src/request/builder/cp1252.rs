//! Windows-1252, which tills have that know no UTF-8.

use zeroize::Zeroizing;

use super::{NO_MEMORY, Reason, too_large};
use crate::util::limits::MAX_TEXT;

/// The characters of the bytes 0x80 to 0x9F; 0 for the five that are undefined. The other bytes are the character with
/// their number. Source: Unicode's table of cp1252 to Unicode, version 2.01
/// (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT).
const FROM_0X80: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D,
    0, //
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
];

fn character(byte: u8) -> Option<char> {
    match byte {
        0x80..=0x9F => char::from_u32(FROM_0X80[usize::from(byte - 0x80)].into()).filter(|&c| c != '\0'),
        _ => Some(char::from(byte)),
    }
}

/// The text in UTF-8.
pub fn decode(bytes: &[u8]) -> Result<Zeroizing<String>, Reason> {
    if bytes.len() > MAX_TEXT {
        return Err(too_large());
    }
    let mut length = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        length += character(byte)
            .ok_or_else(|| format!("the value is not Windows-1252: the byte at {at} is undefined"))?
            .len_utf8();
    }
    let mut text = Zeroizing::new(String::new());
    text.try_reserve_exact(length).map_err(|_| NO_MEMORY)?;
    text.extend(bytes.iter().filter_map(|&byte| character(byte)));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte, with the table that Python's codec has.
    #[test]
    fn every_byte_is_the_character_that_the_standard_names() {
        const UPPER: &str = "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ";
        for (byte, expected) in (0x80..=0x9F).zip(UPPER.chars()) {
            assert_eq!(character(byte).unwrap_or('\0'), expected, "{byte:02x}");
        }
        assert_eq!(UPPER.chars().count(), 32);
        for byte in (1..0x80).chain(0xA0..=0xFF) {
            assert_eq!(character(byte), char::from_u32(byte.into()));
        }
        let undefined: Vec<_> = (0..=255).filter(|&byte| byte > 0 && character(byte).is_none()).collect();
        assert_eq!(undefined, [0x81, 0x8D, 0x8F, 0x90, 0x9D]);
    }

    #[test]
    fn an_undefined_byte_is_named_by_its_place() {
        assert_eq!(*decode(b"Ren\xe9e \x80 5").unwrap(), "Renée € 5");
        assert_eq!(decode(b"ab\x8dc").unwrap_err(), "the value is not Windows-1252: the byte at 2 is undefined");
        assert_eq!(*decode(b"").unwrap(), "");
    }
}
