//! The list of banks.

use super::{Call, success};
use crate::answer::{Answer, ApiError};
use crate::json::object;
use crate::state::State;

const BANKS: [(&str, &str); 3] =
    [("Sandbox Bank One", "000013"), ("Sandbox Bank Two", "000014"), ("Sandbox Bank Three", "000015")];

pub fn list(_: &mut State, _: &Call) -> Result<Answer, ApiError> {
    let banks = BANKS.iter().map(|(name, code)| object! { "name": *name, "bankCode": *code, "countryId": 1_u64 });
    Ok(Answer::ok(&success("00", "Banks fetched successfully", banks.collect::<Vec<_>>().into())))
}
