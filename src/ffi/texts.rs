//! The texts that look-ups returned, each for as long as the reply lives.

use std::borrow::Cow;
use std::ffi::{CString, c_char};

use once_cell::race::OnceBox;

use crate::util::memory;

/// How many texts, or branches with texts, are allocated at once.
const BRANCH: usize = 64;

type Leaf = [OnceBox<CString>; BRANCH];
type Branch = [OnceBox<Leaf>; BRANCH];

/// Texts by the number of their value: a tree, so that a look allocates only for the values near its own. Lock-free: a child
/// that is forked during a look of another thread would wait for ever.
#[derive(Default)]
pub struct Texts(OnceBox<Vec<OnceBox<Branch>>>);

impl Texts {
    /// The text of a value of a document with that many values: made once, then always the same. `None` if there is not
    /// enough memory for it.
    pub fn keep<'t>(
        &self,
        number: usize,
        values: usize,
        make: impl FnOnce() -> Option<Cow<'t, [u8]>>,
    ) -> Option<*const c_char> {
        let branches = self.0.get_or_try_init(|| {
            let mut branches = Vec::new();
            let count = values.div_ceil(BRANCH * BRANCH);
            branches.try_reserve_exact(count).map_err(|_| ())?;
            branches.resize_with(count, OnceBox::new);
            Ok::<_, ()>(Box::new(branches))
        });
        let branch = branches.ok()?.get(number / BRANCH / BRANCH)?.get_or_init(empty);
        let leaf = branch[number / BRANCH % BRANCH].get_or_init(empty);
        let kept = leaf[number % BRANCH].get_or_try_init(|| {
            let text = make().ok_or(())?;
            let mut kept = memory::buffer(text.len() + 1).ok_or(())?;
            kept.extend_from_slice(&text);
            CString::new(kept).map(Box::new).map_err(|_| ())
        });
        kept.ok().map(|kept| kept.as_ptr())
    }
}

fn empty<T>() -> Box<[OnceBox<T>; BRANCH]> {
    Box::new(std::array::from_fn(|_| OnceBox::new()))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn every_value_has_its_own_text_which_stays() {
        const VALUES: usize = 10_000;
        let texts = Texts::default();
        let keep = |number: usize| texts.keep(number, VALUES, || Some(number.to_string().into_bytes().into())).unwrap();
        let pointers: Vec<_> = (0..VALUES).rev().map(|number| (number, keep(number))).collect();
        for (number, pointer) in pointers {
            // SAFETY: a text of `texts`, which still lives.
            assert_eq!(unsafe { CStr::from_ptr(pointer) }.to_str(), Ok(number.to_string().as_str()));
            assert_eq!(texts.keep(number, VALUES, || unreachable!("it was made before")), Some(pointer));
        }
    }

    #[test]
    fn what_cannot_be_kept_is_none() {
        let texts = Texts::default();
        assert_eq!(texts.keep(3, 10, || None), None);
        assert_eq!(texts.keep(3, 10, || Some(b"a\0b".into())), None);
        assert_eq!(texts.keep(BRANCH * BRANCH, 10, || Some(b"a".into())), None, "not a value of the document");
        assert!(texts.keep(3, 10, || Some(b"a".into())).is_some());
    }
}
