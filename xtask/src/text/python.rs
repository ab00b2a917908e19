//! Filters for Python's templates.

/// The longest line, its end included.
const WIDTH: usize = 121;

/// Text that may stand in a docstring.
pub fn docstring(text: &str) -> String {
    text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
}

/// A string literal.
pub fn literal(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// The import of those names of a module that the text uses; nothing where it uses none.
pub fn import_used(text: &str, module: &str, names: &[String]) -> String {
    let is_used =
        |name: &&String| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name.as_str());
    let names: Vec<&str> = names.iter().filter(is_used).map(String::as_str).collect();
    let line = format!("from {module} import {}\n", names.join(", "));
    match (names.len(), line.len()) {
        (0, _) => String::new(),
        (_, ..=WIDTH) => line,
        _ => format!("from {module} import (\n    {},\n)\n", names.join(",\n    ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_does_not_end_early() {
        assert_eq!(docstring(r#"\ """x""""#), r#"\\ \"\"\"x\"\"\""#);
    }

    #[test]
    fn a_literal_is_the_text() {
        assert_eq!(literal("statusId"), r#""statusId""#);
        assert_eq!(literal("a\"\\\né"), r#""a\"\\\U0000000a\U000000e9""#);
    }

    #[test]
    fn only_names_that_are_used_are_imported() {
        let names = ["Call", "Reply"].map(str::to_owned);
        assert_eq!(import_used("x: Reply | None, Callable", ".m", &names), "from .m import Reply\n");
        assert_eq!(import_used("Replying", ".m", &names), "");
        let long = ["A".repeat(60), "B".repeat(60)];
        let text = long.join(" ");
        assert_eq!(import_used(&text, "m", &long), format!("from m import (\n    {},\n    {},\n)\n", long[0], long[1]));
    }
}
