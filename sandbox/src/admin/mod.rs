//! The admin calls under `/sandbox`: what a test or a person asks of the simulated service itself. They need no key.

mod faults;
mod ledger;
mod make;
mod show;

use crate::answer::{Answer, Refusal};
use crate::envelope::open_plain;
use crate::incoming::Incoming;
use crate::json::{Json, object};
use crate::sandbox::{Book, Sandbox};
use crate::state::State;

/// Is it an admin call at all?
pub fn is_admin(path: &str) -> bool {
    path == "/sandbox" || path.starts_with("/sandbox/")
}

pub fn answer(sandbox: &Sandbox, incoming: &Incoming) -> Answer {
    let path: Vec<&str> = incoming.path.split('/').skip(2).collect();
    let result = match (incoming.method.as_str(), path.as_slice()) {
        ("GET", ["state"]) => Ok(show::state(&sandbox.book())),
        ("GET", ["ledger"]) => Ok(ledger::entries(&sandbox.book().state.ledger)),
        ("GET", ["duplicates"]) => Ok(ledger::duplicates(&sandbox.book().state.ledger)),
        ("GET", ["requests"]) => Ok(sandbox.book().requests.json()),
        ("GET", ["otp", code]) => show::otp(&sandbox.book().state, code),
        ("POST", ["mandates", code, "activate"]) => activate(&mut sandbox.book().state, code),
        ("POST", ["mandates"]) => change(sandbox, |book| make::mandate(&mut book.state, &body(incoming)?)),
        ("POST", ["orders"]) => change(sandbox, |book| make::order(&mut book.state, &body(incoming)?)),
        ("POST", ["fund"]) => change(sandbox, |book| make::funding(&mut book.state, &body(incoming)?)),
        // A browser follows a redirect with GET.
        ("GET" | "POST", ["payments", reference, "confirm"]) => {
            change(sandbox, |book| confirm(&mut book.state, reference))
        }
        ("GET", ["faults"]) => Ok(faults::list(sandbox)),
        ("POST", ["faults"]) => body(incoming).and_then(|body| faults::add(sandbox, &body)),
        ("DELETE", ["faults"]) => Ok(faults::clear(sandbox)),
        ("POST", ["reset"]) => {
            sandbox.reset();
            Ok(object! { "reset": true })
        }
        (method, path) => Err(match allowed(path) {
            Some(allowed) => Refusal::method_not_allowed(method, &incoming.path, allowed),
            None => Refusal::error(404, format!("There is no admin call {}.", incoming.path)),
        }),
    };
    result.map_or_else(Refusal::into_answer, |json| Answer::ok(&json))
}

fn allowed(path: &[&str]) -> Option<&'static str> {
    match path {
        ["state" | "ledger" | "duplicates" | "requests"] | ["otp", _] => Some("GET"),
        ["faults"] => Some("GET, POST, DELETE"),
        ["orders" | "mandates" | "fund" | "reset"] | ["mandates", _, "activate"] => Some("POST"),
        ["payments", _, "confirm"] => Some("GET, POST"),
        _ => None,
    }
}

/// A call that may commit effects; they belong to no request of the service.
fn change(sandbox: &Sandbox, act: impl FnOnce(&mut Book) -> Result<Json, Refusal>) -> Result<Json, Refusal> {
    let mut book = sandbox.book();
    book.state.ledger.begin(None);
    let result = act(&mut book);
    book.state.ledger.end();
    sandbox.tell(&mut book);
    result
}

fn body(incoming: &Incoming) -> Result<Json, Refusal> {
    let body = incoming.body.as_ref().ok_or_else(|| Refusal::error(413, "The body is larger than 1 MB."))?;
    open_plain(body).1
}

fn activate(state: &mut State, code: &str) -> Result<Json, Refusal> {
    let mandate = state.activate_mandate(code)?;
    Ok(object! { "mandateCode": &mandate.code, "active": mandate.active })
}

fn confirm(state: &mut State, payment_reference: &str) -> Result<Json, Refusal> {
    let order = state.confirm_card(payment_reference)?;
    Ok(object! { "paymentReference": payment_reference, "reference": &order.reference, "status": order.state().name() })
}
