//! Finds a child of a large array or object without passing all its siblings.
//!
//! The first look-up that passes more than a few siblings makes the index, for all large containers of the document at
//! once. A program that never looks that far never pays for it. If there is not enough memory for the index, look-ups
//! work without it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::node::{Node, children};

/// Up to this many siblings are passed one by one; a container with more children is in the index.
pub const FEW: usize = 32;

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
    /// `None` if there is not enough memory for it.
    pub fn new(nodes: &[Node], text: &str) -> Option<Index> {
        let (containers, children, names) = (Vec::new(), Vec::new(), Vec::new());
        let mut index = Index { containers, children, names, hashing: RandomState::new() };
        for (value, node) in (0..).zip(nodes) {
            // Most values do not even have that many descendants.
            if (node.next - value) as usize > FEW {
                index.add(value, nodes, text)?;
            }
        }
        Some(index)
    }

    fn add(&mut self, container: u32, nodes: &[Node], text: &str) -> Option<()> {
        let count = children(nodes, container).count();
        if count <= FEW {
            return Some(());
        }
        let (first, first_name) = (self.children.len(), self.names.len());
        self.containers.try_reserve(1).ok()?;
        self.containers.push(Container { value: container, first, count, first_name });
        self.children.try_reserve(count).ok()?;
        self.children.extend(children(nodes, container));
        if text.as_bytes()[nodes[container as usize].start as usize] == b'{' {
            self.names.try_reserve(count).ok()?;
            let name = |child: u32| nodes[child as usize].c_name(text);
            let hash = |child: u32| name(child).map(|name| self.hashing.hash_one(&*name) as u32);
            self.names.extend(children(nodes, container).map(|child| (hash(child).unwrap_or_default(), child)));
            self.names[first_name..].sort_unstable();
        }
        Some(())
    }

    fn container(&self, value: u32) -> Option<&Container> {
        let at = self.containers.binary_search_by_key(&value, |container| container.value).ok()?;
        self.containers.get(at)
    }

    /// How many children the value has; `None` if it is not in the index.
    pub fn count(&self, value: u32) -> Option<usize> {
        self.container(value).map(|container| container.count)
    }

    pub fn child(&self, of: u32, number: usize) -> Option<u32> {
        let container = self.container(of)?;
        (number < container.count).then(|| self.children[container.first + number])
    }

    /// The members of which one may have that name, in their order.
    pub fn members(&self, of: u32, name: &str) -> impl Iterator<Item = u32> {
        let names = self.container(of).map(|it| &self.names[it.first_name..it.first_name + it.count]);
        let names = names.unwrap_or_default();
        let hash = self.hashing.hash_one(name) as u32;
        let from = names.partition_point(|(known, _)| *known < hash);
        names[from..].iter().take_while(move |(known, _)| *known == hash).map(|&(_, index)| index)
    }
}
