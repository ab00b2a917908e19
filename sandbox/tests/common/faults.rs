//! Every fault, and what a client sees of it.

use super::wire::Ended;

/// The effect that a client sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A whole response, after which the connection serves further requests.
    Answer(u16),
    /// A whole response with `connection: close`.
    LastAnswer(u16),
    /// A whole response, then this end.
    AnswerThen(Ended),
    Nothing(Ended),
    Part,
    /// A response without a length: whole if it ends gracefully, else cut.
    Delimited(Ended),
    Endless,
    /// A response of this status that contains the first text, then the second one endlessly.
    Again(u16, &'static str, &'static str),
    /// Refused as magic input.
    Refused,
}

/// Name, executed, what the client sees.
pub const FAULTS: &[(&str, bool, Seen)] = &[
    ("reset_before_read", false, Seen::Nothing(Ended::Reset)),
    ("reset_without_commit", false, Seen::Nothing(Ended::Reset)),
    ("commit_then_reset", true, Seen::Nothing(Ended::Reset)),
    ("commit_then_close", true, Seen::Nothing(Ended::Fin)),
    ("commit_then_timeout", true, Seen::Nothing(Ended::Silence)),
    ("commit_then_502", true, Seen::Answer(502)),
    ("commit_then_500", true, Seen::Answer(500)),
    ("commit_then_408", true, Seen::LastAnswer(408)),
    ("stale_keepalive", true, Seen::AnswerThen(Ended::Silence)),
    // It does not act on the first request of a connection.
    ("close_after_read", true, Seen::Answer(200)),
    ("silent_close_idle", true, Seen::AnswerThen(Ended::Fin)),
    ("unsolicited_response", true, Seen::Answer(200)),
    ("late_unsolicited_response", true, Seen::Answer(200)),
    // It acts on the next connection.
    ("early_response", true, Seen::LastAnswer(200)),
    ("truncate", true, Seen::Part),
    ("drip", true, Seen::Answer(200)),
    ("slow_headers", true, Seen::Answer(200)),
    ("never_end", true, Seen::Endless),
    ("endless_trailers", true, Seen::Again(200, "}\r\n0\r\nx-sandbox-trailer: 1\r\n", "x-sandbox-trailer: 1\r\n")),
    ("endless_chunk_size", true, Seen::Again(200, "\r\n0", "0")),
    ("no_crlf_after_chunk", true, Seen::Again(200, "x", "x")),
    ("endless_interim", true, Seen::Again(102, "", "HTTP/1.1 102 Processing\r\n\r\n")),
    ("close_delimited", true, Seen::Delimited(Ended::Graceful)),
    ("close_delimited_cut", true, Seen::Delimited(Ended::Fin)),
    ("huge_body", true, Seen::Answer(200)),
    ("gzip_bomb", true, Seen::Answer(200)),
    ("bad_utf8", true, Seen::Answer(200)),
    ("deep_nesting", true, Seen::Answer(200)),
    ("duplicate_members", true, Seen::Answer(200)),
    ("huge_number", true, Seen::Answer(200)),
    ("unknown_fields", true, Seen::Answer(200)),
    ("wrong_envelope", true, Seen::Answer(200)),
    ("empty_200", true, Seen::Answer(200)),
    ("html_200", true, Seen::Answer(200)),
    ("redirect_same", false, Seen::Answer(307)),
    ("redirect_other_host", false, Seen::Answer(307)),
    ("status_429", false, Seen::Answer(429)),
    ("status_429_retry_after", false, Seen::Answer(429)),
    ("status_429_paid", true, Seen::Answer(429)),
    ("status_429_cut", true, Seen::Part),
    ("status_403_page", true, Seen::Answer(403)),
    ("status_409_page", true, Seen::Answer(409)),
    ("status_400_paid", true, Seen::Answer(400)),
    ("pending_refusal", true, Seen::Answer(200)),
    ("success_failed_state", false, Seen::Answer(200)),
    ("status_500", false, Seen::Answer(500)),
    ("status_503", false, Seen::Answer(503)),
    ("status_408", false, Seen::LastAnswer(408)),
    ("unauthorized", false, Seen::Answer(401)),
    ("failed_then_success", false, Seen::Answer(200)),
    ("refused", false, Seen::Answer(200)),
    ("partial_batch", true, Seen::Answer(200)),
    ("reorder_elements", true, Seen::Answer(200)),
    ("drop_element", true, Seen::Answer(200)),
    ("alter_element", true, Seen::Answer(200)),
    ("alter_amount", true, Seen::Answer(200)),
    ("echoes_request", false, Seen::Answer(400)),
    ("widget_no_completed", true, Seen::Answer(200)),
    ("widget_no_close", true, Seen::Answer(200)),
    ("widget_minor_units", true, Seen::Answer(200)),
    ("tls_expired", false, Seen::Refused),
    ("tls_wrong_host", false, Seen::Refused),
    ("tls_silence", false, Seen::Refused),
];
