//! Operations on characters: a text as one line for people, the check that a name has one spelling, the symbols by which texts
//! are compared, Windows-1252, and bytes in hexadecimal digits.

use std::borrow::Cow;

use crate::util::memory::MAX_NAME_CHARS;

/// Longest line in characters. A longer text from the service is cut.
pub const MAX_CHARS: usize = 500;

/// The character as it may appear in a line: a blank instead of characters that end the line or control a terminal, and
/// `None` for invisible ones. These could hide digits from a search, and bidirectional controls change the order of
/// text.
pub fn visible(c: char) -> Option<char> {
    match c {
        ' '..='~' => Some(c),
        // Unicode's default ignorable characters, and annotation controls.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        '\u{2028}' | '\u{2029}' => Some(' '),
        _ if c.is_control() => Some(' '),
        _ => Some(c),
    }
}

/// Returns whether the text is such a line already, as nearly every message is.
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // A fold is vectorised; `all` would check byte by byte.
    bytes.len() <= MAX_CHARS
        && bytes.iter().fold(true, |plain, b| plain & (b' '..=b'~').contains(b))
        && bytes.first() != Some(&b' ')
        && bytes.last() != Some(&b' ')
}

/// The text as one line of at most [`MAX_CHARS`] characters.
pub fn one_line(text: String) -> String {
    if is_plain(&text) {
        return text;
    }
    // Limited before filtering: there may be many invisible characters.
    let clean = text.chars().take(3 * MAX_CHARS).filter_map(visible);
    clean.take(MAX_CHARS).collect::<String>().trim().to_owned()
}

/// One digit of ASCII or more, and nothing else.
pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name that a caller gave, as an error repeats it.
pub fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Returns the fault of the spelling of a reference or a key; `None` if there is none. A name has one spelling:
/// "pad-1     ", as fixed-width fields have it, would be another charge than "pad-1".
pub fn spelling_fault(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    if let Some(hidden) = text.chars().find(|c| is_hidden(*c)) {
        return Some(format!("has a control or invisible character (U+{:04X})", hidden as u32));
    }
    text.starts_with(char::is_whitespace).then_some(()).or(text.ends_with(char::is_whitespace).then_some(()))?;
    Some("begins or ends with a blank".to_owned())
}

/// Unicode's categories Cc, Cf, Zl and Zp, its default ignorable characters, and the Braille blank.
fn is_hidden(c: char) -> bool {
    !c.is_ascii_graphic()
        && c != ' '
        && (visible(c) != Some(c)
            || matches!(c,
                '\u{600}'..='\u{605}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'..='\u{891}'
                | '\u{8e2}'
                | '\u{2800}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'))
}

/// Runs of digits: the first character, its value, how many follow one another. From the Unicode Character Database,
/// version 16: every character that has a digit's value, superscripts and circled digits included.
#[rustfmt::skip]
const RUNS: &[(u32, u32, u32)] = &[
    (0x00b2, 2, 2), (0x00b9, 1, 1), (0x0660, 0, 10), (0x06f0, 0, 10), (0x07c0, 0, 10), (0x0966, 0, 10),
    (0x09e6, 0, 10), (0x0a66, 0, 10), (0x0ae6, 0, 10), (0x0b66, 0, 10), (0x0be6, 0, 10), (0x0c66, 0, 10),
    (0x0ce6, 0, 10), (0x0d66, 0, 10), (0x0de6, 0, 10), (0x0e50, 0, 10), (0x0ed0, 0, 10), (0x0f20, 0, 10),
    (0x1040, 0, 10), (0x1090, 0, 10), (0x1369, 1, 9), (0x17e0, 0, 10), (0x1810, 0, 10), (0x1946, 0, 10),
    (0x19d0, 0, 10), (0x19da, 1, 1), (0x1a80, 0, 10), (0x1a90, 0, 10), (0x1b50, 0, 10), (0x1bb0, 0, 10),
    (0x1c40, 0, 10), (0x1c50, 0, 10), (0x2070, 0, 1), (0x2074, 4, 6), (0x2080, 0, 10), (0x2460, 1, 9),
    (0x2474, 1, 9), (0x2488, 1, 9), (0x24ea, 0, 1), (0x24f5, 1, 9), (0x24ff, 0, 1), (0x2776, 1, 9),
    (0x2780, 1, 9), (0x278a, 1, 9), (0xa620, 0, 10), (0xa8d0, 0, 10), (0xa900, 0, 10), (0xa9d0, 0, 10),
    (0xa9f0, 0, 10), (0xaa50, 0, 10), (0xabf0, 0, 10), (0xff10, 0, 10), (0x104a0, 0, 10), (0x10a40, 1, 4),
    (0x10d30, 0, 10), (0x10d40, 0, 10), (0x10e60, 1, 9), (0x11052, 1, 9), (0x11066, 0, 10), (0x110f0, 0, 10),
    (0x11136, 0, 10), (0x111d0, 0, 10), (0x112f0, 0, 10), (0x11450, 0, 10), (0x114d0, 0, 10), (0x11650, 0, 10),
    (0x116c0, 0, 10), (0x116d0, 0, 10), (0x116da, 0, 10), (0x11730, 0, 10), (0x118e0, 0, 10), (0x11950, 0, 10),
    (0x11bf0, 0, 10), (0x11c50, 0, 10), (0x11d50, 0, 10), (0x11da0, 0, 10), (0x11f50, 0, 10), (0x16130, 0, 10),
    (0x16a60, 0, 10), (0x16ac0, 0, 10), (0x16b50, 0, 10), (0x16d70, 0, 10), (0x1ccf0, 0, 10), (0x1d7ce, 0, 10),
    (0x1d7d8, 0, 10), (0x1d7e2, 0, 10), (0x1d7ec, 0, 10), (0x1d7f6, 0, 10), (0x1e140, 0, 10), (0x1e2f0, 0, 10),
    (0x1e5f1, 0, 10), (0x1e950, 0, 10), (0x1f100, 0, 1), (0x1f101, 0, 10), (0x1fbf0, 0, 10),
];

/// The value of a digit outside ASCII.
fn digit(c: u32) -> Option<u32> {
    let run = RUNS.partition_point(|&(first, ..)| first <= c).checked_sub(1)?;
    let (first, value, count) = RUNS[run];
    (c - first < count).then(|| value + c - first)
}

/// A letter or a digit as it is compared: without case, digits of every script and full-width letters as ASCII.
/// `None` for everything else, which is ignored.
pub fn symbol(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase());
    }
    if let Some(value) = digit(u32::from(c)) {
        return char::from_digit(value, 10);
    }
    // The full-width forms stand in the order of ASCII.
    if matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}') {
        return char::from_u32(u32::from(c) - 0xfee0).and_then(symbol);
    }
    c.is_alphanumeric().then(|| c.to_lowercase().next().unwrap_or(c))
}

pub fn symbols(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter_map(symbol)
}

/// Marks that belong to the character before them: `1` and a combining accent is still read as 1.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// The characters of the bytes 0x80 to 0x9F in Windows-1252; 0 for the five that are undefined. Every other byte is the character with
/// the same number. Source: Unicode's table of cp1252 to Unicode, version 2.01
/// (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT).
const FROM_0X80: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D,
    0, //
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
    0x0178,
];

/// Counts the bytes before the first that is below 0x20 or one of these. Checks eight bytes at a time.
#[inline]
pub fn bytes_before<const N: usize>(bytes: &[u8], others: [u8; N]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // A byte with its top bit set is neither; of the others, one that is gets that bit. The lowest such byte is
        // correct. One above it may be marked because of the borrow, which does not matter.
        let below = word.wrapping_sub(ONES * 0x20);
        let found =
            others.iter().fold(below, |found, &other| found | (word ^ (ONES * u64::from(other))).wrapping_sub(ONES));
        let found = found & !word & TOPS;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8 + rest.iter().position(|byte| *byte < 0x20 || others.contains(byte)).unwrap_or(rest.len())
}

pub fn hex(bytes: &[u8]) -> String {
    let digit = |of: u8| char::from(b"0123456789abcdef"[usize::from(of)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The character of a byte of Windows-1252; `None` for the five that are undefined.
pub fn of_cp1252(byte: u8) -> Option<char> {
    match byte {
        0x80..=0x9F => char::from_u32(FROM_0X80[usize::from(byte - 0x80)].into()).filter(|&c| c != '\0'),
        _ => Some(char::from(byte)),
    }
}

/// Returns the text in Windows-1252, for tills without UTF-8. A character that it lacks becomes '?'.
pub fn to_cp1252(text: &str) -> Vec<u8> {
    let byte = |wanted: char| match wanted {
        '\0'..='\x7F' | '\u{A0}'..='\u{FF}' => wanted as u8,
        _ => (0x80..=0x9F).find(|&byte| of_cp1252(byte) == Some(wanted)).unwrap_or(b'?'),
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line() {
        assert_eq!(one_line(" a\r\nb\0c\u{2028}d\u{85}e\t".into()), "a  b c d e");
        assert_eq!(one_line("é".repeat(600)).chars().count(), MAX_CHARS);
        assert_eq!(one_line("plain text".into()), "plain text");
        assert_eq!(one_line(" \u{200b} ".into()), "");
    }

    #[test]
    fn invisible_characters_and_bidirectional_controls_are_removed() {
        for c in "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}\
                  \u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{34f}\u{180e}\u{fe0f}\u{fff9}\u{e0041}\u{3164}"
            .chars()
        {
            assert_eq!(one_line(format!("a{c}b")), "ab", "{:x}", c as u32);
        }
    }

    #[test]
    fn a_name_has_one_spelling() {
        for good in ["", "pad-1", "E 17", "Zoë/3", "注文-1", "a\u{a0}b", "\u{1f600}"] {
            assert_eq!(spelling_fault(good), None, "{good:?}");
        }
        for blank in [" ", "pad-1     ", " pad-1", "a\u{a0}", "\u{3000}a", "a\u{2009}", "a\u{202f}", "a\u{1680}"] {
            assert_eq!(spelling_fault(blank).as_deref(), Some("begins or ends with a blank"), "{blank:?}");
        }
        for hidden in "\0\t\n\r\u{1f}\u{7f}\u{85}\u{ad}\u{200b}\u{200d}\u{200e}\u{2028}\u{2029}\u{202e}\u{2060}\u{2066}\
                       \u{feff}\u{600}\u{6dd}\u{180e}\u{2800}\u{fff9}\u{e0041}\u{13430}"
            .chars()
        {
            for text in [format!("a{hidden}b"), format!("a{hidden}"), format!("{hidden}a ")] {
                let expected = format!("has a control or invisible character (U+{:04X})", hidden as u32);
                assert_eq!(spelling_fault(&text), Some(expected), "{text:?}");
            }
        }
    }

    fn text_of_symbols(text: &str) -> String {
        symbols(text).collect()
    }

    #[test]
    fn digits_of_every_script_are_the_same_digits() {
        // ASCII, full-width, Arabic-Indic, Devanagari, mathematical bold.
        for zero in [0x30, 0xff10, 0x660, 0x966, 0x1d7ce] {
            let text: String = (zero..zero + 10).filter_map(char::from_u32).collect();
            assert_eq!(text_of_symbols(&text), "0123456789", "{text}");
        }
        assert_eq!(text_of_symbols("\u{2070}\u{b9}\u{b2}\u{b3}\u{2074}\u{2463}"), "012344");
    }

    /// Compared with the standard library, which knows what is numeric but not its value.
    #[test]
    fn every_run_is_of_numbers_and_in_order() {
        for pair in RUNS.windows(2) {
            assert!(pair[0].0 + pair[0].2 <= pair[1].0, "{pair:x?}");
        }
        for &(first, value, count) in RUNS {
            assert!(value + count <= 10, "{first:x}");
            for c in first..first + count {
                assert!(char::from_u32(c).is_some_and(char::is_numeric), "{c:x}");
            }
        }
    }

    #[test]
    fn letters_lose_case_and_width_and_all_else_is_ignored() {
        assert_eq!(text_of_symbols("Ab-\u{c9}\t\u{ff21}\u{ff5a}_\u{a0}\u{200b}!"), "ab\u{e9}az");
    }

    /// Every byte, with the table that Python's codec has.
    #[test]
    fn every_byte_is_the_character_that_the_standard_names() {
        const UPPER: &str = "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ";
        for (byte, expected) in (0x80..=0x9F).zip(UPPER.chars()) {
            assert_eq!(of_cp1252(byte).unwrap_or('\0'), expected, "{byte:02x}");
        }
        assert_eq!(UPPER.chars().count(), 32);
        for byte in (1..0x80).chain(0xA0..=0xFF) {
            assert_eq!(of_cp1252(byte), char::from_u32(byte.into()));
        }
        let undefined: Vec<_> = (0..=255).filter(|&byte| byte > 0 && of_cp1252(byte).is_none()).collect();
        assert_eq!(undefined, [0x81, 0x8D, 0x8F, 0x90, 0x9D]);
    }

    #[test]
    fn every_byte_comes_back_and_what_is_lacking_is_a_question_mark() {
        for byte in 0..=255 {
            if let Some(character) = of_cp1252(byte) {
                assert_eq!(to_cp1252(&character.to_string()), [byte]);
            }
        }
        assert_eq!(to_cp1252("\u{81}\u{4f60}\u{1f600}e\u{301}"), b"???e?");
    }
}
