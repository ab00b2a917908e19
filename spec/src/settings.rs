//! The fields of the two JSON objects that are not an endpoint's: the configuration, and the request of
//! `paysvc_request`.

use crate::schema::{Default, Field, Kind};

/// The configuration of a client by the environment, for the documentation of every language.
pub const ENVIRONMENT: &str = "A field that is left out is read from the environment variable of its name in \
     capitals with the prefix PAYSVC_, e.g. PAYSVC_BASE_URL, PAYSVC_TIMEOUT_MS=5000 or PAYSVC_ALLOW_HTTP=true (or 1). An \
     empty variable counts as not set. Quotes and blanks around a value are ignored, but a blank PAYSVC_JOURNAL is E_CONFIG. \
     So is every other variable with this prefix, except PAYSVC_LIBRARY, PAYSVC_SANDBOX and those that Kubernetes sets for \
     a service of that name.";

/// The prefix of every setting's variable.
pub const PREFIX: &str = "PAYSVC_";
/// Variables with the prefix that are no settings: the bindings find the library and the sandbox with them.
const OTHERS: [&str; 2] = ["PAYSVC_LIBRARY", "PAYSVC_SANDBOX"];

/// The variable may have the prefix: it is a setting, or something else that is known.
pub fn is_known_variable(name: &str) -> bool {
    let is_setting = || CONFIG.iter().any(|field| variable(field.name) == name);
    OTHERS.contains(&name) || is_setting() || is_of_kubernetes(name)
}

/// Kubernetes variables of a service called paysvc, or paysvc-something: PAYSVC_SERVICE_HOST, PAYSVC_PORT_443_TCP_ADDR.
fn is_of_kubernetes(name: &str) -> bool {
    name.ends_with("_PORT") || ["_PORT_", "_SERVICE_HOST", "_SERVICE_PORT"].iter().any(|part| name.contains(part))
}

/// The variable that is read when a field of the configuration is left out.
pub fn variable(member: &str) -> String {
    format!("{PREFIX}{}", member.to_ascii_uppercase())
}

/// The error for a setting that a call needs and that is missing.
pub fn not_configured(member: &str) -> String {
    format!("is not configured: set it in the configuration or as {}", variable(member))
}

/// Max time that can be configured: a day.
const DAY_MS: u64 = 86_400_000;

const fn number(name: &'static str, value: u64, least: u64, most: u64, doc: &'static str) -> Field {
    Field::optional(name, Kind::Integer, doc).default(Default::Number { value, least, most })
}

const fn flag(name: &'static str, value: bool, doc: &'static str) -> Field {
    Field::optional(name, Kind::Flag, doc).default(Default::Flag(value))
}

const fn text(name: &'static str, doc: &'static str) -> Field {
    Field::optional(name, Kind::Text, doc)
}

/// The configuration.
pub const CONFIG: &[Field] = &[
    text("base_url", "address of the service, e.g. https://host/path"),
    text("public_key", "API key of most endpoints").secret(),
    text("secret_key", "API key of the endpoints that require it, e.g. refunds").secret(),
    text("mode", "test or live: API keys of the other kind are refused; without mode this is not checked"),
    text("encryption_key", "the dashboard's RSA key, or a PEM public key").secret(),
    number("timeout_ms", 30_000, 1, DAY_MS, "time limit for a whole call in ms, retries and waits included"),
    number("connect_timeout_ms", 10_000, 1, DAY_MS, "limit for DNS lookup, connect and TLS in ms, within timeout_ms"),
    number("max_attempts", 3, 1, 10, "maximum number of attempts for a request that may be repeated"),
    text(
        "proxy",
        "http://user:password@proxy:3128 or socks5://..., user and password percent-encoded; without it, the variable \
         https_proxy or HTTPS_PROXY, for https to another machine",
    )
    .secret(),
    text(
        "no_proxy",
        "hosts, domains and networks reached without the proxy, such as .example.com, 10.0.0.0/8, host:8443; an asterisk for all; \
         beside HTTPS_PROXY, without it, the variable no_proxy or NO_PROXY",
    ),
    text("ca_file", "PEM certificates to trust in addition to the system's"),
    text(
        "client_cert_file",
        "PEM client certificate; needs client_key_file. A refusal before the request is written is NOT_SENT",
    ),
    text("client_key_file", "PEM key of the client certificate"),
    text("user_agent", "value of the user-agent header").default(Default::Described("libpaysvc/VERSION")),
    number("max_idle_connections", 128, 0, 10_000, "maximum number of connections kept open between calls"),
    text(
        "connection_reuse",
        "reads: a request that moves money or changes something is the first on its connection, so that no response to \
         another request can be taken for its own. all: every request uses kept connections, for those who need more than \
         about 400 payments a second and trust every hop to the service",
    )
    .default(Default::Word(&["reads", "all"])),
    flag("allow_http", false, "allows plain HTTP to addresses other than loopback"),
    text(
        "journal",
        "path of the file that remembers what was sent, so that a crash or a second try cannot charge twice; on a local disk. \
         Processes of one machine may share it",
    ),
    flag("journal_create", false, "creates the file of journal if it does not exist; without it, a missing file is an error"),
    text(
        "journal_accept_lost_log",
        "names the loss of a journal whose -wal file is gone, as its error does: what that file had is not looked for any more. \
         Every charge is then looked up first",
    )
    .default(Default::Described("none")),
    number(
        "journal_keep_days",
        400,
        1,
        36_500,
        "how many days the journal keeps the details of requests that have ended; after that, it only knows that their \
         keys have ended, and a call with one of them is E_KEY_REUSED",
    ),
    text(
        "former_public_keys",
        "earlier public keys of the same account, separated by commas: what the journal has of them counts as this \
         account's. They may stay for ever",
    )
    .default(Default::Described("none")),
    number(
        "webhook_at_once",
        4,
        1,
        1_000,
        "how many verifications of webhooks may be under way; a further one sends nothing, and is E_RATE_LIMITED",
    ),
    number(
        "webhook_per_minute",
        120,
        1,
        10_000,
        "how many requests verifications of webhooks may send per minute, so that a flood of events leaves payments the \
         service's limit; a sixth of them about one reference",
    ),
    text("payout_key", "API key that payouts are sent with; integrations in production differ")
        .default(Default::Word(&["secret", "public"])),
    flag(
        "payout_encryption_header",
        true,
        "sends payouts with the header encryption: RSA; integrations in production differ",
    ),
];

/// A request that the table does not have yet.
pub const REQUEST: &[Field] = &[
    Field::required("method", Kind::Text, "GET, POST, PUT or DELETE"),
    Field::required(
        "path",
        Kind::Text,
        "below base_url, starting with a slash, percent-encoded where needed; dot segments, parameters (;), repeated slashes \
         and escapes of escapes are refused",
    ),
    Field::required("key", Kind::Text, "the API key to send: public or secret"),
    Field::optional("query", Kind::Any, "object of strings, numbers or booleans"),
    Field::optional("headers", Kind::Any, "object of strings"),
    Field::optional("body", Kind::Any, "the JSON body; any value"),
    flag("encrypt", false, "encrypt the body"),
    Field::optional(
        "read_only",
        Kind::Flag,
        "the request changes nothing, so it may be repeated; refused at and below the path of a function that changes something",
    )
    .default(Default::Described("true for GET elsewhere, else false")),
];

/// The setting of that name in [`CONFIG`].
pub const fn setting(name: &str) -> &'static Field {
    let mut index = 0;
    while index < CONFIG.len() {
        if crate::endpoints::same(CONFIG[index].name, name) {
            return &CONFIG[index];
        }
        index += 1;
    }
    panic!("no setting has this name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_within_their_bounds() {
        for field in CONFIG {
            if let Default::Number { value, least, most } = field.default {
                assert!((least..=most).contains(&value), "{}", field.name);
            }
            assert_eq!(setting(field.name).doc, field.doc);
            assert!(is_known_variable(&variable(field.name)) && !is_of_kubernetes(&variable(field.name)));
            let numeric = matches!(field.kind, Kind::Integer | Kind::Flag);
            assert_eq!(numeric, matches!(field.default, Default::Number { .. } | Default::Flag(_)), "{}", field.name);
        }
    }
}
