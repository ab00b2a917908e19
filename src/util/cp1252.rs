//! Windows-1252, for tills that do not know UTF-8.

/// The characters of the bytes 0x80 to 0x9F; 0 for the five that are undefined. Every other byte is the character with
/// the same number. Source: Unicode's table of cp1252 to Unicode, version 2.01
/// (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT).
const FROM_0X80: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D,
    0, //
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
];

/// The character of a byte; `None` for the five that are undefined.
pub fn character(byte: u8) -> Option<char> {
    match byte {
        0x80..=0x9F => char::from_u32(FROM_0X80[usize::from(byte - 0x80)].into()).filter(|&c| c != '\0'),
        _ => Some(char::from(byte)),
    }
}

/// A character that Windows-1252 lacks becomes '?'.
pub fn encode(text: &str) -> Vec<u8> {
    let byte = |wanted: char| match wanted {
        '\0'..='\x7F' | '\u{A0}'..='\u{FF}' => wanted as u8,
        _ => (0x80..=0x9F).find(|&byte| character(byte) == Some(wanted)).unwrap_or(b'?'),
    };
    text.chars().map(byte).collect()
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
    fn every_byte_comes_back_and_what_is_lacking_is_a_question_mark() {
        for byte in 0..=255 {
            if let Some(character) = character(byte) {
                assert_eq!(encode(&character.to_string()), [byte]);
            }
        }
        assert_eq!(encode("\u{81}\u{4f60}\u{1f600}e\u{301}"), b"???e?");
    }
}
