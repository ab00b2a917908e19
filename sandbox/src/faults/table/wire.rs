//! Faults on the wire: a response is lost, cut, slow or endless, nobody has asked for it, or the TLS handshake fails.

use std::time::Duration;

use hyper::body::Bytes;

use super::statuses::{error, page};
use crate::faults::fault::{Answers, End, OnConnection, OnRequest, Script, Sends, Step, faults};
use crate::http::answer::{Answer, chunked, head, text};
use crate::util::json::object;

faults! { LOST
    "reset_before_read" Both NOT "RST before the request is read"
        "the connection breaks before the request is read; by magic input the request is read, but not executed"
        { request: OnRequest::Unread, sends: Sends::Nothing(End::Reset), connection: OnConnection::ResetUnread }
    "reset_without_commit" Request NOT "the whole request is read, then RST"
        "the service crashes before it executes the request"
        { sends: Sends::Nothing(End::Reset) }
    "commit_then_reset" Request EXECUTED "RST instead of a response"
        "the charge was made and the response was lost"
        { sends: Sends::Nothing(End::Reset) }
    "commit_then_close" Request EXECUTED "FIN instead of a response"
        "the same, with an orderly end of the connection"
        { sends: Sends::Nothing(End::Close) }
    "commit_then_timeout" Request EXECUTED "nothing, until the client disconnects"
        "the same, and the client only has its own timeout"
        { sends: Sends::Nothing(End::Silence) }
    "commit_then_502" Request EXECUTED "502 with an HTML page"
        "a proxy timed out, but the service executed the request"
        { answer: Answers::Instead(|_| page(502)) }
    "commit_then_500" Request EXECUTED "500 with the error envelope"
        "the service failed after it had executed the request"
        { answer: Answers::Instead(|_| error(500, "Something went wrong.")) }
    "commit_then_408" Request EXECUTED "408 with the error envelope, connection: close"
        "a timeout is reported for a request that was executed; it must not be repeated"
        { answer: Answers::Instead(|_| error(408, "The request timed out.").header("connection", "close")) }
    "stale_keepalive" Request EXECUTED "the response; the next request on this connection gets FIN unread"
        "an idle connection is closed at the moment it is reused"
        { sends: Sends::Script(|answer, sending| {
            let end = if sending.keep_alive { End::CloseWhenUsed } else { End::Graceful };
            Script::whole(vec![Step::Send(sending.text(answer))], end)
        }) }
    "close_after_read" Reused NOT "the whole request is read, then FIN"
        "makes clients repeat the request automatically; the first request of a connection is served as usual"
        { sends: Sends::Nothing(End::Close) }
    "silent_close_idle" Request EXECUTED "the response without connection: close, then FIN"
        "the idle connection is closed before it is reused"
        { sends: Sends::Script(|answer, _| Script::whole(vec![Step::Send(text(answer, true))], End::Close)) }
}

/// Above the 10 MB that clients commonly use as a limit.
const HUGE: usize = 11 << 20;
/// Enough time for the client to read the first response.
const LATE: Duration = Duration::from_millis(100);
const TRAILER: &[u8] = b"x-sandbox-trailer: 1\r\n";
const INTERIM: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\n";

faults! { FRAMING
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
        { sends: Sends::Script(Script::cut) }
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

fn without_length(answer: &Answer, body: &[u8]) -> Step {
    Step::Send([head(answer, "connection: close", true).as_bytes(), body].concat().into())
}

fn half(body: &[u8]) -> &[u8] {
    &body[..body.len() / 2]
}

fn but_last(body: &[u8]) -> &[u8] {
    body.split_last().map_or(body, |(_, start)| start)
}

faults! { TLS
    "tls_expired" Connection NOT "a certificate that expired in 2021"
        "the client must refuse it before it sends any part of the request"
        { connection: OnConnection::ExpiredCertificate }
    "tls_wrong_host" Connection NOT "a certificate for wrong-host.invalid"
        "the client must refuse it before it sends any part of the request"
        { connection: OnConnection::CertificateOfOtherHost }
    "tls_silence" Connection NOT "the TLS handshake is never answered"
        "the handshake times out; no part of the request was sent"
        { connection: OnConnection::NoHandshake }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::planned;

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
    fn connection_close_is_honoured() {
        let script = planned("drip", false).unwrap();
        let [Step::Drip(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
        assert!(String::from_utf8_lossy(bytes).contains("\r\nconnection: close\r\n"));
        assert_eq!(script.end, End::Graceful);
        assert_eq!(planned("drip", true).unwrap().end, End::KeepOpen);
    }
}
