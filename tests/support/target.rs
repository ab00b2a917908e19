//! One good call of every endpoint, for tests that go through all of them.

use paysvc::endpoints::Endpoint;
use serde_json::{Value, json};

use super::sandbox::Sandbox;

/// What a call needs at the service, its request, and the effect and key that it has in the ledger.
pub struct Target {
    pub row: &'static Endpoint,
    pub request: Value,
    pub effect: Option<(&'static str, String)>,
}

impl Target {
    /// What the service knows the wish by: two requests with it are the same wish twice. Its effect's key may say more.
    pub fn business_key(&self) -> Option<&str> {
        let (_, key) = self.effect.as_ref()?;
        Some(key.split_once('/').map_or(key.as_str(), |(reference, _)| reference))
    }
}

/// Empties the sandbox and prepares it for the call.
pub fn target(row: &'static Endpoint, sandbox: &Sandbox) -> Target {
    sandbox.post("/sandbox/reset", &Value::Null);
    let debit = json!({"otp": "000000", "mandateCode": "MDTC-1", "accountName": "Ada", "bankCode": "044"});
    let card = json!({"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"});
    let text = |text: &str| text.to_owned();
    sandbox.post("/sandbox/mandates", &json!({"mandateCode": "MDTC-1"}));
    let (request, effect) = match row.name {
        "direct_debit_history" => (json!({"emailAddress": "ada@example.com"}), None),
        "direct_debit_create" => (
            json!({"orderReference": "O-1", "accountNumber": "0123456789", "bankCode": "044"}),
            Some(("mandate_created", text("O-1"))),
        ),
        "direct_debit_status" => (json!({"mandateCode": "MDTC-1"}), None),
        "direct_debit_otp" => (json!({"mandateCode": "MDTC-1"}), Some(("otp_sent", text("MDTC-1")))),
        "order_pay" => (
            json!({"paymentOption": "NDD", "reference": "O-1", "directDebitPaymentRequest": debit}),
            Some(("charge_made", text("O-1"))),
        ),
        "virtual_account_generate" => (json!({"Alias": "till-1"}), Some(("virtual_account_created", text("till-1")))),
        "order_refund" => {
            sandbox.post("/sandbox/orders", &json!({"reference": "O-1", "amount": "100.00", "paid": true}));
            (json!({"reference": "O-1", "amount": "25.50"}), Some(("refund_made", text("O-1/25.50"))))
        }
        "transaction_details" => {
            sandbox.post(
                "/sandbox/fund",
                &json!({"alias": "till-1", "amount": "10.00", "senderName": "Ada", "sessionId": "S-1"}),
            );
            (json!({"sessionId": "S-1"}), None)
        }
        "order_create" => (
            json!({"reference": "O-1", "paymentoption": "C", "country": "NG", "card": card}),
            Some(("charge_made", text("O-1"))),
        ),
        name => panic!("no test knows what {name} needs: say it here"),
    };
    Target { row, request, effect }
}
