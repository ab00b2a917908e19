//! Admin calls for webhooks: behaviour, delivery log, resend and forged events.

use super::listing::Wanted;
use crate::http::answer::ApiError;
use crate::service::sandbox::{Sandbox, Shared};
use crate::util::json::{Json, object};
use crate::webhook::Webhooks;
use crate::webhook::deliveries::Delivery;
use crate::webhook::forge::forged;
use crate::webhook::message::Form;

/// The behaviour and the newest deliveries.
pub fn show(webhooks: &Webhooks, wanted: &Wanted) -> Json {
    let mut shown = webhooks.behaviour.json();
    if let Json::Object(members) = &mut shown {
        members.push(("forms".to_string(), Form::ALL.map(Form::name).to_vec().into()));
        let found = deliveries(webhooks, wanted).into_iter().map(Delivery::json);
        members.push(("deliveries".to_string(), found.collect::<Vec<_>>().into()));
    }
    shown
}

pub fn deliveries<'a>(webhooks: &'a Webhooks, wanted: &Wanted) -> Vec<&'a Delivery> {
    wanted.of_list(webhooks.deliveries.newest_first(), |it| it.id, |it| vec![it.message.key.clone()])
}

/// Sets the fields that are given; what was held back is sent.
pub fn set(webhooks: &mut Webhooks, body: &Json) -> Result<Json, ApiError> {
    webhooks.behaviour = webhooks.behaviour.changed(body)?;
    webhooks.release();
    Ok(webhooks.behaviour.json())
}

pub fn resend(webhooks: &mut Webhooks, id: &str) -> Result<Json, ApiError> {
    let again = id.parse().ok().and_then(|id| webhooks.resend(id));
    let id = again.ok_or_else(|| ApiError::not_found("id", "Delivery"))?;
    Ok(object! { "id": id })
}

pub fn forge(sandbox: &Sandbox, body: &Json) -> Result<Json, ApiError> {
    let mut shared = sandbox.lock();
    let Shared { state, webhooks, .. } = &mut *shared;
    let message = forged(state, body, webhooks.behaviour.form)?;
    let id = webhooks.send_forged(message);
    Ok(object! { "id": id })
}
