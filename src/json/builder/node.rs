//! The document as a tree. Names and scalars are JSON text in buffers that are wiped.

use serde_json::value::RawValue;

use super::reason::{NO_MEMORY, Reason, shown, too_large, too_many};
use super::scalar;
use crate::json::pointer::{Index, Pointer, Step};
use crate::json::{self, MAX_DEPTH, MAX_VALUES, Type};
use crate::util::memory::{self, MAX_TEXT};
use crate::util::secret::SecretBytes;

/// The memory that a short member takes while it is read: in the tree, as a list entry of the reader, and two
/// allocations.
const VALUE_BYTES: usize = 192;
const LEADING_ZEROS: &str = "an index of an array has no leading zeros";

pub enum Node {
    Object(Object),
    Array(Vec<Node>),
    Scalar(SecretBytes),
}

#[derive(Default)]
pub struct Object {
    /// In the order in which they were set.
    members: Vec<(SecretBytes, Node)>,
    /// The members' indices in the order of their names, so that a member is found among many.
    by_name: Vec<u32>,
}

/// What a value takes.
#[derive(Clone, Copy, Default)]
pub struct Size {
    /// Bytes of its text.
    pub bytes: usize,
    /// Values in it, itself included.
    pub values: usize,
}

impl Size {
    pub fn replace(&mut self, old: Size, new: Size) {
        self.bytes = self.bytes - old.bytes + new.bytes;
        self.values = self.values - old.values + new.values;
    }
}

impl Node {
    pub fn object() -> Node {
        Node::Object(Object::default())
    }

    pub fn kind(&self) -> Type {
        match self {
            Node::Object(_) => Type::Object,
            Node::Array(_) => Type::Array,
            // A place that was just made is empty.
            Node::Scalar(text) => Type::of_byte(text.first().copied().unwrap_or(b'n')),
        }
    }

    /// Reads a JSON document of at most that many levels.
    pub fn from_json(text: &str, levels: usize) -> Result<Node, Reason> {
        if text.len() > MAX_TEXT {
            return Err(too_large());
        }
        // At most as many values, as each but the first follows one of these.
        let values = memchr::memchr3_iter(b',', b'[', b'{', text.as_bytes()).count() + 1;
        if !memory::can_read_into(text.len(), values.min(MAX_VALUES) * VALUE_BYTES) {
            return Err(NO_MEMORY.into());
        }
        let document = json::parse(text).map_err(|error| format!("the value is not JSON: {error}"))?;
        read(document, levels, &mut 0)
    }

    pub fn size(&self) -> Size {
        let mut size = Size { bytes: 0, values: 1 };
        let mut add = |name: usize, child: &Node| {
            let Size { bytes, values } = child.size();
            size.bytes += name + bytes;
            size.values += values;
        };
        size.bytes += match self {
            Node::Object(Object { members, .. }) => {
                members.iter().for_each(|(name, value)| add(name.len() + 1, value));
                2 + members.len().saturating_sub(1)
            }
            Node::Array(items) => {
                items.iter().for_each(|item| add(0, item));
                2 + items.len().saturating_sub(1)
            }
            Node::Scalar(text) => text.len(),
        };
        size
    }

    /// Appends the text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Object(Object { members, .. }) => {
                out.push(b'{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(name);
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
            Node::Array(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Node::Scalar(text) => out.extend_from_slice(text),
        }
    }
}

impl Object {
    fn position(&self, name: &[u8]) -> Result<usize, usize> {
        self.by_name.binary_search_by(|&index| self.members[index as usize].0.as_slice().cmp(name))
    }

    /// Adds a member that is not there, at its position among the names.
    fn insert(&mut self, position: usize, name: SecretBytes, value: Node) -> Result<usize, Reason> {
        let index = self.members.len();
        // There are at most a million values.
        let number = u32::try_from(index).map_err(|_| too_many())?;
        self.members.try_reserve(1).map_err(|_| NO_MEMORY)?;
        self.by_name.try_reserve(1).map_err(|_| NO_MEMORY)?;
        self.members.push((name, value));
        self.by_name.insert(position, number);
        Ok(index)
    }
}

/// Reads a value that was checked to be JSON; `values` counts those that were read.
fn read(value: &RawValue, levels: usize, values: &mut usize) -> Result<Node, Reason> {
    let levels = levels.checked_sub(1).ok_or_else(|| format!("nests deeper than {MAX_DEPTH} levels"))?;
    *values += 1;
    if *values > MAX_VALUES {
        return Err(too_many());
    }
    match Type::of(value) {
        Type::Object => {
            let read_members = json::members(value).map_err(|error| format!("the value is not usable: {error}"))?;
            let mut object = Object::default();
            object.members.try_reserve_exact(read_members.len()).map_err(|_| NO_MEMORY)?;
            object.by_name.try_reserve_exact(read_members.len()).map_err(|_| NO_MEMORY)?;
            for (index, (name, value)) in (0..).zip(&read_members) {
                object.members.push((scalar::quoted(name)?, read(value, levels, values)?));
                object.by_name.push(index);
            }
            let members = &object.members;
            let name = |index: u32| members[index as usize].0.as_slice();
            object.by_name.sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
            Ok(Node::Object(object))
        }
        Type::Array => {
            let read_items = json::items(value).map_err(|error| format!("the value is not usable: {error}"))?;
            let mut items = Vec::new();
            items.try_reserve_exact(read_items.len()).map_err(|_| NO_MEMORY)?;
            for item in read_items {
                items.push(read(item, levels, values)?);
            }
            Ok(Node::Array(items))
        }
        _ => {
            let mut text = scalar::buffer(value.get().len())?;
            json::compact(value, &mut text).map_err(|error| format!("the value is not usable: {error}"))?;
            Ok(Node::Scalar(text))
        }
    }
}

/// The place of a value. It is made if it is missing, with everything in between; `size` grows with what was made.
pub fn place<'n>(root: &'n mut Node, pointer: Pointer<'_>, size: &mut Size) -> Result<&'n mut Node, Reason> {
    let mut node = root;
    let mut steps = pointer.steps().peekable();
    while let Some(step) = steps.next() {
        if matches!(step.index(), Index::End) && steps.peek().is_some() {
            return Err("- appends to an array, so it must be the last step".into());
        }
        let (found, is_new) = node.child(step, size)?;
        if let (true, Some(next)) = (is_new, steps.peek()) {
            *found = container_of(*next)?;
            size.bytes += found.size().bytes;
        }
        node = found;
    }
    Ok(node)
}

/// The container to make on the way: an array for an index, otherwise an object.
fn container_of(next: Step<'_>) -> Result<Node, Reason> {
    match next.index() {
        Index::At(_) | Index::End => Ok(Node::Array(Vec::new())),
        // It may be meant as the name of a member, e.g. the code of a bank.
        Index::Malformed => {
            Err(format!("{LEADING_ZEROS}; for a member of that name, set its object to {{}} first").into())
        }
        Index::None => Ok(Node::object()),
    }
}

impl Node {
    /// The value at one step; if there is none, a new empty place. Also returns whether it is new.
    fn child(&mut self, step: Step<'_>, size: &mut Size) -> Result<(&mut Node, bool), Reason> {
        match self {
            Node::Scalar(_) => {
                let kind = self.kind().name();
                Err(format!("{} is {kind}, neither an object nor an array", shown(step.before())).into())
            }
            Node::Object(_) if matches!(step.index(), Index::End) => {
                Err(format!("- appends to an array, but {} is an object", shown(step.before())).into())
            }
            Node::Object(object) => {
                let name = scalar::quoted(&step.name())?;
                let (index, is_new) = match object.position(&name) {
                    Ok(position) => (object.by_name[position] as usize, false),
                    Err(position) => {
                        size.bytes += name.len() + 1 + usize::from(!object.members.is_empty());
                        size.values += 1;
                        (object.insert(position, name, empty())?, true)
                    }
                };
                Ok((&mut object.members[index].1, is_new))
            }
            Node::Array(items) => {
                let count = items.len();
                let index = match step.index() {
                    Index::At(index) => index,
                    Index::End => count,
                    Index::Malformed => return Err(LEADING_ZEROS.into()),
                    Index::None => {
                        let place = shown(step.before());
                        return Err(format!("{place} is an array: the step after it must be an index or -").into());
                    }
                };
                if index > count {
                    return Err(format!("the next index of {} is {count}", shown(step.before())).into());
                }
                let is_new = index == count;
                if is_new {
                    items.try_reserve(1).map_err(|_| NO_MEMORY)?;
                    items.push(empty());
                    size.bytes += usize::from(count > 0);
                    size.values += 1;
                }
                Ok((&mut items[index], is_new))
            }
        }
    }
}

/// A place to which a value is moved.
fn empty() -> Node {
    Node::Scalar(SecretBytes::new(Vec::new()))
}
