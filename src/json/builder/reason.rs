//! Why a value cannot be set.

use std::borrow::Cow;

use crate::json::MAX_VALUES;
use crate::util::memory::MAX_TEXT;
use crate::util::text::shortened;

/// Never contains the value.
pub type Reason = Cow<'static, str>;

pub const NO_MEMORY: &str = "there is not enough memory for it";

pub fn too_large() -> Reason {
    format!("the document would be larger than {MAX_TEXT} bytes").into()
}

pub fn too_many() -> Reason {
    format!("the document would have more than {MAX_VALUES} values").into()
}

/// The pointer for an error.
pub fn shown(pointer: &str) -> Cow<'_, str> {
    if pointer.is_empty() { Cow::Borrowed("\"\"") } else { shortened(pointer) }
}
