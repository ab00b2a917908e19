//! Finds a child of a large array or object without passing all its siblings.
//!
//! The first look that passes more than a few siblings makes the index, for all large containers of the document at once.
//! A program that never looks so far never pays for it. If there is no memory for it, looks go on without.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::{Document, Value};
use crate::json::Type;

/// As many siblings are passed one by one; a container with more children is in the index.
const FEW: usize = 32;

pub struct Index {
    /// In the order of their values.
    containers: Vec<Container>,
    /// The children of each, in their order.
    children: Vec<u32>,
    /// For each object, the hashes of its members' names, and the members; sorted.
    names: Vec<(u32, u32)>,
    /// Random, so that no document can have many names with the same hash.
    hashing: RandomState,
}

struct Container {
    value: u32,
    /// Where its children start.
    first: usize,
    count: usize,
    /// Where an object's names start.
    first_name: usize,
}

impl Index {
    /// `None` if there is no memory for it.
    fn new(document: &Document, text: &str) -> Option<Index> {
        let (containers, children, names) = (Vec::new(), Vec::new(), Vec::new());
        let mut index = Index { containers, children, names, hashing: RandomState::new() };
        for (value, node) in (0..).zip(&document.nodes) {
            // Most values have not even that many descendants.
            if (node.next - value) as usize > FEW {
                index.add(Value { document, text, index: value })?;
            }
        }
        Some(index)
    }

    fn add(&mut self, container: Value<'_>) -> Option<()> {
        let count = container.children().count();
        if count <= FEW {
            return Some(());
        }
        let (first, first_name) = (self.children.len(), self.names.len());
        self.containers.try_reserve(1).ok()?;
        self.containers.push(Container { value: container.index, first, count, first_name });
        self.children.try_reserve(count).ok()?;
        self.children.extend(container.children().map(|child| child.index));
        if container.kind() == Type::Object {
            self.names.try_reserve(count).ok()?;
            let hash = |child: &Value<'_>| child.c_name().map(|name| self.hashing.hash_one(&*name) as u32);
            let names = container.children().map(|child| (hash(&child).unwrap_or_default(), child.index));
            self.names.extend(names);
            self.names[first_name..].sort_unstable();
        }
        Some(())
    }

    fn container(&self, value: Value<'_>) -> Option<&Container> {
        let at = self.containers.binary_search_by_key(&value.index, |container| container.value).ok()?;
        self.containers.get(at)
    }

    fn child<'d>(&self, of: Value<'d>, number: usize) -> Option<Value<'d>> {
        let container = self.container(of)?;
        let index = (number < container.count).then(|| self.children[container.first + number])?;
        Some(Value { index, ..of })
    }

    /// The first member of that name.
    fn member<'d>(&self, of: Value<'d>, name: &str) -> Option<Value<'d>> {
        let container = self.container(of)?;
        let names = &self.names[container.first_name..container.first_name + container.count];
        let hash = self.hashing.hash_one(name) as u32;
        let from = names.partition_point(|(known, _)| *known < hash);
        let same = names[from..].iter().take_while(|(known, _)| *known == hash);
        same.map(|&(_, index)| Value { index, ..of }).find(|member| member.is_named(name))
    }
}

impl<'d> Value<'d> {
    /// The index, if the value has more children than [`FEW`] and there is memory for it.
    fn indexed(self) -> Option<&'d Index> {
        if let Some(index) = self.document.index.get() {
            return index.container(self).map(|_| index);
        }
        self.children().nth(FEW)?;
        let make = || Index::new(self.document, self.text).map(Box::new).ok_or(());
        self.document.index.get_or_try_init(make).ok()
    }

    /// The first member of that name, as [`Value::member`] finds it.
    pub(super) fn look_member(self, name: &str) -> Option<Value<'d>> {
        let mut members = self.children();
        if let Some(found) = members.by_ref().take(FEW).find(|member| member.is_named(name)) {
            return Some(found);
        }
        match self.indexed() {
            Some(index) => index.member(self, name),
            None => members.find(|member| member.is_named(name)),
        }
    }

    /// The child of that number; the first is 0.
    pub fn look_child(self, number: usize) -> Option<Value<'d>> {
        if number < FEW {
            return self.children().nth(number);
        }
        match self.indexed() {
            Some(index) => index.child(self, number),
            None => self.children().nth(number),
        }
    }

    /// How many elements or members it has.
    pub fn count(self) -> usize {
        let indexed = self.indexed().and_then(|index| index.container(self));
        indexed.map_or_else(|| self.children().count(), |container| container.count)
    }
}

#[cfg(test)]
mod tests;
