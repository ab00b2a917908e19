//! Finds a value by its JSON pointer.

use super::Value;
use crate::json::Type;
use crate::json::pointer::{Index, Pointer};

/// Most steps of a pointer. The deepest answer has 4 levels.
const MAX_STEPS: usize = 128;

impl<'d> Value<'d> {
    /// The value at a JSON pointer; of members with the same name, the first. `None` if it is absent, or if the pointer
    /// is malformed or has more than [`MAX_STEPS`] steps.
    ///
    /// Passes all siblings on its way, for the few values that the library reads once. A program looks with
    /// [`Value::look`].
    pub fn find(self, pointer: &str) -> Option<Value<'d>> {
        follow(self, pointer, Value::member, |array, index| array.children().nth(index))
    }

    /// The same, in a time that depends on the pointer and hardly on the document.
    pub fn look(self, pointer: &str) -> Option<Value<'d>> {
        follow(self, pointer, Value::look_member, Value::look_child)
    }
}

fn follow<'d>(
    root: Value<'d>,
    pointer: &str,
    member: impl Fn(Value<'d>, &str) -> Option<Value<'d>>,
    element: impl Fn(Value<'d>, usize) -> Option<Value<'d>>,
) -> Option<Value<'d>> {
    let mut value = root;
    for (passed, step) in Pointer::parse(pointer).ok()?.steps().enumerate() {
        value = match value.kind() {
            _ if passed == MAX_STEPS => return None,
            Type::Object => member(value, &step.name())?,
            Type::Array => match step.index() {
                Index::At(index) => element(value, index)?,
                Index::End | Index::Malformed | Index::None => return None,
            },
            Type::Text | Type::Number | Type::Bool | Type::Null => return None,
        };
    }
    Some(value)
}
