//! How documentation text is laid out: filters of the templates.

pub mod python;

/// In lines of that width; a longer word has a line of its own.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + word.len() < width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

pub fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub fn uncapitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_up_to_the_width() {
        assert_eq!(wrap("one two three", 9), ["one two", "three"]);
        assert_eq!(wrap("a-word-that-is-longer and more", 8), ["a-word-that-is-longer", "and more"]);
    }

    #[test]
    fn only_the_first_letter_changes_its_case() {
        assert_eq!((capitalise("the URL"), uncapitalise("The URL")), ("The URL".into(), "the URL".into()));
        assert_eq!((capitalise(""), uncapitalise("")), (String::new(), String::new()));
    }
}
