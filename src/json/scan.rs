//! Finds the positions of the values of a JSON text, in one pass and without recursion. Accepts exactly the texts of
//! RFC 8259.

use std::borrow::Cow;
use std::collections::HashSet;

use super::given;
use crate::util::text::bytes_before;

/// The name of a value that is not a field.
const NO_NAME: u32 = u32::MAX;
/// Set in the start of a name and in the end of a text that contain an escape. No text is long enough to need this bit.
pub const ESCAPED: u32 = 1 << 31;

/// Bytes that are read between two checks of the deadline: tens of microseconds.
const STEP: usize = 64 * 1024;
/// Nearly every document has at most this many values, and none for fewer bytes than this.
const USUAL_VALUES: usize = 64;
const USUAL_BYTES: usize = 16;
/// Length in bytes of nearly every name and text, and a multiple of eight.
const SHORT: usize = 32;
/// Objects of up to this many fields are compared pair by pair.
const FEW: usize = 16;

/// The reason why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// Not exactly one JSON document.
    Syntax,
    /// More than [`crate::json::MAX_VALUES`].
    TooMany,
    NoMemory,
    /// The caller asked to stop.
    Stopped,
}

/// A value. Offsets are in the text; `next` is the index of the value after this one and its contents.
#[derive(Clone, Copy)]
pub struct Node {
    pub start: u32,
    end: u32,
    pub next: u32,
    pub name: u32,
    pub name_end: u32,
}

impl Node {
    pub fn raw(self, text: &str) -> &str {
        &text[self.start as usize..(self.end & !ESCAPED) as usize]
    }

    /// The text of a string without its quotation marks, as it is written.
    pub fn inner(self, text: &str) -> &str {
        &text[self.start as usize + 1..(self.end & !ESCAPED) as usize - 1]
    }

    /// Returns whether it is a string with an escape.
    pub fn is_escaped(self) -> bool {
        self.end & ESCAPED != 0
    }

    /// The name of a field; `None` if it has an unpaired surrogate, or if there is not enough memory for it.
    pub fn exact_name(self, text: &str) -> Option<Cow<'_, str>> {
        let start = self.name & !ESCAPED;
        match self.name & ESCAPED {
            0 => Some(Cow::Borrowed(&text[start as usize..self.name_end as usize])),
            _ => given::text(&text[start as usize - 1..=self.name_end as usize]),
        }
    }

    /// An unpaired surrogate stays as it is written.
    #[inline]
    pub fn name(self, text: &str) -> Option<Cow<'_, str>> {
        let raw = |start: u32| Cow::Borrowed(&text[start as usize..self.name_end as usize]);
        match self.name {
            NO_NAME => None,
            start if start & ESCAPED == 0 => Some(raw(start)),
            start => Some(self.exact_name(text).unwrap_or_else(|| raw(start & !ESCAPED))),
        }
    }

    /// The name as a C text: unescaped, but as it is written if it contains a NUL, which would end the text early.
    pub fn c_name(self, text: &str) -> Option<Cow<'_, str>> {
        let name = self.name(text)?;
        match &name {
            // Only an escape writes a NUL.
            Cow::Owned(unescaped) if unescaped.contains('\0') => {
                Some(Cow::Borrowed(&text[(self.name & !ESCAPED) as usize..self.name_end as usize]))
            }
            _ => Some(name),
        }
    }
}

pub struct Scanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    /// The position up to which it has been read.
    pub at: usize,
    /// The position of the next check of the deadline.
    next_check: usize,
    stop: &'s dyn Fn() -> bool,
    most: usize,
    pub nodes: Vec<Node>,
    /// The containers that have not been closed yet, and how each was opened.
    open: Vec<(u32, u8)>,
    name: (u32, u32),
    pub names: Names,
    /// The number of values that the deepest one is within, itself included.
    pub depth: usize,
}

/// Unusual properties of the fields' names.
#[derive(Clone, Copy, Default)]
pub struct Names {
    /// An object has two fields with the same name.
    pub has_duplicates: bool,
    pub has_escapes: bool,
}

impl<'t, 's> Scanner<'t, 's> {
    /// It stops at a text of more values than `most`.
    pub fn new(text: &'t str, stop: &'s dyn Fn() -> bool, most: usize) -> Scanner<'t, 's> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            next_check: STEP,
            stop,
            most,
            nodes: Vec::new(),
            open: Vec::new(),
            name: (NO_NAME, NO_NAME),
            names: Names::default(),
            depth: 1,
        }
    }

    pub fn scan(&mut self) -> Result<(), ScanError> {
        if self.bytes.len() >= ESCAPED as usize {
            return Err(ScanError::TooMany);
        }
        let usual = USUAL_VALUES.min(self.bytes.len() / USUAL_BYTES + 2);
        self.nodes.try_reserve(usual).map_err(|_| ScanError::NoMemory)?;
        self.run()
    }

    fn run(&mut self) -> Result<(), ScanError> {
        loop {
            self.blanks()?;
            let index = self.push()?;
            match self.byte() {
                Some(open @ (b'{' | b'[')) => {
                    self.at += 1;
                    self.open.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
                    self.open.push((index, open));
                    self.blanks()?;
                    if self.byte() != Some(open + 2) {
                        self.depth = self.depth.max(self.open.len() + 1);
                        if open == b'{' {
                            self.member_name()?;
                        }
                        continue;
                    }
                    self.at += 1;
                    self.close()?;
                }
                Some(b'"') => {
                    let escaped = self.string()?;
                    self.end(index);
                    if escaped {
                        self.nodes[index as usize].end |= ESCAPED;
                    }
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

    /// Closes the containers that end after a value; `true` at the end of the document, otherwise another value
    /// follows.
    fn after_value(&mut self) -> Result<bool, ScanError> {
        loop {
            self.blanks()?;
            let Some(&(_, open)) = self.open.last() else {
                return if self.at == self.bytes.len() { Ok(true) } else { Err(ScanError::Syntax) };
            };
            match self.byte() {
                Some(b',') => {
                    self.at += 1;
                    if open == b'{' {
                        self.blanks()?;
                        self.member_name()?;
                    }
                    return Ok(false);
                }
                // In ASCII, `}` is `{` + 2, and `]` is `[` + 2.
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

    fn check_deadline(&mut self) -> Result<(), ScanError> {
        if self.at < self.next_check {
            return Ok(());
        }
        self.next_check = self.at + STEP;
        if (self.stop)() { Err(ScanError::Stopped) } else { Ok(()) }
    }

    fn blanks(&mut self) -> Result<(), ScanError> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
            self.check_deadline()?;
        }
        Ok(())
    }

    fn push(&mut self) -> Result<u32, ScanError> {
        self.check_deadline()?;
        let (name, name_end) = std::mem::replace(&mut self.name, (NO_NAME, NO_NAME));
        let index = self.nodes.len();
        if index == self.most {
            return Err(ScanError::TooMany);
        }
        self.nodes.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
        let start = self.at as u32;
        self.nodes.push(Node { start, end: start, next: index as u32 + 1, name, name_end });
        Ok(index as u32)
    }

    fn end(&mut self, index: u32) {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[index as usize];
        (node.end, node.next) = (self.at as u32, next);
    }

    fn close(&mut self) -> Result<(), ScanError> {
        let (index, open) = self.open.pop().expect("a container is open");
        self.end(index);
        if open == b'{' && !self.names.has_duplicates {
            self.names.has_duplicates = self.has_duplicate(index)?;
        }
        Ok(())
    }

    /// Reads a field's name and the colon.
    #[inline]
    fn member_name(&mut self) -> Result<(), ScanError> {
        if self.byte() != Some(b'"') {
            return Err(ScanError::Syntax);
        }
        let start = self.at as u32 + 1;
        let escaped = self.string()?;
        self.names.has_escapes |= escaped;
        self.name = (if escaped { start | ESCAPED } else { start }, self.at as u32 - 1);
        self.blanks()?;
        if self.byte() != Some(b':') {
            return Err(ScanError::Syntax);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string with its quotation marks; returns whether it contains an escape.
    #[inline]
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

    #[inline(never)]
    fn long_string(&mut self) -> Result<bool, ScanError> {
        let mut escaped = false;
        loop {
            let end = self.bytes.len().min(self.at + STEP);
            let part = &self.bytes[self.at..end];
            // For a long text, a fold is vectorised.
            let plain = &part[..memchr::memchr2(b'"', b'\\', part).unwrap_or(part.len())];
            let is_plain = plain.iter().fold(true, |all, byte| all & (*byte >= 0x20));
            self.at += if is_plain { plain.len() } else { plain_bytes(plain) };
            self.check_deadline()?;
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
            self.check_deadline()?;
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

    fn has_duplicate(&self, object: u32) -> Result<bool, ScanError> {
        let end = self.nodes[object as usize].next;
        // Length and first byte distinguish most names, so few are compared.
        let mut seen = [0_u64; 4];
        let (mut count, mut index) = (0, object + 1);
        while index < end {
            let node = self.nodes[index as usize];
            if count == FEW || node.name & ESCAPED != 0 {
                return self.many_have_duplicate(object + 1, end);
            }
            let name = self.plain_name(node);
            let key = name.len() * 31 + usize::from(name.first().copied().unwrap_or_default());
            let (word, bit) = (key / 64 % seen.len(), 1 << (key % 64));
            if seen[word] & bit != 0 && self.is_named_before(object + 1, index, name) {
                return Ok(true);
            }
            seen[word] |= bit;
            (count, index) = (count + 1, node.next);
        }
        Ok(false)
    }

    /// Returns whether a sibling before `end` has the name; none of them has an escape.
    fn is_named_before(&self, first: u32, end: u32, name: &[u8]) -> bool {
        let next = |node: &Node| self.nodes.get(node.next as usize).copied();
        let siblings = std::iter::successors(self.nodes.get(first as usize).copied(), next);
        siblings.take_while(|node| node.next <= end).any(|node| self.plain_name(node) == name)
    }

    fn plain_name(&self, node: Node) -> &[u8] {
        &self.bytes[node.name as usize..node.name_end as usize]
    }

    fn many_have_duplicate(&self, first: u32, end: u32) -> Result<bool, ScanError> {
        let mut names: HashSet<Cow<'_, str>> = HashSet::new();
        let (mut index, mut count, mut halves) = (first, 0_usize, 0);
        while index < end {
            let node = self.nodes[index as usize];
            names.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
            if let Some(name) = node.name(self.text) {
                // Half of a surrogate pair stays as it is written. Two such names may be one in two spellings.
                halves += usize::from(node.name & ESCAPED != 0 && matches!(name, Cow::Borrowed(_)));
                if halves == 2 || !names.insert(name) {
                    return Ok(true);
                }
            }
            count += 1;
            if count.is_multiple_of(4096) && (self.stop)() {
                return Err(ScanError::Stopped);
            }
            index = node.next;
        }
        Ok(false)
    }
}

/// Counts the bytes at the beginning that are plain text in a string: no quotation marks, backslashes and control characters.
pub fn plain_bytes(bytes: &[u8]) -> usize {
    bytes_before(bytes, [b'"', b'\\'])
}
