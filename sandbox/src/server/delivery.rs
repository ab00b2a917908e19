//! How an answer is sent: by hyper, or by the script of a fault.

use std::time::Duration;

use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;

use super::connection::Connection;
use super::script::{End, Script, Step};
use crate::faults::Chosen;
use crate::faults::table::Fault;
use crate::http::answer::Answer;
use crate::http::render::{chunked, head, response, text, unsolicited};
use crate::service::decide::Decided;
use crate::service::request_log::Answered;
use crate::service::sandbox::Sandbox;

/// Above the 10 MB that clients commonly use as a limit.
const HUGE: usize = 11 << 20;

/// Enough time for the client to read the first answer.
const LATE: Duration = Duration::from_millis(100);

const TRAILER: &[u8] = b"x-sandbox-trailer: 1\r\n";
const INTERIM: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\n";

/// Hyper sends nothing: the client disconnected, or a script takes over.
#[derive(Debug)]
pub struct NoResponse;

impl std::fmt::Display for NoResponse {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("no answer goes through HTTP")
    }
}

impl std::error::Error for NoResponse {}

pub type Delivered = Result<Response<Full<Bytes>>, NoResponse>;

pub fn deliver(decided: Decided, sandbox: &Sandbox, connection: &Connection) -> Delivered {
    match script(decided) {
        Err((answer, position)) => {
            sandbox.lock().requests.answered(position, Answered::Whole);
            Ok(response(answer))
        }
        Ok(script) => {
            connection.play(script);
            Err(NoResponse)
        }
    }
}

/// The script of the fault, or the answer itself if the fault needs none.
fn script(decided: Decided) -> Result<Script, (Answer, u64)> {
    let Decided { answer, chosen, position, keep_alive } = decided;
    let silent = |end| Ok(Script { steps: Vec::new(), end, is_whole: false, position });
    let Some(answer) = answer else {
        let close = chosen.is_some_and(|chosen| chosen.fault == Fault::CloseAfterRead);
        return silent(if close { End::Close } else { End::Reset });
    };
    let Some(Chosen { fault, delay }) = chosen else {
        return Err((answer, position));
    };
    let graceful = if keep_alive { End::KeepOpen } else { End::Graceful };
    let whole = |steps, end| Ok(Script { steps, end, is_whole: true, position });
    let part = |steps, end| Ok(Script { steps, end, is_whole: false, position });
    match fault {
        Fault::CommitThenReset => silent(End::Reset),
        Fault::CommitThenClose => silent(End::Close),
        Fault::CommitThenTimeout => silent(End::Silence),
        Fault::StaleKeepalive => {
            let end = if keep_alive { End::CloseWhenUsed } else { End::Graceful };
            whole(vec![Step::Send(text(answer, keep_alive))], end)
        }
        Fault::SilentCloseIdle => whole(vec![Step::Send(text(answer, true))], End::Close),
        Fault::UnsolicitedResponse => {
            let both = [text(answer, true), text(unsolicited(), keep_alive)].concat();
            whole(vec![Step::Send(both.into())], graceful)
        }
        Fault::LateUnsolicitedResponse => {
            let stray = text(unsolicited(), keep_alive);
            whole(vec![Step::Send(text(answer, true)), Step::Wait(LATE), Step::Send(stray)], graceful)
        }
        Fault::Truncate | Fault::Status429Cut => {
            let half = answer.body.len().div_ceil(2);
            let text = text(answer, keep_alive);
            part(vec![Step::Send(text.slice(..text.len() - half))], End::Close)
        }
        Fault::CloseDelimited | Fault::CloseDelimitedCut => {
            let head = head(&answer, "connection: close", true);
            let is_whole = fault == Fault::CloseDelimited;
            let length = if is_whole { answer.body.len() } else { answer.body.len() / 2 };
            let text = Step::Send([head.as_bytes(), &answer.body[..length]].concat().into());
            if is_whole { whole(vec![text], End::Graceful) } else { part(vec![text], End::Close) }
        }
        Fault::Drip => whole(vec![Step::Drip(text(answer, keep_alive))], graceful),
        Fault::SlowHeaders => whole(vec![Step::Wait(delay), Step::Send(text(answer, keep_alive))], graceful),
        Fault::NeverEnd => {
            let start = but_last(&answer.body);
            part(vec![Step::Send(chunked(&answer, start, b"\r\n", keep_alive)), Step::EndlessSpaces], End::Close)
        }
        Fault::EndlessTrailers => {
            let start = chunked(&answer, &answer.body, b"\r\n0\r\n", keep_alive);
            part(vec![Step::Send(start), Step::Endless(TRAILER)], End::Close)
        }
        Fault::EndlessChunkSize => {
            let start = chunked(&answer, half(&answer.body), b"\r\n", keep_alive);
            part(vec![Step::Send(start), Step::Endless(b"0")], End::Close)
        }
        Fault::NoCrlfAfterChunk => {
            let start = chunked(&answer, half(&answer.body), b"", keep_alive);
            part(vec![Step::Send(start), Step::Endless(b"x")], End::Close)
        }
        Fault::EndlessInterim => part(vec![Step::Endless(INTERIM)], End::Close),
        Fault::HugeBody => {
            let length = format!("content-length: {}", answer.body.len() + HUGE);
            let head = head(&answer, &length, keep_alive);
            let start = but_last(&answer.body);
            let last = Bytes::copy_from_slice(&answer.body[start.len()..]);
            let start = [head.as_bytes(), start].concat();
            whole(vec![Step::Send(start.into()), Step::Spaces(HUGE), Step::Send(last)], graceful)
        }
        _ => Err((answer, position)),
    }
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
    use crate::util::json::object;

    fn planned(fault: Fault, keep_alive: bool) -> Result<Script, (Answer, u64)> {
        let answer = fault.is_committed().then(|| Answer::ok(&object! { "a": 1_u64 }));
        script(Decided { answer, chosen: Some(Chosen::new(fault, None)), position: 7, keep_alive })
    }

    #[test]
    fn each_fault_ends_the_connection_its_way() {
        let end = |fault| planned(fault, true).unwrap().end;
        assert_eq!(end(Fault::CommitThenReset), End::Reset);
        assert_eq!(end(Fault::CommitThenClose), End::Close);
        assert_eq!(end(Fault::CommitThenTimeout), End::Silence);
        assert_eq!(end(Fault::ResetWithoutCommit), End::Reset);
        assert_eq!(end(Fault::CloseAfterRead), End::Close);
        assert_eq!(end(Fault::StaleKeepalive), End::CloseWhenUsed);
        assert!(planned(Fault::Html200, true).is_err());
    }

    #[test]
    fn half_an_answer() {
        let script = planned(Fault::Truncate, true).unwrap();
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
        assert_eq!(first(Fault::EndlessTrailers), ("7\r\n{\"a\":1}\r\n0\r\n".to_owned(), TRAILER));
        assert_eq!(first(Fault::EndlessChunkSize), ("3\r\n{\"a\r\n".to_owned(), b"0".as_slice()));
        assert_eq!(first(Fault::NoCrlfAfterChunk), ("3\r\n{\"a".to_owned(), b"x".as_slice()));
        assert_eq!(planned(Fault::EndlessInterim, true).unwrap().steps, [Step::Endless(INTERIM)]);
    }

    #[test]
    fn a_body_that_ends_with_its_connection() {
        for (fault, body, end) in
            [(Fault::CloseDelimited, "{\"a\":1}", End::Graceful), (Fault::CloseDelimitedCut, "{\"a", End::Close)]
        {
            let script = planned(fault, true).unwrap();
            let [Step::Send(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
            let text = String::from_utf8_lossy(bytes);
            assert!(text.ends_with(&format!("connection: close\r\n\r\n{body}")) && !text.contains("length"), "{text}");
            assert_eq!((script.end, script.is_whole), (end, fault == Fault::CloseDelimited));
        }
    }

    #[test]
    fn connection_close_is_honoured() {
        let script = planned(Fault::Drip, false).unwrap();
        let [Step::Drip(bytes)] = script.steps.as_slice() else { panic!("{script:?}") };
        assert!(String::from_utf8_lossy(bytes).contains("\r\nconnection: close\r\n"));
        assert_eq!(script.end, End::Graceful);
        assert_eq!(planned(Fault::Drip, true).unwrap().end, End::KeepOpen);
    }
}
