//! JSON pointers (RFC 6901), step by step.

use std::borrow::Cow;

use super::Reason;

/// Longest pointer in bytes.
pub const MAX_POINTER: usize = 8000;
/// How many characters of a pointer an error repeats.
const MAX_SHOWN: usize = 100;

/// A well-formed pointer.
#[derive(Clone, Copy)]
pub struct Pointer<'p>(&'p str);

/// One step, and the pointer up to and without it.
#[derive(Clone, Copy)]
pub struct Step<'p> {
    text: &'p str,
    pub before: &'p str,
}

/// What an array makes of a step.
pub enum Index {
    At(usize),
    /// `-`, the place after the last element.
    End,
    /// Digits that are no index.
    Malformed,
    /// A name.
    None,
}

impl<'p> Pointer<'p> {
    pub fn parse(text: &'p str) -> Result<Pointer<'p>, Reason> {
        if text.len() > MAX_POINTER {
            return Err(format!("the pointer is longer than {MAX_POINTER} bytes").into());
        }
        if !text.is_empty() && !text.starts_with('/') {
            return Err("a pointer starts with /, as in /order/amount".into());
        }
        if text.split('~').skip(1).any(|after| !after.starts_with(['0', '1'])) {
            return Err("the pointer has a ~ that is neither ~0 (for ~) nor ~1 (for /)".into());
        }
        Ok(Pointer(text))
    }

    pub fn is_root(self) -> bool {
        self.0.is_empty()
    }

    pub fn steps(self) -> impl Iterator<Item = Step<'p>> {
        let Pointer(pointer) = self;
        let mut start = 0;
        std::iter::from_fn(move || {
            let rest = pointer[start..].strip_prefix('/')?;
            let text = rest.split('/').next().unwrap_or_default();
            let before = &pointer[..start];
            start += 1 + text.len();
            Some(Step { text, before })
        })
    }
}

impl<'p> Step<'p> {
    /// The member that it names.
    pub fn name(self) -> Cow<'p, str> {
        match self.text.contains('~') {
            // In this order: ~01 is ~1 and not a slash.
            true => Cow::Owned(self.text.replace("~1", "/").replace("~0", "~")),
            false => Cow::Borrowed(self.text),
        }
    }

    /// The element that it is in an array.
    pub fn index(self) -> Index {
        match self.text {
            "-" => Index::End,
            "" => Index::None,
            text if !text.bytes().all(|byte| byte.is_ascii_digit()) => Index::None,
            text if text.len() > 1 && text.starts_with('0') => Index::Malformed,
            // A larger one is past the end of every array.
            text => Index::At(text.parse().unwrap_or(usize::MAX)),
        }
    }
}

/// The pointer for an error.
pub fn shortened(pointer: &str) -> Cow<'_, str> {
    match pointer.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &pointer[..end])),
        None if pointer.is_empty() => Cow::Borrowed("\"\""),
        None => Cow::Borrowed(pointer),
    }
}
