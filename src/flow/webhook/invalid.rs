//! The errors in an event: they name the member, or the whole body, and repeat no part of it.

use super::{BODY, THIS};
use crate::util::validation_error::ValidationError;
use paysvc_spec::status::Status;

pub fn of_body(reason: impl Into<String>) -> ValidationError {
    ValidationError::of_member(Status::Argument, THIS.name, BODY, reason)
}

pub fn of_member(member: &str, reason: &str) -> ValidationError {
    ValidationError::of_member(Status::Argument, THIS.name, &format!("{BODY}.{member}"), reason)
}
