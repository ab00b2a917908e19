//! Other bytes around the response: answers that nobody asked for, cut, slow and endless ones.

use std::time::Duration;

use hyper::body::Bytes;

use crate::faults::fault::{Answers, OnConnection, OnRequest, Sends, faults};
use crate::faults::script::{End, Script, Sending, Step};
use crate::http::answer::Answer;
use crate::http::render::{chunked, head, text};
use crate::util::json::object;

/// Above the 10 MB that clients commonly use as a limit.
const HUGE: usize = 11 << 20;
/// Enough time for the client to read the first response.
const LATE: Duration = Duration::from_millis(100);
const TRAILER: &[u8] = b"x-sandbox-trailer: 1\r\n";
const INTERIM: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\n";

faults! {
    "unsolicited_response" Request EXECUTED "the response and, in the same write, a second 200 that reports success"
        "the second response must not be taken for the response to the next request"
        { sends: Sends::Script(|answer, sending| {
            let both = [text(answer, true), sending.text(&unsolicited())].concat();
            Script::whole(vec![Step::Send(both.into())], sending.end())
        }) }
    "late_unsolicited_response" Request EXECUTED "the response and, 100 ms later, a second 200 that reports success"
        "the same, after the first response was read"
        { sends: Sends::Script(|answer, sending| {
            let second = Step::Send(sending.text(&unsolicited()));
            Script::whole(vec![Step::Send(text(answer, true)), Step::Wait(LATE), second], sending.end())
        }) }
    "early_response" Both NOT "on a new connection a 200 that reports success, before any request; requests on this connection are not read"
        "an unsolicited response must not be taken for the response to the first request; by magic input the request is executed, its response closes the connection, and the fault acts on the next new connection"
        {
            request: OnRequest::NextConnection,
            answer: Answers::Changed(|answer| answer.header("connection", "close")),
            connection: OnConnection::Unasked(unsolicited),
        }
    "truncate" Request EXECUTED "head and half of the body, then FIN"
        "a response that is cut off"
        { sends: Sends::Script(cut) }
    "drip" Request EXECUTED "the response byte by byte within a second"
        "a response in very small pieces"
        { sends: Sends::Script(|answer, sending| {
            Script::whole(vec![Step::Drip(sending.text(answer))], sending.end())
        }) }
    "slow_headers" Request EXECUTED "nothing for 2 s (delay_ms), then the response"
        "a slow service; with a short timeout, a response that arrives too late"
        {
            delay: Some(Duration::from_secs(2)),
            sends: Sends::Script(|answer, sending| {
                Script::whole(vec![Step::Wait(sending.delay), Step::Send(sending.text(answer))], sending.end())
            }),
        }
    "never_end" Request EXECUTED "chunked: the response without its last brace, then endless spaces"
        "every read succeeds, but the response never ends"
        { sends: Sends::Script(|answer, sending| {
            let start = chunked(answer, but_last(&answer.body), b"\r\n", sending.keep_alive);
            Script::part(vec![Step::Send(start), Step::EndlessSpaces])
        }) }
    "endless_trailers" Request EXECUTED "chunked: the whole response, then endless trailers"
        "the body is complete, but the trailers never end"
        { sends: Sends::Script(|answer, sending| {
            let start = chunked(answer, &answer.body, b"\r\n0\r\n", sending.keep_alive);
            Script::part(vec![Step::Send(start), Step::Endless(TRAILER)])
        }) }
    "endless_chunk_size" Request EXECUTED "chunked: half of the response, then a chunk size of endless zeros"
        "a chunk size line that never ends"
        { sends: Sends::Script(|answer, sending| {
            let start = chunked(answer, half(&answer.body), b"\r\n", sending.keep_alive);
            Script::part(vec![Step::Send(start), Step::Endless(b"0")])
        }) }
    "no_crlf_after_chunk" Request EXECUTED "chunked: half of the response, no CRLF after it, then endless other bytes"
        "invalid framing that never ends"
        { sends: Sends::Script(|answer, sending| {
            let start = chunked(answer, half(&answer.body), b"", sending.keep_alive);
            Script::part(vec![Step::Send(start), Step::Endless(b"x")])
        }) }
    "endless_interim" Request EXECUTED "endless 102 Processing"
        "interim responses only; the final one never arrives"
        { sends: Sends::Script(|_, _| Script::part(vec![Step::Endless(INTERIM)])) }
    "close_delimited" Request EXECUTED "the response without a length, ended by closing the connection"
        "only the body itself shows whether it is complete"
        { sends: Sends::Script(|answer, _| {
            Script::whole(vec![without_length(answer, &answer.body)], End::Graceful)
        }) }
    "close_delimited_cut" Request EXECUTED "half of such a response, then FIN"
        "a truncation that the framing does not show"
        { sends: Sends::Script(|answer, _| Script::part(vec![without_length(answer, half(&answer.body))])) }
    "huge_body" Request EXECUTED "the response with 11 MB of spaces before its last brace"
        "more than a client should keep in memory"
        { sends: Sends::Script(|answer, sending| {
            let start = but_last(&answer.body);
            let last = Step::Send(Bytes::copy_from_slice(&answer.body[start.len()..]));
            let length = format!("content-length: {}", answer.body.len() + HUGE);
            let head = head(answer, &length, sending.keep_alive);
            let start = Step::Send([head.as_bytes(), start].concat().into());
            Script::whole(vec![start, Step::Spaces(HUGE), last], sending.end())
        }) }
}

/// A response that any endpoint's client could mistake for success.
fn unsolicited() -> Answer {
    let body = object! {
        "data": object! { "unsolicited": true },
        "status": "success",
        "statusCode": "00",
        "message": "An unsolicited response",
    };
    Answer::ok(&body).header("x-sandbox-unsolicited", "1")
}

/// The head with its length, and half of the body.
pub fn cut(answer: &Answer, sending: &Sending) -> Script {
    let text = sending.text(answer);
    Script::part(vec![Step::Send(text.slice(..text.len() - answer.body.len().div_ceil(2)))])
}

fn without_length(answer: &Answer, body: &[u8]) -> Step {
    Step::Send([head(answer, "connection: close", true).as_bytes(), body].concat().into())
}

fn half(body: &[u8]) -> &[u8] {
    &body[..body.len() / 2]
}

fn but_last(body: &[u8]) -> &[u8] {
    body.split_last().map_or(body, |(_, start)| start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::planned;

    #[test]
    fn half_an_answer() {
        let script = planned("truncate", true).unwrap();
        let [Step::Send(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
        assert!(bytes.ends_with(b"content-length: 7\r\n\r\n{\"a"), "{bytes:?}");
        assert!(!script.is_whole);
    }

    #[test]
    fn framing_without_an_end() {
        let first = |fault| {
            let script = planned(fault, true).unwrap();
            assert!(!script.is_whole);
            let [Step::Send(bytes), Step::Endless(again)] = script.steps.as_slice() else { panic!("{script:?}") };
            (String::from_utf8_lossy(bytes).rsplit("\r\n\r\n").next().unwrap().to_owned(), *again)
        };
        assert_eq!(first("endless_trailers"), ("7\r\n{\"a\":1}\r\n0\r\n".to_owned(), TRAILER));
        assert_eq!(first("endless_chunk_size"), ("3\r\n{\"a\r\n".to_owned(), b"0".as_slice()));
        assert_eq!(first("no_crlf_after_chunk"), ("3\r\n{\"a".to_owned(), b"x".as_slice()));
        assert_eq!(planned("endless_interim", true).unwrap().steps, [Step::Endless(INTERIM)]);
    }

    #[test]
    fn a_body_that_ends_with_its_connection() {
        for (fault, body, end) in
            [("close_delimited", "{\"a\":1}", End::Graceful), ("close_delimited_cut", "{\"a", End::Close)]
        {
            let script = planned(fault, true).unwrap();
            let [Step::Send(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
            let text = String::from_utf8_lossy(bytes);
            assert!(text.ends_with(&format!("connection: close\r\n\r\n{body}")) && !text.contains("length"), "{text}");
            assert_eq!((script.end, script.is_whole), (end, fault == "close_delimited"));
        }
    }

    #[test]
    fn connection_close_is_honoured() {
        let script = planned("drip", false).unwrap();
        let [Step::Drip(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
        assert!(String::from_utf8_lossy(bytes).contains("\r\nconnection: close\r\n"));
        assert_eq!(script.end, End::Graceful);
        assert_eq!(planned("drip", true).unwrap().end, End::KeepOpen);
    }
}
