//! Strings, numbers and literals.

use super::{STEP, ScanError, Scanner};

/// In bytes. Longer than nearly every name and text, and a multiple of eight.
const SHORT: usize = 32;
/// How many bytes at the beginning are plain text within a string: no quotation marks, backslashes and control characters.
/// Checks eight bytes at a time.
pub fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // The lowest marked byte is correct. One above it may be marked because of the borrow, which does not matter.
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
    /// Reads a string with its quotation marks; tells whether it contains an escape.
    pub(super) fn string(&mut self) -> Result<bool, ScanError> {
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

    pub(super) fn number(&mut self) -> Result<(), ScanError> {
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

    pub(super) fn literal(&mut self, word: &[u8], index: u32) -> Result<(), ScanError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(ScanError::Syntax);
        }
        self.at += word.len();
        self.end(index);
        Ok(())
    }
}
