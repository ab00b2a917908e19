//! The memory of another process, searched while it waits.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// As `tests/c/arena.c` names its memory.
const ARENA: &str = "paysvc-arena";

/// The memory that is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// The library's allocations, under `tests/c/arena.c`, and its variables.
    Library,
    /// Everything that the process can write to.
    Process,
}

/// Something that must be nowhere, in each form it could have taken.
pub struct Needles {
    names: Vec<String>,
    searcher: AhoCorasick,
}

impl Needles {
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a (&'a str, String)>) -> Needles {
        let (mut names, mut forms) = (Vec::new(), Vec::new());
        for (name, secret) in secrets {
            for (form, bytes) in all_forms(secret) {
                names.push(format!("{name} {form}"));
                forms.push(bytes);
            }
        }
        Needles { names, searcher: AhoCorasick::builder().ascii_case_insensitive(false).build(&forms).unwrap() }
    }

    /// The names of what was found, each once.
    pub fn found_in(&self, bytes: &[u8]) -> Vec<String> {
        let mut found: Vec<_> = self
            .searcher
            .find_overlapping_iter(bytes)
            .map(|hit| self.names[hit.pattern().as_usize()].clone())
            .collect();
        found.sort();
        found.dedup();
        found
    }
}

/// The text as it is, encoded, and as people and clever services space and write digits.
fn all_forms(secret: &str) -> Vec<(&'static str, Vec<u8>)> {
    let bytes = secret.as_bytes();
    let joined = |separator: &str, size: usize| {
        bytes.chunks(size).map(String::from_utf8_lossy).collect::<Vec<_>>().join(separator).into_bytes()
    };
    let each = |one: &dyn Fn(&u8) -> String| bytes.iter().map(one).collect::<String>().into_bytes();
    let mut forms = vec![
        ("in clear", bytes.to_vec()),
        ("in hex", each(&|byte| format!("{byte:02x}"))),
        ("in HEX", each(&|byte| format!("{byte:02X}"))),
        ("percent-encoded", each(&|byte| format!("%{byte:02X}"))),
        ("in UTF-16", bytes.iter().flat_map(|&byte| [byte, 0]).collect()),
        ("spaced by one", joined(" ", 1)),
        ("spaced by four", joined(" ", 4)),
        ("with dashes", joined("-", 4)),
        ("with tabs", joined("\t", 4)),
        ("with dots", joined(".", 4)),
        ("with slashes", joined("/", 4)),
        ("with no-break blanks", joined("\u{a0}", 4)),
        ("with thin blanks", joined("\u{2009}", 4)),
        ("with en dashes", joined("\u{2013}", 4)),
        ("with zero-width spaces", joined("\u{200b}", 1)),
        ("with right-to-left marks", joined("\u{200f}", 4)),
        ("in full-width digits", in_digits_from(secret, 0xff10)),
        ("in Arabic-Indic digits", in_digits_from(secret, 0x660)),
        ("backwards", bytes.iter().rev().copied().collect()),
    ];
    // In base64 it looks different at each of three places within a longer text; what its neighbours change is left off.
    for (offset, name) in ["in base64", "in base64, one later", "in base64, two later"].into_iter().enumerate() {
        let shifted = [vec![0; offset], bytes.to_vec()].concat();
        let text = STANDARD_NO_PAD.encode(&shifted[..shifted.len() / 3 * 3]);
        forms.push((name, text.as_bytes()[if offset == 0 { 0 } else { 4 }..].to_vec()));
    }
    // Too short a piece would be found in anything.
    forms.retain(|(_, form)| form.len() >= 6);
    forms
}

/// The text with the digits of another script, of which this is the zero; nothing where it has none.
fn in_digits_from(secret: &str, zero: u32) -> Vec<u8> {
    if !secret.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let digit = |c: char| c.to_digit(10).and_then(|digit| char::from_u32(zero + digit)).unwrap_or(c);
    secret.chars().map(digit).collect::<String>().into_bytes()
}

/// Searches the memory of a process that waits; gives what was found where, and how many bytes were searched.
pub fn search(process: u32, whose: Whose, needles: &Needles) -> (Vec<String>, u64) {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let mut memory = File::open(format!("/proc/{process}/mem")).unwrap();
    let arena = maps.lines().find(|line| line.contains(ARENA)).map(|line| range(line).0);
    let [arena_used, end_of_library] = arena.map_or([0, u64::MAX], |start| words(&mut memory, start));
    assert!(
        end_of_library > 0,
        "the arena does not tell where the library ends, so not all of its variables are searched"
    );
    let (mut found, mut searched, mut after_library) = (Vec::new(), 0, 0);
    for line in maps.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        let (rights, name) = (fields[1], fields.get(5).copied().unwrap_or(""));
        let (start, mut end) = range(line);
        let is_arena = name.contains(ARENA);
        let is_library = name.contains("libpaysvc.so");
        if is_library {
            after_library = end;
        }
        // The mapping that follows without a name has the library's variables that start as zero.
        let is_zeroed = name.is_empty() && start == after_library && start < end_of_library;
        let wanted = is_arena || is_library || is_zeroed || whose == Whose::Process;
        if !rights.starts_with("rw") || !wanted || name.starts_with("[vvar") {
            continue;
        }
        if is_arena {
            end = start + arena_used;
        } else if is_zeroed && whose == Whose::Library {
            end = end.min(end_of_library);
        }
        memory.seek(SeekFrom::Start(start)).unwrap();
        let mut bytes = vec![0; (end - start) as usize];
        memory.read_exact(&mut bytes).unwrap_or_else(|error| panic!("{line}: {error}"));
        searched += bytes.len() as u64;
        let what = if is_arena {
            "the library's heap"
        } else if name.is_empty() {
            "unnamed memory"
        } else {
            name
        };
        found.extend(needles.found_in(&bytes).into_iter().map(|needle| format!("{needle} in {what}")));
    }
    assert!(searched > 0, "no memory of the library was found in {maps}");
    found.dedup();
    (found, searched)
}

/// Where the memory of a line of maps starts and ends.
fn range(line: &str) -> (u64, u64) {
    let (start, end) = line.split_once(' ').and_then(|(range, _)| range.split_once('-')).unwrap();
    (number(start), number(end))
}

fn number(hex: &str) -> u64 {
    u64::from_str_radix(hex, 16).unwrap()
}

/// The first two words of the arena.
fn words(memory: &mut File, start: u64) -> [u64; 2] {
    let mut bytes = [0; 16];
    memory.seek(SeekFrom::Start(start)).unwrap();
    memory.read_exact(&mut bytes).unwrap();
    [0, 8].map(|at| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap()))
}
