//! The table of endpoints: one row per endpoint with method, path, API key, envelope and handler.

use std::borrow::Cow;

use crate::answer::{Answer, ApiError};
use crate::canned::endpoint::Canned;
use crate::endpoints::{
    Call, banks, cards, checkout, direct_debit, order_create, orders, pay, payment_steps, payouts, refunds,
    transactions, virtual_accounts,
};
use crate::envelope::Body;
use crate::faults::magic::Kind;
use crate::json::Json;
use crate::keys::{KeyKind, KeyRule};
use crate::path_pattern::{self, Values};
use crate::state::State;

type Function = fn(&mut State, &Call) -> Result<Answer, ApiError>;

pub enum Handler {
    Function(Function),
    Canned(Canned),
}

pub struct Route {
    pub method: Cow<'static, str>,
    /// A segment in braces stands for a value.
    pub path: Cow<'static, str>,
    pub key: KeyRule,
    pub body: Body,
    pub status: Status,
    /// The service's documentation does not show the shape of the answer.
    pub assumed: bool,
    handler: Handler,
}

/// The type of `status` in the endpoint's envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Boolean,
    Text,
}

impl Route {
    pub fn handle(&self, state: &mut State, call: &Call) -> Result<Answer, ApiError> {
        let answer = match &self.handler {
            Handler::Function(function) => function(state, call)?,
            Handler::Canned(canned) => canned.handle(state, call)?,
        };
        Ok(if self.assumed { answer.assumed() } else { answer })
    }

    /// What this request does, which decides whether the fault of a magic input acts on it.
    pub fn kind(&self, input: &Json) -> Kind {
        let path = self.path.as_ref();
        let has_card = || input.get("card").is_some_and(Json::is_object);
        let is_canned = || matches!(&self.handler, Handler::Canned(canned) if canned.moves_money());
        let moves = || PAYING.contains(&path) || (path == CREATE && has_card()) || is_canned();
        match self.method == "GET" || READING_POSTS.contains(&path) {
            true => Kind::LookUp,
            false if moves() => Kind::Payment,
            false => Kind::Change,
        }
    }

    pub fn is_canned(&self) -> bool {
        matches!(self.handler, Handler::Canned(_))
    }
}

const READING_POSTS: [&str; 4] =
    ["/payment/order/status", "/payment/order/verify", "/payment/order/fee", "/payout/name-enquiry"];

/// The endpoints that move money, beside an order that is created with a card, and canned ones.
const PAYING: [&str; 6] = [
    "/payment/order/pay",
    "/payment/order/pay/authorize",
    "/payment/order/pay/capture",
    "/payment/order/refund",
    "/payment/tokenize/charge",
    "/payout/initiate",
];
const CREATE: &str = "/payment/order/create";

pub struct Routes(Vec<Route>);

impl Routes {
    /// The endpoints with a handler, and those that only have a canned answer.
    pub fn new(canned: Vec<Canned>) -> Result<Routes, String> {
        let mut routes = built_in();
        for canned in canned {
            let is_same =
                |route: &&Route| route.method == canned.method && path_pattern::is_same(&route.path, &canned.path);
            match routes.iter().find(is_same) {
                None => routes.push(of_canned(canned)),
                Some(route) => check_same(route, &canned)?,
            }
        }
        Ok(Routes(routes))
    }

    pub fn all(&self) -> impl Iterator<Item = &Route> {
        self.0.iter()
    }

    /// The paths of all endpoints.
    pub fn paths(&self) -> Vec<&str> {
        self.0.iter().map(|route| route.path.as_ref()).collect()
    }

    /// The route of a request and the values in its path. A literal path takes precedence over a pattern.
    pub fn find(&self, method: &str, path: &str) -> Result<(&Route, Values), ApiError> {
        let at_path: Vec<_> = self.at(path).collect();
        if at_path.is_empty() {
            return Err(ApiError::new(404, format!("There is no endpoint {path}.")));
        }
        let mut allowed: Vec<&str> = at_path.iter().map(|(route, _)| route.method.as_ref()).collect();
        let found = at_path.into_iter().filter(|(route, _)| route.method == method);
        found.min_by_key(|(_, values)| values.len()).ok_or_else(|| {
            allowed.dedup();
            ApiError::method_not_allowed(method, path, &allowed.join(", "))
        })
    }

    /// The type of `status` in answers at this path.
    pub fn status_at(&self, path: &str) -> Status {
        self.at(path).min_by_key(|(_, values)| values.len()).map_or(Status::Text, |(route, _)| route.status)
    }

    fn at(&self, path: &str) -> impl Iterator<Item = (&Route, Values)> {
        self.0.iter().filter_map(move |route| Some((route, path_pattern::values(&route.path, path)?)))
    }
}

fn of_canned(canned: Canned) -> Route {
    let status = match canned.answer.get("status") {
        Some(Json::Bool(_)) => Status::Boolean,
        _ => Status::Text,
    };
    Route {
        method: canned.method.clone().into(),
        path: canned.path.clone().into(),
        key: if canned.key == KeyKind::Secret { KeyRule::Secret } else { KeyRule::Public },
        body: canned.body,
        status,
        assumed: true,
        handler: Handler::Canned(canned),
    }
}

/// An error if the entry contradicts the route that exists for its method and path.
fn check_same(route: &Route, canned: &Canned) -> Result<(), String> {
    let place = format!("endpoints: {}: {} {}", canned.name, canned.method, canned.path);
    match &route.handler {
        Handler::Canned(first) => Err(format!("{place} is that of {} already", first.name)),
        Handler::Function(_) if !route.key.takes(canned.key) || !route.body.takes(canned.body) => {
            let wire = |key: &str, body: Body| {
                let header = if body == Body::EncryptedWithHeader { ", \"RSA\"" } else { "" };
                format!("\"{key}\", \"{}\"{header}", body.envelope())
            };
            let (own, given) = (wire(route.key.name(), route.body), wire(canned.key.name(), canned.body));
            Err(format!("{place}: the sandbox's handler for it takes {own}, not {given}"))
        }
        Handler::Function(_) => Ok(()),
    }
}

const DOCUMENTED: bool = false;
const ASSUMED: bool = true;

fn row(
    method: &'static str,
    path: &'static str,
    key: KeyRule,
    body: Body,
    status: Status,
    assumed: bool,
    function: Function,
) -> Route {
    let handler = Handler::Function(function);
    Route { method: method.into(), path: path.into(), key, body, status, assumed, handler }
}

#[rustfmt::skip]
fn built_in() -> Vec<Route> {
    use Body::{Encrypted, EncryptedHeaderOptional, EncryptedWithHeader, None as NoBody, Plain};
    use KeyRule::{Either, Public, Secret};
    use Status::{Boolean, Text};
    vec![
        row("GET",  "/payment/order/direct-debit/history",      Public, NoBody,              Boolean, DOCUMENTED, direct_debit::history),
        row("POST", "/payment/order/direct-debit/create",       Public, Encrypted,           Boolean, DOCUMENTED, direct_debit::create),
        row("GET",  "/payment/order/direct-debit/status",       Public, NoBody,              Boolean, DOCUMENTED, direct_debit::status),
        row("POST", "/payment/order/direct-debit/otp",          Public, Encrypted,           Boolean, DOCUMENTED, direct_debit::otp),
        row("POST", "/payment/order/pay",                       Public, Encrypted,           Text,    DOCUMENTED, pay::pay),
        row("POST", "/payment/virtual-account/generate",        Public, EncryptedWithHeader, Boolean, DOCUMENTED, virtual_accounts::generate),
        row("POST", "/payment/order/refund",                    Secret, Plain,               Boolean, DOCUMENTED, refunds::refund),
        row("GET",  "/payment/transaction-details/{sessionId}", Public, NoBody,              Boolean, DOCUMENTED, transactions::details),
        row("POST", "/payment/order/create",                    Public, Encrypted,           Text,    ASSUMED,    order_create::create),
        row("POST", "/payment/create",                          Public, Encrypted,           Boolean, ASSUMED,    checkout::create),
        row("POST", "/payment/order/pay/authorize",             Public, Encrypted,           Text,    ASSUMED,    payment_steps::authorize),
        row("POST", "/payment/order/pay/capture",               Secret, Plain,               Text,    ASSUMED,    payment_steps::capture),
        row("POST", "/payment/tokenize/charge",                 Secret, Plain,               Text,    ASSUMED,    cards::charge),
        row("POST", "/payment/order/save-card",                 Secret, Encrypted,           Text,    ASSUMED,    cards::save),
        row("POST", "/payment/order/status",                    Public, Encrypted,           Text,    ASSUMED,    orders::status),
        row("POST", "/payment/order/verify",                    Secret, Plain,               Text,    ASSUMED,    orders::verify),
        row("POST", "/payment/order/fee",                       Public, Encrypted,           Text,    ASSUMED,    orders::fee),
        row("GET",  "/payment/banks",                           Public, NoBody,              Text,    ASSUMED,    banks::list),
        row("GET",  "/payment/account-details",                 Public, NoBody,              Boolean, ASSUMED,    virtual_accounts::details),
        row("POST", "/payout/name-enquiry",                     Public, EncryptedWithHeader, Text,    ASSUMED,    payouts::name_enquiry),
        row("POST", "/payout/initiate",                         Either, EncryptedHeaderOptional, Text,   ASSUMED,    payouts::initiate),
        row("GET",  "/payout/{batchReference}/status",          Secret, NoBody,              Text,    ASSUMED,    payouts::status),
        row("GET",  "/payout/balance-enquiry",                  Secret, NoBody,              Text,    ASSUMED,    payouts::balance),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::parse::{EMBEDDED, endpoints};

    fn with(wires: &[&str]) -> Result<Routes, String> {
        let entries = wires.iter().enumerate().map(|(index, wire)| {
            format!(r#""e{index}":{{"request":{{"x":"1"}},"wire":{wire},"effect":null,"answer":{{"status":true}}}}"#)
        });
        let file = format!(r#"{{"endpoints":{{{}}}}}"#, entries.collect::<Vec<_>>().join(","));
        Routes::new(endpoints(&Json::parse(file.as_bytes()).unwrap())?)
    }

    #[test]
    fn rows_are_found_by_method_and_path() {
        let routes = with(&[]).unwrap();
        assert_eq!(routes.find("GET", "/payout/balance-enquiry").unwrap().0.path, "/payout/balance-enquiry");
        let (route, values) = routes.find("GET", "/payout/B-1/status").unwrap();
        assert_eq!((route.is_canned(), values), (false, vec![("batchReference".to_string(), "B-1".to_string())]));
        assert_eq!(routes.find("GET", "/nowhere").err().unwrap().status, 404);
        let refused = routes.find("GET", "/payment/order/pay").err().unwrap().into_answer();
        assert_eq!((refused.status, refused.headers), (405, vec![("allow", "POST".to_string())]));
        assert_eq!(routes.status_at("/payment/order/refund"), Status::Boolean);
        assert_eq!(
            (routes.status_at("/payment/order/pay"), routes.status_at("/nowhere")),
            (Status::Text, Status::Text)
        );
    }

    #[test]
    fn kinds_of_requests() {
        let canned = endpoints(&Json::parse(EMBEDDED.as_bytes()).unwrap()).unwrap();
        let routes = Routes::new(canned).unwrap();
        let kind = |method: &str, path: &str, input: &str| {
            routes.find(method, path).unwrap().0.kind(&Json::parse(input.as_bytes()).unwrap())
        };
        for path in READING_POSTS {
            assert_eq!(kind("POST", path, "{}"), Kind::LookUp);
        }
        for path in PAYING {
            assert_eq!(kind("POST", path, "{}"), Kind::Payment, "{path}");
        }
        assert_eq!(kind("GET", "/payout/B/status", "{}"), Kind::LookUp);
        assert_eq!(kind("POST", CREATE, r#"{"order":{}}"#), Kind::Change);
        assert_eq!(kind("POST", CREATE, r#"{"card":{}}"#), Kind::Payment);
    }

    #[test]
    fn an_endpoint_without_a_handler_is_canned() {
        let routes = with(&[
            r#"["POST","/payment/order/refund","secret","plain"]"#,
            r#"["GET","/payout/{x}/status","secret","none"]"#,
            r#"["GET","/payment/{x}","public","none"]"#,
            r#"["PUT","/payment/banks","secret","none"]"#,
        ])
        .unwrap();
        let canned: Vec<_> = routes.all().filter(|route| route.is_canned()).map(|route| route.path.as_ref()).collect();
        assert_eq!(canned, ["/payment/{x}", "/payment/banks"]);
        assert_eq!(routes.find("GET", "/payment/banks").unwrap().0.path, "/payment/banks");
        assert_eq!(routes.find("GET", "/payment/cards").unwrap().0.path, "/payment/{x}");
        assert!(routes.find("PUT", "/payment/banks").unwrap().0.assumed);
        assert_eq!(routes.status_at("/payment/cards"), Status::Boolean);
    }

    #[test]
    fn entries_that_contradict_are_refused() {
        let problem = |wires: &[&str]| with(wires).err().unwrap();
        let other_key = problem(&[r#"["POST","/payment/order/refund","public","plain"]"#]);
        assert!(
            other_key.contains("e0: POST /payment/order/refund: the sandbox's handler for it takes"),
            "{other_key}"
        );
        assert!(other_key.ends_with(r#"takes "secret", "plain", not "public", "plain""#), "{other_key}");
        let no_header = problem(&[r#"["POST","/payout/name-enquiry","public","encrypted"]"#]);
        assert!(no_header.ends_with(r#"takes "public", "encrypted", "RSA", not "public", "encrypted""#), "{no_header}");
        for accepted in [r#""public","encrypted""#, r#""secret","encrypted","RSA""#] {
            with(&[&format!(r#"["POST","/payout/initiate",{accepted}]"#)]).unwrap();
        }
        let plain = problem(&[r#"["POST","/payout/initiate","secret","plain"]"#]);
        assert!(plain.ends_with(r#"takes "public or secret", "encrypted", not "secret", "plain""#), "{plain}");
        let twice = problem(&[r#"["GET","/a/{x}","public","none"]"#, r#"["GET","/a/{x}","public","none"]"#]);
        assert_eq!(twice, "endpoints: e1: GET /a/{x} is that of e0 already");
    }

    #[test]
    fn the_embedded_entries_are_good() {
        let canned = endpoints(&Json::parse(EMBEDDED.as_bytes()).unwrap()).unwrap();
        Routes::new(canned).unwrap();
    }
}
