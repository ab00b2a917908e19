//! The endpoints that have a handler, a row each.

use super::endpoint::{Effect, Endpoint, Function, Handler, Status};
use crate::crypto::envelope::Body;
use crate::crypto::keys::KeyRule;
use crate::endpoints::{accounts, answers, direct_debit, order_pay, orders, payouts};

const DOCUMENTED: bool = false;
const ASSUMED: bool = true;

#[expect(clippy::too_many_arguments, reason = "the columns of the table")]
fn row(
    method: &'static str,
    path: &'static str,
    key: KeyRule,
    body: Body,
    status: Status,
    effect: Effect,
    assumed: bool,
    function: Function,
) -> Endpoint {
    let handler = Handler::Function(function);
    Endpoint { method: method.into(), path: path.into(), key, body, status, effect, assumed, handler }
}

#[rustfmt::skip]
pub fn endpoints() -> Vec<Endpoint> {
    use Body::{Encrypted, EncryptedHeaderOptional, EncryptedWithHeader, None as NoBody, Plain};
    use KeyRule::{Either, Public, Secret, SecretOrPublic};
    use Effect::{Changes, LooksUp, Pays, PaysWithCard};
    use Status::{Boolean, Text};
    vec![
        row("GET",  "/payment/order/direct-debit/history",      Public, NoBody,              Boolean, LooksUp,      DOCUMENTED, direct_debit::history),
        row("POST", "/payment/order/direct-debit/create",       Public, Encrypted,           Boolean, Changes,      DOCUMENTED, direct_debit::create),
        row("GET",  "/payment/order/direct-debit/status",       Public, NoBody,              Boolean, LooksUp,      DOCUMENTED, direct_debit::status),
        row("POST", "/payment/order/direct-debit/otp",          Public, Encrypted,           Boolean, Changes,      DOCUMENTED, direct_debit::otp),
        row("POST", "/payment/order/pay",                       Public, Encrypted,           Text,    Pays,         DOCUMENTED, order_pay::pay),
        row("POST", "/payment/virtual-account/generate",        Public, EncryptedWithHeader, Boolean, Changes,      DOCUMENTED, accounts::generate),
        row("POST", "/payment/order/refund",                    Secret, Plain,               Boolean, Pays,         DOCUMENTED, orders::refund),
        row("GET",  "/payment/transaction-details/{sessionId}", Public, NoBody,              Boolean, LooksUp,      DOCUMENTED, answers::details),
        row("POST", "/payment/order/create",                    Public, Encrypted,           Text,    PaysWithCard, ASSUMED,    orders::create),
        row("POST", "/payment/create",                          Public, Encrypted,           Boolean, Changes,      ASSUMED,    orders::create_checkout),
        row("POST", "/v1/checkout",                             Public, Plain,               Boolean, Changes,      ASSUMED,    orders::open_widget),
        row("POST", "/payment/order/pay/authorize",             Public, Encrypted,           Text,    Pays,         ASSUMED,    order_pay::authorize),
        row("POST", "/payment/order/pay/capture",               Secret, Plain,               Text,    Pays,         ASSUMED,    order_pay::capture),
        row("POST", "/payment/tokenize/charge",                 Secret, Plain,               Text,    Pays,         ASSUMED,    order_pay::charge),
        row("POST", "/payment/order/save-card",                 Secret, Encrypted,           Text,    Changes,      ASSUMED,    order_pay::save),
        row("POST", "/payment/order/status",                    Public, Encrypted,           Text,    LooksUp,      ASSUMED,    orders::status),
        row("POST", "/payment/order/verify",                    SecretOrPublic, Plain,       Text,    LooksUp,      ASSUMED,    orders::verify),
        row("POST", "/payment/order/fee",                       Public, Encrypted,           Text,    LooksUp,      ASSUMED,    orders::fee),
        row("GET",  "/payment/banks",                           Public, NoBody,              Text,    LooksUp,      ASSUMED,    accounts::list),
        row("GET",  "/payment/account-details",                 Public, NoBody,              Boolean, LooksUp,      ASSUMED,    accounts::details),
        row("POST", "/payout/name-enquiry",                     Public, EncryptedWithHeader, Text,    LooksUp,      ASSUMED,    payouts::name_enquiry),
        row("POST", "/payout/initiate",                         Either, EncryptedHeaderOptional, Text, Pays,         ASSUMED,    payouts::initiate),
        row("GET",  "/payout/{batchReference}/status",          Secret, NoBody,              Text,    LooksUp,      ASSUMED,    payouts::status),
        row("GET",  "/payout/balance-enquiry",                  Secret, NoBody,              Text,    LooksUp,      ASSUMED,    payouts::balance),
    ]
}
