//! Input: a program whose instructions are the functions of the C interface. Each instruction is a byte, its operands
//! follow; a byte that chooses a handle may choose NULL, and a text ends with a NUL. Everything that the header allows
//! is done, in any order. Nothing listens where these clients connect to; only the instruction `m` is answered.
//!
//! This plays the C program, which is why it has `unsafe` blocks. All of them are sound for the same reasons: a slot
//! that held a freed handle holds NULL, texts are `CString`s that live until the call returns, and all runs on one
//! thread.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use paysvc_spec::ENDPOINTS;
use serde::de::IgnoredAny;

use super::check_environment;
use super::wire::{acceptable, peer};
use crate::ffi::caller::Client;
use crate::ffi::*;
use crate::fuzzing::{choose, first_line};

/// Max instructions that are run, so that no input takes long.
const INSTRUCTIONS: usize = 40;
const HANDLES: usize = 4;
/// Max fields of one value that are read.
const MEMBERS: usize = 100;

#[derive(Default)]
struct Machine<'a> {
    input: &'a [u8],
    clients: [Handle<paysvc_client>; HANDLES],
    calls: [Handle<paysvc_call>; HANDLES],
    replies: [Option<Box<paysvc_reply>>; HANDLES],
    /// The number of lines that the log callback has received; its address is the userdata.
    lines: Box<u32>,
    /// The texts that named endpoints so far.
    endpoints: Vec<Vec<u8>>,
}

struct Handle<T>(*mut T);

impl<T> Default for Handle<T> {
    fn default() -> Self {
        Handle(null_mut())
    }
}

pub fn ffi(input: &[u8]) {
    run(input);
}

/// Runs a program; returns the texts by which it names endpoints.
pub fn run(input: &[u8]) -> Vec<Vec<u8>> {
    check_environment();
    let mut machine = Machine { input, ..Machine::default() };
    for _ in 0..INSTRUCTIONS {
        let Some(code) = machine.byte() else { break };
        machine.step(code);
    }
    // The rest is freed, so that a leak is the library's.
    for index in 0..HANDLES {
        machine.free(Some(index), Some(index), Some(index));
    }
    machine.endpoints
}

impl Machine<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.input.split_first()?;
        self.input = rest;
        Some(*byte)
    }

    fn operand(&mut self) -> u8 {
        self.byte().unwrap_or(0)
    }

    /// A text of the input up to a NUL; `None` (NULL in C) where it is empty.
    fn text(&mut self) -> Option<CString> {
        let end = self.input.iter().position(|&byte| byte == 0).unwrap_or(self.input.len());
        let (text, rest) = self.input.split_at(end);
        self.input = rest.get(1..).unwrap_or_default();
        (!text.is_empty()).then(|| CString::new(text).unwrap())
    }

    fn step(&mut self, code: u8) {
        let operand = self.operand();
        let slot = usize::from(operand) % HANDLES;
        match code.wrapping_sub(b'a') % 14 {
            0 => self.new_client(operand),
            1 => self.set_log(operand),
            2 => self.new_call(slot),
            3 => self.set_timeout(slot),
            4 => unsafe { paysvc_call_cancel(self.calls[slot].0) },
            5 => self.call_endpoint(operand),
            6 => self.request(operand, false),
            7 => self.request(operand, true),
            8 => self.read(slot),
            9 => self.free(Some(slot), None, None),
            10 => self.free(None, Some(slot), None),
            11 => self.free(None, None, Some(slot)),
            12 => self.answered(slot),
            _ => check_names(c_int::from(operand)),
        }
    }

    /// The client and call that the byte chooses (a slot may hold NULL), and where the reply goes, if anywhere.
    fn chosen(&mut self, operand: u8) -> (*const paysvc_client, *const paysvc_call, Option<usize>) {
        let index = |shift: u8| usize::from(operand >> shift) % HANDLES;
        (self.clients[index(0)].0, self.calls[index(2)].0, (operand >> 6 > 0).then(|| index(4)))
    }

    /// Runs a function that makes a reply; keeps and checks the reply.
    fn deliver(&mut self, slot: Option<usize>, run: impl FnOnce(*mut *mut paysvc_reply) -> paysvc_status) {
        let Some(slot) = slot else {
            run(null_mut());
            return;
        };
        self.free(None, None, Some(slot));
        // Never NULL afterwards, so it must be written.
        let mut reply = std::ptr::dangling_mut();
        let status = run(&mut reply);
        assert!(!reply.is_null());
        // It is this program's, which frees it.
        self.replies[slot] = Some(unsafe { Box::from_raw(reply) });
        assert_eq!(paysvc_reply_status(self.replies[slot].as_deref()), status);
        self.read(slot);
    }

    fn new_client(&mut self, operand: u8) {
        let json = match operand >> 4 & 3 {
            0 => self.text(),
            _ => Some(peer().dead_config()),
        };
        let slot = usize::from(operand) % HANDLES;
        self.free(Some(slot), None, None);
        let mut client = std::ptr::dangling_mut();
        let out = if operand >> 2 & 3 == 3 { null_mut() } else { &raw mut client };
        let mut status = -1;
        self.deliver((operand >> 6 > 0).then_some(slot), |reply| {
            status = unsafe { paysvc_client_new(pointer(&json), out, reply) };
            status
        });
        if !out.is_null() {
            assert_eq!(client.is_null(), status != PAYSVC_OK);
            self.clients[slot].0 = client;
        }
    }

    fn set_log(&mut self, operand: u8) {
        unsafe extern "C" fn log(userdata: *mut c_void, level: c_int, message: *const c_char) {
            let message = unsafe { CStr::from_ptr(message) }.to_str().expect("UTF-8");
            assert!((1..=4).contains(&level) && !message.contains(char::is_control) && !message.contains("canary"));
            unsafe { *userdata.cast::<u32>() += 1 };
        }
        let client = self.clients[usize::from(operand) % HANDLES].0;
        let level = c_int::from(operand >> 4) - 4;
        let callback: paysvc_log_fn = if operand & 4 == 0 { Some(log) } else { None };
        let status = unsafe { paysvc_client_set_log(client, level, callback, (&raw mut *self.lines).cast()) };
        let legal = !client.is_null() && (callback.is_none() || (1..=4).contains(&level));
        assert_eq!(status == PAYSVC_OK, legal);
    }

    fn new_call(&mut self, slot: usize) {
        self.free(None, Some(slot), None);
        self.calls[slot].0 = paysvc_call_new();
    }

    fn set_timeout(&mut self, slot: usize) {
        let ms = c_int::from(self.operand()) - 10;
        unsafe { paysvc_call_set_timeout_ms(self.calls[slot].0, ms) };
    }

    /// A request that the peer answers. The first line of the input's text is the HTTP status and the content type,
    /// with ` cut` behind it where a byte of the body is missing; the body follows.
    fn answered(&mut self, slot: usize) {
        static CLIENT: OnceLock<Client> = OnceLock::new();
        let client = CLIENT.get_or_init(|| Client::new(&peer().config(peer().port)));
        let Some(text) = self.text() else { return };
        let (head, body) = first_line(text.to_bytes());
        let (head, missing) = head.strip_suffix(b" cut").map_or((head, 0), |head| (head, 1));
        let (status, content_type) = head.split_at(head.len().min(3));
        let length = (body.len() + missing).to_string();
        let parts: [&[u8]; _] =
            [b"HTTP/1.1 ", status, b" x\r\ncontent-type:", content_type, b"\r\ncontent-length: ", length.as_bytes()];
        let answer = [&parts.concat(), &b"\r\n\r\n"[..], body].concat();
        peer().answer(&answer, false);
        let request = c"{\"method\":\"POST\",\"path\":\"/x\",\"key\":\"public\"}";
        self.deliver(Some(slot), |reply| unsafe { paysvc_request(client.as_ptr(), request.as_ptr(), null(), reply) });
    }

    fn call_endpoint(&mut self, operand: u8) {
        /// Stands for a request that the endpoint accepts.
        const ACCEPTABLE: &CStr = c"*";
        let name = self.text().unwrap_or_default();
        let json = self.text();
        self.endpoints.push(name.as_bytes().to_vec());
        let name = choose(name.as_bytes(), ENDPOINTS.iter().map(|row| row.name));
        let json = match json {
            Some(text) if text.as_c_str() == ACCEPTABLE => {
                CString::new(acceptable(paysvc_spec::endpoint(name), "canary-1").to_string()).ok()
            }
            other => other,
        };
        let name = CString::new(name).unwrap();
        let (client, call, slot) = self.chosen(operand);
        self.deliver(slot, |reply| unsafe { paysvc_invoke(client, name.as_ptr(), pointer(&json), call, reply) });
    }

    fn request(&mut self, operand: u8, encrypt: bool) {
        let json = self.text();
        let (client, call, slot) = self.chosen(operand);
        match encrypt {
            true => self.deliver(slot, |reply| unsafe { paysvc_encrypt(client, pointer(&json), reply) }),
            false => self.deliver(slot, |reply| unsafe { paysvc_request(client, pointer(&json), call, reply) }),
        }
    }

    /// Every reader on one reply, and a pointer of the input's.
    fn read(&mut self, slot: usize) {
        let pointer_text = self.text();
        let reply = self.replies[slot].as_deref();
        unsafe {
            let body = CStr::from_ptr(paysvc_reply_body(reply));
            assert_eq!(body.count_bytes(), paysvc_reply_body_len(reply));
            assert!(serde_json::from_slice::<IgnoredAny>(body.to_bytes()).is_ok());
            let (status, outcome) = (paysvc_reply_status(reply), paysvc_reply_outcome(reply));
            let (attempts, http) = (paysvc_reply_attempts(reply), paysvc_reply_http_status(reply));
            for text in [paysvc_reply_message(reply), paysvc_reply_code(reply)] {
                assert!(!CStr::from_ptr(text).to_str().expect("UTF-8").contains(char::is_control));
            }
            assert!(paysvc_reply_retry_after_ms(reply) >= -1 && attempts >= 0 && http >= 0);
            assert_ne!(status, PAYSVC_E_INTERNAL);
            assert!(outcome != PAYSVC_OUTCOME_NOT_SENT || attempts == 0);
            assert!(outcome != PAYSVC_OUTCOME_CONFIRMED || (status == PAYSVC_OK && attempts > 0));
            let _ = paysvc_reply_state(reply);
            let id = CStr::from_ptr(paysvc_reply_call_id(reply)).to_str().expect("UTF-8");
            assert!(reply.is_none() == id.is_empty() && id.len() <= 40);
            assert!(CStr::from_ptr(paysvc_reply_request_id(reply)).count_bytes() <= 100);
            assert_eq!(paysvc_reply_replayed(reply), 0, "there is no journal");
            assert!(paysvc_reply_is_active(reply) == 0 || outcome == PAYSVC_OUTCOME_CONFIRMED);
            let mut view = std::mem::MaybeUninit::<paysvc_reply_view>::uninit();
            paysvc_reply_read(reply, view.as_mut_ptr(), size_of_val(&view));
            let view = view.assume_init();
            assert_eq!((view.status, view.outcome, view.http_status, view.attempts), (status, outcome, http, attempts));
            assert_eq!(CStr::from_ptr(view.body).count_bytes(), view.body_len);
            let found = paysvc_reply_get(reply, pointer(&pointer_text));
            let shown = paysvc_reply_get_cp1252(reply, pointer(&pointer_text));
            assert!(found.is_null() == shown.is_null());
            assert_eq!(found, paysvc_reply_get(reply, pointer(&pointer_text)), "the same pointer gives the same text");
            let kind = paysvc_reply_type(reply, pointer(&pointer_text));
            assert_eq!(found.is_null(), matches!(kind, PAYSVC_JSON_ABSENT | PAYSVC_JSON_NULL));
            if !found.is_null() {
                assert!(CStr::from_ptr(found).to_str().is_ok());
            }
            self.read_members(reply, pointer_text.as_deref().unwrap_or(c""));
        }
    }

    /// The names of an object lead to its fields, and every container has as many as it reports.
    unsafe fn read_members(&self, reply: Option<&paysvc_reply>, pointer: &CStr) {
        let look = |step: &CStr| {
            let pointer = CString::new([pointer.to_bytes(), b"/", step.to_bytes()].concat()).unwrap();
            unsafe { paysvc_reply_type(reply, pointer.as_ptr()) }
        };
        let (kind, count, name) = unsafe {
            let kind = paysvc_reply_type(reply, pointer.as_ptr());
            let name = |index| paysvc_reply_name(reply, pointer.as_ptr(), index);
            (kind, paysvc_reply_count(reply, pointer.as_ptr()), name)
        };
        assert!(count == 0 || matches!(kind, PAYSVC_JSON_ARRAY | PAYSVC_JSON_OBJECT));
        for index in (0..count).take(MEMBERS) {
            let found = name(index);
            assert_eq!(found, name(index), "the same index gives the same text");
            match kind {
                PAYSVC_JSON_OBJECT => assert_ne!(look(unsafe { CStr::from_ptr(found) }), PAYSVC_JSON_ABSENT),
                _ => {
                    assert!(found.is_null());
                    assert_ne!(look(&CString::new(index.to_string()).unwrap()), PAYSVC_JSON_ABSENT);
                }
            }
        }
        assert!(name(count).is_null());
        if kind == PAYSVC_JSON_ARRAY {
            assert_eq!(look(&CString::new(count.to_string()).unwrap()), PAYSVC_JSON_ABSENT);
        }
    }

    /// Frees what is in these slots; they hold NULL from then on.
    fn free(&mut self, client: Option<usize>, call: Option<usize>, reply: Option<usize>) {
        let client = client.map(|slot| std::mem::take(&mut self.clients[slot]).0);
        let call = call.map(|slot| std::mem::take(&mut self.calls[slot]).0);
        let reply = reply.and_then(|slot| self.replies[slot].take());
        unsafe {
            client.into_iter().for_each(|client| paysvc_client_free(client));
            call.into_iter().for_each(|call| paysvc_call_free(call));
        }
        paysvc_reply_free(reply);
    }
}

fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(null(), |text| text.as_ptr())
}

/// Every number has a name, known or not.
fn check_names(number: c_int) {
    for name in [paysvc_status_name(number), paysvc_outcome_name(number), paysvc_version()] {
        assert!(!unsafe { CStr::from_ptr(name) }.is_empty());
    }
    assert_eq!((paysvc_abi(), paysvc_version_number()), (PAYSVC_ABI, PAYSVC_VERSION_NUMBER));
}
