//! Layout of documentation text: filters of the templates.

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

/// The lines of a text as items, as many in a line of at most 120 columns as go in, with that indent.
pub fn fill(text: &str, indent: usize) -> String {
    let (mut lines, mut width) = (Vec::<String>::new(), usize::MAX);
    for item in text.lines().map(str::trim) {
        let length = item.chars().count() + 1;
        width = width.saturating_add(length);
        match lines.last_mut() {
            Some(line) if width <= 120 => *line += &format!(" {item}"),
            _ => {
                width = indent + length - 1;
                lines.push(format!("{}{item}", " ".repeat(indent)));
            }
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

pub fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub fn uncapitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
