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
