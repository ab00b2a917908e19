//! Another status than the regular one, or one that contradicts the payment in the response; and a response that
//! repeats the secrets of the request.

use crate::faults::fault::{Answers, OnRequest, RequestFacts, Script, Sends, faults};
use crate::http::answer::{Answer, ApiError};
use crate::util::json::{Json, object};

faults! { STATUSES
    "redirect_same" Request NOT "307 to the same URL"
        "a client that follows it sends the request again"
        { answer: Answers::Instead(|request| redirect(request.base_url, request)) }
    "redirect_other_host" Request NOT "307 to this sandbox under another host name"
        "a client that follows it sends its api-key to another host, which the request log shows by the host header"
        { answer: Answers::Instead(|request| redirect(&other_host(request.base_url), request)) }
    "status_429" Request NOT "429 without Retry-After"
        "too many requests"
        { answer: Answers::Instead(|_| too_many()) }
    "status_429_retry_after" Request NOT "429 with Retry-After: 1"
        "too many requests, with the time to wait"
        { answer: Answers::Instead(|_| too_many().header("retry-after", "1")) }
    "status_429_paid" Request EXECUTED "429 with an orderPayment of statusId 5"
        "the limit was hit after the charge was made; the request must not be repeated"
        { answer: Answers::Instead(|_| Answer::new(429, &object! { "data": payment(5, "Successful") })) }
    "status_429_cut" Request EXECUTED "429 with half of its body, then FIN"
        "the lost half may report a charge; the request must not be repeated"
        { answer: Answers::Instead(|_| too_many()), sends: Sends::Script(Script::cut) }
    "status_403_page" Request EXECUTED "403 with an HTML page"
        "an intermediary responds after the service has executed the request"
        { answer: Answers::Instead(|_| page(403)) }
    "status_409_page" Request EXECUTED "409 with an HTML page"
        "the same; the status proves nothing"
        { answer: Answers::Instead(|_| page(409)) }
    "status_400_paid" Request EXECUTED "400 that reports failure, with an orderPayment of statusId 5"
        "a failure that contradicts itself"
        { answer: Answers::Instead(|_| Answer::new(400, &object! {
            "status": false,
            "message": "The order cannot be paid.",
            "errors": object! { "reference": "The order cannot be paid." },
            "data": payment(5, "Successful"),
        })) }
    "pending_refusal" Request EXECUTED "200 with status failed, with an orderPayment of statusId 2"
        "a failure with a pending payment: the charge may still be made"
        { answer: Answers::Instead(|_| {
            general(payment(2, "Pending"), "failed", "04", "Transaction pending")
        }) }
    "success_failed_state" Request NOT "200 with status success, with an orderPayment of statusId 4"
        "the call succeeded, the payment did not"
        { answer: Answers::Instead(|_| {
            general(payment(4, "Failed"), "success", "00", "Request processed")
        }) }
    "status_500" Request NOT "500 with the error envelope"
        "the service failed; the client cannot know whether the request was executed"
        { answer: Answers::Instead(|_| error(500, "Something went wrong.")) }
    "status_503" Request NOT "503 with the error envelope"
        "the service is unavailable; the client cannot know whether the request was executed"
        { answer: Answers::Instead(|_| error(503, "The service is not available at the moment.")) }
    "status_408" Request NOT "408 with the error envelope, connection: close"
        "a timeout is reported; the client cannot know whether the request was executed"
        { answer: Answers::Instead(|_| error(408, "The request timed out.").header("connection", "close")) }
    "unauthorized" Request NOT "401 with the error envelope"
        "the API key was revoked"
        { answer: Answers::Instead(|_| error(401, "api-key is not valid.")) }
    "failed_then_success" Request NOT "200 that reports failure; the same request then succeeds"
        "a failure after which the request may be repeated"
        { request: OnRequest::First, answer: Answers::Instead(failure) }
    "refused" Request NOT "200 that reports failure, every time"
        "the service refuses the request"
        { answer: Answers::Instead(failure) }
}

fn too_many() -> Answer {
    error(429, "Too many requests.")
}

/// A `data` object with a payment state and no other sign of success or failure.
fn payment(id: u64, name: &str) -> Json {
    object! { "orderPayment": object! { "statusId": id, "status": name } }
}

fn general(data: Json, status: &str, code: &str, message: &str) -> Answer {
    Answer::ok(&object! { "data": data, "status": status, "statusCode": code, "message": message })
}

/// A failure in the endpoint's envelope.
fn failure(request: &RequestFacts) -> Answer {
    let message = "The request was refused by a fault of the sandbox.";
    match request.is_status_boolean {
        true => Answer::ok(&object! { "message": message, "code": "04", "status": false, "data": Json::Null }),
        false => general(Json::Null, "failed", "04", message),
    }
}

fn redirect(base_url: &str, request: &RequestFacts) -> Answer {
    let answer = Answer::new(307, &object! { "message": "Moved" });
    answer.header("location", format!("{base_url}{}", request.target))
}

/// The sandbox under another host name, so that its request log shows clients that follow the redirect.
fn other_host(base_url: &str) -> String {
    let (scheme, address) = base_url.split_once("://").unwrap_or(("http", base_url));
    let (host, port) = address.rsplit_once(':').unwrap_or((address, "80"));
    let other = if host == "localhost" { "127.0.0.1" } else { "localhost" };
    format!("{scheme}://{other}:{port}")
}

faults! { ECHO
    "echoes_request" Request NOT "400 with the error envelope, whose message repeats the api-key and every text of the payload"
        "secrets from a response must not get into messages, errors or logs"
        { answer: Answers::Instead(|request| error(400, &echo(request))) }
}

/// All texts of the request; long numbers also in groups of four digits, as printed on cards.
fn echo(request: &RequestFacts) -> String {
    let key = request.api_key.unwrap_or_default();
    let texts: Vec<&str> = [key].into_iter().chain(request.payload.into_iter().flat_map(Json::texts)).collect();
    let is_long_number = |text: &&&str| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let fours = |text: &&str| text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    let set_apart: Vec<_> = texts.iter().filter(is_long_number).map(fours).collect();
    format!("Not accepted: {} {}", texts.join(", "), set_apart.join(", "))
}

const PAGE: &str = "<!DOCTYPE html>\n<html><head><title>Sandbox</title></head><body><h1>Not what you asked for</h1>\
    <p>{\"status\":true,\"statusCode\":\"00\"}</p></body></html>\n";

pub fn page(status: u16) -> Answer {
    Answer::page(status, PAGE.to_string())
}

pub fn error(status: u16, message: &str) -> Answer {
    ApiError::new(status, message).into_answer()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::REQUEST;

    #[test]
    fn hosts() {
        assert_eq!(other_host("https://127.0.0.1:5"), "https://localhost:5");
        assert_eq!(other_host("http://[::1]:5"), "http://localhost:5");
        assert_eq!(other_host("http://localhost:5"), "http://127.0.0.1:5");
    }

    #[test]
    fn it_repeats_the_whole_request() {
        let payload = Json::parse(br#"{"card":{"number":"411122223333"},"list":["a",1]}"#).unwrap();
        let request = RequestFacts { payload: Some(&payload), ..REQUEST };
        let body = ECHO[0].alter(None, &request).unwrap().body;
        assert!(String::from_utf8(body).unwrap().contains("KEY, 411122223333, a 4111 2222 3333"));
    }
}
