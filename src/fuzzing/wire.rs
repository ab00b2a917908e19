//! Input: a byte that chooses the row (`a` the first; a capital keeps the connection open), then the bytes that the service answers, over a real socket, to
//! two calls that follow one another. In them `00000000` becomes the identifier of the request that is answered.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::peer::{acceptable, peer};
use super::{check_texts, oracle};
use crate::client::{Client, Progress};
use crate::response::reply::Reply;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::Endpoint;
use paysvc_spec::status::{Outcome, Status};

pub fn wire(input: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let Some((choice, answer)) = input.split_first() else { return };
    let row = &ENDPOINTS[usize::from((choice | 0x20).wrapping_sub(b'a')) % ENDPOINTS.len()];
    peer().answer(answer, choice & 0x20 == 0);
    let first = NUMBER.fetch_add(2, Ordering::Relaxed) % 99_999_000;
    let ids = [first, first + 1].map(|number| format!("{number:08}"));
    call(row, &ids[0], &ids[1], answer);
    call(row, &ids[1], &ids[0], answer);
    // An encrypted request shows no identifier to the peer.
    for id in ids.iter().filter(|_| !row.encrypted) {
        assert!(peer().seen(id) <= 1, "{} was sent twice", row.name);
    }
}

fn client() -> &'static Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let json = peer().config(peer().port).to_string();
        Client::new(Some(&json), &|_| None).unwrap_or_else(|refusal| panic!("{refusal:?}"))
    })
}

fn call(row: &'static Endpoint, id: &str, other: &str, answer: &[u8]) {
    let progress = Progress::default();
    let reply = client().call(row, &acceptable(row, id).to_string(), None, &progress);
    check(&reply, answer, row.answer.subject.is_some());
    assert_eq!(progress.attempts() > 0, reply.outcome != Outcome::NotSent);
    assert!(!reply.body.contains(other), "another request's answer: {}", reply.body);
}

/// `subject`: the words beside it do not count.
fn check(reply: &Reply, answer: &[u8], subject: bool) {
    check_texts(reply);
    assert!(serde_json::from_str::<IgnoredAny>(&reply.body).is_ok(), "{}", reply.body);
    assert_eq!((reply.status == Status::Ok), (reply.outcome == Outcome::Confirmed));
    assert!(reply.attempts <= 1 && reply.status != Status::Internal, "{}", reply.message);
    match reply.outcome {
        Outcome::Confirmed => {
            let success = |line: &[u8]| line.starts_with(b"HTTP/1.") && line.get(8..10) == Some(b" 2");
            assert!(answer.split(|&byte| byte == b'\n').any(success), "confirmed without a word of it");
            let said = serde_json::from_str::<Value>(&reply.body).is_ok_and(|body| oracle::denies(&body));
            assert!((200..=299).contains(&reply.http_status) && (subject || !said), "{}", reply.body);
        }
        Outcome::Rejected => assert!((200..=299).contains(&reply.http_status) || reply.http_status / 100 == 4),
        Outcome::Unknown => assert_eq!(reply.attempts, 1),
        Outcome::NotSent => assert_eq!((reply.attempts, reply.http_status), (0, 0)),
    }
}
