//! What every language needs to know of typed answers.

use paysvc_spec::schema::{Certainty, Member};

/// The members that are typed: a public name cannot be withdrawn, so what is only guessed has none.
pub fn typed(members: &'static [Member]) -> Vec<&'static Member> {
    members.iter().filter(|member| member.certainty != Certainty::Guessed).collect()
}
