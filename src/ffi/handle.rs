//! What a reply has.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};

use once_cell::race::OnceBox;

use super::texts::Texts;
use super::types::{paysvc_outcome, paysvc_reply, paysvc_state, paysvc_status};
use crate::answer::facts::Facts;
use crate::answer::paid::{self, Ordered};
use crate::answer::reply::{Evidence, Reply};
use crate::call::CallRecord;
use crate::json::Type;
use crate::json::document::{Document, Value};
use crate::util::call_id::CallId;
use crate::util::cp1252;
use crate::util::failpoint;
use paysvc_spec::status::{JsonType, Outcome, State};

pub struct Handle {
    pub status: paysvc_status,
    pub outcome: paysvc_outcome,
    pub state: paysvc_state,
    pub http_status: c_int,
    pub retry_after_ms: c_int,
    pub attempts: c_int,
    pub replayed: bool,
    facts: Option<Box<Facts>>,
    pub body: Body,
    pub code: CString,
    pub message: CString,
    id: CallId,
    id_text: OnceBox<CString>,
    /// The positions of the body's values; if not known already, the first look-up finds them.
    document: OnceBox<Document>,
    texts: Texts,
    cp1252: Texts,
    names: Texts,
    /// `None`: the service gave none.
    request_id: Option<CString>,
}

/// The body as text, with a NUL at the end for C.
pub struct Body(String);

impl Body {
    /// JSON text contains no NUL.
    fn new(mut text: String) -> Body {
        text.push('\0');
        Body(text)
    }

    pub fn text(&self) -> &str {
        &self.0[..self.0.len() - 1]
    }

    pub fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

pub fn new(reply: Reply, record: &CallRecord) -> Box<paysvc_reply> {
    failpoint::at("reply");
    let Evidence { reading, verdict } = reply.evidence;
    Box::new(paysvc_reply(Handle {
        status: verdict.status as paysvc_status,
        outcome: verdict.outcome as paysvc_outcome,
        state: verdict.state.0,
        http_status: c_int::from(reading.http_status),
        retry_after_ms: reading.retry_after_ms.map_or(-1, |ms| c_int::try_from(ms).unwrap_or(c_int::MAX)),
        attempts: c_int::try_from(record.attempts()).unwrap_or(c_int::MAX),
        replayed: reply.replayed,
        facts: reading.facts,
        body: Body::new(reply.body),
        code: c_text(reply.code),
        message: c_text(reply.message),
        id: record.id,
        id_text: OnceBox::new(),
        document: reply.document.map_or_else(OnceBox::new, |document| OnceBox::with_value(Box::new(document))),
        texts: Texts::default(),
        cp1252: Texts::default(),
        names: Texts::default(),
        request_id: (!reading.request_id.is_empty()).then(|| c_text(reading.request_id)),
    }))
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}

/// Codes and messages have no control characters; a NUL would be removed.
fn c_text(text: String) -> CString {
    CString::new(text).unwrap_or_else(|error| {
        let mut bytes = error.into_vec();
        bytes.retain(|&byte| byte != 0);
        CString::new(bytes).unwrap_or_default()
    })
}

impl Handle {
    fn document(&self) -> Option<&Document> {
        // The service's bodies have been scanned. One that the library made is scanned only for a look-up.
        self.document.get_or_try_init(|| Document::scan_own(self.body.text()).map(Box::new)).ok()
    }

    fn look(&self, pointer: &str) -> Option<(&Document, Value<'_>)> {
        let document = self.document()?;
        Some((document, document.root(self.body.text()).look(pointer)?))
    }

    pub fn get(&self, pointer: &str) -> Option<*const c_char> {
        let (document, value) = self.look(pointer)?;
        self.texts.keep(value.index(), document.len(), || value.plain().map(bytes))
    }

    pub fn get_cp1252(&self, pointer: &str) -> Option<*const c_char> {
        let (document, value) = self.look(pointer)?;
        self.cp1252.keep(value.index(), document.len(), || value.plain().map(|text| cp1252::encode(&text).into()))
    }

    pub fn json_type(&self, pointer: &str) -> JsonType {
        self.look(pointer).map_or(JsonType::Absent, |(_, value)| match value.kind() {
            Type::Null => JsonType::Null,
            Type::Bool => JsonType::Bool,
            Type::Number => JsonType::Number,
            Type::Text => JsonType::String,
            Type::Array => JsonType::Array,
            Type::Object => JsonType::Object,
        })
    }

    pub fn count(&self, pointer: &str) -> usize {
        self.look(pointer).map_or(0, |(_, value)| value.count())
    }

    pub fn name(&self, pointer: &str, index: usize) -> Option<*const c_char> {
        let (document, object) = self.look(pointer)?;
        let member = (object.kind() == Type::Object).then(|| object.look_child(index))??;
        self.names.keep(member.index(), document.len(), || member.step().map(bytes))
    }

    pub fn why_not_paid(&self, ordered: &Ordered<'_>) -> Option<&'static CStr> {
        paid::why_not(self.outcome, State(self.state), self.facts.as_deref(), ordered)
    }

    pub fn is_active(&self) -> bool {
        let says_active = self.facts.as_ref().is_some_and(|facts| facts.says_active);
        self.outcome == Outcome::Confirmed as paysvc_outcome && says_active
    }

    pub fn request_id(&self) -> &CStr {
        self.request_id.as_deref().unwrap_or(c"")
    }

    pub fn call_id(&self) -> &CStr {
        self.id_text.get_or_init(|| Box::new(c_text(self.id.to_string())))
    }
}
