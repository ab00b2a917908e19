//! What is looked for in a scenario: in the request log, in the ledger, and in what the client told.

use super::desk::Paid;
use crate::crypto::envelope::Body;
use crate::service::router::Router;
use crate::util::json::Json;

/// What was seen of a client in a scenario.
pub struct Seen<'a> {
    pub router: &'a Router,
    /// The entries of the request log.
    pub requests: Vec<Json>,
    /// How often the order was charged.
    pub charges: usize,
    pub told: Option<Paid>,
}

/// What is wrong, in words; `None` if nothing is.
pub type Check = fn(&Seen) -> Option<String>;

const REFUND: &str = "/payment/order/refund";
const LOOK_UPS: [&str; 3] = ["/payment/order/status", "/payment/order/verify", "/payment/transaction-details/"];
const SECRETS: [&str; 10] =
    ["card", "cardnumber", "cvv", "pin", "otp", "expirymonth", "expiryyear", "cardtoken", "api-key", "apikey"];
/// The pause between two status queries, and how many may be closer together.
const LEAST_PAUSE_MS: u64 = 200;
const CLOSE_AT_MOST: usize = 2;
/// What `Retry-After` says, less what clocks and rounding may take.
const RETRY_AFTER_MS: u64 = 950;
const DAY_MS: u64 = 86_400_000;

fn status(request: &Json) -> u16 {
    match request.get("status") {
        Some(Json::Number(status)) => status.parse().unwrap_or(0),
        _ => 0,
    }
}

fn is_answered(request: &Json) -> bool {
    status(request) == 200
}

fn met_fault(request: &Json) -> bool {
    !text(request, "fault").is_empty()
}

fn text<'a>(request: &'a Json, member: &str) -> &'a str {
    request.at(member).and_then(Json::as_text).unwrap_or_default()
}

impl Seen<'_> {
    /// What the endpoint of a request takes as its body.
    fn body(&self, request: &Json) -> Option<Body> {
        self.router.find(text(request, "method"), text(request, "path")).ok().map(|(endpoint, _)| endpoint.body)
    }

    fn at(&self, is: impl Fn(&str) -> bool) -> impl Iterator<Item = &Json> {
        self.requests.iter().filter(move |request| is(text(request, "path")))
    }

    /// Requests that charge an order, whether or not they were executed.
    fn charging(&self) -> impl Iterator<Item = &Json> {
        self.requests.iter().filter(|request| match text(request, "path") {
            "/payment/order/pay" | "/payment/tokenize/charge" => true,
            "/payment/order/create" => request.at("payload.card").is_some(),
            _ => false,
        })
    }

    fn looking_up(&self) -> impl Iterator<Item = &Json> {
        self.at(|path| LOOK_UPS.iter().any(|known| path.starts_with(known)))
    }

    fn refunding(&self) -> impl Iterator<Item = &Json> {
        self.at(|path| path == REFUND)
    }

    pub fn met_fault(&self) -> bool {
        self.requests.iter().any(met_fault)
    }

    pub fn charge_answered(&self) -> bool {
        self.charging().any(is_answered)
    }

    pub fn refund_answered(&self) -> bool {
        self.refunding().any(is_answered)
    }

    pub fn look_up_answered(&self) -> bool {
        self.looking_up().any(is_answered)
    }

    /// The first request that the sandbox refused, unless a fault did, and why.
    pub fn refused(&self) -> Option<String> {
        let is_refused = |request: &&Json| (400..500).contains(&status(request)) && !met_fault(request);
        let refused = self.requests.iter().find(is_refused)?;
        let answer = Json::parse(text(refused, "answer").as_bytes()).unwrap_or_default();
        let why = ["error.message", "message"].iter().find_map(|member| answer.at(member).and_then(Json::as_text));
        let (method, path, status) = (text(refused, "method"), text(refused, "path"), status(refused));
        Some(format!("{method} {path} was answered {status}: {}", why.unwrap_or("no reason is given.")))
    }
}

pub fn charges(seen: &Seen) -> Option<String> {
    seen.charging().next().is_none().then(|| "It sent no request that charges the order.".to_string())
}

pub fn refunds(seen: &Seen) -> Option<String> {
    (!seen.refund_answered()).then(|| "No refund of the order was accepted.".to_string())
}

pub fn looks_up(seen: &Seen) -> Option<String> {
    let none = seen.looking_up().next().is_none();
    none.then(|| {
        "It did not ask the service about the order (order status, order verify or transaction details).".to_string()
    })
}

pub fn only_encrypted(seen: &Seen) -> Option<String> {
    let is_wrong = |request: &&Json| {
        text(request, "envelope") == "plain" && seen.body(request).is_some_and(|body| body.envelope() == "encrypted")
    };
    let plain = seen.requests.iter().find(is_wrong)?;
    Some(format!("It sent a plain body to {}, which takes an encrypted one.", text(plain, "path")))
}

pub fn no_secrets(seen: &Seen) -> Option<String> {
    let names = |json: Option<&Json>| match json {
        Some(Json::Object(members)) => members.iter().map(|(name, _)| name.to_ascii_lowercase()).collect(),
        _ => Vec::new(),
    };
    let secret = |name: &String| SECRETS.contains(&name.as_str());
    seen.requests.iter().find_map(|request| {
        let path = text(request, "path");
        if let Some(name) = names(request.get("query")).into_iter().find(|name| secret(name)) {
            return Some(format!("It sent {name} in the query of {path}."));
        }
        let is_plain = text(request, "envelope") == "plain";
        let name = names(request.get("payload")).into_iter().find(|name| is_plain && secret(name))?;
        Some(format!("It sent {name} in a plain body to {path}."))
    })
}

pub fn right_key(seen: &Seen) -> Option<String> {
    let refused = seen.requests.iter().find(|request| status(request) == 401)?;
    let key = text(refused, "headers.api-key");
    Some(format!("{} was answered 401: its api-key was {key}.", text(refused, "path")))
}

pub fn once(seen: &Seen) -> Option<String> {
    let sent = seen.charging().count();
    (sent > 1).then(|| {
        format!("It sent {sent} requests that charge the order; the order was charged {} times.", seen.charges)
    })
}

pub fn says_paid(seen: &Seen) -> Option<String> {
    (seen.told != Some(Paid::Yes)).then(|| "The order is paid, and it did not say so.".to_string())
}

pub fn not_paid(seen: &Seen) -> Option<String> {
    (seen.told == Some(Paid::Yes)).then(|| "It took the order for paid, and it is not.".to_string())
}

pub fn not_denied(seen: &Seen) -> Option<String> {
    let text = "It said that the order is certainly not paid, which it could not know.";
    (seen.told == Some(Paid::No)).then(|| text.to_string())
}

/// After a lost answer only a status query can tell that the order is paid.
pub fn asked_before_paid(seen: &Seen) -> Option<String> {
    (seen.told == Some(Paid::Yes) && !seen.look_up_answered())
        .then(|| "It took the order for paid without a response that says so.".to_string())
}

/// Its own host is the one of the request that was redirected, under whatever name it knows the sandbox.
pub fn one_host(seen: &Seen) -> Option<String> {
    let mut after = seen.requests.iter().skip_while(|request| !met_fault(request));
    let own = text(after.next()?, "headers.host");
    let elsewhere = after.find(|request| {
        let host = text(request, "headers.host");
        !host.is_empty() && !host.eq_ignore_ascii_case(own)
    })?;
    Some(format!("It followed a redirect to {} and sent its api-key there.", text(elsewhere, "headers.host")))
}

pub fn waits(seen: &Seen) -> Option<String> {
    let mut after = seen.requests.iter().skip_while(|request| text(request, "fault") != "status_429_retry_after");
    let (limited, next) = (after.next()?, after.next()?);
    let pause = pause(limited, next);
    (pause < RETRY_AFTER_MS).then(|| format!("It was told to wait one second and came back after {pause} ms."))
}

pub fn pauses(seen: &Seen) -> Option<String> {
    let asked: Vec<&Json> = seen.looking_up().collect();
    let close = asked.windows(2).filter(|pair| pause(pair[0], pair[1]) < LEAST_PAUSE_MS).count();
    let text = || {
        format!(
            "{close} of its {} status queries came less than {LEAST_PAUSE_MS} ms after the one before.",
            asked.len()
        )
    };
    (close > CLOSE_AT_MOST).then(text)
}

/// Milliseconds between two requests, by the log.
fn pause(first: &Json, second: &Json) -> u64 {
    let [first, second] = [first, second].map(|request| time_of_day(text(request, "received")));
    (second + DAY_MS - first) % DAY_MS
}

/// Milliseconds since midnight of `2026-01-31T09:30:00.123Z`.
fn time_of_day(received: &str) -> u64 {
    let time = received.split_once('T').map_or("", |(_, time)| time);
    let parts: Vec<u64> = time.split([':', '.', 'Z']).filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [hours, minutes, seconds, millis] => ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_read_from_the_log() {
        let at = |time: &str| crate::util::json::object! { "received": time };
        let [first, second] = ["2026-01-31T23:59:59.900Z", "2026-02-01T00:00:00.150Z"].map(at);
        assert_eq!((pause(&first, &second), time_of_day("2026-01-31T01:01:01.001Z")), (250, 3_661_001));
    }
}
