//! Limits on what is accepted from callers and from the service.

/// Longest URL and longest header. Every server must accept a URL of this length (RFC 9110, 4.1), and it fits the
/// transport's buffer.
pub const MAX_LINE: usize = 8000;

/// Largest request, configuration or answer. 500 mandates take a tenth of a megabyte.
pub const MAX_TEXT: usize = 10 * 1024 * 1024;
