//! Finds the positions of all values of a JSON text, in one pass and without recursion.

mod duplicates;
pub mod tokens;

use super::node::{ESCAPED, NO_NAME, Node, ScanError};

/// How many bytes are read between two checks of the deadline: tens of microseconds.
const STEP: usize = 64 * 1024;
/// Nearly every document has at most this many values.
const USUAL_VALUES: usize = 64;

pub struct Scanner<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The position of the next check of the deadline.
    next_check: usize,
    stop: &'s dyn Fn() -> bool,
    most: usize,
    nodes: Vec<Node>,
    /// The containers that have not been closed yet.
    open: Vec<u32>,
    /// The name of the next value.
    name: (u32, u32),
    has_duplicate_names: bool,
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
            has_duplicate_names: false,
        }
    }

    /// The values, and whether any object has two members with the same name.
    pub fn scan(mut self) -> Result<(Vec<Node>, bool), ScanError> {
        self.nodes.try_reserve(USUAL_VALUES).map_err(|_| ScanError::NoMemory)?;
        self.run()?;
        Ok((self.nodes, self.has_duplicate_names))
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

    /// Closes the containers that end after a value; `true` at the end of the document, otherwise another value
    /// follows.
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
        let index = self.nodes.len();
        if index == self.most {
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
        if self.bytes[node.start as usize] == b'{' && !self.has_duplicate_names {
            self.has_duplicate_names = self.has_duplicate(index)?;
        }
        Ok(())
    }

    /// Reads a member's name and the colon.
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
}
