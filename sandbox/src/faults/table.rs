//! The table of faults, from which names, documentation and checks are derived.

/// What a fault acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// A request, selected by magic input or by a rule with a path.
    Request,
    /// A request, but not the first one of its connection.
    Reused,
    /// A new connection, selected by a rule without a path.
    Connection,
    /// A request or a new connection.
    Both,
}

impl Acts {
    pub fn name(self) -> &'static str {
        match self {
            Acts::Request => "request",
            Acts::Reused => "request on a reused connection",
            Acts::Connection => "new connection",
            Acts::Both => "request or new connection",
        }
    }
}

pub struct Row {
    pub fault: Fault,
    pub name: &'static str,
    pub acts: Acts,
    /// The request is executed before the fault shows on the wire.
    pub committed: bool,
    /// What the client sees.
    pub wire: &'static str,
    /// The situation that it simulates, in one line.
    pub doc: &'static str,
}

macro_rules! faults {
    ($($fault:ident $name:literal $acts:ident $committed:ident $wire:literal $doc:literal)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Fault { $($fault),* }

        /// In the order of the enum.
        pub static TABLE: &[Row] = &[$(Row {
            fault: Fault::$fault, name: $name, acts: Acts::$acts, committed: $committed, wire: $wire, doc: $doc,
        }),*];
    };
}

const YES: bool = true;
const NO: bool = false;

faults! {
    ResetBeforeRead     "reset_before_read"     Both       NO  "RST before the request is read"
        "the connection breaks before the request is read; by magic input the request is read, but not executed"
    ResetWithoutCommit  "reset_without_commit"  Request    NO  "the whole request is read, then RST"
        "the service crashes before it executes the request"
    CommitThenReset     "commit_then_reset"     Request    YES "RST instead of an answer"
        "the charge was made and the answer was lost"
    CommitThenClose     "commit_then_close"     Request    YES "FIN instead of an answer"
        "the same, with an orderly end of the connection"
    CommitThenTimeout   "commit_then_timeout"   Request    YES "nothing, until the client disconnects"
        "the same, and the client only has its own timeout"
    CommitThen502       "commit_then_502"       Request    YES "502 with an HTML page"
        "a proxy timed out, but the service executed the request"
    CommitThen500       "commit_then_500"       Request    YES "500 with the error envelope"
        "the service failed after it had executed the request"
    CommitThen408       "commit_then_408"       Request    YES "408 with the error envelope, connection: close"
        "a timeout is reported for a request that was executed; it must not be repeated"
    StaleKeepalive      "stale_keepalive"       Request    YES "the answer; the next request on this connection gets FIN unread"
        "an idle connection is closed at the moment it is reused"
    CloseAfterRead      "close_after_read"      Reused     NO  "the whole request is read, then FIN"
        "makes clients repeat the request automatically; the first request of a connection is served as usual"
    SilentCloseIdle     "silent_close_idle"     Request    YES "the answer without connection: close, then FIN"
        "the idle connection is closed before it is reused"
    UnsolicitedResponse "unsolicited_response"  Request    YES "the answer and, in the same write, a second 200 that reports success"
        "the second answer must not be taken for the answer to the next request"
    LateUnsolicitedResponse "late_unsolicited_response" Request YES "the answer and, 100 ms later, a second 200 that reports success"
        "the same, after the first answer was read"
    EarlyResponse       "early_response"        Both       NO  "on a new connection a 200 that reports success, before any request; requests on this connection are not read"
        "an unsolicited answer must not be taken for the answer to the first request; by magic input the request is executed, its answer closes the connection, and the fault acts on the next new connection"
    Truncate            "truncate"              Request    YES "head and half of the body, then FIN"
        "an answer that is cut off"
    Drip                "drip"                  Request    YES "the answer byte by byte within a second"
        "an answer in very small pieces"
    SlowHeaders         "slow_headers"          Request    YES "nothing for 2 s (delay_ms), then the answer"
        "a slow service; with a short timeout, an answer that arrives too late"
    NeverEnd            "never_end"             Request    YES "chunked: the answer without its last brace, then endless spaces"
        "every read succeeds, but the answer never ends"
    EndlessTrailers     "endless_trailers"      Request    YES "chunked: the whole answer, then endless trailers"
        "the body is complete, but the trailers never end"
    EndlessChunkSize    "endless_chunk_size"    Request    YES "chunked: half of the answer, then a chunk size of endless zeros"
        "a chunk size line that never ends"
    NoCrlfAfterChunk    "no_crlf_after_chunk"   Request    YES "chunked: half of the answer, no CRLF after it, then endless other bytes"
        "invalid framing that never ends"
    EndlessInterim      "endless_interim"       Request    YES "endless 102 Processing"
        "interim answers only; the final one never arrives"
    CloseDelimited      "close_delimited"       Request    YES "the answer without a length, ended by closing the connection"
        "only the body itself shows whether it is complete"
    CloseDelimitedCut   "close_delimited_cut"   Request    YES "half of such an answer, then FIN"
        "a truncation that the framing does not show"
    HugeBody            "huge_body"             Request    YES "the answer with 11 MB of spaces before its last brace"
        "more than a client should keep in memory"
    GzipBomb            "gzip_bomb"             Request    YES "content-encoding: gzip, 0.1 MB that inflate to 104 MB"
        "small on the wire, huge in memory; the client did not accept gzip"
    BadUtf8             "bad_utf8"              Request    YES "the answer with a member whose text is not UTF-8"
        "invalid text"
    DeepNesting         "deep_nesting"          Request    YES "the answer with a member nested 10,000 deep"
        "exhausts the stack of a recursive parser; the answer is still valid"
    DuplicateMembers    "duplicate_members"     Request    YES "the answer with a second, contradicting status member"
        "an answer that two parsers read differently"
    HugeNumber          "huge_number"           Request    YES "the answer with a number of 400 digits"
        "no number type holds it; the answer is still valid"
    UnknownFields       "unknown_fields"        Request    YES "the answer with unknown members"
        "a newer service; the answer is still valid"
    WrongEnvelope       "wrong_envelope"        Request    YES "200 with a JSON object that reports neither success nor failure"
        "an answer without a result"
    Empty200            "empty_200"             Request    YES "200 without a body"
        "the service lost the body of its answer"
    Html200             "html_200"              Request    YES "200 with an HTML page"
        "a captive portal or a maintenance page"
    RedirectSame        "redirect_same"         Request    NO  "307 to the same URL"
        "a client that follows it sends the request again"
    RedirectOtherHost   "redirect_other_host"   Request    NO  "307 to this sandbox under another host name"
        "a client that follows it sends its api-key to another host, which the request log shows by the host header"
    Status429           "status_429"            Request    NO  "429 without Retry-After"
        "too many requests"
    Status429RetryAfter "status_429_retry_after" Request   NO  "429 with Retry-After: 1"
        "too many requests, with the time to wait"
    Status429Paid       "status_429_paid"       Request    YES "429 with an orderPayment of statusId 5"
        "the limit was hit after the charge was made; the request must not be repeated"
    Status429Cut        "status_429_cut"        Request    YES "429 with half of its body, then FIN"
        "the lost half may report a charge; the request must not be repeated"
    Status403Page       "status_403_page"       Request    YES "403 with an HTML page"
        "an intermediary answers after the service has executed the request"
    Status409Page       "status_409_page"       Request    YES "409 with an HTML page"
        "the same; the status proves nothing"
    Status400Paid       "status_400_paid"       Request    YES "400 that reports failure, with an orderPayment of statusId 5"
        "a failure that contradicts itself"
    PendingRefusal      "pending_refusal"       Request    YES "200 with status failed, with an orderPayment of statusId 2"
        "a failure with a pending payment: the charge may still be made"
    SuccessFailedState  "success_failed_state"  Request    NO  "200 with status success, with an orderPayment of statusId 4"
        "the call succeeded, the payment did not"
    Status500           "status_500"            Request    NO  "500 with the error envelope"
        "the service failed; the client cannot know whether the request was executed"
    Status503           "status_503"            Request    NO  "503 with the error envelope"
        "the service is unavailable; the client cannot know whether the request was executed"
    Status408           "status_408"            Request    NO  "408 with the error envelope, connection: close"
        "a timeout is reported; the client cannot know whether the request was executed"
    Unauthorized        "unauthorized"          Request    NO  "401 with the error envelope"
        "the API key was revoked"
    FailedThenSuccess   "failed_then_success"   Request    NO  "200 that reports failure; the same request then succeeds"
        "a failure after which the request may be repeated"
    Refused             "refused"               Request    NO  "200 that reports failure, every time"
        "the service refuses the request"
    PartialBatch        "partial_batch"         Request    YES "the answer for the first half of the list in the request"
        "only the first half of a batch is executed"
    ReorderElements     "reorder_elements"      Request    YES "the answer with the first element of data at the end"
        "elements in another order than in the request"
    DropElement         "drop_element"          Request    YES "the answer without the last element of data"
        "an answer that misses an element of the request"
    AlterElement        "alter_element"         Request    YES "the answer with another accountNumber in the first element of data"
        "an answer that belongs to another request"
    AlterAmount         "alter_amount"          Request    YES "the answer with another amount in the first element of data"
        "the same"
    EchoesRequest       "echoes_request"        Request    NO  "400 with the error envelope, whose message repeats the api-key and every text of the payload"
        "secrets from an answer must not get into messages, errors and logs"
    TlsExpired          "tls_expired"           Connection NO  "a certificate that expired in 2021"
        "the client must refuse it before it sends any part of the request"
    TlsWrongHost        "tls_wrong_host"        Connection NO  "a certificate for wrong-host.invalid"
        "the client must refuse it before it sends any part of the request"
    TlsSilence          "tls_silence"           Connection NO  "the TLS handshake is never answered"
        "the handshake times out; no part of the request was sent"
}

impl Fault {
    pub fn named(name: &str) -> Option<Fault> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.fault)
    }

    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn is_committed(self) -> bool {
        self.row().committed
    }

    pub fn is_tls(self) -> bool {
        self.row().acts == Acts::Connection
    }
}

/// All names, for error messages.
pub fn names() -> String {
    TABLE.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_names_one_fault() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!((row.fault as usize, Fault::named(row.name)), (place, Some(row.fault)));
            assert!(row.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
        }
        assert_eq!(Fault::named("Truncate"), None);
    }

    #[test]
    fn the_readme_shows_this_table() {
        let lines = TABLE.iter().map(|row| {
            let committed = if row.committed { "yes" } else { "no" };
            format!("| `{}` | {committed} | {} | {} |\n", row.name, row.wire, row.doc)
        });
        let table =
            format!("| fault | executed | on the wire | simulates |\n|---|---|---|---|\n{}", lines.collect::<String>());
        let readme = include_str!("../../README.md");
        assert!(readme.contains(&table), "the README's fault table should be:\n{table}");
    }
}
