//! Filters for Python's templates.

/// Max length of a line, its end included.
const WIDTH: usize = 121;

/// Text that may stand in a docstring.
pub fn docstring(text: &str) -> String {
    text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
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
