//! What `paysvc.h` declares, and what releases have promised of it.
//!
//! `spec/released/` has a list for each release. Within one `PAYSVC_ABI` nothing of them may go or change, because a
//! program in the field may use any of it; adding is free. A release adds its list by
//! `cargo xtask interface >spec/released/VERSION.txt`.

use std::path::Path;

use crate::released;

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub returns: String,
    pub arguments: Vec<Argument>,
}

#[derive(Debug)]
pub struct Argument {
    pub kind: String,
    pub name: String,
}

/// Every function that a header declares.
pub fn functions(header: &str) -> Vec<Function> {
    declarations(header).iter().filter_map(|declaration| function(declaration)).collect()
}

/// Every number that a header defines, with its text.
pub fn numbers(header: &str) -> Vec<(&str, &str)> {
    let defined =
        header.lines().filter_map(|line| line.strip_prefix("#define ")).filter_map(|line| line.split_once(' '));
    let is_number = |value: &str| value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    defined.filter(|(name, value)| name.starts_with("PAYSVC_") && is_number(value)).collect()
}

/// The interface, a line each: numbers with their values, types, functions with the types of their arguments.
pub fn lines(header: &str) -> Vec<String> {
    // The header's own version grows with every release.
    let promised = numbers(header).into_iter().filter(|(name, _)| *name != "PAYSVC_VERSION_NUMBER");
    let numbers = promised.map(|(name, value)| format!("#define {name} {value}"));
    let types = declarations(header).into_iter().filter(|declaration| declaration.starts_with("typedef "));
    let functions = functions(header).into_iter().map(|Function { name, returns, arguments }| {
        let kinds: Vec<_> = arguments.iter().map(|argument| argument.kind.as_str()).collect();
        format!("{returns} {name}({})", if kinds.is_empty() { "void".to_owned() } else { kinds.join(", ") })
    });
    numbers.chain(types).chain(functions).collect()
}

/// What a release promised and the header no longer declares, by the name of the release's list.
pub fn broken_promises(root: &Path, header: &str) -> Result<Vec<String>, String> {
    let (current, mut broken) = (lines(header), Vec::new());
    for release in released::read(root)? {
        let gone = release.lines.iter().filter(|line| !current.contains(line));
        broken.extend(gone.map(|line| format!("{}.txt: {line}", release.version)));
    }
    Ok(broken)
}

/// The declarations outside of comments, each on one line without its semicolon. Calling conventions are left out: they are
/// those of C, which every release had.
fn declarations(header: &str) -> Vec<String> {
    let code: String = header.split("*/").map(|part| part.split("/*").next().unwrap_or_default()).collect();
    let code: Vec<&str> = code.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ").replace("extern \"C\" {", "").replace("PAYSVC_CALLBACK *", "*");
    let code = code.replace("PAYSVC_CDECL ", "");
    code.split(';').map(|declaration| declaration.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn function(declaration: &str) -> Option<Function> {
    let (head, arguments) = declaration.strip_suffix(')')?.split_once('(')?;
    let (returns, name) = typed(head)?;
    if head.starts_with("typedef") || !name.starts_with("paysvc_") {
        return None;
    }
    let arguments = arguments.split(',').map(str::trim).filter(|argument| *argument != "void" && !argument.is_empty());
    let argument = |text: &str| {
        let (kind, name) = typed(text).unwrap_or_else(|| panic!("an argument without a name: {text} in {declaration}"));
        Argument { kind, name }
    };
    Some(Function { name, returns, arguments: arguments.map(argument).collect() })
}

/// `const char *text` is `const char *` and `text`.
fn typed(text: &str) -> Option<(String, String)> {
    let at = text.rfind([' ', '*'])? + 1;
    Some((text[..at].trim().to_owned(), text[at..].to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HEADER: &str = r#"#ifndef PAYSVC_H
#define PAYSVC_H
#define PAYSVC_OK 0
#define PAYSVC_WORD __word
#define PAYSVC_VERSION_NUMBER 100
extern "C" {
/* paysvc_no(x); */
typedef struct paysvc_call
  paysvc_call;
typedef void (*paysvc_log_fn)(void *userdata, int level);
const char *paysvc_version(void);
int paysvc_call_get(const paysvc_call *call,
    int number);
}
"#;

    #[test]
    fn every_declaration_is_a_line() {
        assert_eq!(
            lines(HEADER),
            [
                "#define PAYSVC_OK 0",
                "typedef struct paysvc_call paysvc_call",
                "typedef void (*paysvc_log_fn)(void *userdata, int level)",
                "const char * paysvc_version(void)",
                "int paysvc_call_get(const paysvc_call *, int)",
            ]
        );
    }

    #[test]
    fn what_is_gone_or_changed_is_named_and_what_is_new_is_free() {
        let root = tempfile::tempdir().unwrap();
        assert!(broken_promises(root.path(), HEADER).is_err(), "no list");
        let folder = root.path().join("spec/released");
        fs::create_dir_all(&folder).unwrap();
        assert!(broken_promises(root.path(), HEADER).is_err(), "an empty folder");
        fs::write(folder.join("0.1.0.txt"), lines(HEADER).join("\n") + "\n").unwrap();
        let broken = |from: &str, to: &str| {
            let header = HEADER.replace(from, to);
            assert_ne!(header, HEADER);
            broken_promises(root.path(), &header).unwrap()
        };
        assert_eq!(broken("}\n", "int paysvc_new(void);\n}\n"), [""; 0]);
        assert_eq!(broken("const char *paysvc_version(void);", ""), ["0.1.0.txt: const char * paysvc_version(void)"]);
        assert_eq!(broken("NUMBER 100", "NUMBER 200"), [""; 0]);
        assert_eq!(broken("(*paysvc_log_fn)", "(PAYSVC_CALLBACK *paysvc_log_fn)"), [""; 0]);
        assert_eq!(broken("*paysvc_version(", "*PAYSVC_CDECL paysvc_version("), [""; 0]);
        assert_eq!(
            broken("(*paysvc_log_fn)", "(__stdcall *paysvc_log_fn)"),
            ["0.1.0.txt: typedef void (*paysvc_log_fn)(void *userdata, int level)"]
        );
        assert_eq!(broken("OK 0", "OK 1"), ["0.1.0.txt: #define PAYSVC_OK 0"]);
        assert_eq!(broken("int number", "long number"), ["0.1.0.txt: int paysvc_call_get(const paysvc_call *, int)"]);
    }
}
