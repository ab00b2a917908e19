//! Changes of a response that keep it JSON.

use crate::support::answers::Tree;

/// The object in which a pointer ends, and the name of the field there.
pub fn holder<'a>(tree: &'a mut Tree, pointer: &str) -> Option<(&'a mut Vec<(String, Tree)>, String)> {
    let (within, name) = pointer.rsplit_once('/').unwrap();
    let mut at = tree;
    for step in within.split('/').skip(1) {
        at = match at {
            Tree::Object(members) => &mut members.iter_mut().find(|(name, _)| name == step)?.1,
            Tree::Array(elements) => elements.get_mut(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match at {
        Tree::Object(members) => Some((members, name.to_owned())),
        _ => None,
    }
}

/// Puts JSON into the place of a field, which may be missing. Nothing happens where the object around it is gone.
pub fn set(tree: &mut Tree, pointer: &str, json: &str) {
    let Some((members, name)) = holder(tree, pointer) else { return };
    match members.iter_mut().find(|(found, _)| *found == name) {
        Some((_, value)) => *value = Tree::Raw(json.to_owned()),
        None => members.push((name, Tree::Raw(json.to_owned()))),
    }
}

pub fn remove(tree: &mut Tree, pointer: &str) {
    if let Some((members, name)) = holder(tree, pointer) {
        members.retain(|(found, _)| *found != name);
    }
}

/// Puts another field beside one that is there.
pub fn beside(tree: &mut Tree, pointer: &str, name: &str, json: &str, before: bool) {
    let Some((members, own)) = holder(tree, pointer) else { return };
    if let Some(at) = members.iter().position(|(found, _)| *found == own) {
        members.insert(if before { at } else { at + 1 }, (name.to_owned(), Tree::Raw(json.to_owned())));
    }
}

pub fn rename(tree: &mut Tree, pointer: &str, to: impl Fn(&str) -> String) {
    if let Some((members, own)) = holder(tree, pointer) {
        for (name, _) in members.iter_mut().filter(|(name, _)| *name == own) {
            *name = to(name);
        }
    }
}

pub fn last(pointer: &str) -> &str {
    pointer.rsplit('/').next().unwrap()
}

/// `totalAmount` becomes `TotalAmount`, and `Alias` becomes `alias`.
pub fn first_in_the_other_case(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    let is_small = first.chars().all(|c| c.is_ascii_lowercase());
    (if is_small { first.to_uppercase() } else { first.to_lowercase() }) + rest
}

/// `fee` as `"\u0066\u0065\u0065"`, quotes included: as `Tree::write` wants a name that is written already.
pub fn escaped(name: &str) -> String {
    format!("\"{}\"", name.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>())
}
