//! Each released header, compiled together with the header of today: a compiler knows best whether they agree.
//!
//! One source names all that was released while only today's header is included: what is gone is an error. It then
//! includes the released header too: what changed is declared twice and differently, which is an error as well.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::{missing, output_of, root, sha256};
use xtask::interface;

/// Each release with the lines of its list and the digest of its header, neither of which ever changes. A release adds
/// a row, its list (see `xtask/src/released.rs`) and a copy of its header.
const RELEASES: &[(&str, usize, &str)] = &[
    ("0.1.0", 67, "194615356dffc83ea397ded41271061e59f6f87539282f4961710e0fc326a439"),
    ("0.2.0", 135, "b2eb3c1efd927125b0267c66032c7dc041bd4fa779e6616d7e39b88cb46737cb"),
];

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub fn released_header(version: &str) -> String {
    read(&format!("spec/released/{version}.h"))
}

#[test]
fn every_release_keeps_its_list_and_its_header() {
    let mut files: Vec<_> = std::fs::read_dir(root().join("spec/released"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected: Vec<_> =
        RELEASES.iter().flat_map(|(version, ..)| [format!("{version}.h"), format!("{version}.txt")]).collect();
    assert_eq!(files, expected);
    for (version, lines, digest) in RELEASES {
        let (list, header) = (read(&format!("spec/released/{version}.txt")), released_header(version));
        assert_eq!(list.lines().count(), *lines, "{version}");
        assert_eq!(sha256(header.as_bytes()), *digest, "{version}");
        assert_eq!(interface::lines(&header).join("\n") + "\n", list, "{version}");
    }
}

/// The name that a typedef makes.
fn typedef(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("typedef ")?;
    // Of a struct what stands behind its members.
    let declared = declared.rsplit("} ").next()?;
    match declared.split_once("(*") {
        Some((_, rest)) => rest.split(')').next(),
        None => declared.rsplit(' ').next(),
    }
}

/// The structs that a header defines: name, and what stands between the braces.
fn structs(header: &str) -> Vec<(&str, &str)> {
    let defined = header.split("typedef struct ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once([' ', ';'])?;
        let body = rest.strip_prefix('{')?;
        Some((name, body.split_once(&format!("}} {name};"))?.0))
    });
    defined.collect()
}

/// The names of a struct's members, which are numbers and pointers to functions.
fn members(body: &str) -> Vec<String> {
    let code: String = body.split("*/").map(|part| part.split("/*").next().unwrap()).collect();
    let declared = code.split(';').map(str::trim).filter(|member| !member.is_empty());
    let name = |member: &str| match member.split_once(')') {
        Some((pointer, _)) => pointer.rsplit('*').next().unwrap().to_owned(),
        None => member.rsplit(' ').next().unwrap().to_owned(),
    };
    declared.map(name).collect()
}

/// A struct cannot be defined twice, so the second definition is left out of the released header and has another name.
fn compared(released: &str) -> (String, String) {
    let (mut header, mut source) = (released.to_owned(), String::new());
    for (name, body) in structs(released) {
        header = header
            .replace(&format!("typedef struct {name} {{{body}}} {name};"), &format!("typedef struct {name} {name};"));
        writeln!(source, "struct was_{name} {{{body}}};").unwrap();
        writeln!(source, "typedef char {name}_size[sizeof({name}) == sizeof(struct was_{name}) ? 1 : -1];").unwrap();
        writeln!(source, "int {name}_is(const {name} *now, const struct was_{name} *was);").unwrap();
        writeln!(source, "int {name}_is(const {name} *now, const struct was_{name} *was)\n{{\n    int same = 1;")
            .unwrap();
        for member in members(body) {
            let place = |of: &str| format!("offsetof({of}, {member})");
            let (now, was) = (place(name), place(&format!("struct was_{name}")));
            writeln!(source, "    typedef char {member}_at[{now} == {was} ? 1 : -1];").unwrap();
            writeln!(source, "    same = same && &now->{member} == &was->{member} && sizeof({member}_at) == 1;")
                .unwrap();
        }
        source += "    return same;\n}\n";
    }
    (header, source)
}

/// Source that needs everything in the released header from today's header, and then includes both.
fn together(released: &str) -> String {
    let mut source = "#include \"today.h\"\nint all(void);\nint all(void)\n{\n".to_owned();
    for line in interface::lines(released) {
        if let Some(name) = typedef(&line) {
            writeln!(source, "    const {name} *a_{name} = NULL;").unwrap();
        }
    }
    for line in interface::lines(released) {
        if let Some(name) = typedef(&line) {
            writeln!(source, "    (void)a_{name};").unwrap();
        }
    }
    for (name, _) in interface::numbers(released) {
        writeln!(source, "    (void){name};").unwrap();
    }
    for function in interface::functions(released) {
        writeln!(source, "    (void)&{};", function.name).unwrap();
    }
    // Of all numbers, only that of the header's own version may differ.
    source += "    return 0;\n}\n#undef PAYSVC_H\n#undef PAYSVC_VERSION_NUMBER\n#include \"released.h\"\n";
    source + &compared(released).1
}

/// Compilers that are here, with the standards that know redeclared typedefs. The last is of a platform with more than
/// one calling convention.
fn compilers() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut compilers = vec![("cc", "c11", "c"), ("c++", "c++98", "cpp"), ("c++", "c++20", "cpp")];
    let windows = ("i686-w64-mingw32-gcc", "c11", "c");
    match Command::new(windows.0).arg("--version").output() {
        Ok(_) => compilers.push(windows),
        Err(_) => missing(&format!("there is no {}; the released headers are NOT compiled for Windows", windows.0)),
    }
    compilers
}

/// What each compiler says about those two headers; nothing if they agree.
fn compiled(today: &str, released: &str) -> Vec<(&'static str, Option<String>)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("today.h"), today).unwrap();
    std::fs::write(folder.path().join("released.h"), compared(released).0).unwrap();
    let compile = |(compiler, standard, extension): (&'static str, &str, &str)| {
        let source = format!("together.{extension}");
        std::fs::write(folder.path().join(&source), together(released)).unwrap();
        let mut command = Command::new(compiler);
        command.args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(format!("-std={standard}"));
        let output = command.arg(source).current_dir(folder.path()).output().unwrap();
        (compiler, (!output.status.success()).then(|| output_of(&output)))
    };
    compilers().into_iter().map(compile).collect()
}

#[test]
fn every_released_header_compiles_together_with_the_header_of_today() {
    let today = read("include/paysvc.h");
    for (version, ..) in RELEASES {
        for (compiler, told) in compiled(&today, &released_header(version)) {
            assert!(told.is_none(), "{version}, {compiler}: {}", told.unwrap());
        }
    }
}

/// What a program in the field would not survive, planted into copies of today's header.
#[test]
fn what_changed_since_a_release_does_not_compile_with_it() {
    let today = read("include/paysvc.h");
    let abi = format!("#define PAYSVC_ABI {}\n", paysvc_spec::status::ABI);
    for (from, to, named) in [
        // Functions: a parameter's type, one parameter more, the result, and gone.
        (
            "                                             int timeout_ms);",
            " long timeout_ms);",
            "paysvc_call_set_timeout_ms",
        ),
        (
            "PAYSVC_CDECL paysvc_call_cancel(const paysvc_call *call)",
            "PAYSVC_CDECL paysvc_call_cancel(const paysvc_call *call, int why)",
            "paysvc_call_cancel",
        ),
        (
            "int PAYSVC_CDECL paysvc_reply_attempts(",
            "size_t PAYSVC_CDECL paysvc_reply_attempts(",
            "paysvc_reply_attempts",
        ),
        ("const char *PAYSVC_CDECL paysvc_reply_code(const paysvc_reply *reply);", "", "paysvc_reply_code"),
        // Numbers: another value, and gone.
        ("#define PAYSVC_OUTCOME_UNKNOWN 3\n", "#define PAYSVC_OUTCOME_UNKNOWN 4\n", "PAYSVC_OUTCOME_UNKNOWN"),
        ("#define PAYSVC_STATE_REVERSED 6\n", "", "PAYSVC_STATE_REVERSED"),
        (&abi, "#define PAYSVC_ABI 99\n", "PAYSVC_ABI"),
        // Types: another one, another callback, another calling convention.
        ("typedef int paysvc_status;", "typedef long paysvc_status;", "paysvc_status"),
        ("paysvc_log_fn)(void *userdata, int ", "paysvc_log_fn)(void *userdata, short ", "paysvc_log_fn"),
    ] {
        assert_eq!(today.matches(from).count(), 1, "{from}");
        for (compiler, told) in compiled(&today.replace(from, to), &released_header("0.1.0")) {
            let told = told.unwrap_or_else(|| panic!("{compiler} accepts {to:?} in the place of {from:?}"));
            assert!(told.contains(named), "{compiler}, {to:?}: {told}");
        }
    }
    // Additions break nobody.
    let more = today.replace(&abi, &format!("{abi}#define PAYSVC_OUTCOME_NEW 9\nint paysvc_new(void);\n"));
    assert!(compiled(&more, &released_header("0.1.0")).iter().all(|(_, told)| told.is_none()));
}

/// The fields of a struct: gone, of another type, in another order, and one more, which changes its size.
#[test]
fn a_struct_that_changed_since_a_release_does_not_compile_with_it() {
    let (today, released) = (read("include/paysvc.h"), released_header("0.2.0"));
    let [(name, body)] = structs(&today)[..] else { panic!("there is one struct") };
    assert_eq!((name, members(body).join(" ").as_str()), ("paysvc_store", "size append read forget release"));
    for (from, to) in [
        ("  size_t size;\n", "  size_t size;\n  size_t more;\n"),
        ("  size_t size;\n", "  char *size;\n"),
        ("*forget)(", "*dismiss)("),
    ] {
        assert_eq!(body.matches(from).count(), 1, "{from}");
        for (compiler, told) in compiled(&today.replace(body, &body.replace(from, to)), &released) {
            assert!(told.is_some(), "{compiler} accepts {to:?} in the place of {from:?}");
        }
    }
}

/// Only there is more than one calling convention, so only there a compiler can tell.
#[test]
fn another_calling_convention_does_not_compile_with_a_release_on_32_bit_windows() {
    let today = read("include/paysvc.h");
    for of in ["CDECL", "CALLBACK"] {
        let (from, to) = (format!("#define PAYSVC_{of} __cdecl\n"), format!("#define PAYSVC_{of} __stdcall\n"));
        assert!(today.contains(&from), "{from}");
        for (compiler, told) in compiled(&today.replace(&from, &to), &released_header("0.1.0")) {
            assert_eq!(told.is_some(), compiler.starts_with("i686-w64-mingw32"), "{compiler}, {of}: {told:?}");
        }
    }
}
