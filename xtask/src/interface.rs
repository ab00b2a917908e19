//! The declarations of `paysvc.h`.

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
    let without_convention = |declaration: String| function(&declaration.replace("PAYSVC_CDECL ", ""));
    declarations(header).into_iter().filter_map(without_convention).collect()
}

/// The interface, a line each: numbers and calling conventions with their values, types, functions with the types of their
/// arguments.
pub fn lines(header: &str) -> Vec<String> {
    // The header's own version grows with every release.
    let promised = header.lines().filter(|line| line.starts_with("#define PAYSVC_"));
    let promised = promised.filter(|line| !line.starts_with("#define PAYSVC_VERSION_NUMBER ")).map(str::to_owned);
    let types = declarations(header).into_iter().filter(|declaration| declaration.starts_with("typedef "));
    let functions = declarations(header).into_iter().filter_map(|declaration| {
        let Function { name, returns, arguments } = function(&declaration)?;
        let kinds: Vec<_> = arguments.into_iter().map(|argument| argument.kind).collect();
        Some(format!("{returns} {name}({})", if kinds.is_empty() { "void".to_owned() } else { kinds.join(", ") }))
    });
    promised.chain(types).chain(functions).collect()
}

/// The declarations outside of comments, each on one line without its semicolon.
fn declarations(header: &str) -> Vec<String> {
    let code: String = header.split("*/").map(|part| part.split("/*").next().unwrap_or_default()).collect();
    let code: Vec<&str> = code.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join(" ").replace("extern \"C\" {", "");
    // The fields of a structure belong to its declaration.
    let mut depth = 0;
    let declarations = code.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth <= 0
    });
    declarations.map(|declaration| declaration.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
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
