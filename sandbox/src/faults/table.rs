//! The table of faults: one row for all that is known of a fault. Names, documentation and checks come from it.

/// What a fault acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// A request, found by magic input or by a rule with a path.
    Request,
    /// A request, but not the first one of its connection.
    Reused,
    /// A new connection, found by a rule without a path.
    Connection,
    /// Either.
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
    /// The request is carried out, strictly before anything is seen on the wire.
    pub committed: bool,
    /// What the client sees.
    pub wire: &'static str,
    /// What it rehearses, in one line.
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
        "the connection breaks under the request; by magic input it has to be read, and is not carried out"
    ResetWithoutCommit  "reset_without_commit"  Request    NO  "the whole request is read, then RST"
        "the service crashes before it does anything"
    CommitThenReset     "commit_then_reset"     Request    YES "RST instead of an answer"
        "the charge was made, the answer was lost"
    CommitThenClose     "commit_then_close"     Request    YES "FIN instead of an answer"
        "the same, with a clean end of the connection"
    CommitThenTimeout   "commit_then_timeout"   Request    YES "nothing, until the client goes away"
        "the same, and nobody says so"
    CommitThen502       "commit_then_502"       Request    YES "502 with an HTML page"
        "a proxy gave up waiting for a service that went on"
    CommitThen500       "commit_then_500"       Request    YES "500 with the error envelope"
        "the service failed after it had done it"
    CommitThen408       "commit_then_408"       Request    YES "408 with the error envelope, connection: close"
        "a time-out is told for what was done; must not be repeated"
    StaleKeepalive      "stale_keepalive"       Request    YES "the answer; the next request on this connection gets FIN unread"
        "the idle connection ends exactly when it is used again"
    CloseAfterRead      "close_after_read"      Reused     NO  "the whole request is read, then FIN"
        "tempts a client to send it again by itself; the first request of a connection is served as usual"
    SilentCloseIdle     "silent_close_idle"     Request    YES "the answer without connection: close, then FIN"
        "the kept connection is at its end before it is used again"
    UnsolicitedResponse "unsolicited_response"  Request    YES "the answer and, in the same write, a second 200 that says success"
        "the second answer must not become the answer of the next request"
    LateUnsolicitedResponse "late_unsolicited_response" Request YES "the answer and, 100 ms later, a second 200 that says success"
        "the same, when the first answer has long been read"
    EarlyResponse       "early_response"        Both       NO  "in a new connection a 200 that says success, before any request; what is then sent is not read"
        "an answer to no request must not become the first one's; by magic input the request is carried out, its answer closes, and the next new connection is hit"
    Truncate            "truncate"              Request    YES "head and half of the body, then FIN"
        "an answer that is cut off"
    Drip                "drip"                  Request    YES "the answer byte by byte within a second"
        "an answer in the smallest of pieces"
    SlowHeaders         "slow_headers"          Request    YES "nothing for 2 s (delay_ms), then the answer"
        "a slow service; with a short time-out, an answer that comes too late"
    NeverEnd            "never_end"             Request    YES "chunked: the answer but for its last brace, then blanks for ever"
        "every read succeeds and the answer never ends"
    EndlessTrailers     "endless_trailers"      Request    YES "chunked: the whole answer, then trailers for ever"
        "an answer that is complete but for its end, and its end has no bound"
    EndlessChunkSize    "endless_chunk_size"    Request    YES "chunked: half of the answer, then a chunk size of zeros for ever"
        "a line that never ends"
    NoCrlfAfterChunk    "no_crlf_after_chunk"   Request    YES "chunked: half of the answer, no CRLF after it, then other bytes for ever"
        "framing that is wrong, and never stops"
    EndlessInterim      "endless_interim"       Request    YES "102 Processing for ever"
        "every answer is an interim one, and the final one never comes"
    CloseDelimited      "close_delimited"       Request    YES "the answer without a length; it ends with the connection"
        "only the body itself can tell that it is whole"
    CloseDelimitedCut   "close_delimited_cut"   Request    YES "half of such an answer, then FIN"
        "a cut that no framing shows"
    HugeBody            "huge_body"             Request    YES "the answer with 11 MB of blanks before its last brace"
        "more than anybody should keep in memory"
    GzipBomb            "gzip_bomb"             Request    YES "content-encoding: gzip, 0.1 MB that become 104 MB"
        "small on the wire, huge in memory; nobody asked for gzip"
    BadUtf8             "bad_utf8"              Request    YES "the answer and a member whose text is not UTF-8"
        "bytes that are no text"
    DeepNesting         "deep_nesting"          Request    YES "the answer and a member nested 10,000 deep"
        "exhausts the stack of a careless reader; still a valid answer"
    DuplicateMembers    "duplicate_members"     Request    YES "the answer and a second status member that says the opposite"
        "an answer that two readers understand differently"
    HugeNumber          "huge_number"           Request    YES "the answer and a number of 400 digits"
        "no number type holds it; still a valid answer"
    UnknownFields       "unknown_fields"        Request    YES "the answer and members that nobody knows"
        "the service grew; still a valid answer"
    WrongEnvelope       "wrong_envelope"        Request    YES "200 with a JSON object that says neither success nor failure"
        "an answer that answers nothing"
    Empty200            "empty_200"             Request    YES "200 without a body"
        "the answer is lost in the service"
    Html200             "html_200"              Request    YES "200 with an HTML page"
        "a captive portal or a maintenance page"
    RedirectSame        "redirect_same"         Request    NO  "307 to the same URL"
        "a client that follows sends the request again"
    RedirectOtherHost   "redirect_other_host"   Request    NO  "307 to this sandbox under another host name"
        "a client that follows gives its api-key to another host: the request log shows it by the host header"
    Status429           "status_429"            Request    NO  "429 without Retry-After"
        "too many requests"
    Status429RetryAfter "status_429_retry_after" Request   NO  "429 with Retry-After: 1"
        "too many requests, and when to come again"
    Status429Paid       "status_429_paid"       Request    YES "429 whose orderPayment has statusId 5"
        "a limit that was hit after the charge was made; must not be repeated"
    Status429Cut        "status_429_cut"        Request    YES "429 with half of its body, then FIN"
        "what the lost half says is not known; must not be repeated"
    Status403Page       "status_403_page"       Request    YES "403 with an HTML page"
        "something in between answers after the service has done it"
    Status409Page       "status_409_page"       Request    YES "409 with an HTML page"
        "the same; it proves nothing"
    Status400Paid       "status_400_paid"       Request    YES "400 that says failure, and its orderPayment has statusId 5"
        "a refusal that names success"
    PendingRefusal      "pending_refusal"       Request    YES "200 with status failed, and its orderPayment has statusId 2"
        "a refusal that names progress: the charge may yet be made"
    SuccessFailedState  "success_failed_state"  Request    NO  "200 with status success, and its orderPayment has statusId 4"
        "the call went well, the payment did not"
    Status500           "status_500"            Request    NO  "500 with the error envelope"
        "the service failed; a client cannot know whether it did it"
    Status503           "status_503"            Request    NO  "503 with the error envelope"
        "out of service; a client cannot know whether it did it"
    Status408           "status_408"            Request    NO  "408 with the error envelope, connection: close"
        "a time-out is told; a client cannot know whether it did it"
    Unauthorized        "unauthorized"          Request    NO  "401 with the error envelope"
        "the key was withdrawn"
    FailedThenSuccess   "failed_then_success"   Request    NO  "200 that says failure; the same request again succeeds"
        "a refusal that may be repeated"
    EchoesRequest       "echoes_request"        Request    NO  "400 with the error envelope: its message repeats the api-key and every text of the opened payload"
        "a careless service; secrets must not get into messages, errors and logs by this way"
    TlsExpired          "tls_expired"           Connection NO  "a certificate that expired in 2021"
        "must be refused before a byte of the request is sent"
    TlsWrongHost        "tls_wrong_host"        Connection NO  "a certificate for wrong-host.invalid"
        "must be refused before a byte of the request is sent"
    TlsSilence          "tls_silence"           Connection NO  "the TLS handshake is never answered"
        "the time-out of the handshake; nothing of the request was sent"
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

/// For an error message: the names that could have been meant.
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
        let table = format!(
            "| fault | carried out | on the wire | rehearses |\n|---|---|---|---|\n{}",
            lines.collect::<String>()
        );
        let readme = include_str!("../../README.md");
        assert!(readme.contains(&table), "the README's fault table should be:\n{table}");
    }
}
