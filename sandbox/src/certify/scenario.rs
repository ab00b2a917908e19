//! The table of scenarios: the client's task, what goes wrong meanwhile, and the checks: of the request log, of the
//! ledger, and of the client's conclusion.

use super::Paid;
use crate::crypto::envelope::Body;
use crate::service::router::Router;
use crate::util::json::Json;

/// The client's task. Its word is `CERTIFY_TASK`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Charge,
    Refund,
    Check,
    Webhook,
    Wait,
}

impl Task {
    pub fn word(self) -> &'static str {
        match self {
            Task::Charge => "charge",
            Task::Refund => "refund",
            Task::Check => "check",
            Task::Webhook => "webhook",
            Task::Wait => "wait",
        }
    }

    pub fn instruction(self) -> &'static str {
        match self {
            Task::Charge => "Charge the order with the card, then tell whether it is paid.",
            Task::Refund => "The order is paid. Refund it in full, then tell whether the order was paid.",
            Task::Check => "The customer has paid elsewhere. Find out whether the order is paid, and tell it.",
            Task::Webhook => "Your receiver of webhooks got this event. Tell whether the order is paid.",
            Task::Wait => "Wait three seconds for the payment of the order, then tell whether it is paid.",
        }
    }
}

/// The order before the client begins.
#[derive(Debug, Clone, Copy)]
pub enum Before {
    Nothing,
    Unpaid,
    /// With this amount and currency, which may differ from the client's.
    Paid(&'static str, &'static str),
    /// Its only payment was declined.
    Declined,
}

#[derive(Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub task: Task,
    /// The beginning of the order's reference, which selects a fault.
    pub prefix: &'static str,
    pub before: Before,
    /// A fault rule as JSON.
    pub rule: Option<&'static str>,
    pub card: &'static str,
    /// The checks of every request, whatever its outcome.
    pub of_requests: &'static [Check],
    /// The checks if the client came that far.
    pub checks: &'static [Check],
    /// Why the mistake loses money.
    pub loses: &'static str,
    pub mend: &'static str,
}

impl Scenario {
    pub fn has_fault(&self) -> bool {
        self.rule.is_some() || !self.prefix.is_empty()
    }

    /// Returns whether the client came as far as the scenario looks: its fault acted, or a request of the task was answered.
    pub fn is_tested(&self, seen: &Seen) -> bool {
        match self.task {
            _ if self.has_fault() => seen.met_fault(),
            Task::Charge => seen.charge_answered(),
            Task::Refund => seen.refund_answered(),
            Task::Check | Task::Webhook | Task::Wait => seen.look_up_answered(),
        }
    }
}

pub const AMOUNT: &str = "2500.50";
pub const CURRENCY: &str = "NGN";
const GOOD_CARD: &str = "4111111111111111";

const ROW: Scenario = Scenario {
    name: "",
    task: Task::Charge,
    prefix: "",
    before: Before::Nothing,
    rule: None,
    card: GOOD_CARD,
    of_requests: &[],
    checks: &[],
    loses: "",
    mend: "",
};

const AS_ORDERED: Before = Before::Paid(AMOUNT, CURRENCY);
const REPEATED: &str = "The first request was executed. The customer is charged twice.";
const DO_NOT_REPEAT: &str = "Never repeat a request that moves money unless it provably was not executed. Ask order status or order verify \
    with the reference, and until the response is certain treat the order as not known.";

pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "plain_body",
        of_requests: &[only_encrypted],
        checks: &[charges, says_paid],
        loses: "The service refuses the request, so nothing is sold; and whoever reads the connection or its logs has the card.",
        mend: "Encrypt the compact JSON with the account's RSA key (PKCS #1 v1.5) and send {\"data\": \"<base64>\"}. Never fall back to a plain body.",
        ..ROW
    },
    Scenario {
        name: "secrets_in_the_open",
        of_requests: &[no_secrets],
        checks: &[charges],
        loses: "Queries and plain bodies are kept in the logs of servers and proxies. Stolen card data are charged back to the merchant.",
        mend: "Send card data, one-time codes and keys only in the encrypted body and the api-key header.",
        ..ROW
    },
    Scenario {
        name: "wrong_key",
        task: Task::Refund,
        before: AS_ORDERED,
        of_requests: &[right_key],
        checks: &[refunds],
        loses: "The service answers 401: a refund that the customer was promised is never made.",
        mend: "Refund, capture, verify and payout status take the secret key; the others take the public key.",
        ..ROW
    },
    Scenario {
        name: "lost_answer",
        prefix: "sbx-commit_then_reset@pay-",
        checks: &[charges, once, not_denied, asked_before_paid],
        loses: REPEATED,
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "no_answer",
        prefix: "sbx-commit_then_timeout@pay-",
        checks: &[charges, once, not_denied, asked_before_paid],
        loses: "Without a timeout the till stands still; with one, a client that repeats the request charges the customer twice.",
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "gateway_error",
        prefix: "sbx-commit_then_502@pay-",
        checks: &[charges, once, not_denied, asked_before_paid],
        loses: "A 5xx may come from a proxy after the service has executed the request. The customer is charged twice, or has paid and gets nothing.",
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "success_not_paid",
        prefix: "sbx-success_failed_state@pay-",
        checks: &[charges, not_paid],
        loses: "The call succeeded, the payment failed. The goods are handed over and nobody has paid.",
        mend: "Read the state of the payment (statusId 5 is successful), not the status of the call.",
        ..ROW
    },
    Scenario {
        name: "pending_not_paid",
        card: "5123450000003155",
        checks: &[charges, once, not_paid, not_denied],
        loses: "The holder of the card has not agreed yet. The goods are handed over, or a second card is charged and both are paid.",
        mend: "A pending payment is not known. Send the holder to redirectUrl, then ask for the state.",
        ..ROW
    },
    Scenario {
        name: "verify_00",
        task: Task::Check,
        before: Before::Declined,
        checks: &[looks_up, not_paid],
        loses: "Order verify answers success and 00 for a payment that failed. The goods are handed over and nobody has paid.",
        mend: "Read data.statusId (5 is successful); 00 means that the order was found.",
        ..ROW
    },
    Scenario {
        name: "forged_webhook",
        task: Task::Webhook,
        before: Before::Unpaid,
        checks: &[looks_up, not_paid],
        loses: "Webhooks are not signed. Whoever knows the receiver's URL gets goods without paying.",
        mend: "Take a webhook for a hint: ask order verify, order status or transaction details before you act on it.",
        ..ROW
    },
    Scenario {
        name: "amount_compared",
        task: Task::Check,
        before: Before::Paid("1.00", CURRENCY),
        checks: &[looks_up, not_paid],
        loses: "The order was paid with 1.00. Whoever can change the amount in the browser names the price.",
        mend: "Compare orderAmount, the price without the fee, with what was ordered.",
        ..ROW
    },
    Scenario {
        name: "currency_compared",
        task: Task::Check,
        before: Before::Paid(AMOUNT, "GHS"),
        checks: &[looks_up, not_paid],
        loses: "The same number in another currency is another price.",
        mend: "Compare the currency of order verify with that of the order.",
        ..ROW
    },
    Scenario {
        name: "redirect",
        prefix: "sbx-redirect_other_host@pay-",
        checks: &[charges, one_host, not_paid],
        loses: "The api-key, and with a 307 the whole payment, goes to a host that the merchant has not chosen.",
        mend: "Do not follow redirects of API requests.",
        ..ROW
    },
    Scenario {
        name: "rate_limit",
        task: Task::Check,
        before: AS_ORDERED,
        rule: Some(r#"{"path":"/payment/*","fault":"status_429_retry_after"}"#),
        checks: &[looks_up, waits, not_denied],
        loses: "429 says nothing about the payment. A client that takes it for a failure refuses goods that are paid; one that does not wait is locked out.",
        mend: "Wait as long as Retry-After says, then ask again. If there is no time, the state is not known.",
        ..ROW
    },
    Scenario {
        name: "polling",
        task: Task::Wait,
        before: Before::Unpaid,
        checks: &[looks_up, pauses, not_paid],
        loses: "Asking without a pause leads to 429 for all tills of the merchant; asking for ever blocks the till.",
        mend: "Ask about once a second, less often with time, and stop at a deadline.",
        ..ROW
    },
];

pub fn named(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}

/// The observations of a client in a scenario.
pub struct Seen<'a> {
    pub router: &'a Router,
    /// The entries of the request log.
    pub requests: Vec<Json>,
    /// Number of charges of the order.
    pub charges: usize,
    pub told: Option<Paid>,
}

/// Returns the mistake, in words; `None` if there is none.
pub type Check = fn(&Seen) -> Option<String>;

const REFUND: &str = "/payment/order/refund";
const LOOK_UPS: [&str; 3] = ["/payment/order/status", "/payment/order/verify", "/payment/transaction-details/"];
const SECRETS: [&str; 10] =
    ["card", "cardnumber", "cvv", "pin", "otp", "expirymonth", "expiryyear", "cardtoken", "api-key", "apikey"];
/// The pause between two status queries, and how many may be closer together.
const LEAST_PAUSE_MS: u64 = 200;
const CLOSE_AT_MOST: usize = 2;
/// The delay in `Retry-After`, less what clocks and rounding may take.
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
    /// The body that the endpoint of a request takes.
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

/// After a lost response only a status query can show that the order is paid.
pub fn asked_before_paid(seen: &Seen) -> Option<String> {
    (seen.told == Some(Paid::Yes) && !seen.look_up_answered())
        .then(|| "It took the order for paid without a response that says so.".to_string())
}

/// Its own host is the one of the request that was redirected, under whatever name it uses for the sandbox.
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
