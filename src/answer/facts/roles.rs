//! What the members of an answer mean: by the row of its endpoint, and by the shared list for members that the row does
//! not have.

use crate::json::document::Value;
use paysvc_spec::roles::{AT_ANY_DEPTH, KnownName, SHARED};
use paysvc_spec::schema::{Member, Place, Role};

const LONGEST_NAME: usize = SHARED[SHARED.len() - 1].name.len();

/// Where the names of each length begin in [`SHARED`], and where the longer ones do.
const STARTS: [usize; LONGEST_NAME + 2] = {
    let mut starts = [SHARED.len(); LONGEST_NAME + 2];
    let mut index = SHARED.len();
    while index > 0 {
        index -= 1;
        assert!(index == 0 || SHARED[index - 1].name.len() <= SHARED[index].name.len(), "sorted by length");
        let mut length = 0;
        while length <= SHARED[index].name.len() {
            starts[length] = index;
            length += 1;
        }
    }
    starts
};

/// The first letter of each name in [`SHARED`], in lower case.
const FIRST_LETTERS: [u8; SHARED.len()] = {
    let mut letters = [0; SHARED.len()];
    let mut index = 0;
    while index < SHARED.len() {
        letters[index] = SHARED[index].name.as_bytes()[0].to_ascii_lowercase();
        index += 1;
    }
    letters
};

/// A member that means something.
pub struct Meaning {
    pub role: Role,
    /// Its name is exactly the documented one.
    pub exact: bool,
    /// The row's members within it.
    pub within: &'static [Member],
}

/// What a member of an object in that place means; `members`: those that the row has there.
pub fn meaning(value: Value<'_>, place: Place, members: &'static [Member]) -> Option<Meaning> {
    match value.plain_name() {
        Some(name) => of_name(name, place, members),
        None => of_name(value.name()?.as_bytes(), place, members),
    }
}

fn of_name(name: &[u8], place: Place, members: &'static [Member]) -> Option<Meaning> {
    let (known, exact) = known(name)?;
    let of_row = || members.iter().find(|member| member.name.as_bytes().eq_ignore_ascii_case(name));
    let own = if known.by_row { of_row().and_then(|member| member.role) } else { None };
    let role = own.or_else(|| known.role(place))?;
    let within = match role {
        Role::Object(_) | Role::History => of_row().map_or(&[][..], |member| member.kind.members()),
        _ => &[],
    };
    Some(Meaning { role, exact, within })
}

fn known(name: &[u8]) -> Option<(&'static KnownName, bool)> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    // The first letter rules out most names of the same length.
    let first = name.first()?.to_ascii_lowercase();
    let of_length = STARTS[name.len()]..STARTS[name.len() + 1];
    for (known, letter) in SHARED[of_length.clone()].iter().zip(&FIRST_LETTERS[of_length]) {
        if *letter != first {
            continue;
        }
        let own = known.name.as_bytes();
        // Nearly every name is written as it is documented.
        if own == name {
            return Some((known, true));
        }
        if own.eq_ignore_ascii_case(name) {
            return Some((known, false));
        }
    }
    None
}

/// Whether a field with that name is a code somewhere.
pub fn is_code(name: &str) -> bool {
    let (known, _) = known(name.as_bytes()).unzip();
    known.is_some_and(|known| known.roles.iter().any(|(role, _)| matches!(role, Role::Code | Role::PaymentCode)))
}

/// What a member means wherever it stands.
pub fn at_any_depth(value: Value<'_>) -> Option<Role> {
    /// The lengths of the names: they rule out most values before their names are read.
    const LENGTHS: u64 = {
        let (mut lengths, mut index) = (0, 0);
        while index < AT_ANY_DEPTH.len() {
            lengths |= 1 << AT_ANY_DEPTH[index].0.len();
            index += 1;
        }
        lengths
    };
    let may_be = |length: usize| length < 64 && LENGTHS & 1 << length != 0;
    if value.plain_name_len().is_some_and(|length| !may_be(length)) {
        return None;
    }
    let name = value.name()?;
    AT_ANY_DEPTH.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)).map(|(_, role)| *role)
}
