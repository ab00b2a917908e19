//! The meaning of a response's fields: by the row of its endpoint, and by the shared list for fields that the row does
//! not have.

use crate::json::document::Value;
use paysvc_spec::roles::{KnownName, SHARED};
use paysvc_spec::schema::{Member, Place, Role};

const SLOTS: usize = 128;
const EMPTY: u8 = u8::MAX;

/// Each name of [`SHARED`] by its number, in its slot or in the next one that is free.
const TABLE: [u8; SLOTS] = {
    let mut table = [EMPTY; SLOTS];
    let mut index = 0;
    while index < SHARED.len() {
        let mut slot = slot(SHARED[index].name.as_bytes());
        while table[slot] != EMPTY {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = index as u8;
        index += 1;
    }
    table
};

/// The same for names that differ only in case; another for each name of the list.
const fn slot(name: &[u8]) -> usize {
    const CASE: u8 = 0x20;
    match name {
        [first, .., last] => (name.len() * 15 + (*first | CASE) as usize * 24 + (*last | CASE) as usize * 4) % SLOTS,
        _ => 0,
    }
}

/// A field that means something.
pub struct Meaning {
    pub role: Role,
    /// Its name is exactly the documented one.
    pub exact: bool,
    /// The row's fields within it.
    pub within: &'static [Member],
}

/// Returns the meaning of a field of an object in that place; `members`: those that the row has there.
pub fn meaning(value: Value<'_>, place: Place, members: &'static [Member]) -> Option<Meaning> {
    let (known, exact) = known_as(value)?;
    let of_row = || members.iter().find(|member| member.name.eq_ignore_ascii_case(known.name));
    let own = if known.by_row { of_row().and_then(|member| member.role) } else { None };
    let role = own.or_else(|| known.role(place))?;
    let within = match role {
        Role::Object(_) | Role::History => of_row().map_or(&[][..], |member| member.kind.members()),
        _ => &[],
    };
    Some(Meaning { role, exact, within })
}

/// Returns whether a field of an object in that place has a documented name of this role.
pub fn has_role(value: Value<'_>, place: Place, role: Role) -> bool {
    known_as(value).is_some_and(|(known, exact)| exact && known.role(place) == Some(role))
}

/// The name of a field in the list, and whether it is written exactly so.
#[inline(always)]
fn known_as(value: Value<'_>) -> Option<(&'static KnownName, bool)> {
    match value.plain_name() {
        Some(name) => known(name),
        None => known(value.name()?.as_bytes()),
    }
}

#[inline(always)]
fn known(name: &[u8]) -> Option<(&'static KnownName, bool)> {
    let mut slot = slot(name);
    loop {
        let known = SHARED.get(usize::from(TABLE[slot]))?;
        // Nearly every name is written as it is documented.
        let exact = known.name.as_bytes() == name;
        if exact || is_in_other_case(known, name) {
            return Some((known, exact));
        }
        slot = (slot + 1) % SLOTS;
    }
}

#[cold]
fn is_in_other_case(known: &KnownName, name: &[u8]) -> bool {
    known.name.as_bytes().eq_ignore_ascii_case(name)
}

/// Returns whether a field with that name is a code somewhere.
pub fn is_code(name: &str) -> bool {
    let (known, _) = known(name.as_bytes()).unzip();
    known.is_some_and(|known| known.roles.iter().any(|(role, _)| matches!(role, Role::Code | Role::PaymentCode)))
}

/// Returns the role that a field has wherever it stands.
pub fn at_any_depth(value: Value<'_>) -> Option<Role> {
    /// The lengths of the names: they rule out most of them.
    const LENGTHS: u64 = {
        let (mut lengths, mut index) = (0, 0);
        while index < SHARED.len() {
            if SHARED[index].at_any_depth().is_some() {
                lengths |= 1 << SHARED[index].name.len();
            }
            index += 1;
        }
        lengths
    };
    if value.plain_name().is_some_and(|name| name.len() >= 64 || LENGTHS & 1 << name.len() == 0) {
        return None;
    }
    known_as(value)?.0.at_any_depth()
}
