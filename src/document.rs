//! One JSON document, read once: where every value starts and ends, so that whoever asks for one follows its path
//! instead of reading the bytes again. Pure.
//!
//! Accepts exactly what RFC 8259 calls a JSON text. Numbers and text stay as they were written.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::json::{self, Type};

/// Most values of one answer. 500 mandates are 3,000; a million take 20 MB.
pub const MAX_VALUES: usize = 1_000_000;
/// Bytes read between two looks at the clock: tens of microseconds.
const STEP: usize = 64 * 1024;
/// Longer than nearly every name and text of an answer; a multiple of eight.
const SHORT: usize = 32;
/// Objects up to this size are searched for equal names pair by pair.
const FEW: usize = 16;
/// How many steps a pointer may have; the deepest answer has 4 levels.
const MAX_STEPS: usize = 128;
/// Stands for the name of what has none.
const NO_NAME: u32 = u32::MAX;
/// Marks the start of a name that holds an escape; no text is long enough to need this bit.
const ESCAPED: u32 = 1 << 31;

/// Why a text could not be read.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanError {
    /// Not one JSON document and nothing else.
    Syntax,
    /// More than [`MAX_VALUES`].
    TooMany,
    NoMemory,
    /// The caller asked to stop.
    Stopped,
}

/// One value. Offsets are of the text; `next` is the value behind this one and all it holds.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    next: u32,
    name: u32,
    name_end: u32,
}

impl Node {
    /// Half of a surrogate pair stays as it was written.
    fn name(self, text: &str) -> Option<Cow<'_, str>> {
        if self.name == NO_NAME {
            return None;
        }
        let raw = |start: u32| &text[start as usize..self.name_end as usize];
        if self.name & ESCAPED == 0 {
            return Some(Cow::Borrowed(raw(self.name)));
        }
        let start = self.name & !ESCAPED;
        let quoted = &text[start as usize - 1..=self.name_end as usize];
        Some(json::unescaped(quoted).unwrap_or(Cow::Borrowed(raw(start))))
    }
}

/// Where the values of a text stand. The text itself is kept by whoever had it read.
pub struct Document {
    nodes: Vec<Node>,
    has_twice: bool,
}

impl Document {
    /// Reads the text once, and asks every few kilobytes whether to stop.
    pub fn scan(text: &str, stop: &dyn Fn() -> bool) -> Result<Document, ScanError> {
        if text.len() >= ESCAPED as usize {
            return Err(ScanError::TooMany);
        }
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            look: STEP,
            stop,
            nodes: Vec::new(),
            open: Vec::new(),
            name: (NO_NAME, NO_NAME),
            has_twice: false,
        };
        scanner.nodes.try_reserve(64).map_err(|_| ScanError::NoMemory)?;
        scanner.run()?;
        Ok(Document { nodes: scanner.nodes, has_twice: scanner.has_twice })
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether any object names a member twice, compared after unescaping: two readers would disagree on it.
    pub fn has_twice(&self) -> bool {
        self.has_twice
    }

    /// The whole document; `text` is what was scanned.
    pub fn root<'d>(&'d self, text: &'d str) -> Value<'d> {
        Value { document: self, text, index: 0 }
    }

    /// Every value at every depth, in the order of the text.
    pub fn values<'d>(&'d self, text: &'d str) -> impl Iterator<Item = Value<'d>> {
        (0..self.nodes.len() as u32).map(move |index| Value { document: self, text, index })
    }
}

/// A value of a document.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    text: &'d str,
    index: u32,
}

impl<'d> Value<'d> {
    fn node(self) -> Node {
        self.document.nodes[self.index as usize]
    }

    /// Its number among all values of the document.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// As it stands in the text.
    pub fn raw(self) -> &'d str {
        let node = self.node();
        &self.text[node.start as usize..node.end as usize]
    }

    pub fn kind(self) -> Type {
        Type::of_byte(self.text.as_bytes()[self.node().start as usize])
    }

    /// How long the name of a member is; `None` where there is none, or an escape in it leaves that open.
    pub fn plain_name_len(self) -> Option<usize> {
        let node = self.node();
        (node.name & ESCAPED == 0).then(|| (node.name_end - node.name) as usize)
    }

    /// The name of a member of an object, unescaped.
    pub fn name(self) -> Option<Cow<'d, str>> {
        self.node().name(self.text)
    }

    /// Members of an object or elements of an array; nothing of anything else.
    pub fn children(self) -> Children<'d> {
        let container = matches!(self.kind(), Type::Object | Type::Array);
        let end = if container { self.node().next } else { self.index + 1 };
        Children { document: self.document, text: self.text, index: self.index + 1, end }
    }

    /// The member of that name. `None` when it stands there twice.
    pub fn member(self, name: &str) -> Option<Value<'d>> {
        if self.kind() != Type::Object {
            return None;
        }
        let fits = |child: &Value<'_>| child.plain_name_len().is_none_or(|length| length == name.len());
        let mut found = self.children().filter(|child| fits(child) && child.name().is_some_and(|found| found == name));
        found.next().filter(|_| found.next().is_none())
    }

    /// The text of a string; `None` for anything else, for half of a surrogate pair, and without memory for it.
    pub fn text(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Text => json::unescaped(self.raw()),
            _ => None,
        }
    }

    /// The beginning of a string, at most that many bytes of it as written: a message may be megabytes long.
    pub fn text_start(self, most: usize) -> Option<Cow<'d, str>> {
        if self.kind() != Type::Text {
            return None;
        }
        let raw = self.raw();
        if raw.len() <= most {
            return json::unescaped(raw);
        }
        let inner = &raw[1..raw.len() - 1];
        let mut end = (0..=most).rev().find(|&end| inner.is_char_boundary(end)).unwrap_or(0);
        // A cut must not fall into an escape.
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', &inner.as_bytes()[at..end]) {
            let escape = at + found;
            let length = if inner.as_bytes()[escape + 1] == b'u' { 6 } else { 2 };
            if escape + length > end {
                end = escape;
                break;
            }
            at = escape + length;
        }
        json::unescaped(&format!("\"{}\"", &inner[..end])).map(|text| Cow::Owned(text.into_owned()))
    }

    /// `null`, a blank text, `{}` and `[]` name nothing.
    pub fn is_nothing(self) -> bool {
        match self.kind() {
            Type::Null => true,
            Type::Text => self.raw().len() <= 64 && self.text().is_some_and(|text| text.trim().is_empty()),
            Type::Object | Type::Array => self.children().next().is_none(),
            Type::Number | Type::Bool => false,
        }
    }

    /// A value by its JSON pointer (RFC 6901). `None` when it is absent, when a name on the way stands there twice, or
    /// when the pointer is malformed or goes deeper than [`MAX_STEPS`].
    pub fn find(self, pointer: &str) -> Option<Value<'d>> {
        if pointer.is_empty() {
            return Some(self);
        }
        if memchr::memchr_iter(b'/', pointer.as_bytes()).count() > MAX_STEPS {
            return None;
        }
        let mut value = self;
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = unescaped_token(token)?;
            value = match value.kind() {
                Type::Object => value.member(&token)?,
                Type::Array => {
                    let canonical =
                        token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
                    let index: usize = canonical.then(|| token.parse().ok())??;
                    value.children().nth(index)?
                }
                _ => return None,
            };
        }
        Some(value)
    }

    /// As a C program wants it: text without quotes, everything else as its JSON text; `None` for null. A NUL would end
    /// the C string early and half a surrogate pair is no text: both stay as they were written.
    pub fn plain(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Type::Null => None,
            Type::Text => match self.text() {
                Some(text) if !text.contains('\0') => Some(text),
                _ => Some(Cow::Borrowed(&self.raw()[1..self.raw().len() - 1])),
            },
            _ => Some(Cow::Borrowed(self.raw())),
        }
    }
}

pub struct Children<'d> {
    document: &'d Document,
    text: &'d str,
    index: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.index >= self.end {
            return None;
        }
        let value = Value { document: self.document, text: self.text, index: self.index };
        self.index = value.node().next;
        Some(value)
    }
}

/// `~1` is `/` and `~0` is `~`; any other `~` is malformed.
fn unescaped_token(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut parts = token.split('~');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        out.push(match part.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        out.push_str(&part[1..]);
    }
    Some(Cow::Owned(out))
}

struct Scanner<'t, 's> {
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
fn plain_bytes(bytes: &[u8]) -> usize {
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

impl Scanner<'_, '_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Result<Document, ScanError> {
        Document::scan(text, &|| false)
    }

    #[test]
    fn accepts_what_serde_json_accepts_and_nothing_else() {
        for text in [
            "{}",
            "[]",
            "null",
            " true ",
            "-0",
            "0.10",
            "1e400",
            "12345678901234567890",
            r#""""#,
            r#""\ud800""#,
            "[1,[2,{}],\"a\"]",
            r#"{"a":{"b":[{"c":null}]},"":1}"#,
            "\t[ 1 , 2 ]\r\n",
            r#""\u00e9\n\/""#,
            "",
            " ",
            "{",
            "}",
            "[1,]",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            "{a:1}",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "NaN",
            "tru",
            "truex",
            "nul",
            "\"",
            "\"\\\"",
            r#""\x""#,
            r#""\u12g4""#,
            "\"\n\"",
            "[1 2]",
            "{} {}",
            "[}",
            "{]",
            "[1}",
            "\u{feff}{}",
            "'a'",
            "// a",
        ] {
            let expected = json::document(text).is_ok();
            assert_eq!(scan(text).is_ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn the_first_special_byte_is_found_wherever_it_stands() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                for at in 0..length {
                    // Neighbours that differ from it by a borrow, and bytes with the top bit.
                    for around in [b'a', b'!', b'#', b'[', b']', b' ', 0x7f, 0x80, 0xff, special ^ 0x80] {
                        let mut bytes = vec![around; length];
                        bytes[at] = special;
                        assert_eq!(plain_bytes(&bytes), at, "{around} {special} {at} of {length}");
                    }
                }
            }
            assert_eq!(plain_bytes(&vec![0xa2; length]), length);
        }
    }

    #[test]
    fn depth_and_number_of_values_are_bounded_by_memory_not_by_the_stack() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert!(scan(&deep).is_ok());
        assert!(matches!(scan(&deep[1..]), Err(ScanError::Syntax)));
        let many = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert!(scan(&many(MAX_VALUES - 1)).is_ok());
        assert!(matches!(scan(&many(MAX_VALUES)), Err(ScanError::TooMany)));
    }

    #[test]
    fn stops_within_every_kind_of_long_input() {
        for text in [
            " ".repeat(1 << 20),
            format!("\"{}\"", "x".repeat(1 << 20)),
            format!("\"{}\"", "\\n".repeat(1 << 19)),
            "1".repeat(1 << 20),
            format!("[{}0]", "0,".repeat(1 << 19)),
            "[".repeat(1 << 20),
        ] {
            let looks = std::cell::Cell::new(0);
            let stop = || looks.replace(looks.get() + 1) == 3;
            assert_eq!(Document::scan(&text, &stop).err(), Some(ScanError::Stopped), "{}...", &text[..5]);
        }
        let members: String = (0..100_000).map(|index| format!("\"{index}\":1,")).collect();
        let text = format!("{{{members}\"x\":1}}");
        assert!(!scan(&text).unwrap().has_twice());
    }

    #[test]
    fn a_name_given_twice_is_noticed_at_any_depth_and_after_unescaping() {
        let many: String = (0..40).map(|index| format!("\"m{index}\":1,")).collect();
        for (text, twice) in [
            (r#"{"a":1,"b":2}"#.to_owned(), false),
            (r#"{"a":1,"a":2}"#.to_owned(), true),
            (r#"{"a":1,"\u0061":2}"#.to_owned(), true),
            (r#"{"\u0061":1,"b":2,"a":2}"#.to_owned(), true),
            (r#"{"x":[{"y":{"a":1,"a":1}}]}"#.to_owned(), true),
            (r#"{"x":{"a":1},"y":{"a":1}}"#.to_owned(), false),
            (r#"{"a":1,"A":2}"#.to_owned(), false),
            (format!("{{{many}\"x\":1}}"), false),
            (format!("{{{many}\"m7\":1}}"), true),
            (format!("{{{many}\"\\u006d7\":1}}"), true),
        ] {
            let document = scan(&text).unwrap();
            assert_eq!(document.has_twice(), twice, "{text}");
        }
        let text = r#"{"a":1,"b":2,"\u0061":3}"#;
        let document = scan(text).unwrap();
        assert!(document.root(text).member("a").is_none() && document.root(text).member("b").is_some());
    }

    #[test]
    fn a_long_text_is_unescaped_only_as_far_as_it_is_wanted() {
        for (text, most, expected) in [
            (r#""abcdef""#, 4, "abcd"),
            (r#""ab\ncd""#, 3, "ab"),
            (r#""ab\ncd""#, 4, "ab\n"),
            (r#""ab\\cd""#, 3, "ab"),
            (r#""a\u00e9b""#, 5, "a"),
            (r#""a\u00e9b""#, 7, "aé"),
            ("\"aéb\"", 2, "a"),
            (r#""ab""#, 9, "ab"),
        ] {
            let document = scan(text).unwrap();
            let most = most.min(text.len());
            assert_eq!(document.root(text).text_start(most).as_deref(), Some(expected), "{text} {most}");
        }
    }

    #[test]
    fn pointers_follow_rfc_6901() {
        let text = r#"{"data":{"code":"M-1","n":100.10,"ok":true,"none":null,"list":[{"x":1},2],"a/b":3,"m~n":4,"":5,"nul":"a\u0000b"}}"#;
        let document = scan(text).unwrap();
        let get = |p: &str| document.root(text).find(p).and_then(Value::plain).map(Cow::into_owned);
        let expect = |p: &str, text: &str| assert_eq!(get(p).as_deref(), Some(text), "{p}");
        expect("/data/code", "M-1");
        expect("/data/n", "100.10");
        expect("/data/ok", "true");
        expect("/data/list", r#"[{"x":1},2]"#);
        expect("/data/list/0/x", "1");
        expect("/data/list/1", "2");
        expect("/data/a~1b", "3");
        expect("/data/m~0n", "4");
        expect("/data/", "5");
        expect("/data/nul", r"a\u0000b");
        assert!(get("").unwrap().starts_with('{'));
        for absent in [
            "/data/none",
            "/data/absent",
            "/data/list/01",
            "/data/list/-",
            "/data/list/+1",
            "/data/list/2",
            "/data/m~2n",
            "/data/m~",
            "data",
        ] {
            assert_eq!(get(absent), None, "{absent}");
        }
    }
}
