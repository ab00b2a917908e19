//! The head of a response, where its body ends, and the limit for what is not body.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::{memchr, memrchr};
use ureq::http::{HeaderMap, HeaderName, StatusCode, Version, header};

use super::error::TransportError;
use crate::util::text::bytes_before;
use paysvc_spec::status::Status;

/// Most bytes of a response before its body (interim responses and empty lines included), between two pieces of the body,
/// and after it.
pub const MAX_OVERHEAD: usize = 64 * 1024;

/// The event that ends a body.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// A length, the last chunk, or a status that has no body.
    Delimited,
    /// The end of the connection.
    ConnectionClose,
}

/// Returns the event that ends the body by the headers (RFC 9112, 6.3), or why the headers are invalid. ureq has already
/// refused contradictory lengths.
pub fn end_of_body(status: StatusCode, version: Version, headers: &HeaderMap) -> Result<End, String> {
    let has_length = headers.contains_key(header::CONTENT_LENGTH);
    let mut chunked = false;
    if headers.contains_key(header::TRANSFER_ENCODING) {
        // Two readers that use different ones would see different responses.
        if has_length {
            return Err("it has both a content-length and a transfer-encoding".into());
        }
        let codings = list(headers, header::TRANSFER_ENCODING);
        chunked = codings == ["chunked"];
        if chunked && version == Version::HTTP_10 {
            return Err("it has a transfer-encoding, which HTTP/1.0 does not have".into());
        }
        if !chunked && codings != ["identity"] {
            return Err("it has a transfer-encoding other than chunked, which was not requested".into());
        }
    }
    let without_body = matches!(status.as_u16(), 100..=199 | 204 | 304);
    let delimited = without_body || has_length || chunked;
    Ok(if delimited { End::Delimited } else { End::ConnectionClose })
}

/// Returns whether the body has a content encoding. None was asked for, and none is decoded.
pub fn is_encoded(headers: &HeaderMap) -> bool {
    headers.contains_key(header::CONTENT_ENCODING)
        && list(headers, header::CONTENT_ENCODING).iter().any(|coding| coding != "identity")
}

/// The elements of a list header, in lower case.
fn list(headers: &HeaderMap, name: HeaderName) -> Vec<String> {
    let values = headers.get_all(name).into_iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let elements = values
        .flat_map(|value| value.split(',').map(|element| element.trim().to_ascii_lowercase()).collect::<Vec<_>>());
    elements.filter(|element| !element.is_empty()).collect()
}

/// Counts the bytes received since the request, or since the last byte of the body. It ends answers with endless
/// headers, interim responses, trailers or chunk lines.
#[derive(Default)]
pub struct Overhead {
    bytes: AtomicUsize,
    /// 0 until the body begins.
    in_body: AtomicUsize,
}

impl Overhead {
    pub fn start(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.in_body.store(0, Ordering::Relaxed);
    }

    /// Call it before each read of the body.
    pub fn start_body(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.in_body.store(1, Ordering::Relaxed);
    }

    pub fn is_before_body(&self) -> bool {
        self.in_body.load(Ordering::Relaxed) == 0
    }

    pub fn add(&self, count: usize) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Fails once the limit is reached.
    pub fn check(&self) -> Result<(), TransportError> {
        if self.bytes.load(Ordering::Relaxed) < MAX_OVERHEAD {
            return Ok(());
        }
        let text = if self.is_before_body() {
            format!("the headers of the response are too large: {MAX_OVERHEAD} bytes came before its body")
        } else {
            format!("{MAX_OVERHEAD} bytes that are not part of it came between or after its chunks")
        };
        Err(TransportError::new(Status::Response, text))
    }
}

/// Names that decide where the body ends. Two readers of a malformed one may see different responses.
const FRAMING: &[&str] = &["content-length", "transfer-encoding"];
/// Names that decide how the body is read. Without such a line a response would prove more than with it.
const READING: &[&str] = &["content-encoding", "content-type"];
/// Longest part of a malformed line that a message repeats.
const MAX_SHOWN: usize = 40;

/// Repairs heads before ureq parses them, because ureq refuses a response for a single malformed line, and old gateways
/// add such lines. A fold becomes blanks (RFC 9112, 5.2). A line that is no header is removed: without a colon, with a
/// blank before it, or with a control character. Nothing is repaired in what may frame the body, and nothing is removed that
/// determines how to read it.
#[derive(Default)]
pub struct Head {
    part: Part,
    /// All lines before this index of the input are complete and repaired.
    checked: usize,
    /// Another head follows. The headers of 100 are removed, because ureq refuses them; they mean nothing.
    is_interim: bool,
    is_100: bool,
    /// The previous line is a header that was kept.
    has_header: bool,
    removed: usize,
    /// The beginning of the first line that was removed.
    first_removed: String,
}

/// The part of the response that comes next.
#[derive(Default, PartialEq, Eq)]
enum Part {
    #[default]
    StatusLine,
    Headers,
    /// Or something that is not HTTP.
    Body,
}

impl Head {
    /// The end of the input that ureq may see: it refuses some malformed lines before they are complete.
    pub fn visible(&self, filled: usize) -> usize {
        if self.part == Part::Headers { self.checked } else { filled }
    }

    /// The input moved towards its beginning.
    pub fn moved(&mut self, by: usize) {
        self.checked = self.checked.saturating_sub(by);
    }

    /// Repairs what has arrived, `input[..filled]`, and returns its new end.
    pub fn repair(&mut self, input: &mut [u8], filled: usize) -> Result<usize, TransportError> {
        let (mut start, mut kept) = (self.checked, self.checked);
        while self.part != Part::Body {
            // Nearly every line: nothing was removed before it, and nothing is wrong with it.
            if self.part == Part::Headers
                && kept == start
                && !self.is_100
                && let Some(length) = header_line(&input[start..filled])
            {
                self.has_header = true;
                start += length;
                kept = start;
                continue;
            }
            let Some(length) = memchr(b'\n', &input[start..filled]) else { break };
            let line = start..start + length + 1;
            start = line.end;
            if self.keeps(input, kept, line.clone())? {
                if kept != line.start {
                    input.copy_within(line.clone(), kept);
                }
                kept += line.len();
            }
        }
        self.checked = kept;
        if kept != start {
            input.copy_within(start..filled, kept);
        }
        Ok(filled - (start - kept))
    }

    /// Returns whether ureq gets the line. `kept`: the end of the line before it.
    fn keeps(&mut self, input: &mut [u8], kept: usize, line: Range<usize>) -> Result<bool, TransportError> {
        let text = without_break(&input[line.clone()]);
        if self.part == Part::StatusLine {
            self.status_line(text);
            return Ok(true);
        }
        if text.is_empty() {
            self.part = if self.is_interim { Part::StatusLine } else { Part::Body };
            return Ok(true);
        }
        let is_header = header_line(&input[line.clone()]) == Some(line.len());
        self.has_header = if is_header { !self.is_100 } else { self.keeps_malformed(input, kept, line)? };
        Ok(self.has_header)
    }

    fn status_line(&mut self, text: &[u8]) {
        let code = text.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5));
        self.is_100 = code == Some(b"100");
        self.is_interim = code.is_some_and(|code| code[0] == b'1' && code != b"101");
        self.has_header = false;
        match code {
            Some(_) => self.part = Part::Headers,
            // Empty lines may come before it.
            None if text.is_empty() => {}
            None => self.part = Part::Body,
        }
    }

    #[cold]
    fn keeps_malformed(&mut self, input: &mut [u8], kept: usize, line: Range<usize>) -> Result<bool, TransportError> {
        let text = without_break(&input[line]);
        let is_fold = matches!(text[0], b' ' | b'\t');
        let header = if is_fold && self.has_header {
            &input[memrchr(b'\n', &input[..kept - 1]).map_or(0, |at| at + 1)..kept]
        } else {
            text
        };
        let malformed = |name: &str| not_http(&format!("its header {name} is malformed"));
        let of_line = first_name(text, FRAMING).or_else(|| first_name(text, READING));
        if let Some(name) = of_line.or_else(|| first_name(header, FRAMING)) {
            return Err(malformed(name));
        }
        if memchr::memchr2(0, b'\r', text).is_some() {
            self.remove(shown(header));
            self.part = Part::Body;
            return Err(not_http("a header has a NUL or a carriage return"));
        }
        if is_fold && self.has_header && text.iter().all(|byte| is_value(*byte)) {
            input[kept - 1] = b' ';
            if input[kept - 2] == b'\r' {
                input[kept - 2] = b' ';
            }
            return Ok(true);
        }
        // A fold that cannot be kept.
        if let Some(name) = first_name(header, READING) {
            return Err(malformed(name));
        }
        self.remove(shown(header));
        Ok(false)
    }

    fn remove(&mut self, shown: String) {
        if self.removed == 0 {
            self.first_removed = shown;
        }
        self.removed += 1;
    }

    /// When the head is complete, once: how many lines were removed, if any, and the beginning of the first, which may
    /// hold anything.
    pub fn take_note(&mut self) -> Option<String> {
        if self.removed == 0 || self.part != Part::Body {
            return None;
        }
        let (removed, first) = (std::mem::take(&mut self.removed), &self.first_removed);
        Some(format!("malformed header lines of the response: {removed}, the first: {first}"))
    }
}

fn not_http(reason: &str) -> TransportError {
    TransportError::new(Status::Response, format!("the response is not HTTP: {reason}"))
}

fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The characters of a name (RFC 9110, 5.6.2).
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = matches!(byte as u8, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
            || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

fn is_value(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7f || byte == b'\t'
}

/// The length of the header line with which the bytes begin, if it is whole and ureq accepts it. Every response passes here,
/// so it looks at each byte once, at eight at a time in values.
fn header_line(bytes: &[u8]) -> Option<usize> {
    let colon = bytes.iter().position(|byte| !TOKEN[usize::from(*byte)]).filter(|at| *at > 0 && bytes[*at] == b':')?;
    let mut at = colon + 1;
    loop {
        at += bytes_before(&bytes[at..], [0x7f]);
        match bytes[at..] {
            [b'\t', ..] => at += 1,
            [b'\r', b'\n', ..] => return Some(at + 2),
            [b'\n', ..] => return Some(at + 1),
            _ => return None,
        }
    }
}

/// The one of these names with which the line begins, after characters that no name has.
fn first_name(line: &[u8], names: &[&'static str]) -> Option<&'static str> {
    let start = line.iter().position(|byte| TOKEN[usize::from(*byte)])?;
    let begins =
        |name: &&&str| line[start..].get(..name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()));
    names.iter().find(begins).copied()
}

/// The beginning of a line, up to its colon, for people.
fn shown(line: &[u8]) -> String {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    let name = name.iter().filter(|byte| byte.is_ascii_graphic() || **byte == b' ').take(MAX_SHOWN);
    let name = name.map(|byte| char::from(*byte)).collect::<String>();
    format!("\"{}\"", name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::HeaderValue;

    /// The repaired head, as it arrives in pieces of that many bytes.
    fn repaired(answer: &str, piece: usize) -> Result<(String, Option<String>), String> {
        let (mut head, mut input, mut filled) = (Head::default(), vec![0; answer.len()], 0);
        for part in answer.as_bytes().chunks(piece) {
            input[filled..filled + part.len()].copy_from_slice(part);
            filled = head.repair(&mut input, filled + part.len()).map_err(|error| error.message)?;
            assert!(head.visible(filled) <= filled);
        }
        assert_eq!(head.visible(filled), filled);
        Ok((String::from_utf8(input[..filled].to_vec()).unwrap(), head.take_note()))
    }

    #[test]
    fn malformed_lines_are_repaired_or_removed_and_all_else_is_left() {
        const END: &str = "\r\nlast: 1\r\n\r\n a body\r\n with: lines\r\n bad\r\n";
        for (lines, expected, noted) in [
            ("a: b\r\nc:\r\nd: \u{e9}\t", "a: b\r\nc:\r\nd: \u{e9}\t", ""),
            ("a: \u{7e}\u{80}\u{ff}\u{a0}\u{ff}\t 12345678", "a: \u{7e}\u{80}\u{ff}\u{a0}\u{ff}\t 12345678", ""),
            ("a: 1234567\u{7f}\r\nd: e", "d: e", "the first: \"a\""),
            ("a: 12345678\u{1f}9\r\nd: e", "d: e", "the first: \"a\""),
            ("a: b\nc: d", "a: b\nc: d", ""),
            ("a: b\r\n c\r\n\td", "a: b   c  \td", ""),
            ("a: b\n c", "a: b  c", ""),
            ("a: b\r\n \r\nc: d", "a: b   \r\nc: d", ""),
            ("a\r\nb: c", "b: c", ": 1, the first: \"a\""),
            ("a : b\r\n c\r\nd: e", "d: e", ": 2, the first: \"a\""),
            (" a: b\r\nc: d", "c: d", "the first: \"a\""),
            (": b\r\nc: d", "c: d", "the first: \"\""),
            ("a b: c\r\nd: e", "d: e", "the first: \"a b\""),
            ("a: b\u{1b}c\r\nd: e", "d: e", "the first: \"a\""),
            ("a: b\r\n c\u{7f}\r\nd: e", "a: b\r\nd: e", "the first: \"a\""),
            ("content-length-of-old: b\r\n c", "", "content-length"),
            ("content-length: 5\r\n 6", "", "content-length"),
            ("Content-Length : 5", "", "content-length"),
            ("x: y\r\n\tTransfer-Encoding: chunked", "", "transfer-encoding"),
            ("transfer-encoding chunked", "", "transfer-encoding"),
            ("\u{1}content-length: 5", "", "content-length"),
            ("content-length: 5\u{1}", "", "content-length"),
            ("content-type: a;\r\n b", "content-type: a;   b", ""),
            ("Content-Type : a", "", "content-type"),
            ("content-type: a;\r\n b\u{1}", "", "content-type"),
            ("content-encoding gzip", "", "content-encoding"),
            ("content-encoding: gzip\u{1}", "", "content-encoding"),
            ("a: b\r\n content-encoding: gzip", "", "content-encoding"),
            ("a: b\0c", "", "a NUL or a carriage return"),
            ("a: b\rc", "", "a NUL or a carriage return"),
        ] {
            for piece in [1, 2, 7, 1000] {
                let answer = format!("\r\nHTTP/1.1 200 OK\r\n{lines}{END}");
                match repaired(&answer, piece) {
                    Ok((head, note)) => {
                        assert_eq!(head, format!("\r\nHTTP/1.1 200 OK\r\n{expected}{END}"), "{lines:?}");
                        assert!(note.unwrap_or_default().contains(noted), "{lines:?}");
                    }
                    Err(error) => assert!(expected.is_empty() && error.contains(noted), "{lines:?}: {error}"),
                }
            }
        }
    }

    #[test]
    fn interim_answers_have_heads_of_their_own() {
        let last = "HTTP/1.1 200 OK\r\na: b\r\n\r\nbody\r\nbody";
        for (interim, expected) in [
            ("HTTP/1.1 100 Continue\r\nserver: x\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"),
            ("HTTP/1.1 103 x\r\nlink: a\r\n b\r\n\r\n", "HTTP/1.1 103 x\r\nlink: a   b\r\n\r\n"),
        ] {
            assert_eq!(repaired(&format!("{interim}{last}"), 3).unwrap().0, format!("{expected}{last}"));
        }
        for other in ["HTTP/1.1 101 x\r\n\r\n\r\nbad\r\n", "SSH-2.0\r\nbad\r\n", "no line"] {
            assert_eq!(repaired(other, 1).unwrap().0, other);
        }
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn the_headers_tell_what_ends_the_body() {
        const LENGTH: (&str, &str) = ("content-length", "5");
        const CHUNKED: (&str, &str) = ("transfer-encoding", "chunked");
        for (status, version, lines, expected) in [
            (200, Version::HTTP_11, &[LENGTH][..], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, LENGTH], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, ("connection", "close")], Some(End::Delimited)),
            (200, Version::HTTP_10, &[LENGTH], Some(End::Delimited)),
            (200, Version::HTTP_11, &[CHUNKED], Some(End::Delimited)),
            (200, Version::HTTP_11, &[("transfer-encoding", " Chunked ")], Some(End::Delimited)),
            (200, Version::HTTP_11, &[], Some(End::ConnectionClose)),
            (400, Version::HTTP_10, &[], Some(End::ConnectionClose)),
            (200, Version::HTTP_11, &[("transfer-encoding", "identity")], Some(End::ConnectionClose)),
            (204, Version::HTTP_11, &[], Some(End::Delimited)),
            (304, Version::HTTP_11, &[], Some(End::Delimited)),
            (200, Version::HTTP_11, &[LENGTH, CHUNKED], None),
            (200, Version::HTTP_11, &[LENGTH, ("transfer-encoding", "identity")], None),
            (204, Version::HTTP_11, &[LENGTH, CHUNKED], None),
            (200, Version::HTTP_10, &[CHUNKED], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "gzip, chunked")], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "gzip"), CHUNKED], None),
            (200, Version::HTTP_11, &[CHUNKED, CHUNKED], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "chunked, gzip")], None),
            (200, Version::HTTP_11, &[("transfer-encoding", "")], None),
        ] {
            let found = end_of_body(StatusCode::from_u16(status).unwrap(), version, &headers(lines));
            assert_eq!(found.ok(), expected, "{status} {version:?} {lines:?}");
        }
    }

    #[test]
    fn content_encodings_are_recognised() {
        for (value, expected) in [("gzip", true), ("identity", false), (" Identity ", false), ("", false)] {
            assert_eq!(is_encoded(&headers(&[("content-encoding", value)])), expected, "{value}");
        }
        assert!(!is_encoded(&headers(&[])) && is_encoded(&headers(&[("content-encoding", "identity, br")])));
    }

    #[test]
    fn bytes_of_the_body_are_not_counted() {
        let overhead = Overhead::default();
        overhead.add(MAX_OVERHEAD - 1);
        assert!(overhead.check().is_ok());
        overhead.add(1);
        assert!(overhead.check().unwrap_err().message.contains("headers"));
        overhead.start_body();
        assert!(overhead.check().is_ok());
        overhead.add(MAX_OVERHEAD);
        assert!(overhead.check().unwrap_err().message.contains("chunks"));
        overhead.start();
        assert!(overhead.check().is_ok() && overhead.is_before_body());
    }
}
