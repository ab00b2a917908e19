//! Text as the symbols that it is compared by: letters and digits without case, width or script.

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

/// The symbols of a text.
pub fn symbols(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter_map(symbol)
}

/// Marks that belong to the character before them: `1` and a combining accent is still read as 1.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
