//! The response is lost: nothing or an error arrives in its place, or the connection ends around it.

use crate::faults::answers::{error, page};
use crate::faults::fault::{Answers, OnConnection, OnRequest, Sends, faults};
use crate::faults::script::{End, Script, Step};
use crate::http::render::text;

faults! {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::planned;

    #[test]
    fn each_fault_ends_the_connection_its_way() {
        let end = |fault| planned(fault, true).unwrap().end;
        assert_eq!(end("commit_then_reset"), End::Reset);
        assert_eq!(end("commit_then_close"), End::Close);
        assert_eq!(end("commit_then_timeout"), End::Silence);
        assert_eq!(end("reset_without_commit"), End::Reset);
        assert_eq!(end("close_after_read"), End::Close);
        assert_eq!(end("stale_keepalive"), End::CloseWhenUsed);
        assert!(planned("html_200", true).is_none());
    }
}
