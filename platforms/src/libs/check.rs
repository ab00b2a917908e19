//! The requirements for a library before it is handed out. Every problem names the symbol or the library that is wrong.

use std::collections::BTreeSet;

use super::binary::{Archive, Export, Shared};
use crate::table::{Platform, System};

/// The declarations of the version script: the functions with their versions.
pub fn declared(version_script: &str) -> BTreeSet<Export> {
    let mut exports = BTreeSet::new();
    let mut version = None;
    for line in version_script.lines().map(str::trim) {
        if let Some(node) = line.strip_suffix('{') {
            version = Some(node.trim().to_owned());
        } else if let Some(name) = line.strip_suffix(';').filter(|name| name.starts_with("paysvc_")) {
            exports.insert(Export { name: name.to_owned(), version: version.clone() });
        }
    }
    exports
}

/// The problems of a shared library.
pub fn shared(platform: &Platform, declared: &BTreeSet<Export>, abi: i32, library: &Shared) -> Vec<String> {
    let mut problems = Vec::new();
    if library.is_64 != (platform.pointer_bits == 64) {
        problems.push(format!("it is not for {} bits", platform.pointer_bits));
    }
    if library.has_symbols {
        problems.push("it is not stripped".to_owned());
    }
    if library.debug_link.is_none() {
        problems.push("it has no link to its debug file".to_owned());
    }
    match platform.system {
        System::Glibc(limit) => {
            problems.extend(newer_than_glibc(limit, library));
            problems.extend(of_linux(declared, abi, library, &GLIBC));
        }
        System::Musl => problems.extend(of_linux(declared, abi, library, &["libc.so"])),
        System::Windows(least) => problems.extend(of_windows(declared, least, library)),
    }
    problems
}

/// The problems of the debug file that the library links to.
pub fn debug_file(library: &Shared, path: &str, bytes: &[u8]) -> Vec<String> {
    let Some((name, checksum)) = &library.debug_link else { return Vec::new() };
    let mut problems = Vec::new();
    if !path.ends_with(&format!("/{name}")) {
        problems.push(format!("its debug file is {name}, not {path}"));
    } else if *checksum != crc32fast::hash(bytes) {
        problems.push(format!("{path} is not its debug file"));
    }
    problems
}

/// glibc's own libraries; the loader's name differs with the processor.
const GLIBC: [&str; 7] =
    ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "ld-linux"];

fn of_linux(declared: &BTreeSet<Export>, abi: i32, library: &Shared, systems: &[&str]) -> Vec<String> {
    let mut problems = foreign_libraries(library, |name| {
        systems.iter().any(|known| name == *known || (*known == "ld-linux" && name.starts_with("ld-linux")))
    });
    let soname = format!("libpaysvc.so.{abi}");
    if library.soname.as_ref() != Some(&soname) {
        problems.push(format!("its soname is {:?}, not {soname}", library.soname));
    }
    problems.extend(differences(declared, &library.exports));
    problems.extend(foreign_hooks(&library.weak));
    problems
}

/// Functions that Rust's standard library uses where the system has them.
const SYSTEMS_LATER: [&str; 4] = ["copy_file_range", "getrandom", "gettid", "statx"];
/// The prefix that scripts/link.sh gives AWS-LC's names for another allocator.
const UNUSED: &str = "paysvc_unused_";

/// Weak symbols that a program, or a library beside this one, might define.
pub fn foreign_hooks(weak: &[String]) -> Vec<String> {
    let ours = |name: &str| ["__", "_ITM_", UNUSED].iter().any(|start| name.starts_with(start));
    let foreign = weak.iter().filter(|name| !ours(name) && !SYSTEMS_LATER.contains(&name.as_str()));
    foreign.map(|name| format!("{name} is weak, so that any library can define it")).collect()
}

/// The symbols that an older glibc does not have.
fn newer_than_glibc(limit: &str, library: &Shared) -> Vec<String> {
    let mut problems = Vec::new();
    for import in &library.imports {
        let Some(version) = import.version.as_ref().and_then(|version| version.strip_prefix("GLIBC_")) else {
            continue;
        };
        if numbers(version) > numbers(limit) {
            problems.push(format!("{} needs glibc {version}, newer than {limit}", import.name));
        }
    }
    problems
}

/// A version as numbers, so that 2.4 is less than 2.17; what is no number, such as PRIVATE, is more than any.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
}

fn foreign_libraries(library: &Shared, known: impl Fn(&str) -> bool) -> Vec<String> {
    let foreign = library.needed.iter().filter(|name| !known(name));
    foreign.map(|name| format!("it needs {name}, which is not part of the system")).collect()
}

fn differences(declared: &BTreeSet<Export>, exports: &[Export]) -> Vec<String> {
    let exports: BTreeSet<_> = exports.iter().cloned().collect();
    let said = |export: &Export| match &export.version {
        Some(version) => format!("{} with version {version}", export.name),
        None => format!("{} without a version", export.name),
    };
    let missing = declared.difference(&exports).map(|export| format!("it does not export {}", said(export)));
    let foreign = exports.difference(declared).map(|export| format!("it exports {}", said(export)));
    missing.chain(foreign).collect()
}

/// Libraries that every Windows since 7 has, in lower case.
const WINDOWS: &[&str] = &[
    "advapi32.dll",
    "bcrypt.dll",
    "crypt32.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ncrypt.dll",
    "ntdll.dll",
    "secur32.dll",
    "user32.dll",
    "userenv.dll",
    "ws2_32.dll",
];
/// Additional libraries in Windows 10.
const WINDOWS_10: &[&str] = &["bcryptprimitives.dll", "api-ms-win-core-synch-l1-2-0.dll"];
/// Functions that Rust's standard library or AWS-LC may use, and that Windows 7 does not have.
const NEWER_THAN_7: &[&str] = &[
    "ProcessPrng",
    "WaitOnAddress",
    "WakeByAddressSingle",
    "WakeByAddressAll",
    "GetSystemTimePreciseAsFileTime",
    "SetThreadDescription",
    "GetHostNameW",
];

fn of_windows(declared: &BTreeSet<Export>, least: &str, library: &Shared) -> Vec<String> {
    let mut problems = foreign_libraries(library, |name| {
        let name = name.to_ascii_lowercase();
        WINDOWS.contains(&name.as_str()) || (least != "7" && WINDOWS_10.contains(&name.as_str()))
    });
    for import in library.imports.iter().filter(|_| least == "7") {
        if NEWER_THAN_7.contains(&import.name.as_str()) {
            problems.push(format!("{} of {} is not in Windows 7", import.name, import.library));
        }
    }
    let names = declared.iter().map(|export| Export { version: None, ..export.clone() }).collect();
    problems.extend(differences(&names, &library.exports));
    problems
}

/// AWS-LC may load its source of randomness by this name, which is in no list of imports, and aborts without it. Rust's
/// standard library can do without the functions that it loads by name.
const RANDOMNESS_OF_8: &[u8] = b"ProcessPrng\0";

/// The problems of what a shared library loads by itself.
pub fn loaded_at_run_time(platform: &Platform, bytes: &[u8]) -> Option<String> {
    let has = || bytes.windows(RANDOMNESS_OF_8.len()).any(|window| window == RANDOMNESS_OF_8);
    (platform.system == System::Windows("7") && has())
        .then(|| "it loads ProcessPrng, which is not in Windows 7".to_owned())
}

/// The problems of a static library, whose shared one imports what the system has.
pub fn archive(platform: &Platform, declared: &BTreeSet<Export>, library: &Archive, shared: &Shared) -> Vec<String> {
    let mut problems = Vec::new();
    if library.is_64 != (platform.pointer_bits == 64) {
        problems.push(format!("it is not for {} bits", platform.pointer_bits));
    }
    let plain = |name: &str| match platform.system {
        System::Windows(_) => of_windows_c(name, platform.pointer_bits),
        _ => name.to_owned(),
    };
    let globals: BTreeSet<_> = library.globals.iter().map(|name| plain(name)).collect();
    let names: BTreeSet<_> = declared.iter().map(|export| export.name.clone()).collect();
    problems.extend(names.difference(&globals).map(|name| format!("{name} is missing")));
    problems.extend(globals.difference(&names).map(|name| format!("{name} is global")));
    let mut imported: BTreeSet<_> = shared.imports.iter().map(|import| import.name.clone()).collect();
    // These are undefined in one another, too.
    imported.extend(library.stubs.iter().map(|name| plain(name)));
    for name in library.undefined.iter().map(|name| plain(name)) {
        if !imported.contains(&name) && !is_of_compiler(platform.system, &name) {
            problems.push(format!("{name} is undefined, and not part of the system"));
        }
    }
    if !platform.is_windows() {
        problems.extend(foreign_hooks(&library.weak));
    }
    problems
}

/// A name as it is in C. Names of imports have a prefix; with 32 bits all have an underscore, and those of functions
/// that take their arguments from the stack themselves the size of these.
fn of_windows_c(name: &str, pointer_bits: u8) -> String {
    let name = name.strip_prefix("__imp_").unwrap_or(name);
    if pointer_bits != 32 {
        return name.to_owned();
    }
    let name = name.strip_prefix('_').unwrap_or(name);
    name.rsplit_once('@').filter(|(_, size)| size.parse::<u32>().is_ok()).map_or(name, |(name, _)| name).to_owned()
}

/// Symbols that a program's own compiler links statically: the unwinder, arithmetic, the part of glibc that is an
/// archive, and on Windows the start of threads and MinGW's pthreads.
fn is_of_compiler(system: System, name: &str) -> bool {
    const GLIBC: &[&str] = &["atexit", "fstat", "fstat64", "lstat64", "pthread_atfork", "stat", "stat64"];
    // The second is MinGW's name for gmtime of a 32-bit msvcrt.dll.
    const MINGW: &[&str] = &["_GCC_specific_handler", "_gmtime32", "_tls_used", "nanosleep", "pow", "sched_yield"];
    let known = match system {
        System::Windows(_) => MINGW.contains(&name) || name.starts_with("pthread_"),
        System::Glibc(_) | System::Musl => GLIBC.contains(&name),
    };
    let of_compiler = name.starts_with("__") && !name.starts_with("__rust");
    // Not every compiler for musl brings an unwinder that works: the archive has its own.
    let unwinder = name.starts_with("_Unwind_") && system != System::Musl;
    known || unwinder || name == "_GLOBAL_OFFSET_TABLE_" || of_compiler
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libs::binary::Import;
    use crate::table::platform;

    const SCRIPT: &str = "PAYSVC_0.1 {\n    global:\n        paysvc_abi;\n    local:\n        *;\n};\n\n\
                          PAYSVC_0.2 {\n    global:\n        paysvc_new;\n} PAYSVC_0.1;\n";

    fn export(name: &str, version: &str) -> Export {
        Export { name: name.to_owned(), version: (!version.is_empty()).then(|| version.to_owned()) }
    }

    fn import(name: &str, version: &str, library: &str) -> Import {
        Import { name: name.to_owned(), version: Some(version.to_owned()), library: library.to_owned() }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn linux() -> Shared {
        Shared {
            is_64: true,
            soname: Some("libpaysvc.so.1".to_owned()),
            needed: words(&["libc.so.6", "ld-linux-x86-64.so.2"]),
            imports: vec![import("read", "GLIBC_2.2.5", ""), import("secure_getenv", "GLIBC_2.17", "")],
            exports: vec![export("paysvc_abi", "PAYSVC_0.1"), export("paysvc_new", "PAYSVC_0.2")],
            weak: words(&["__cxa_finalize", "_ITM_registerTMCloneTable", "statx"]),
            has_symbols: false,
            debug_link: Some(("libpaysvc.so.1.debug".to_owned(), 0x352441C2)),
        }
    }

    fn problems(target: &str, change: impl Fn(&mut Shared)) -> Vec<String> {
        let mut library = linux();
        change(&mut library);
        shared(platform(target).unwrap(), &declared(SCRIPT), 1, &library)
    }

    #[test]
    fn each_problem_of_a_linux_library_is_named() {
        let of = |change: fn(&mut Shared)| problems("x86_64-unknown-linux-gnu", change);
        assert_eq!(of(|_| ()), Vec::<String>::new());
        for (change, expected) in [
            (
                (|it| it.imports.push(import("pthread_create", "GLIBC_2.34", ""))) as fn(&mut Shared),
                "pthread_create needs glibc 2.34, newer than 2.17",
            ),
            (|it| it.imports.push(import("x", "GLIBC_PRIVATE", "")), "x needs glibc PRIVATE, newer than 2.17"),
            (
                |it| it.needed.push("libgcc_s.so.1".to_owned()),
                "it needs libgcc_s.so.1, which is not part of the system",
            ),
            (
                |it| it.needed.push("libstdc++.so.6".to_owned()),
                "it needs libstdc++.so.6, which is not part of the system",
            ),
            (|it| it.soname = None, "its soname is None, not libpaysvc.so.1"),
            (|it| it.exports.push(export("SSL_read", "")), "it exports SSL_read without a version"),
            (|it| it.exports.truncate(1), "it does not export paysvc_new with version PAYSVC_0.2"),
            (|it| it.weak.push("sdallocx".to_owned()), "sdallocx is weak, so that any library can define it"),
            (|it| it.is_64 = false, "it is not for 64 bits"),
            (|it| it.has_symbols = true, "it is not stripped"),
            (|it| it.debug_link = None, "it has no link to its debug file"),
        ] {
            assert_eq!(of(change), [expected]);
        }
        // The version of an older release is another promise.
        let moved = of(|it| it.exports[1] = export("paysvc_new", "PAYSVC_0.1"));
        assert_eq!(moved.len(), 2, "{moved:?}");
    }

    #[test]
    fn musl_has_one_library() {
        assert_eq!(
            problems("x86_64-unknown-linux-musl", |_| ()),
            ["libc.so.6", "ld-linux-x86-64.so.2"]
                .map(|name| format!("it needs {name}, which is not part of the system"))
        );
        assert!(problems("x86_64-unknown-linux-musl", |it| it.needed = words(&["libc.so"])).is_empty());
    }

    #[test]
    fn what_an_old_windows_lacks_is_named() {
        let windows = |it: &mut Shared| {
            it.needed = words(&["KERNEL32.dll", "WS2_32.dll"]);
            it.exports = vec![export("paysvc_abi", ""), export("paysvc_new", "")];
            it.imports = vec![import("recv", "", "WS2_32.dll")];
        };
        assert_eq!(problems("x86_64-pc-windows-gnu", windows), Vec::<String>::new());
        let newer = |it: &mut Shared| {
            windows(it);
            it.is_64 = false;
            it.needed.push("bcryptprimitives.dll".to_owned());
            it.imports.push(import("ProcessPrng", "", "bcryptprimitives.dll"));
            it.imports.push(import("WaitOnAddress", "", "KERNEL32.dll"));
        };
        assert_eq!(problems("i686-pc-windows-gnu", newer), Vec::<String>::new());
        assert_eq!(
            problems("i686-win7-windows-gnu", newer),
            [
                "it needs bcryptprimitives.dll, which is not part of the system",
                "ProcessPrng of bcryptprimitives.dll is not in Windows 7",
                "WaitOnAddress of KERNEL32.dll is not in Windows 7",
            ]
        );
        let foreign = problems("x86_64-pc-windows-gnu", |it| {
            windows(it);
            it.needed.push("libgcc_s_seh-1.dll".to_owned());
            it.exports.push(export("rust_panic", ""));
        });
        assert_eq!(
            foreign,
            ["it needs libgcc_s_seh-1.dll, which is not part of the system", "it exports rust_panic without a version"]
        );
    }

    #[test]
    fn an_archive_has_our_functions_alone_and_needs_the_system_alone() {
        let of = |target, library: &Archive| archive(platform(target).unwrap(), &declared(SCRIPT), library, &linux());
        let here = |library: &Archive| of("x86_64-unknown-linux-gnu", library);
        let globals = |names: &[&str]| Archive { is_64: true, globals: words(names), ..Archive::default() };
        let good = || globals(&["paysvc_abi", "paysvc_new"]);
        let undefined = |names: &[&str]| Archive { undefined: words(names), ..good() };
        let of_system = ["read", "_Unwind_Resume", "__tls_get_addr", "pthread_atfork"];
        assert_eq!(here(&undefined(&of_system)), Vec::<String>::new());
        assert_eq!(here(&globals(&["paysvc_abi"])), ["paysvc_new is missing"]);
        assert_eq!(here(&globals(&["paysvc_abi", "paysvc_new", "RSA_free"])), ["RSA_free is global"]);
        let weak = Archive { weak: words(&["gettid", "paysvc_unused_sdallocx", "sdallocx"]), ..good() };
        assert_eq!(here(&weak), ["sdallocx is weak, so that any library can define it"]);
        for name in ["aws_lc_0_47_0_BN_new", "_ZN3std6memoryE", "__rust_alloc", "write"] {
            assert_eq!(here(&undefined(&[name])), [format!("{name} is undefined, and not part of the system")]);
        }
        let of_musl = of("x86_64-unknown-linux-musl", &undefined(&["read", "_Unwind_Resume"]));
        assert_eq!(of_musl, ["_Unwind_Resume is undefined, and not part of the system"]);
        // On Windows with 32 bits C's names have an underscore, and imports a prefix, and some their size.
        let windows = Archive {
            is_64: false,
            globals: words(&["_paysvc_abi", "_paysvc_new"]),
            stubs: words(&["__imp__ProcessPrng@8"]),
            undefined: words(&["__imp__read@12", "_read", "__imp__ProcessPrng@8"]),
            weak: Vec::new(),
        };
        assert_eq!(of("i686-pc-windows-gnu", &windows), Vec::<String>::new());
    }

    #[test]
    fn a_debug_file_is_the_one_that_is_linked_to() {
        let library = linux();
        assert_eq!(
            debug_file(&library, "lib/debug/libpaysvc.so.1.debug", b"123456788"),
            ["lib/debug/libpaysvc.so.1.debug is not its debug file"]
        );
        assert_eq!(
            debug_file(&library, "lib/debug/a.debug", b"hello"),
            ["its debug file is libpaysvc.so.1.debug, not lib/debug/a.debug"]
        );
        assert!(debug_file(&library, "lib/debug/libpaysvc.so.1.debug", b"abc").is_empty());
    }

    #[test]
    fn a_function_that_is_loaded_by_name_is_found() {
        let of = |target, bytes: &[u8]| loaded_at_run_time(platform(target).unwrap(), bytes);
        let bytes = b"\0GetProcAddress\0ProcessPrng\0";
        assert!(of("i686-win7-windows-gnu", bytes).unwrap().contains("ProcessPrng"));
        assert_eq!(of("i686-win7-windows-gnu", b"\0ProcessPrngs\0"), None);
        assert_eq!(of("i686-pc-windows-gnu", bytes), None);
    }
}
