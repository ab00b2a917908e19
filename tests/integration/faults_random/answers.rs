//! The response to a request, drawn by chance: the bytes, the pauses between them, and what they prove.

use std::time::Duration;

use super::evidence::Given;
use crate::support::random::Random;

pub enum Piece {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// Again and again.
    Endless(Vec<u8>),
}

/// The fate of the connection.
pub enum Then {
    Serve,
    Close,
    Reset,
    /// Nothing more is sent; what arrives is noted.
    Listen,
    /// Waits for the next request, and closes with it unread.
    CloseUnread,
    /// An unsolicited response, some time after the response.
    Stray {
        after: Duration,
        bytes: Vec<u8>,
        given: Given,
    },
}

pub struct Script {
    pub act: &'static str,
    pub pieces: Vec<Piece>,
    /// The part that the client has after the last piece.
    pub given: Given,
    pub then: Then,
}

const JSON: &str = "content-type: application/json\r\n";

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{JSON}content-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}

fn success_body(token: &str) -> String {
    if super::is_batch(token) {
        let account = super::account_of(token);
        let payout = format!(r#"{{"accountNumber":"{account}","amount":"25.50","payoutReference":"{token}"}}"#);
        return format!(
            r#"{{"status":"success","message":"done","batchReference":"BATCH-{token}","data":[{payout}]}}"#
        );
    }
    format!(r#"{{"status":true,"message":"done","data":{{"token":"{token}"}}}}"#)
}

fn success(token: &str) -> Vec<u8> {
    answer("200 OK", "", &success_body(token))
}

/// A success, a refusal or a 429 that belongs to no request. Its token names the connection, so that a violation leads
/// to what was sent there.
pub fn stray(random: &mut Random, sent: &str, connection: usize) -> (Vec<u8>, Given) {
    let token = stray_token(sent, connection);
    let refused = format!(r#"{{"status":false,"message":"no","data":{{"token":"{token}"}}}}"#);
    match random.below(6) {
        0 => (answer("400 Bad Request", "", &refused), Given::Refusal),
        1 => (answer("401 Unauthorized", "", &refused), Given::Refusal),
        2 => (busy(&token), Given::ComeAgain),
        _ => (success(&token), Given::Success),
    }
}

const STATUS_429: &str = "429 Too Many Requests";

fn busy(token: &str) -> Vec<u8> {
    let body = format!(r#"{{"error":{{"code":"429","message":"busy"}},"data":{{"token":"{token}"}}}}"#);
    answer(STATUS_429, "retry-after: 0\r\n", &body)
}

/// Sent some time after a response.
pub const LATER: &str = "later";

pub fn stray_token(sent: &str, connection: usize) -> String {
    format!("STRAY-{sent}-{connection}")
}

pub fn calm(key: &str) -> Script {
    Script { act: "success", pieces: vec![Piece::Bytes(success(key))], given: Given::Success, then: Then::Serve }
}

fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

fn chunked_head() -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{JSON}transfer-encoding: chunked\r\n\r\n").into_bytes()
}

/// One way to answer the request with this key.
pub fn draw(random: &mut Random, key: &str, connection: usize) -> Script {
    let of = |act, pieces, given, then| Script { act, pieces, given, then };
    let one = |act, bytes, given, then| Script { act, pieces: vec![Piece::Bytes(bytes)], given, then };
    let whole = success(key);
    let head = whole.len() - success_body(key).len();
    let part = whole[..random.between(1, whole.len() as u64 - 1) as usize].to_vec();
    match random.below(100) {
        0..26 => one("success", whole, Given::Success, Then::Serve),
        26..31 => chunked(random, key),
        31..34 => {
            let drip = |byte: &u8| [Piece::Bytes(vec![*byte]), Piece::Pause(Duration::from_micros(700))];
            of("byte by byte", whole.iter().flat_map(drip).collect(), Given::Success, Then::Serve)
        }
        34..39 => {
            let pause = Piece::Pause(Duration::from_millis(random.below(1000)));
            of("slow", vec![pause, Piece::Bytes(whole)], Given::Success, Then::Serve)
        }
        39..41 => {
            let said = answer("200 OK", "connection: close\r\n", &success_body(key));
            one("success, connection: close", said, Given::Success, Then::Close)
        }
        41..43 => one("success, closed without a word", whole, Given::Success, Then::Close),
        43..45 => one("success, then reset", whole, Given::Success, Then::Reset),
        45..48 => one("success, closed when used again", whole, Given::Success, Then::CloseUnread),
        48..50 => {
            let body = success_body(key);
            let said = format!("HTTP/1.1 200 OK\r\n{JSON}connection: close\r\n\r\n{body}").into_bytes();
            one("success, ended by its connection", said, Given::Success, Then::Close)
        }
        50..53 => of("closed without a response", Vec::new(), Given::Nothing, Then::Close),
        53..56 => of("reset without a response", Vec::new(), Given::Nothing, Then::Reset),
        56..59 => one("part of a response, closed", part, Given::Nothing, Then::Close),
        59..61 => one("part of a response, reset", part, Given::Nothing, Then::Reset),
        61..63 => one("part of a response, silence", part, Given::Nothing, Then::Listen),
        63..69 => limited(random, key, head),
        69..72 => {
            let status = ["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"];
            let status = status[random.below(3) as usize];
            one("5xx", answer(status, "", &success_body(key)), Given::Unclear, Then::Serve)
        }
        72..78 => refusal(random, key),
        78..81 => {
            let status = ["403 Forbidden", "409 Conflict", "307 Temporary Redirect", "600 Odd", "999 Odd"];
            let status = status[random.below(5) as usize];
            let said = answer(status, "location: /elsewhere\r\n", "<html>not what you asked</html>");
            one("a page of something in between", said, Given::Unclear, Then::Serve)
        }
        81..83 => {
            let garbage = (0..random.between(1, 400)).map(|_| random.below(256) as u8).collect();
            one("garbage", garbage, Given::Nothing, Then::Close)
        }
        83..87 => {
            let interim = ["100 Continue", "102 Processing", "103 Early Hints"][random.below(3) as usize];
            let interim = format!("HTTP/1.1 {interim}\r\n\r\n").into_bytes();
            if random.percent(25) {
                let pieces = vec![Piece::Endless(interim.repeat(100))];
                return of("interim responses for ever", pieces, Given::Nothing, Then::Close);
            }
            let interim = interim.repeat(random.between(1, 4) as usize);
            one("interim responses, then success", [interim, whole].concat(), Given::Success, Then::Serve)
        }
        87..91 => broken_chunks(random, key),
        91..94 => {
            let both = [whole, stray(random, "with a response", connection).0].concat();
            one("success and a stray in one write", both, Given::Success, Then::Serve)
        }
        94..97 => {
            let after = Duration::from_millis(random.below(40));
            let (bytes, given) = stray(random, LATER, connection);
            one("success, and a stray later", whole, Given::Success, Then::Stray { after, bytes, given })
        }
        _ => of("silence", Vec::new(), Given::Nothing, Then::Listen),
    }
}

fn chunked(random: &mut Random, key: &str) -> Script {
    let body = success_body(key);
    let (start, end) = body.split_at(random.between(1, body.len() as u64 - 1) as usize);
    let pieces = [chunked_head(), chunk(start), chunk(end), b"0\r\n\r\n".to_vec()].map(Piece::Bytes);
    Script { act: "chunked", pieces: pieces.into(), given: Given::Success, then: Then::Serve }
}

fn limited(random: &mut Random, key: &str, head: usize) -> Script {
    let of = |act, bytes, given, then| Script { act, pieces: vec![Piece::Bytes(bytes)], given, then };
    let clean = busy(key);
    match random.below(6) {
        0 => {
            let paid = format!(r#"{{"data":{{"token":"{key}","orderPayment":{{"statusId":5}}}}}}"#);
            of("429 that names success", answer(STATUS_429, "retry-after: 0\r\n", &paid), Given::Unclear, Then::Serve)
        }
        1 => {
            // Within the body: a cut within the head is drawn elsewhere.
            let cut = clean[..clean.len() - random.between(1, (clean.len() - head - 40) as u64) as usize].to_vec();
            of("429 that is cut", cut, Given::Nothing, Then::Close)
        }
        _ => of("429", clean, Given::ComeAgain, Then::Serve),
    }
}

fn refusal(random: &mut Random, key: &str) -> Script {
    let of = |bytes, given| Script { act: "refusal", pieces: vec![Piece::Bytes(bytes)], given, then: Then::Serve };
    let says = |status: &str| format!(r#"{{"status":{status},"message":"no","data":{{"token":"{key}"}}}}"#);
    match random.below(5) {
        0 => of(answer("400 Bad Request", "", &says("false")), Given::Refusal),
        1 => of(answer("401 Unauthorized", "", &says("\"failed\"")), Given::Refusal),
        2 => of(answer("200 OK", "", &says("\"failed\"")), Given::Refusal),
        3 => of(answer("404 Not Found", "", ""), Given::Refusal),
        _ => {
            let pending =
                format!(r#"{{"status":"failed","data":{{"token":"{key}","orderPayment":{{"statusId":2}}}}}}"#);
            let script = of(answer("200 OK", "", &pending), Given::Unclear);
            Script { act: "a refusal that names progress", ..script }
        }
    }
}

fn broken_chunks(random: &mut Random, key: &str) -> Script {
    let body = success_body(key);
    let of = |act, pieces| Script { act, pieces, given: Given::Nothing, then: Then::Close };
    let start = |more: &[u8]| Piece::Bytes([chunked_head(), chunk(&body[..9]), more.to_vec()].concat());
    match random.below(5) {
        0 => of("a chunk size that is none", vec![start(b"zz\r\nab\r\n")]),
        1 => of("a chunk without its end", vec![start(b"3\r\nabcdef\r\n0\r\n\r\n")]),
        2 => of("a chunk size without end", vec![start(b""), Piece::Endless(vec![b'0'; 8192])]),
        3 => {
            let pieces = vec![
                start(&chunk(&body[9..])),
                Piece::Bytes(b"0\r\n".to_vec()),
                Piece::Endless(b"a: b\r\n".repeat(1000)),
            ];
            of("trailers without end", pieces)
        }
        _ => of("chunks without end", vec![start(&chunk(&body[9..])), Piece::Endless(chunk(&" ".repeat(2000)))]),
    }
}
