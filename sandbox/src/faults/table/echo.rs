//! A response that repeats the secrets of the request.

use crate::faults::answers::error;
use crate::faults::fault::{Answers, RequestFacts, faults};
use crate::util::json::Json;

faults! {
    "echoes_request" Request NOT "400 with the error envelope, whose message repeats the api-key and every text of the payload"
        "secrets from a response must not get into messages, errors or logs"
        { answer: Answers::Instead(|request| error(400, &echo(request))) }
}

/// All texts of the request; long numbers also in groups of four digits, as printed on cards.
fn echo(request: &RequestFacts) -> String {
    let mut texts = vec![request.api_key.unwrap_or_default().to_string()];
    request.payload.iter().for_each(|payload| collect(payload, &mut texts));
    let is_long_number = |text: &&String| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let fours = |text: &String| text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    let set_apart: Vec<_> = texts.iter().filter(is_long_number).map(fours).collect();
    format!("Not accepted: {} {}", texts.join(", "), set_apart.join(", "))
}

fn collect(json: &Json, texts: &mut Vec<String>) {
    match json {
        Json::Text(text) => texts.push(text.clone()),
        Json::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Json::Object(members) => members.iter().for_each(|(_, value)| collect(value, texts)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::tests::REQUEST;

    #[test]
    fn it_repeats_the_whole_request() {
        let payload = Json::parse(br#"{"card":{"number":"411122223333"},"list":["a",1]}"#).unwrap();
        let request = RequestFacts { payload: Some(&payload), ..REQUEST };
        let body = FAULTS[0].alter(None, &request).unwrap().body;
        assert!(String::from_utf8(body).unwrap().contains("KEY, 411122223333, a 4111 2222 3333"));
    }
}
