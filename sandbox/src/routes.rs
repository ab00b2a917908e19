//! The table of endpoints: one row for all that tells how an endpoint is reached.

use crate::answer::{Answer, Refusal};
use crate::endpoints::{Call, banks, direct_debit, orders, pay, payouts, refunds, transactions, virtual_accounts};
use crate::keys::KeyKind;
use crate::path_pattern::value_in;
use crate::state::State;

pub type Handler = fn(&mut State, &Call) -> Result<Answer, Refusal>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    None,
    Plain,
    Encrypted,
    /// Encrypted, and the header `encryption: RSA` says so.
    EncryptedWithHeader,
}

pub struct Route {
    pub method: &'static str,
    /// A segment in braces is a value.
    pub path: &'static str,
    pub key: KeyKind,
    pub body: Body,
    /// The answer's shape is not shown by the interface.
    pub assumed: bool,
    pub handler: Handler,
}

const SHOWN: bool = false;
const ASSUMED: bool = true;

const fn row(
    method: &'static str,
    path: &'static str,
    key: KeyKind,
    body: Body,
    assumed: bool,
    handler: Handler,
) -> Route {
    Route { method, path, key, body, assumed, handler }
}

use Body::{Encrypted, EncryptedWithHeader, None as NoBody, Plain};
use KeyKind::{Public, Secret};

#[rustfmt::skip]
const ROUTES: [Route; 18] = [
    row("GET",  "/payment/order/direct-debit/history",        Public, NoBody,              SHOWN,   direct_debit::history),
    row("POST", "/payment/order/direct-debit/create",         Public, Encrypted,           SHOWN,   direct_debit::create),
    row("GET",  "/payment/order/direct-debit/status",         Public, NoBody,              SHOWN,   direct_debit::status),
    row("POST", "/payment/order/direct-debit/otp",            Public, Encrypted,           SHOWN,   direct_debit::otp),
    row("POST", "/payment/order/pay",                         Public, Encrypted,           SHOWN,   pay::pay),
    row("POST", "/payment/virtual-account/generate",          Public, EncryptedWithHeader, SHOWN,   virtual_accounts::generate),
    row("POST", "/payment/order/refund",                      Secret, Plain,               SHOWN,   refunds::refund),
    row("GET",  "/payment/transaction-details/{sessionId}",   Public, NoBody,              SHOWN,   transactions::details),
    row("POST", "/payment/order/create",                      Public, Encrypted,           ASSUMED, orders::create),
    row("POST", "/payment/order/status",                      Public, Encrypted,           ASSUMED, orders::status),
    row("POST", "/payment/order/verify",                      Secret, Plain,               ASSUMED, orders::verify),
    row("POST", "/payment/order/fee",                         Public, Encrypted,           ASSUMED, orders::fee),
    row("GET",  "/payment/banks",                             Public, NoBody,              ASSUMED, banks::list),
    row("GET",  "/payment/account-details",                   Public, NoBody,              ASSUMED, virtual_accounts::details),
    row("POST", "/payout/name-enquiry",                       Public, EncryptedWithHeader, ASSUMED, payouts::name_enquiry),
    row("POST", "/payout/initiate",                           Secret, EncryptedWithHeader, ASSUMED, payouts::initiate),
    row("GET",  "/payout/{batchReference}/status",            Secret, NoBody,              ASSUMED, payouts::status),
    row("GET",  "/payout/balance-enquiry",                    Secret, NoBody,              ASSUMED, payouts::balance),
];

/// The row of a request and the value in its path.
pub fn find(method: &str, path: &str) -> Result<(&'static Route, String), Refusal> {
    static TABLE: [Route; 18] = ROUTES;
    let at_path: Vec<_> = TABLE.iter().filter_map(|route| Some((route, value_in(route.path, path)?))).collect();
    if at_path.is_empty() {
        return Err(Refusal::error(404, format!("There is no endpoint {path}.")));
    }
    let allowed: Vec<&str> = at_path.iter().map(|(route, _)| route.method).collect();
    let found = at_path.into_iter().find(|(route, _)| route.method == method);
    found.ok_or_else(|| Refusal::method_not_allowed(method, path, &allowed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(find("GET", "/payout/balance-enquiry").unwrap().0.path, "/payout/balance-enquiry");
        assert_eq!(find("GET", "/nowhere").err().unwrap().status, 404);
        let refused = find("GET", "/payment/order/pay").err().unwrap().into_answer();
        assert_eq!((refused.status, refused.headers), (405, vec![("allow", "POST".to_string())]));
    }
}
