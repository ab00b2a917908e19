//! Where a value of a document stands.

use std::borrow::Cow;

use crate::json::raw::unescaped;

/// The name of a value that is not a member.
pub const NO_NAME: u32 = u32::MAX;
/// Set in the start of a name that contains an escape. No text is long enough to need this bit.
pub const ESCAPED: u32 = 1 << 31;

/// Why a text could not be read.
#[derive(Debug, PartialEq, Eq)]
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
    pub end: u32,
    pub next: u32,
    pub name: u32,
    pub name_end: u32,
}

impl Node {
    /// An unpaired surrogate stays as it is written.
    pub fn name(self, text: &str) -> Option<Cow<'_, str>> {
        if self.name == NO_NAME {
            return None;
        }
        let raw = |start: u32| &text[start as usize..self.name_end as usize];
        if self.name & ESCAPED == 0 {
            return Some(Cow::Borrowed(raw(self.name)));
        }
        let start = self.name & !ESCAPED;
        let quoted = &text[start as usize - 1..=self.name_end as usize];
        Some(unescaped(quoted).unwrap_or(Cow::Borrowed(raw(start))))
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

/// The children of a container, by their numbers; nothing for other values.
pub fn children(nodes: &[Node], container: u32) -> impl Iterator<Item = u32> {
    let end = nodes[container as usize].next;
    let first = (container + 1 < end).then_some(container + 1);
    std::iter::successors(first, move |&child| Some(nodes[child as usize].next).filter(|&next| next < end))
}
