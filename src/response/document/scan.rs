//! From text to the places of its values, in one pass and without recursion.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Document, ESCAPED, MAX_VALUES, NO_NAME, Node, ScanError};

/// Bytes read between two looks at the clock: tens of microseconds.
const STEP: usize = 64 * 1024;
/// Longer than nearly every name and text of an answer; a multiple of eight.
const SHORT: usize = 32;
/// Objects up to this size are searched for equal names pair by pair.
const FEW: usize = 16;
/// As many values as nearly every answer has.
const USUAL_VALUES: usize = 64;

pub struct Scanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Where the clock is looked at next.
    look: usize,
    stop: &'s dyn Fn() -> bool,
    nodes: Vec<Node>,
    /// The containers that are not closed yet.
    open: Vec<u32>,
    /// Of the value that comes next.
    name: (u32, u32),
    has_twice: bool,
}

/// How many bytes stand for themselves within a string: all but quotation marks, backslashes and control characters.
/// Eight are looked at together.
pub fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // The lowest marked byte is right; one above it may be marked by its borrow, which does not matter.
    let below = |word: u64, least: u64| word.wrapping_sub(ONES * least) & !word & TOPS;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
        let slashes = below(word ^ (ONES * u64::from(b'\\')), 1);
        let special = quotes | slashes | below(word, 0x20);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\').unwrap_or(rest.len())
}

impl<'t, 's> Scanner<'t, 's> {
    pub fn new(text: &'t str, stop: &'s dyn Fn() -> bool) -> Scanner<'t, 's> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            look: STEP,
            stop,
            nodes: Vec::new(),
            open: Vec::new(),
            name: (NO_NAME, NO_NAME),
            has_twice: false,
        }
    }

    pub fn document(mut self) -> Result<Document, ScanError> {
        self.nodes.try_reserve(USUAL_VALUES).map_err(|_| ScanError::NoMemory)?;
        self.run()?;
        Ok(Document { nodes: self.nodes, has_twice: self.has_twice })
    }

    fn run(&mut self) -> Result<(), ScanError> {
        loop {
            self.blanks()?;
            let index = self.push()?;
            match self.byte() {
                Some(open @ (b'{' | b'[')) => {
                    self.at += 1;
                    self.open.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
                    self.open.push(index);
                    self.blanks()?;
                    if self.byte() != Some(open + 2) {
                        if open == b'{' {
                            self.member_name()?;
                        }
                        continue;
                    }
                    self.at += 1;
                    self.close()?;
                }
                Some(b'"') => {
                    self.string()?;
                    self.end(index);
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.number()?;
                    self.end(index);
                }
                Some(b't') => self.literal(b"true", index)?,
                Some(b'f') => self.literal(b"false", index)?,
                Some(b'n') => self.literal(b"null", index)?,
                _ => return Err(ScanError::Syntax),
            }
            if self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Closes what ends behind a value; `true` at the end of the document, else another value follows.
    fn after_value(&mut self) -> Result<bool, ScanError> {
        loop {
            self.blanks()?;
            let Some(&container) = self.open.last() else {
                return if self.at == self.bytes.len() { Ok(true) } else { Err(ScanError::Syntax) };
            };
            let open = self.bytes[self.nodes[container as usize].start as usize];
            match self.byte() {
                Some(b',') => {
                    self.at += 1;
                    if open == b'{' {
                        self.blanks()?;
                        self.member_name()?;
                    }
                    return Ok(false);
                }
                // In ASCII the closing bracket is two behind the opening one, for both kinds.
                Some(byte) if byte == open + 2 => {
                    self.at += 1;
                    self.close()?;
                }
                _ => return Err(ScanError::Syntax),
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn look(&mut self) -> Result<(), ScanError> {
        if self.at < self.look {
            return Ok(());
        }
        self.look = self.at + STEP;
        if (self.stop)() { Err(ScanError::Stopped) } else { Ok(()) }
    }

    fn blanks(&mut self) -> Result<(), ScanError> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
            self.look()?;
        }
        Ok(())
    }

    fn push(&mut self) -> Result<u32, ScanError> {
        self.look()?;
        let index = self.nodes.len();
        if index == MAX_VALUES {
            return Err(ScanError::TooMany);
        }
        self.nodes.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
        let (name, name_end) = std::mem::replace(&mut self.name, (NO_NAME, NO_NAME));
        let start = self.at as u32;
        self.nodes.push(Node { start, end: start, next: index as u32 + 1, name, name_end });
        Ok(index as u32)
    }

    fn end(&mut self, index: u32) {
        self.nodes[index as usize].end = self.at as u32;
    }

    fn close(&mut self) -> Result<(), ScanError> {
        let index = self.open.pop().expect("a container is open");
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[index as usize];
        (node.end, node.next) = (self.at as u32, next);
        if self.bytes[node.start as usize] == b'{' && !self.has_twice {
            self.has_twice = self.names_twice(index)?;
        }
        Ok(())
    }

    /// Whether the object has two members of one name.
    fn names_twice(&self, object: u32) -> Result<bool, ScanError> {
        let end = self.nodes[object as usize].next;
        // Length and first byte tell most names apart.
        let mut keys = [0_u32; FEW];
        let mut names = [0_u32; FEW];
        let (mut count, mut index) = (0, object + 1);
        while index < end {
            let node = self.nodes[index as usize];
            if count == FEW || node.name & ESCAPED != 0 {
                return self.many_names_twice(object + 1, end);
            }
            let name = self.plain_name(index);
            let key = (name.len() as u32) << 8 | u32::from(name.first().copied().unwrap_or_default());
            let same = |known: usize| keys[known] == key && self.plain_name(names[known]) == name;
            if (0..count).any(same) {
                return Ok(true);
            }
            (keys[count], names[count]) = (key, index);
            (count, index) = (count + 1, node.next);
        }
        Ok(false)
    }

    fn plain_name(&self, index: u32) -> &[u8] {
        let node = self.nodes[index as usize];
        &self.bytes[node.name as usize..node.name_end as usize]
    }

    fn many_names_twice(&self, first: u32, end: u32) -> Result<bool, ScanError> {
        let mut names: HashSet<Cow<'_, str>> = HashSet::new();
        let (mut index, mut count) = (first, 0_usize);
        while index < end {
            let node = self.nodes[index as usize];
            names.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
            if node.name(self.text).is_some_and(|name| !names.insert(name)) {
                return Ok(true);
            }
            count += 1;
            if count.is_multiple_of(4096) && (self.stop)() {
                return Err(ScanError::Stopped);
            }
            index = node.next;
        }
        Ok(false)
    }

    /// A member's name and its colon.
    fn member_name(&mut self) -> Result<(), ScanError> {
        if self.byte() != Some(b'"') {
            return Err(ScanError::Syntax);
        }
        let start = self.at as u32 + 1;
        let escaped = self.string()?;
        self.name = (if escaped { start | ESCAPED } else { start }, self.at as u32 - 1);
        self.blanks()?;
        if self.byte() != Some(b':') {
            return Err(ScanError::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// From one quotation mark to behind the other; whether there is an escape within.
    fn string(&mut self) -> Result<bool, ScanError> {
        self.at += 1;
        // Nearly every string is short and plain.
        if let Some(start) = self.bytes.get(self.at..self.at + SHORT) {
            let length = plain_bytes(start);
            if start.get(length) == Some(&b'"') {
                self.at += length + 1;
                return Ok(false);
            }
        }
        self.long_string()
    }

    fn long_string(&mut self) -> Result<bool, ScanError> {
        let mut escaped = false;
        loop {
            let end = self.bytes.len().min(self.at + STEP);
            self.at += plain_bytes(&self.bytes[self.at..end]);
            self.look()?;
            if self.at == end && end < self.bytes.len() {
                continue;
            }
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(ScanError::Syntax),
            }
        }
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6).ok_or(ScanError::Syntax)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(ScanError::Syntax);
                }
                self.at += 6;
            }
            _ => return Err(ScanError::Syntax),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
            self.look()?;
        }
        if self.at > start { Ok(()) } else { Err(ScanError::Syntax) }
    }

    fn number(&mut self) -> Result<(), ScanError> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn literal(&mut self, word: &[u8], index: u32) -> Result<(), ScanError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(ScanError::Syntax);
        }
        self.at += word.len();
        self.end(index);
        Ok(())
    }
}
