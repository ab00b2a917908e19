//! Limits on what is accepted from callers and from the service.

/// Longest URL and longest header. Every server must accept a URL of this length (RFC 9110, 4.1), and it fits the
/// transport's buffer.
pub const MAX_LINE: usize = 8000;

/// Largest request, configuration or answer. 500 mandates take a tenth of a megabyte.
pub const MAX_TEXT: usize = 10 * 1024 * 1024;

/// Largest request for payouts in bulk. A list of 100,000 recipients takes 20 megabytes.
pub const MAX_BULK_TEXT: usize = 256 * 1024 * 1024;

/// Most values of a JSON document. 500 mandates have 3,000; a million take 20 MB as an answer, and 100 MB in the builder.
pub const MAX_VALUES: usize = 1_000_000;

/// Most members that one error names.
pub const MAX_ERRORS: usize = 100;

/// How many characters of a member's name are repeated. The service's own names are much shorter.
pub const MAX_NAME_CHARS: usize = 100;
