//! The reply handle: what a reply has, and the functions that read it. Its texts stay valid until it is freed.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::MaybeUninit;

use once_cell::race::OnceBox;

use super::boundary::{boundary, text};
use super::store::MAX_SIZE;
use super::types::{paysvc_outcome, paysvc_reply, paysvc_reply_view, paysvc_state, paysvc_status};
use crate::answer::paid::{self, Order};
use crate::answer::reply::{Evidence, OwnMembers, Reply};
use crate::answer::summary::Summary;
use crate::call::CallRecord;
use crate::json::Type;
use crate::json::document::{Document, Value};
use crate::util::memory;
use crate::util::panics::failpoint;
use crate::util::text::to_cp1252;
use crate::util::unique::CallId;
use paysvc_spec::status::{Amount, JsonType, Outcome, State, Status};

pub(super) struct Handle {
    evidence: Evidence,
    attempts: c_int,
    replayed: bool,
    body: Body,
    code: CString,
    message: CString,
    id: CallId,
    id_text: OnceBox<CString>,
    /// The positions of the body's values; if not known already, the first lookup finds them.
    document: OnceBox<Document>,
    texts: Texts,
    cp1252: Texts,
    names: Texts,
    amounts: Texts,
    /// `None`: the service gave none.
    request_id: Option<CString>,
    own: Option<OwnMembers>,
    look_up: Option<String>,
    json: OnceBox<CString>,
    answer: OnceBox<CString>,
}

/// The body as text, with a NUL at the end for C.
struct Body(String);

impl Body {
    /// JSON text contains no NUL.
    fn new(mut text: String) -> Body {
        text.push('\0');
        Body(text)
    }

    fn text(&self) -> &str {
        &self.0[..self.0.len() - 1]
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// The reply for C.
pub(super) fn handle(reply: Reply, record: &CallRecord) -> Box<paysvc_reply> {
    failpoint::at("reply");
    let mut evidence = reply.evidence;
    let request_id = std::mem::take(&mut evidence.reading.request_id);
    Box::new(paysvc_reply(Handle {
        evidence,
        attempts: c_int::try_from(record.attempts()).unwrap_or(c_int::MAX),
        replayed: reply.replayed,
        body: Body::new(reply.body),
        code: c_text(reply.code),
        message: c_text(reply.message),
        id: record.id,
        id_text: OnceBox::new(),
        document: reply.document.map_or_else(OnceBox::new, |document| OnceBox::with_value(Box::new(document))),
        texts: Texts::default(),
        cp1252: Texts::default(),
        names: Texts::default(),
        amounts: Texts::default(),
        request_id: (!request_id.is_empty()).then(|| c_text(request_id)),
        own: reply.own,
        look_up: reply.look_up,
        json: OnceBox::new(),
        answer: OnceBox::new(),
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
    pub(super) fn status(&self) -> paysvc_status {
        self.evidence.verdict.status as paysvc_status
    }

    fn retry_after_ms(&self) -> c_int {
        self.evidence.reading.retry_after_ms.map_or(-1, |ms| c_int::try_from(ms).unwrap_or(c_int::MAX))
    }

    fn document(&self) -> Option<&Document> {
        // The service's bodies have been scanned. One that the library made is scanned only for a lookup.
        self.document.get_or_try_init(|| Document::scan_own(self.body.text()).map(Box::new)).ok()
    }

    fn look(&self, pointer: &str) -> Option<(&Document, Value<'_>)> {
        let document = self.document()?;
        Some((document, document.root(self.body.text()).find(pointer)?))
    }

    fn get(&self, pointer: &str) -> Option<*const c_char> {
        let (document, value) = self.look(pointer)?;
        self.texts.keep(value.index(), document.len(), || value.plain().map(bytes))
    }

    fn get_cp1252(&self, pointer: &str) -> Option<*const c_char> {
        let (document, value) = self.look(pointer)?;
        self.cp1252.keep(value.index(), document.len(), || value.plain().map(|text| to_cp1252(&text).into()))
    }

    fn json_type(&self, pointer: &str) -> JsonType {
        self.look(pointer).map_or(JsonType::Absent, |(_, value)| match value.kind() {
            Type::Null => JsonType::Null,
            Type::Bool => JsonType::Bool,
            Type::Number => JsonType::Number,
            Type::Text => JsonType::String,
            Type::Array => JsonType::Array,
            Type::Object => JsonType::Object,
        })
    }

    fn count(&self, pointer: &str) -> usize {
        self.look(pointer).map_or(0, |(_, value)| value.count())
    }

    fn name(&self, pointer: &str, index: usize) -> Option<*const c_char> {
        let (document, object) = self.look(pointer)?;
        let member = (object.kind() == Type::Object).then(|| object.child(index))??;
        self.names.keep(member.index(), document.len(), || member.step().map(bytes))
    }

    fn amount(&self, which: c_int) -> Option<*const c_char> {
        const ALL: [Amount; 4] = [Amount::Price, Amount::Fee, Amount::Total, Amount::Refunded];
        let index = ALL.iter().position(|amount| *amount as c_int == which)?;
        let text = || Some(self.evidence.reading.facts.as_ref()?.amount(ALL[index])?.into_bytes().into());
        self.amounts.keep(index, ALL.len(), text)
    }

    fn request_id(&self) -> &CStr {
        self.request_id.as_deref().unwrap_or(c"")
    }

    fn json(&self, is_whole: bool) -> Option<*const c_char> {
        let kept = if is_whole { &self.json } else { &self.answer };
        let made = kept.get_or_try_init(|| {
            let text = |text: &'_ CString| text.to_string_lossy().into_owned();
            let (code, message, request_id) =
                (text(&self.code), text(&self.message), self.request_id().to_string_lossy());
            let summary = Summary {
                evidence: &self.evidence,
                code: &code,
                message: &message,
                attempts: self.attempts,
                replayed: self.replayed,
                retry_after_ms: self.retry_after_ms(),
                call_id: &self.call_id().to_string_lossy(),
                request_id: &request_id,
                own: self.own,
                look_up: self.look_up.as_deref(),
                body: self.document().map(|document| document.root(self.body.text())),
            };
            CString::new(summary.text(is_whole).map_err(|_| ())?).map(Box::new).map_err(|_| ())
        });
        made.ok().map(|json| json.as_ptr())
    }

    fn call_id(&self) -> &CStr {
        self.id_text.get_or_init(|| Box::new(c_text(self.id.to_string())))
    }
}

/// Texts by the number of their value. Lock-free: a child that is forked during a look of another thread would wait for ever.
#[derive(Default)]
struct Texts(OnceBox<Vec<OnceBox<CString>>>);

impl Texts {
    /// The text of a value of a document with that many values: made once, then always the same. `None` if there is not
    /// enough memory for it.
    fn keep<'t>(
        &self,
        number: usize,
        values: usize,
        make: impl FnOnce() -> Option<Cow<'t, [u8]>>,
    ) -> Option<*const c_char> {
        let texts = self.0.get_or_try_init(|| {
            let mut texts = memory::list(values).ok_or(())?;
            texts.resize_with(values, OnceBox::new);
            Ok::<_, ()>(Box::new(texts))
        });
        let kept = texts.ok()?.get(number)?.get_or_try_init(|| {
            let text = make().ok_or(())?;
            let mut kept = memory::buffer(text.len() + 1).ok_or(())?;
            kept.extend_from_slice(&text);
            CString::new(kept).map(Box::new).map_err(|_| ())
        });
        kept.ok().map(|kept| kept.as_ptr())
    }
}

/// The body of a NULL reply.
const NO_BODY: &CStr = c"{\"status\":false,\"message\":\"reply is NULL\",\"errors\":{}}";

/// Returns the result at a pointer; the fallback for NULL, and for a pointer that is not UTF-8.
///
/// # Safety
/// `pointer` is NULL, or NUL-terminated until this returns.
unsafe fn look_up<T: Copy>(
    reply: Option<&paysvc_reply>,
    pointer: *const c_char,
    fallback: T,
    look: impl FnOnce(&Handle, &str) -> T,
) -> T {
    let Some(paysvc_reply(handle)) = reply else { return fallback };
    // SAFETY: what the caller promises, unchanged.
    boundary(fallback, || unsafe { text(pointer, "pointer") }.map_or(fallback, |pointer| look(handle, pointer)))
}

/// Status that the function returned with this reply.
///
/// @param reply  NULL: PAYSVC_E_ARGUMENT
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_status(reply: Option<&paysvc_reply>) -> paysvc_status {
    reply.map_or(Status::Argument as paysvc_status, |reply| reply.0.status())
}

/// The effect of the request at the service: decides whether it may be repeated.
///
/// @param reply  NULL: PAYSVC_OUTCOME_UNKNOWN
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_outcome(reply: Option<&paysvc_reply>) -> paysvc_outcome {
    reply.map_or(Outcome::Unknown as paysvc_outcome, |reply| reply.0.evidence.verdict.outcome as paysvc_outcome)
}

/// State of the payment or refund in the response; PAYSVC_STATE_NONE if the response has none, or contradicting ones.
///
/// @param reply  NULL: PAYSVC_STATE_NONE
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_state(reply: Option<&paysvc_reply>) -> paysvc_state {
    reply.map_or(State::NONE.0, |reply| reply.0.evidence.verdict.state.0)
}

/// Returns whether an order is paid as it was ordered. It is only if the outcome is PAYSVC_OUTCOME_CONFIRMED, the state
/// PAYSVC_STATE_SUCCESSFUL, and reference, price and currency are these. For paysvc_webhook_verify() and paysvc_order_wait() it
/// is about the service's response. A refund or a payout is never paid, nor is a reply of paysvc_request().
///
/// @param reply  NULL: not paid
/// @param reference  of the order, compared without regard to case; if the response names no order, with that of the request. For
///   money that came to a virtual account, the reference of the account. "*" is not compared, NULL is not paid.
/// @param amount  the price without the fee in major units, e.g. "25.50"; amounts are compared as decimals. Where the response
///   has no price, what was charged must be it, with or without the fee. "*" is not compared, NULL is not paid.
/// @param currency  e.g. "NGN"; as the response names it, or as paysvc_resolve() and paysvc_order_wait() have proved it. "*" is not
///   compared, NULL is not paid.
/// @param why_not  may be NULL; otherwise *why_not is set to a static text, why it is not paid, or "": do not free it
/// @return 1 if it is paid, else 0. A value that the response lacks or contradicts, or that cannot be read, is a difference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_is_paid(
    reply: Option<&paysvc_reply>,
    reference: *const c_char,
    amount: *const c_char,
    currency: *const c_char,
    why_not: Option<&mut MaybeUninit<*const c_char>>,
) -> c_int {
    let why = boundary(Some(c"a bug in the library was caught"), || {
        // SAFETY: each is NULL, or NUL-terminated until this function returns.
        let ordered = unsafe {
            [text(reference, "reference"), text(amount, "amount"), text(currency, "currency")]
                .map(|text| text.ok().map(|text| (text != paid::ANY).then_some(text)))
        };
        match (reply, ordered) {
            (None, _) => Some(c"reply is NULL"),
            (Some(reply), [Some(reference), Some(amount), Some(currency)]) => {
                reply.0.evidence.why_not_paid(&Order { reference, amount, currency })
            }
            _ => Some(c"reference, amount or currency is NULL or not UTF-8"),
        }
    });
    if let Some(why_not) = why_not {
        why_not.write(why.unwrap_or(c"").as_ptr());
    }
    c_int::from(why.is_none())
}

/// Returns whether a mandate is active, so that it can be debited: the outcome of paysvc_direct_debit_status() is
/// PAYSVC_OUTCOME_CONFIRMED, and its message means no more and no less than that the mandate is active.
///
/// @param reply  of paysvc_direct_debit_status(); that of another function is never active. NULL: 0
/// @return 1 if it is, else 0. The service reports it in words only: a wording that the library does not have is 0, and
///   paysvc_reply_message() has it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_is_active(reply: Option<&paysvc_reply>) -> c_int {
    reply.map_or(0, |reply| c_int::from(reply.0.evidence.is_active()))
}

/// An amount of the response, whatever field has it: for receipts, where endpoints name them differently. It is no proof of
/// payment: use paysvc_reply_is_paid().
///
/// @param reply  NULL: NULL
/// @param which  PAYSVC_AMOUNT_PRICE, _FEE, _TOTAL or _REFUNDED
/// @return a decimal in major currency units, as short as it can be written: "25.5" for 25.50. Valid until the reply is freed.
///   NULL if the response does not have it, if two fields contradict each other, and if there is no memory for it
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_amount(reply: Option<&paysvc_reply>, which: c_int) -> *const c_char {
    let amount = reply.and_then(|reply| boundary(None, || reply.0.amount(which)));
    amount.unwrap_or(std::ptr::null())
}

/// The reply as one JSON object, for languages with a JSON library: it has what the functions of a reply return, except the
/// body and the amounts of paysvc_reply_amount(). It is made when it is first asked for.
///
/// - status, outcome, state: names such as "E_TIMEOUT", "UNKNOWN" and "SUCCESSFUL"; state is null if its number has no name.
///   state_number, http_status, code, message, attempts, replayed, retry_after_ms (null: not said), call_id, request_id ("":
///   none), is_active.
/// - paid: null, and why_not has the reason; or {"reference","amounts","currency"}, with which paysvc_reply_is_paid() returns
///   1, with "" in why_not. A null in it cannot be compared.
/// - look_up: the request of paysvc_resolve() for this request, if the call failed or the state can still change; else
///   null, as for a request of more than 256 kB.
/// - answer: the response of the function in answer_of; null, as that name, if the service did not answer with JSON. Its fields
///   are those of the endpoint's page, in snake_case, without the envelope. Amounts are text, times are RFC 3339 in UTC with
///   microseconds, and an absent field is null. A field that cannot be read is null, and its JSON pointer in the body is one of
///   unreadable.
/// - webhook: what paysvc_webhook_verify() has put in front of its response; else null.
///
/// @param reply  NULL: NULL
/// @return valid until the reply is freed. NULL if there is no memory for it, or if it would be many times as long as the body
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_json(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.and_then(|reply| boundary(None, || reply.0.json(true))).unwrap_or(std::ptr::null())
}

/// The fields look_up, answer_of, answer, unreadable and webhook of paysvc_reply_json() as one JSON object: what
/// paysvc_reply_read() does not return. It is made when it is first asked for.
///
/// @param reply  NULL: NULL
/// @return as of paysvc_reply_json()
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_answer(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.and_then(|reply| boundary(None, || reply.0.json(false))).unwrap_or(std::ptr::null())
}

/// Reads what the functions above and below return for a reply, in one call: for languages in which a call into C takes long.
///
/// @param reply  NULL: what each function returns for NULL
/// @param view  is filled; NULL: nothing is done
/// @param size  sizeof(paysvc_reply_view); above 1,024 only the outcome is set. Later versions may have more fields: one that this library
///   does not know becomes 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_read(reply: Option<&paysvc_reply>, view: *mut paysvc_reply_view, size: usize) {
    let (any, mut why_not) = (c"*".as_ptr(), MaybeUninit::uninit());
    // SAFETY: each text is a static one.
    unsafe { paysvc_reply_is_paid(reply, any, any, any, Some(&mut why_not)) };
    let known = paysvc_reply_view {
        outcome: paysvc_reply_outcome(reply),
        status: paysvc_reply_status(reply),
        state: paysvc_reply_state(reply),
        http_status: paysvc_reply_http_status(reply),
        attempts: paysvc_reply_attempts(reply),
        retry_after_ms: paysvc_reply_retry_after_ms(reply),
        replayed: paysvc_reply_replayed(reply),
        is_active: paysvc_reply_is_active(reply),
        body: paysvc_reply_body(reply),
        body_len: paysvc_reply_body_len(reply),
        code: paysvc_reply_code(reply),
        message: paysvc_reply_message(reply),
        call_id: paysvc_reply_call_id(reply),
        request_id: paysvc_reply_request_id(reply),
        // SAFETY: it was set above.
        why_not: unsafe { why_not.assume_init() },
    };
    if !view.is_null() {
        let size = if size > MAX_SIZE { size_of::<paysvc_outcome>() } else { size };
        let both = size.min(size_of_val(&known));
        // SAFETY: the caller's structure has `size` bytes, of which this version knows `both`.
        unsafe {
            view.cast::<u8>().write_bytes(0, size);
            view.cast::<u8>().copy_from_nonoverlapping((&raw const known).cast(), both);
        }
    }
}

/// HTTP status of the response to the last attempt; 0 if there was no response.
///
/// @param reply  NULL: 0
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_http_status(reply: Option<&paysvc_reply>) -> c_int {
    reply.map_or(0, |reply| c_int::from(reply.0.evidence.reading.http_status))
}

/// One JSON document: the service's own bytes if it answered with JSON (100.10 stays 100.10), otherwise a failure in the
/// same form: {"status":false,"message":"...","errors":{"emailAddress":"is required"}}.
///
/// @param reply  NULL: a failure
/// @return never NULL; valid until the reply is freed
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_body(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.map_or(NO_BODY.as_ptr(), |reply| reply.0.body.as_ptr())
}

/// Length of paysvc_reply_body() in bytes, without the NUL at its end.
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_body_len(reply: Option<&paysvc_reply>) -> usize {
    reply.map_or(NO_BODY.count_bytes(), |reply| reply.0.body.text().len())
}

/// One value of the body as text: strings unescaped, everything else as it is written in the JSON. A string that contains
/// U+0000 or an unpaired surrogate stays as it is written, without its quotes. If there is a duplicate key, this and the
/// other functions that take a pointer find the first.
///
/// @param pointer  a JSON pointer (RFC 6901), e.g. "/data/mandateCode"; "" is the whole body
/// @return valid until the reply is freed. NULL if the value is absent or null, if the pointer is NULL, malformed or has more
///   than 128 steps, or if there is no memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_get(reply: Option<&paysvc_reply>, pointer: *const c_char) -> *const c_char {
    // SAFETY: the pointer is NULL, or NUL-terminated until this returns.
    unsafe { look_up(reply, pointer, None, Handle::get) }.unwrap_or(std::ptr::null())
}

/// As paysvc_reply_get(), in Windows-1252, for tills without UTF-8. A character that Windows-1252 lacks becomes "?", so
/// show or print this text, and compare that of paysvc_reply_get().
///
/// @param pointer  as for paysvc_reply_get(), in UTF-8
/// @return as for paysvc_reply_get()
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_get_cp1252(
    reply: Option<&paysvc_reply>,
    pointer: *const c_char,
) -> *const c_char {
    // SAFETY: the pointer is NULL, or NUL-terminated until this returns.
    unsafe { look_up(reply, pointer, None, Handle::get_cp1252) }.unwrap_or(std::ptr::null())
}

/// Type of one value of the body.
///
/// @param pointer  as for paysvc_reply_get()
/// @return one of PAYSVC_JSON_...; PAYSVC_JSON_ABSENT if there is no such value, if reply or pointer is NULL, or if the pointer
///   is malformed or has more than 128 steps
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_type(reply: Option<&paysvc_reply>, pointer: *const c_char) -> c_int {
    // SAFETY: the pointer is NULL, or NUL-terminated until this returns.
    unsafe { look_up(reply, pointer, JsonType::Absent, Handle::json_type) as c_int }
}

/// Number of elements of an array, or of fields of an object. An element is looked up by its index, which begins at 0:
/// "/data/0/mandateCode".
///
/// @param pointer  as for paysvc_reply_get()
/// @return 0 for every other value, if there is no such value, and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_count(reply: Option<&paysvc_reply>, pointer: *const c_char) -> usize {
    // SAFETY: the pointer is NULL, or NUL-terminated until this returns.
    unsafe { look_up(reply, pointer, 0, Handle::count) }
}

/// Name of one field of an object, in the order of the body. It is escaped ("~0" for "~", "~1" for "/"), so that the
/// object's pointer, "/" and this name are the pointer of the field. A name that contains U+0000 or an unpaired surrogate
/// stays as it is written.
///
/// @param pointer  pointer of the object, as for paysvc_reply_get()
/// @param index  0 is the first field
/// @return valid until the reply is freed. NULL past the last field, if the value is no object or absent, for NULL, or if
///   there is no memory for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn paysvc_reply_name(
    reply: Option<&paysvc_reply>,
    pointer: *const c_char,
    index: usize,
) -> *const c_char {
    // SAFETY: the pointer is NULL, or NUL-terminated until this returns.
    unsafe { look_up(reply, pointer, None, |handle, pointer| handle.name(pointer, index)) }.unwrap_or(std::ptr::null())
}

/// Code of the response ("statusCode", "status_code", "code", or the "code" of "error"), or "".
///
/// @param reply  NULL: ""
/// @return valid until the reply is freed
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_code(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.map_or(c"".as_ptr(), |reply| reply.0.code.as_ptr())
}

/// One line for people: the service's message, or the library's. Secrets of the request are masked in it.
///
/// @param reply  NULL: a message that says so
/// @return valid until the reply is freed
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_message(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.map_or(c"reply is NULL".as_ptr(), |reply| reply.0.message.as_ptr())
}

/// The wait before a retry, in ms: the service's own (Retry-After), or the library's wait that would have passed the
/// deadline. -1 if not known.
///
/// @param reply  NULL: -1
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_retry_after_ms(reply: Option<&paysvc_reply>) -> c_int {
    reply.map_or(-1, |reply| reply.0.retry_after_ms())
}

/// The number of requests that this call sent and that may have changed something, each retry counted: for a charge or refund,
/// those that may have moved money. Status queries in between are not counted, so 0 if it only asked, or answered from the
/// journal. For a function that only reads (paysvc_order_status(), paysvc_resolve(), paysvc_order_wait(),
/// paysvc_webhook_verify() ...) it is the number of queries. The field attempts of paysvc_resolve() and paysvc_order_wait()
/// is the sum of the first kind over all calls that may charge the order.
///
/// @param reply  NULL: 0
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_attempts(reply: Option<&paysvc_reply>) -> c_int {
    reply.map_or(0, |reply| reply.0.attempts)
}

/// Returns whether the reply is the recorded end of an earlier call with the same idempotency key, or for the same order:
/// nothing was sent now, and status, outcome and state are those of that call. See paysvc_call_set_key().
///
/// @param reply  NULL: 0
/// @return 1 if it is, else 0
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_replayed(reply: Option<&paysvc_reply>) -> c_int {
    reply.map_or(0, |reply| c_int::from(reply.0.replayed))
}

/// Number of this call, e.g. "3k9v0c2m8q1tz7ha-42": at most 40 letters, digits and "-". No other call has it, in no other
/// process and on no other machine. Every line of the log about this call begins with it and a blank.
///
/// @param reply  NULL: ""
/// @return valid until the reply is freed
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_call_id(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.map_or(c"".as_ptr(), |reply| boundary(c"".as_ptr(), || reply.0.call_id().as_ptr()))
}

/// Number that the service gave to the last request of this call, by which it finds the request in its own log: the first
/// of the headers x-request-id, request-id, x-correlation-id, correlation-id, traceparent, x-amzn-trace-id and cf-ray that its
/// response has, with the secrets of the request masked; a value of more than 100 characters or with blanks is left out.
///
/// @param reply  NULL: ""
/// @return valid until the reply is freed; "" if there is none
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_request_id(reply: Option<&paysvc_reply>) -> *const c_char {
    reply.map_or(c"".as_ptr(), |reply| reply.0.request_id().as_ptr())
}

/// Frees the reply and every text that its functions returned.
///
/// @param reply  may be NULL
#[unsafe(no_mangle)]
pub extern "C" fn paysvc_reply_free(reply: Option<Box<paysvc_reply>>) {
    boundary((), || drop(reply));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_own_text_which_stays() {
        const VALUES: usize = 10_000;
        let texts = Texts::default();
        let keep = |number: usize| texts.keep(number, VALUES, || Some(number.to_string().into_bytes().into())).unwrap();
        let pointers: Vec<_> = (0..VALUES).rev().map(|number| (number, keep(number))).collect();
        for (number, pointer) in pointers {
            // SAFETY: a text of `texts`, which still lives.
            assert_eq!(unsafe { CStr::from_ptr(pointer) }.to_str(), Ok(number.to_string().as_str()));
            assert_eq!(texts.keep(number, VALUES, || unreachable!("it was made before")), Some(pointer));
        }
    }

    #[test]
    fn what_cannot_be_kept_is_none() {
        let texts = Texts::default();
        assert_eq!(texts.keep(3, 10, || None), None);
        assert_eq!(texts.keep(3, 10, || Some(b"a\0b".into())), None);
        assert_eq!(texts.keep(10, 10, || Some(b"a".into())), None, "not a value of the document");
        assert!(texts.keep(3, 10, || Some(b"a".into())).is_some());
    }
}
