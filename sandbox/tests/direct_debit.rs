//! Mandates, one-time codes and paying under a mandate.

use crate::common::{Sandbox, pick};
use serde_json::json;

const CREATE: &str = "/payment/order/direct-debit/create";
const OTP: &str = "/payment/order/direct-debit/otp";

#[test]
fn a_mandate_from_creation_to_charge() {
    let sandbox = Sandbox::start(&[]);
    sandbox.admin_post("orders", r#"{"reference":"ORDER-1","amount":"2500.50","currency":"NGN"}"#).expect(200);
    let payload = r#"{"recurringPaymentId":7,"orderReference":"ORDER-1","bankName":"My Bank","accountNumber":"0690000031","bankCode":"058","address":"1 Road"}"#;
    let created = sandbox.post(CREATE, payload).expect(200);
    assert!(!created.is_assumed());
    assert!(created.text.contains(r#""amount":2500.50,"#), "exact digits: {}", created.text);
    let created = created.json();
    let mandate = created["data"]["mandateCode"].as_str().unwrap();
    let data = json!({"message": "Mandate created and active", "mandateCode": mandate, "bankName": "My Bank",
        "accountNumber": "0690000031", "amount": 2500.5, "directDebitId": 1001, "isActive": true});
    assert_eq!(
        created,
        json!({"message": "Mandate created successfully", "code": "200", "status": true, "data": data})
    );
    assert!(mandate.starts_with("MDTC-") && mandate.len() == 11);

    let status = sandbox.get(&format!("/payment/order/direct-debit/status?mandateCode={mandate}")).expect(200).json();
    assert_eq!(
        status,
        json!({"message": "Mandate is active", "code": "00", "status": true, "data": {"mandateCode": mandate, "isActive": true}})
    );

    let sent = sandbox.post(OTP, &format!(r#"{{"mandateCode":"{mandate}"}}"#)).expect(200).json();
    assert_eq!((&sent["code"], &sent["status"], sent["data"].is_string()), (&json!("00"), &json!(true), true));
    let otp = sandbox.admin(&format!("otp/{mandate}"));
    assert_eq!(otp["used"], false);

    let paid = sandbox.pay("ORDER-1", mandate, otp["otp"].as_str().unwrap()).expect(200);
    assert!(!paid.is_assumed());
    assert!(paid.text.contains(r#""totalAmount":2538.50,"fee":38"#), "{}", paid.text);
    let paid = paid.json();
    let reference = paid["data"]["paymentDetail"]["paymentReference"].as_str().unwrap();
    let attempt = paid["data"]["orderPayment"]["orderPaymentReference"].as_str().unwrap();
    assert!(attempt.starts_with("PGW-PAYREF-") && attempt.len() == 11 + 32);
    assert!(reference.starts_with("PGW-PAYMENT-") && reference.len() == 12 + 32);
    assert_eq!(
        paid,
        json!({
            "data": {
                "paymentDetail": {"redirectUrl": null, "recipientAccount": "Sandbox Merchant", "paymentReference": reference, "cardToken": null},
                "bankTransferDetails": null,
                "orderPayment": {"orderId": 5001, "orderPaymentReference": attempt, "currency": "NGN", "statusId": 1,
                    "orderPaymentResponseCode": "01", "orderPaymentResponseMessage": "Initiated", "orderPaymentInstrument": null,
                    "remarks": "Order payment initiated", "totalAmount": 2538.5, "fee": 38}
            },
            "status": "success", "statusCode": "02", "message": "Direct debit order created successfully"
        })
    );
    assert_eq!(sandbox.admin(&format!("otp/{mandate}"))["used"], true);
    sandbox.pay("ORDER-1", mandate, "000000").expect_error(400, "reference", "already paid");

    let charges = sandbox.effects("charge_made");
    assert_eq!(charges.len(), 1);
    assert_eq!(pick(&charges[0], "key amount fee"), json!(["ORDER-1", "2500.50", "38.00"]));
    assert_eq!(charges[0]["reference"], *attempt);
    // The response was "initiated"; verify returns the final state.
    let verified = sandbox.verify("ORDER-1").expect(200);
    assert!(verified.is_assumed());
    assert_eq!(verified.json()["data"]["statusId"], 5);
}

#[test]
fn history() {
    let sandbox = Sandbox::start(&[]);
    let history = |email: &str| sandbox.get(&format!("/payment/order/direct-debit/history?emailAddress={email}"));
    let none = json!({"customerName": "Sandbox Customer", "hasExistingDebitMandate": false, "directDebitMandates": []});
    assert_eq!(history("none%40example.com").expect(200).json(), none);
    assert_eq!(history("ada@example.com").expect(200).json(), none);
    let many = history("many@example.com").expect(200).json();
    assert_eq!(many["directDebitMandates"].as_array().unwrap().len(), 500);
    sandbox.mandate("0690000031");
    let one = history("ada@example.com").expect(200);
    assert!(!one.is_assumed());
    let one = one.json();
    let created = one["directDebitMandates"][0]["dateCreated"].as_str().unwrap().to_string();
    assert!(created.len() == 24 && created.ends_with('Z'), "{created}");
    let mandate = json!({"accountNumber": "0690000031", "bankName": "Sandbox Bank", "directDebitId": 1001, "dateCreated": created, "bankCode": "058"});
    assert_eq!(
        one,
        json!({"customerName": "Sandbox Customer", "hasExistingDebitMandate": true, "directDebitMandates": [mandate]})
    );

    // A mandate for an order of another customer is not listed.
    sandbox.admin_post("orders", r#"{"reference":"HERS","amount":"5","email":"eve@example.com"}"#).expect(200);
    sandbox.post(CREATE, r#"{"orderReference":"HERS","accountNumber":"0690000041","bankCode":"058"}"#).expect(200);
    assert_eq!(history("ada@example.com").json()["directDebitMandates"].as_array().unwrap().len(), 1);
    assert_eq!(history("eve@example.com").json()["directDebitMandates"].as_array().unwrap().len(), 2);
    let refused = sandbox.get("/payment/order/direct-debit/history");
    refused.expect_error(400, "emailAddress", "The emailAddress field is required.");
}

#[test]
fn magic_accounts_and_codes() {
    let sandbox = Sandbox::start(&[]);
    let pending = sandbox.mandate("0690000001");
    let status = format!("/payment/order/direct-debit/status?mandateCode={pending}");
    let status = sandbox.get(&status).expect(200).json();
    assert!(status["message"].as_str().unwrap().contains("pending") && status["data"]["isActive"] == false, "{status}");
    sandbox.pay("A", &pending, "000000").expect_error(400, "directDebitPaymentRequest.mandateCode", "not active");

    let payload = r#"{"orderReference":"A","accountNumber":"0690000003","bankCode":"058"}"#;
    sandbox.post(CREATE, payload).expect_error(404, "accountNumber", "Account not found at the moment.");

    let poor = sandbox.mandate("0690000002");
    let failed = sandbox.pay("POOR", &poor, "000000").expect(200);
    assert!(failed.is_assumed());
    let failed = failed.json();
    assert_eq!((&failed["status"], &failed["statusCode"]), (&json!("failed"), &json!("04")));
    assert_eq!(failed["data"]["orderPayment"]["statusId"], 4);
    let verified = sandbox.verify("POOR").expect(200).json();
    // Success and 00 are the result of the call; the order is not paid.
    assert_eq!(pick(&verified, "status statusCode data/statusId"), json!(["success", "00", 4]));
    assert!(sandbox.effects("charge_made").is_empty());

    let good = sandbox.mandate("0690000031");
    let shown = sandbox.send("GET", &format!("/sandbox/otp/{good}"), &[], "");
    shown.expect_error(404, "mandateCode", "One-time code not found");
    let otp = "directDebitPaymentRequest.otp";
    sandbox.pay("A", &good, "111111").expect_error(400, otp, "wrong");
    sandbox.pay("A", &good, "222222").expect_error(400, otp, "expired");
    sandbox.pay("A", &good, "123456").expect_error(400, otp, "No one-time code was sent");
    assert!(
        sandbox.effects("order_created").iter().all(|order| order["key"] != "A"),
        "a refused payment makes no order"
    );
    sandbox.pay("A", &good, "000000").expect(200);
    // The order can be paid by another mandate after the failure.
    sandbox.pay("POOR", &good, "000000").expect(200);
    assert_eq!(sandbox.effects("charge_made").len(), 2);
}

#[test]
fn manual_activation() {
    let sandbox = Sandbox::start(&["--activation", "manual"]);
    let mandate = sandbox.mandate("0690000031");
    sandbox.pay("A", &mandate, "000000").expect_error(400, "directDebitPaymentRequest.mandateCode", "not active");
    let active = sandbox.admin_post(&format!("mandates/{mandate}/activate"), "").expect(200).json();
    assert_eq!(active, json!({"mandateCode": mandate, "active": true}));
    sandbox.pay("A", &mandate, "000000").expect(200);
    sandbox.admin_post("mandates/MDTC-1/activate", "").expect_error(404, "mandateCode", "not found");
}

#[test]
fn missing_members_are_named() {
    let sandbox = Sandbox::start(&[]);
    let answer = sandbox.post(CREATE, r#"{"recurringPaymentId":"x","accountNumber":5}"#).expect(400);
    assert!(!answer.is_assumed(), "the failure envelope is documented");
    assert_eq!(
        answer.json()["errors"],
        json!({"recurringPaymentId": "The recurringPaymentId field must be an integer.",
            "orderReference": "The orderReference field is required.",
            "accountNumber": "The accountNumber field must be text.",
            "bankCode": "The bankCode field is required."})
    );
    sandbox.get("/payment/order/direct-debit/status").expect_error(400, "mandateCode", "is required");
    let refused = sandbox.get("/payment/order/direct-debit/status?mandateCode=MDTC-0");
    refused.expect_error(404, "mandateCode", "Mandate not found at the moment.");
    sandbox.post(OTP, "{}").expect_error(400, "mandateCode", "is required");
    sandbox.post(OTP, r#"{"mandateCode":"MDTC-0"}"#).expect_error(404, "mandateCode", "Mandate not found");
    let refused = sandbox.pay("A", "MDTC-0", "000000");
    refused.expect_error(404, "directDebitPaymentRequest.mandateCode", "Mandate not found");
}
