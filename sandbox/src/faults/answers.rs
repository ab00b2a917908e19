//! Answers that several faults use.

use crate::http::answer::{Answer, ApiError};

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sandbox</title></head><body><h1>Not what you asked for</h1>\
    <p>{\"status\":true,\"statusCode\":\"00\"}</p></body></html>\n";

pub fn page(status: u16) -> Answer {
    Answer::page(status, PAGE.to_string())
}

pub fn error(status: u16, message: &str) -> Answer {
    ApiError::new(status, message).into_answer()
}
