//! JSON pointers (RFC 6901), step by step.

use std::borrow::Cow;

/// A well-formed pointer.
#[derive(Clone, Copy)]
pub struct Pointer<'p> {
    text: &'p str,
    has_escape: bool,
}

const ROOT: Pointer<'static> = Pointer { text: "", has_escape: false };

/// One step of a pointer, which starts there with its slash.
#[derive(Clone, Copy)]
pub struct Step<'p> {
    pointer: Pointer<'p>,
    start: usize,
    text: &'p str,
}

/// The meaning of a step in an array.
pub enum Index {
    At(usize),
    /// `-`, the place after the last element.
    End,
    /// Digits that are not an index.
    Malformed,
    /// A name.
    None,
}

impl<'p> Pointer<'p> {
    /// The error names the fault.
    pub fn parse(text: &'p str) -> Result<Pointer<'p>, &'static str> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err("a pointer starts with /, as in /order/amount");
        }
        let has_escape = memchr::memchr(b'~', text.as_bytes()).is_some();
        if has_escape && text.split('~').skip(1).any(|after| !after.starts_with(['0', '1'])) {
            return Err("the pointer has a ~ that is neither ~0 (for ~) nor ~1 (for /)");
        }
        Ok(Pointer { text, has_escape })
    }

    pub fn is_root(self) -> bool {
        self.text.is_empty()
    }

    pub fn steps(self) -> impl Iterator<Item = Step<'p>> {
        let (mut start, mut rest) = (0, self.text.strip_prefix('/'));
        std::iter::from_fn(move || {
            let text;
            (text, rest) = match (rest?, memchr::memchr(b'/', rest?.as_bytes())) {
                (last, None) => (last, None),
                (steps, Some(end)) => (&steps[..end], Some(&steps[end + 1..])),
            };
            let step = Step { pointer: self, start, text };
            start += 1 + text.len();
            Some(step)
        })
    }
}

impl<'p> Step<'p> {
    /// The pointer up to and without this step.
    pub fn before(self) -> &'p str {
        &self.pointer.text[..self.start]
    }

    pub fn name(self) -> Cow<'p, str> {
        match self.pointer.has_escape {
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

/// The names of the steps; a malformed pointer has none.
pub fn names(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    Pointer::parse(pointer).unwrap_or(ROOT).steps().map(Step::name)
}

/// The name of a field as a step.
pub fn step(name: Cow<'_, str>) -> Cow<'_, str> {
    match name.contains(['~', '/']) {
        true => Cow::Owned(name.replace('~', "~0").replace('/', "~1")),
        false => name,
    }
}
