//! Any text as one line for people.

use std::borrow::Cow;

use crate::util::limits::MAX_NAME_CHARS;

/// Longest line in characters. A longer text from the service is cut.
pub const MAX_CHARS: usize = 500;

/// The character as it may appear in a line: a blank instead of characters that end the line or control a terminal, and
/// `None` for invisible ones. Those could hide digits from a search, and bidirectional controls change the order of
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

/// Whether the text is such a line already, as nearly every message is.
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

/// A name that a caller gave, as an error repeats it.
pub fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
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
        for c in [
            '\u{202a}',
            '\u{202b}',
            '\u{202c}',
            '\u{202d}',
            '\u{202e}',
            '\u{2066}',
            '\u{2067}',
            '\u{2068}',
            '\u{2069}',
            '\u{200e}',
            '\u{200f}',
            '\u{61c}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{2060}',
            '\u{feff}',
            '\u{ad}',
            '\u{34f}',
            '\u{180e}',
            '\u{fe0f}',
            '\u{fff9}',
            '\u{e0041}',
            '\u{3164}',
        ] {
            assert_eq!(one_line(format!("a{c}b")), "ab", "{:x}", c as u32);
        }
    }
}
