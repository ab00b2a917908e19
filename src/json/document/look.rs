//! Finds a value by its JSON pointer.

use super::Value;
use super::index::{FEW, Index};
use crate::json::Type;
use crate::json::pointer::{self, Pointer};

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

    /// The index, if the value has more children than [`FEW`] and there is memory for it.
    fn indexed(self) -> Option<&'d Index> {
        if let Some(index) = self.document.index.get() {
            return index.count(self.index).map(|_| index);
        }
        self.children().nth(FEW)?;
        let make = || Index::new(&self.document.nodes, self.text).map(Box::new).ok_or(());
        self.document.index.get_or_try_init(make).ok()
    }

    /// The first member of that name, as [`Value::member`] finds it.
    fn look_member(self, name: &str) -> Option<Value<'d>> {
        let mut members = self.children();
        if let Some(found) = members.by_ref().take(FEW).find(|member| member.is_named(name)) {
            return Some(found);
        }
        match self.indexed() {
            Some(index) => {
                let mut same = index.members(self.index, name).map(|index| Value { index, ..self });
                same.find(|member| member.is_named(name))
            }
            None => members.find(|member| member.is_named(name)),
        }
    }

    /// The child of that number; the first is 0.
    pub fn look_child(self, number: usize) -> Option<Value<'d>> {
        if number < FEW {
            return self.children().nth(number);
        }
        match self.indexed() {
            Some(index) => index.child(self.index, number).map(|index| Value { index, ..self }),
            None => self.children().nth(number),
        }
    }

    /// How many elements or members it has.
    pub fn count(self) -> usize {
        let indexed = self.indexed().and_then(|index| index.count(self.index));
        indexed.unwrap_or_else(|| self.children().count())
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
                pointer::Index::At(index) => element(value, index)?,
                _ => return None,
            },
            Type::Text | Type::Number | Type::Bool | Type::Null => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests;
