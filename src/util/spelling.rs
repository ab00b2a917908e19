//! Whether a text that names something has one spelling: "pad-1     ", as fixed-width fields have it, would be another
//! charge than "pad-1".

use crate::util::one_line::visible;

/// What is wrong with the spelling of a reference or a key; `None` if nothing is.
pub fn fault(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_spelling() {
        for good in ["", "pad-1", "E 17", "Zoë/3", "注文-1", "a\u{a0}b", "\u{1f600}"] {
            assert_eq!(fault(good), None, "{good:?}");
        }
        for blank in [" ", "pad-1     ", " pad-1", "a\u{a0}", "\u{3000}a", "a\u{2009}", "a\u{202f}", "a\u{1680}"] {
            assert_eq!(fault(blank).as_deref(), Some("begins or ends with a blank"), "{blank:?}");
        }
        for hidden in "\0\t\n\r\u{1f}\u{7f}\u{85}\u{ad}\u{200b}\u{200d}\u{200e}\u{2028}\u{2029}\u{202e}\u{2060}\u{2066}\
                       \u{feff}\u{600}\u{6dd}\u{180e}\u{2800}\u{fff9}\u{e0041}\u{13430}"
            .chars()
        {
            for text in [format!("a{hidden}b"), format!("a{hidden}"), format!("{hidden}a ")] {
                let expected = format!("has a control or invisible character (U+{:04X})", hidden as u32);
                assert_eq!(fault(&text), Some(expected), "{text:?}");
            }
        }
    }
}
