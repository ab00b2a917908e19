//! Typed answers: what `paysvc_reply_json` and the structs of C++ have of a response is what the reference reader of the tests
//! finds (`tests/support/answers`), and no value that cannot be read changes a verdict. Other languages read that JSON.
//!
//! Two kinds of answers: the canned ones of `tests/scenarios.json`, and hostile ones that a raw server gives. TEST_ANSWERS=all:
//! every value of every kind for every field, and a hundred times as many by chance. `make harden ONLY=certify` prints the table.

mod cpp;
mod hostile;
mod normal;
mod reference;
mod values;

use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{Endpoint, typed};

/// The rows with typed answers. Everything that is known about the others' is guessed.
fn rows() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS.iter().filter(|row| typed(row.answer.members).next().is_some())
}
