//! Whether an object has two members with the same name.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{ESCAPED, ScanError, Scanner};

/// Objects of up to this many members are compared pair by pair.
const FEW: usize = 16;

impl Scanner<'_, '_> {
    pub(super) fn has_duplicate(&self, object: u32) -> Result<bool, ScanError> {
        let end = self.nodes[object as usize].next;
        // Length and first byte distinguish most names.
        let mut keys = [0_u32; FEW];
        let mut names = [0_u32; FEW];
        let (mut count, mut index) = (0, object + 1);
        while index < end {
            let node = self.nodes[index as usize];
            if count == FEW || node.name & ESCAPED != 0 {
                return self.many_have_duplicate(object + 1, end);
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

    fn many_have_duplicate(&self, first: u32, end: u32) -> Result<bool, ScanError> {
        let mut names: HashSet<Cow<'_, str>> = HashSet::new();
        let mut unpaired: HashSet<Vec<u16>> = HashSet::new();
        let (mut index, mut count) = (first, 0_usize);
        while index < end {
            let node = self.nodes[index as usize];
            names.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
            let is_new = match node.name(self.text) {
                // As it is written, because it is no text: it has half of a surrogate pair.
                Some(Cow::Borrowed(raw)) if node.name & ESCAPED != 0 => {
                    unpaired.try_reserve(1).map_err(|_| ScanError::NoMemory)?;
                    unpaired.insert(code_units(raw).ok_or(ScanError::NoMemory)?)
                }
                Some(name) => names.insert(name),
                None => true,
            };
            if !is_new {
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
}

/// The UTF-16 of a name with escapes, which has been checked; `None` if there is no memory for it.
fn code_units(raw: &str) -> Option<Vec<u16>> {
    let mut units = Vec::new();
    units.try_reserve_exact(raw.len()).ok()?;
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next() } else { None };
        let c = match escaped {
            Some('u') => {
                let digits = rest.as_str().get(..4)?;
                rest = rest.as_str()[4..].chars();
                units.push(u16::from_str_radix(digits, 16).ok()?);
                continue;
            }
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(other) => other,
            None => c,
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    Some(units)
}
