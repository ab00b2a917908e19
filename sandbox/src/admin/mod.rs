//! The admin calls under `/sandbox`, which control and inspect the sandbox. They need no API key.

pub mod acts;
pub mod index;
pub mod pages;
mod show;

use crate::browser;
use crate::crypto::envelope::open_plain;
use crate::http::answer::{Answer, ApiError};
use crate::http::incoming::Incoming;
use crate::service::sandbox::{Sandbox, Shared};
use crate::session::replay::Replay;
use crate::state::State;
use crate::state::model::PayoutState;
use crate::util::json::{Json, object};
use acts::change;
use pages::Act;
use show::Wanted;

/// Returns whether the path is that of an admin call, of the index, or of the description.
pub fn is_admin(path: &str) -> bool {
    path == "/" || path == index::OPENAPI || path == "/sandbox" || path.starts_with("/sandbox/")
}

pub async fn answer(sandbox: &Sandbox, incoming: &Incoming) -> Answer {
    sandbox.settle_due();
    let answer = dispatch(sandbox, incoming).await;
    if incoming.method != "GET" {
        sandbox.lock().calls += 1;
    }
    answer
}

async fn dispatch(sandbox: &Sandbox, incoming: &Incoming) -> Answer {
    match (incoming.method.as_str(), incoming.path.as_str()) {
        ("GET", "/" | "/sandbox") => return index::answer(sandbox, incoming),
        ("GET", index::OPENAPI) => return index::openapi(sandbox),
        _ => {}
    }
    let path: Vec<&str> = incoming.path.split('/').skip(2).collect();
    let result = match (incoming.method.as_str(), path.as_slice()) {
        ("GET", ["state" | "ledger" | "requests" | "orders" | "mandates" | "webhooks" | "accounts" | "payouts"]) => {
            return list(&sandbox.lock(), path[0], &incoming.query_json()).unwrap_or_else(ApiError::into_answer);
        }
        ("GET", ["duplicates"]) => Ok(show::duplicates(&sandbox.lock().state.ledger)),
        ("GET", ["otp", code]) => show::otp(&sandbox.lock().state, code),
        ("POST", ["mandates", code, "activate"]) => change(sandbox, |shared| activate(&mut shared.state, code)),
        ("POST", ["mandates"]) => change(sandbox, |shared| acts::mandate(&mut shared.state, &body(incoming)?)),
        ("POST", ["orders"]) => change(sandbox, |shared| acts::order(&mut shared.state, &body(incoming)?)),
        ("POST", ["fund"]) => change(sandbox, |shared| acts::funding(&mut shared.state, &body(incoming)?)),
        ("POST", ["cards"]) => change(sandbox, |shared| acts::card(&mut shared.state, &body(incoming)?)),
        // GET, because browsers open the redirect URL with it.
        ("GET" | "POST", ["payments", reference, how @ ("confirm" | "decline")])
        | ("POST", ["payments", reference, how @ "expire"]) => {
            change(sandbox, |shared| acts::end_payment(&mut shared.state, reference, how))
        }
        ("POST", ["refunds", reference, how @ ("complete" | "fail")]) => {
            change(sandbox, |shared| acts::end_refunds(&mut shared.state, reference, how))
        }
        ("GET", ["certify"]) => return pages::task(sandbox, incoming).unwrap_or_else(ApiError::into_answer),
        ("POST", ["certify", "result"]) => {
            return pages::tell(sandbox, incoming).unwrap_or_else(ApiError::into_answer);
        }
        ("GET", ["checkout", id]) => return pages::show(&sandbox.lock().state, id, incoming.wants_json()),
        ("POST", ["checkout", id, act]) => match Act::named(act) {
            Some(act) => return check_out(sandbox, incoming, id, act),
            None => Err(ApiError::new(404, format!("There is no admin call {}.", incoming.path))),
        },
        ("POST", ["payouts"]) => change(sandbox, |shared| acts::payouts(&mut shared.state, &body(incoming)?)),
        ("POST", ["payouts", reference, "complete"]) => {
            change(sandbox, |shared| acts::end_payouts(&mut shared.state, reference, PayoutState::Successful))
        }
        ("POST", ["payouts", reference, "fail"]) => {
            change(sandbox, |shared| acts::end_payouts(&mut shared.state, reference, PayoutState::Failed))
        }
        ("POST", ["webhooks"]) => {
            body(incoming).and_then(|body| acts::set_webhooks(&mut sandbox.lock().webhooks, &body))
        }
        ("POST", ["webhooks", "forge"]) => body(incoming).and_then(|body| acts::forge(sandbox, &body)),
        ("POST", ["webhooks", id, "resend"]) => acts::resend(&mut sandbox.lock().webhooks, id),
        ("GET", ["page", name]) => match browser::file(name) {
            Some(file) => return file,
            None => Err(ApiError::new(404, format!("There is no file {name}."))),
        },
        ("GET", ["key.pem"]) => return acts::pem(sandbox).unwrap_or_else(ApiError::into_answer),
        // Only a JSON object, as the endpoints expect.
        ("POST", ["encrypt"]) => {
            body(incoming).and_then(|_| acts::encrypt(sandbox, incoming.body.as_deref().unwrap_or_default()))
        }
        ("GET", ["endpoints"]) => Ok(show::endpoints(&sandbox.router)),
        ("GET", ["faults"]) => Ok(acts::faults(sandbox)),
        ("POST", ["faults"]) => body(incoming).and_then(|body| acts::add_fault(sandbox, &body)),
        ("DELETE", ["faults"]) => Ok(acts::clear_faults(sandbox)),
        ("DELETE", ["faults", name]) => acts::remove_fault(sandbox, name),
        ("POST", ["lost-charge"]) => match body(incoming) {
            Ok(body) => acts::lose_charge(sandbox, &body).await,
            Err(error) => Err(error),
        },
        ("GET", ["clock"]) => Ok(acts::clock()),
        ("POST", ["clock"]) => change(sandbox, |shared| acts::advance_clock(&mut shared.state, &body(incoming)?)),
        ("POST", ["settle"]) => change(sandbox, |shared| Ok(acts::settle(&mut shared.state))),
        ("GET", ["replay"]) => {
            Ok(sandbox.session.replay().map_or_else(|| object! { "exchanges": Json::Null }, Replay::json))
        }
        ("POST", ["reset"]) => {
            sandbox.reset();
            Ok(object! { "reset": true })
        }
        (method, _) => Err(match index::allowed(&incoming.path) {
            Some(allowed) => ApiError::method_not_allowed(method, &incoming.path, &allowed),
            None => ApiError::new(404, format!("There is no admin call {}.", incoming.path)),
        }),
    };
    result.map_or_else(ApiError::into_answer, |json| Answer::ok(&json))
}

fn list(shared: &Shared, which: &str, query: &Json) -> Result<Answer, ApiError> {
    let wanted = Wanted::of(query, &shared.state)?;
    let json = match which {
        "state" => show::state(shared, &wanted),
        "ledger" => show::ledger(&shared.state.ledger, &wanted),
        "orders" => object! { "orders": show::orders(&shared.state, &wanted) },
        "accounts" => object! { "accounts": show::accounts(&shared.state, &wanted) },
        "payouts" => show::payouts(&shared.state, query, &wanted),
        "mandates" => object! { "mandates": show::mandates(&shared.state, &wanted) },
        "webhooks" => show::webhooks(&shared.webhooks, &wanted),
        _ => return show::requests(shared, &wanted),
    };
    Ok(Answer::ok(&json))
}

fn body(incoming: &Incoming) -> Result<Json, ApiError> {
    open_plain(incoming.body()?).1
}

fn activate(state: &mut State, code: &str) -> Result<Json, ApiError> {
    let mandate = state.activate_mandate(code)?;
    Ok(object! { "mandateCode": &mandate.code, "active": mandate.active })
}

fn check_out(sandbox: &Sandbox, incoming: &Incoming, id: &str, act: Act) -> Answer {
    let answer = change(sandbox, |shared| pages::act(&mut shared.state, id, act, incoming.accepts_html()));
    answer.unwrap_or_else(ApiError::into_answer)
}
