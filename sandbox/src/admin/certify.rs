//! The task of a client that is being certified, and what it tells.

use super::index::escaped;
use crate::certify::desk::Paid;
use crate::crypto::envelope::open_plain;
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::service::sandbox::Sandbox;
use crate::util::json::{Json, object};

pub fn show(sandbox: &Sandbox, incoming: &Incoming) -> Result<Answer, ApiError> {
    let step = sandbox.desk.step();
    let Some(step) = step.as_ref() else { return Ok(Answer::ok(&object! { "scenario": Json::Null })) };
    if !incoming.accepts_html() {
        return Ok(Answer::ok(&step.json()));
    }
    let rows = [
        ("scenario", step.scenario),
        ("order", &step.reference),
        ("amount", step.amount),
        ("currency", step.currency),
        ("card", step.card),
        ("event", step.event.as_deref().unwrap_or("none")),
    ];
    let rows = rows.map(|(name, value)| format!("<tr><th>{name}<td>{}\n", escaped(value))).concat();
    let buttons = [("true", "It is paid"), ("false", "It is certainly not paid"), ("unknown", "It is not known")];
    let buttons = buttons.map(|(paid, label)| {
        format!(
            "<form method=\"post\" action=\"/sandbox/certify/result?paid={paid}\"><button>{label}</button></form>\n"
        )
    });
    let (instruction, buttons) = (step.instruction, buttons.concat());
    Ok(Answer::page(
        200,
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>certify: {0}</title>\n\
             <style>:root{{color-scheme:light dark}}body{{font-family:sans-serif;margin:2em}}th{{text-align:left;padding-right:1em}}td{{overflow-wrap:anywhere}}form{{margin:.5em 0}}</style>\n\
             <h1>{0}</h1>\n<p>{instruction}\n<table>{rows}</table>\n{buttons}</html>\n",
            step.scenario
        ),
    ))
}

/// `{"reference":…,"paid":true}`; or, from the page, the same in the query.
pub fn tell(sandbox: &Sandbox, incoming: &Incoming) -> Result<Answer, ApiError> {
    let query = incoming.query_json();
    let is_form = query.get("paid").is_some();
    let body = if is_form { query } else { open_plain(incoming.body()?).1? };
    let words = "The paid field must be true, false or \"unknown\".";
    let paid = body.get("paid").and_then(Paid::of).ok_or_else(|| ApiError::field("paid", words))?;
    let mut step = sandbox.desk.step();
    let step = step.as_mut().ok_or_else(none)?;
    if body.get("reference").and_then(Json::as_text).is_some_and(|reference| reference != step.reference) {
        return Err(ApiError::field("reference", format!("The order of this scenario is {}.", step.reference)));
    }
    step.told = Some(paid);
    let answer = object! { "scenario": step.scenario, "told": true };
    Ok(match is_form && incoming.accepts_html() {
        true => Answer::page(303, String::new()).header("location", "/sandbox/certify"),
        false => Answer::ok(&answer),
    })
}

fn none() -> ApiError {
    ApiError::new(404, "No scenario is under way: start the program with certify.")
}
