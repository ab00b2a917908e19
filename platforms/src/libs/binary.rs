//! The contents of a library's file: needed libraries, imports, exports, symbols.
//!
//! The `object` crate reads ELF, PE, COFF and archives alike, for every processor; Rust's own backtraces use it as
//! well. The tools for that, readelf and each target's objdump, print text for people.

use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile, FileHeader};
use object::{
    AddressSize, Endianness, ExportFlags, File, ImportFlags, NameOrOrdinal, Object as _, ObjectSection as _,
    ObjectSymbol as _, elf,
};

/// A shared library.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Shared {
    pub is_64: bool,
    pub soname: Option<String>,
    pub needed: Vec<String>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// The names of the imports that it can do without.
    pub weak: Vec<String>,
    /// True if there are symbols or lines for debuggers.
    pub has_symbols: bool,
    /// The name of the debug file, and the checksum that it must have.
    pub debug_link: Option<(String, u32)>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Import {
    pub name: String,
    /// The version of the symbol, such as GLIBC_2.17.
    pub version: Option<String>,
    /// The library it comes from, on Windows.
    pub library: String,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Export {
    pub name: String,
    pub version: Option<String>,
}

/// A static library.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Archive {
    pub is_64: bool,
    /// The names of the global symbols that it defines.
    pub globals: Vec<String>,
    /// The names that parts of import libraries define, which Rust's standard library brings along on Windows.
    pub stubs: Vec<String>,
    /// The names of the symbols that a program must have in order to link it; weak ones do not count.
    pub undefined: Vec<String>,
    /// The names of those that it can do without.
    pub weak: Vec<String>,
}

pub fn shared(bytes: &[u8]) -> Result<Shared, String> {
    read_shared(bytes).map_err(|error| error.to_string())
}

fn read_shared(bytes: &[u8]) -> object::Result<Shared> {
    let file = File::parse(bytes)?;
    let mut shared = Shared { is_64: file.is_64(), soname: soname(&file)?, ..Shared::default() };
    for library in file.import_libraries()? {
        shared.needed.push(text(library?.name()));
    }
    for import in file.imports()? {
        let import = import?;
        let version = match import.flags() {
            ImportFlags::Elf { version, .. } => version.map(text),
            _ => None,
        };
        shared.imports.push(Import { name: name(import.name()), version, library: text(import.library()) });
    }
    for export in file.exports()? {
        let export = export?;
        let version = match export.flags() {
            ExportFlags::Elf { version, .. } => version.map(text),
            _ => None,
        };
        shared.exports.push(Export { name: name(export.name()), version });
    }
    // The names of the versions themselves are exported, too.
    shared.exports.retain(|export| export.version.as_ref() != Some(&export.name));
    let weak = file.dynamic_symbols().filter(|symbol| symbol.is_undefined() && symbol.is_weak());
    shared.weak = weak.map(|symbol| symbol.name().map(str::to_owned)).collect::<object::Result<_>>()?;
    shared.has_symbols = file.has_debug_symbols() || file.symbols().next().is_some();
    if let Some(section) = file.section_by_name(".gnu_debuglink") {
        shared.debug_link = debug_link(section.data()?);
    }
    Ok(shared)
}

/// A name that ends with a zero byte, and a checksum after as many of them as its alignment needs.
fn debug_link(section: &[u8]) -> Option<(String, u32)> {
    let name = section.split(|&byte| byte == 0).next()?;
    let at = (name.len() + 1).next_multiple_of(4);
    let checksum = section.get(at..at + 4)?;
    Some((text(name), u32::from_le_bytes(checksum.try_into().ok()?)))
}

fn soname(file: &File) -> object::Result<Option<String>> {
    match file {
        File::Elf32(file) => elf_soname(file),
        File::Elf64(file) => elf_soname(file),
        _ => Ok(None),
    }
}

fn elf_soname<Elf: FileHeader<Endian = Endianness>>(file: &ElfFile<Elf>) -> object::Result<Option<String>> {
    let table = file.elf_dynamic_table()?;
    let entry = table.iter().find(|entry| entry.tag == elf::DT_SONAME);
    entry.map(|entry| table.string(entry).map(text)).transpose()
}

pub fn archive(bytes: &[u8]) -> Result<Archive, String> {
    read_archive(bytes).map_err(|error| error.to_string())
}

fn read_archive(bytes: &[u8]) -> object::Result<Archive> {
    let members = ArchiveFile::parse(bytes)?;
    let mut archive = Archive::default();
    for member in members.members() {
        let file = File::parse(member?.data(bytes)?)?;
        archive.is_64 = file.architecture().address_size() == Some(AddressSize::U64);
        let is_stub = file.sections().any(|section| section.name().is_ok_and(|name| name.starts_with(".idata$")));
        for symbol in file.symbols() {
            let name = symbol.name()?;
            if symbol.is_undefined() && !name.is_empty() {
                if symbol.is_weak() { &mut archive.weak } else { &mut archive.undefined }.push(name.to_owned());
            } else if symbol.is_global() && symbol.is_definition() {
                if is_stub { &mut archive.stubs } else { &mut archive.globals }.push(name.to_owned());
            }
        }
    }
    Ok(archive)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn name(name: NameOrOrdinal<&[u8]>) -> String {
    match name {
        NameOrOrdinal::Name(name) => text(name),
        NameOrOrdinal::Ordinal(number) => format!("number {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debug_link_is_a_name_and_a_checksum() {
        assert_eq!(debug_link(b"abc\0\x01\x02\x03\x04"), Some(("abc".to_owned(), 0x0403_0201)));
        assert_eq!(debug_link(b"abcd\0\0\0\0\x01\0\0\0"), Some(("abcd".to_owned(), 1)));
        assert_eq!(debug_link(b"abcd\0\0\0\0\x01\0"), None);
    }

    #[test]
    fn what_is_no_library_is_an_error() {
        assert!(shared(b"not a library").is_err());
        assert!(archive(b"not an archive").is_err());
    }
}
