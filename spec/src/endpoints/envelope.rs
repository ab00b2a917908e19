//! The members around the data of an answer, which many answers have.

use crate::schema::Member;

pub const STATUS_WORD: Member = Member::text("status", "success, or what became of the request instead");
pub const STATUS_FLAG: Member = Member::flag("status", "whether the request succeeded");
pub const STATUS_CODE: Member = Member::text("statusCode", "code, e.g. 00").number_or_text();
pub const CODE: Member = Member::text("code", "code, e.g. 00").number_or_text();
pub const MESSAGE: Member = Member::text("message", "what became of the request, for a person");
