//! The table of scenarios: what the client is asked to do, what goes wrong meanwhile, and what is looked for.

use super::checks::{self, Check, Seen};

/// What the client is asked to do. Its word is `CERTIFY_TASK`.
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
    /// With this amount and currency, which may be others than those that the client knows.
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
    /// What is judged of every request, whatever became of it.
    pub of_requests: &'static [Check],
    /// What is judged if the client came that far.
    pub checks: &'static [Check],
    /// Why the mistake loses money.
    pub loses: &'static str,
    pub mend: &'static str,
}

impl Scenario {
    pub fn has_fault(&self) -> bool {
        self.rule.is_some() || !self.prefix.is_empty()
    }

    /// Whether the client came as far as the scenario looks: its fault acted, or a request of the task was answered.
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
        of_requests: &[checks::only_encrypted],
        checks: &[checks::charges, checks::says_paid],
        loses: "The service refuses the request, so nothing is sold; and whoever reads the connection or its logs has the card.",
        mend: "Encrypt the compact JSON with the account's RSA key (PKCS #1 v1.5) and send {\"data\": \"<base64>\"}. Never fall back to a plain body.",
        ..ROW
    },
    Scenario {
        name: "secrets_in_the_open",
        of_requests: &[checks::no_secrets],
        checks: &[checks::charges],
        loses: "Queries and plain bodies are kept in the logs of servers and proxies. Stolen card data are charged back to the merchant.",
        mend: "Send card data, one-time codes and keys only in the encrypted body and the api-key header.",
        ..ROW
    },
    Scenario {
        name: "wrong_key",
        task: Task::Refund,
        before: AS_ORDERED,
        of_requests: &[checks::right_key],
        checks: &[checks::refunds],
        loses: "The service answers 401: a refund that the customer was promised is never made.",
        mend: "Refund, capture, verify and payout status take the secret key; the others take the public key.",
        ..ROW
    },
    Scenario {
        name: "lost_answer",
        prefix: "sbx-commit_then_reset@pay-",
        checks: &[checks::charges, checks::once, checks::not_denied, checks::asked_before_paid],
        loses: REPEATED,
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "no_answer",
        prefix: "sbx-commit_then_timeout@pay-",
        checks: &[checks::charges, checks::once, checks::not_denied, checks::asked_before_paid],
        loses: "Without a timeout the till stands still; with one, a client that repeats the request charges the customer twice.",
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "gateway_error",
        prefix: "sbx-commit_then_502@pay-",
        checks: &[checks::charges, checks::once, checks::not_denied, checks::asked_before_paid],
        loses: "A 5xx may come from a proxy after the service has executed the request. The customer is charged twice, or has paid and gets nothing.",
        mend: DO_NOT_REPEAT,
        ..ROW
    },
    Scenario {
        name: "success_not_paid",
        prefix: "sbx-success_failed_state@pay-",
        checks: &[checks::charges, checks::not_paid],
        loses: "The call succeeded, the payment failed. The goods are handed over and nobody has paid.",
        mend: "Read the state of the payment (statusId 5 is successful), not the status of the call.",
        ..ROW
    },
    Scenario {
        name: "pending_not_paid",
        card: "5123450000003155",
        checks: &[checks::charges, checks::once, checks::not_paid, checks::not_denied],
        loses: "The holder of the card has not agreed yet. The goods are handed over, or a second card is charged and both are paid.",
        mend: "A pending payment is not known. Send the holder to redirectUrl, then ask for the state.",
        ..ROW
    },
    Scenario {
        name: "verify_00",
        task: Task::Check,
        before: Before::Declined,
        checks: &[checks::looks_up, checks::not_paid],
        loses: "Order verify answers success and 00 for a payment that failed. The goods are handed over and nobody has paid.",
        mend: "Read data.statusId (5 is successful); 00 means that the order was found.",
        ..ROW
    },
    Scenario {
        name: "forged_webhook",
        task: Task::Webhook,
        before: Before::Unpaid,
        checks: &[checks::looks_up, checks::not_paid],
        loses: "Webhooks are not signed. Whoever knows the receiver's URL gets goods without paying.",
        mend: "Take a webhook for a hint: ask order verify, order status or transaction details before you act on it.",
        ..ROW
    },
    Scenario {
        name: "amount_compared",
        task: Task::Check,
        before: Before::Paid("1.00", CURRENCY),
        checks: &[checks::looks_up, checks::not_paid],
        loses: "The order was paid with 1.00. Whoever can change the amount in the browser names the price.",
        mend: "Compare orderAmount, the price without the fee, with what was ordered.",
        ..ROW
    },
    Scenario {
        name: "currency_compared",
        task: Task::Check,
        before: Before::Paid(AMOUNT, "GHS"),
        checks: &[checks::looks_up, checks::not_paid],
        loses: "The same number in another currency is another price.",
        mend: "Compare the currency of order verify with that of the order.",
        ..ROW
    },
    Scenario {
        name: "redirect",
        prefix: "sbx-redirect_other_host@pay-",
        checks: &[checks::charges, checks::one_host, checks::not_paid],
        loses: "The api-key, and with a 307 the whole payment, goes to a host that the merchant has not chosen.",
        mend: "Do not follow redirects of API requests.",
        ..ROW
    },
    Scenario {
        name: "rate_limit",
        task: Task::Check,
        before: AS_ORDERED,
        rule: Some(r#"{"path":"/payment/*","fault":"status_429_retry_after"}"#),
        checks: &[checks::looks_up, checks::waits, checks::not_denied],
        loses: "429 says nothing about the payment. A client that takes it for a failure refuses goods that are paid; one that does not wait is locked out.",
        mend: "Wait as long as Retry-After says, then ask again. If there is no time, the state is not known.",
        ..ROW
    },
    Scenario {
        name: "polling",
        task: Task::Wait,
        before: Before::Unpaid,
        checks: &[checks::looks_up, checks::pauses, checks::not_paid],
        loses: "Asking without a pause leads to 429 for all tills of the merchant; asking for ever blocks the till.",
        mend: "Ask about once a second, less often with time, and stop at a deadline.",
        ..ROW
    },
];

pub fn named(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}
