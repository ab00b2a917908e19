//! A reply as one JSON object: what `paysvc_reply_json` and `paysvc_reply_answer` return.

use std::collections::BTreeMap;

use once_cell::race::OnceBox;

use super::normal::{self, TooLong};
use super::paid::{self, Order};
use super::reply::{Evidence, OwnMembers};
use crate::json::document::Value;
use crate::json::object::{Object, list, object, quote};
use crate::util::memory;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::ShapeField;
use paysvc_spec::status::{self, STATES};

/// Room for the fields that every reply has.
const ROOM: usize = 2048;

pub struct Summary<'a> {
    pub evidence: &'a Evidence,
    pub code: &'a str,
    pub message: &'a str,
    pub attempts: i32,
    pub replayed: bool,
    /// -1: not named.
    pub retry_after_ms: i32,
    pub call_id: &'a str,
    pub request_id: &'a str,
    pub own: Option<OwnMembers>,
    pub look_up: Option<&'a str>,
    /// `None`: there is no memory to read the body.
    pub body: Option<Value<'a>>,
}

/// The shape of a response. All are made with the first: that takes longer than a short response.
fn shape(function: &str) -> &'static [ShapeField] {
    static SHAPES: OnceBox<BTreeMap<&str, Vec<ShapeField>>> = OnceBox::new();
    let shapes = SHAPES.get_or_init(|| {
        let rows = ENDPOINTS.iter().map(|row| (row.name, row.answer.shape()));
        Box::new(rows.chain(OPERATIONS.iter().map(|of| (of.name, of.shape()))).collect())
    });
    shapes.get(function).map_or(&[], Vec::as_slice)
}

impl Summary<'_> {
    /// `is_whole`: with what the functions of a reply return as well.
    pub fn text(&self, is_whole: bool) -> Result<Vec<u8>, TooLong> {
        let (whole, in_front) = match &self.own {
            Some(own) if own.in_front => (None, Some(own)),
            own => (own.as_ref(), None),
        };
        let (row, body) = (self.evidence.reading.row, self.body.ok_or(TooLong)?);
        let (mut answer, mut webhook) = (Vec::new(), Vec::new());
        let unreadable = match (row, whole) {
            (Some(row), _) => normal::write(shape(row.name), body, &mut answer)?,
            (None, Some(own)) => normal::write_own(shape(own.of.name), body, &mut answer)?,
            (None, None) => Vec::new(),
        };
        if let Some(own) = in_front {
            normal::write_own(shape(own.of.name), body, &mut webhook)?;
        }
        let texts = [self.code, self.message, self.request_id, self.look_up.unwrap_or_default()];
        let pointers = unreadable.iter().map(|pointer| pointer.len() + 1).sum::<usize>();
        // An escape takes six bytes.
        let escaped = 6 * (texts.iter().map(|text| text.len()).sum::<usize>() + pointers);
        let mut out = memory::buffer(ROOM + escaped + answer.len() + webhook.len()).ok_or(TooLong)?;
        let or_null = |text: Vec<u8>| if text.is_empty() { b"null".to_vec() } else { text };
        object(&mut out, |reply| {
            if is_whole {
                self.result(reply);
                self.paid(reply);
            }
            reply.literal("look_up", self.look_up.unwrap_or("null"));
            let name = row.map(|row| row.name).or(whole.map(|own| own.of.name));
            reply.text_or_null("answer_of", name.filter(|_| !answer.is_empty()));
            reply.raw("answer", |out| out.extend_from_slice(&or_null(answer)));
            reply.raw("unreadable", |out| list(out, &unreadable, |out, pointer| quote(pointer, out)));
            reply.raw("webhook", |out| out.extend_from_slice(&or_null(webhook)));
        });
        Ok(out)
    }

    fn result(&self, reply: &mut Object<'_>) {
        let Evidence { reading, verdict } = self.evidence;
        reply.text("status", status::name_of(verdict.status));
        reply.text("outcome", status::name_of_outcome(verdict.outcome));
        let state = status::name(STATES, verdict.state.0);
        reply.text_or_null("state", state.map(|name| name.trim_start_matches("STATE_")));
        reply.literal("state_number", verdict.state.0);
        reply.literal("http_status", reading.http_status);
        reply.text("code", self.code);
        reply.text("message", self.message);
        reply.literal("attempts", self.attempts);
        reply.literal("replayed", self.replayed);
        match self.retry_after_ms {
            -1 => reply.literal("retry_after_ms", "null"),
            ms => reply.literal("retry_after_ms", ms),
        }
        reply.text("call_id", self.call_id);
        reply.text("request_id", self.request_id);
        reply.literal("is_active", self.evidence.is_active());
    }

    /// Writes what `paysvc_reply_is_paid` takes for paid.
    fn paid(&self, reply: &mut Object<'_>) {
        let anything = Order { reference: None, amount: None, currency: None };
        let why_not = self.evidence.why_not_paid(&anything);
        let facts = self.evidence.reading.facts.as_deref();
        match facts.filter(|_| why_not.is_none()).map(paid::accepted) {
            Some(accepted) => reply.raw("paid", |out| {
                object(out, |paid| {
                    paid.text_or_null("reference", accepted.reference);
                    paid.raw("amounts", |out| list(out, &accepted.amounts, |out, amount| quote(amount, out)));
                    paid.text_or_null("currency", accepted.currency);
                });
            }),
            None => reply.literal("paid", "null"),
        }
        reply.text("why_not", &why_not.unwrap_or_default().to_string_lossy());
    }
}
