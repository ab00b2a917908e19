//! For requests and the configuration.

use paysvc_spec::schema::Wire;

use super::*;

mod open_payloads;

const fn field(name: &'static str, kind: Kind, required: bool) -> Field {
    if required { Field::required(name, kind, "") } else { Field::optional(name, kind, "") }
}
const FIELDS: &[Field] = &[
    field("reference", Kind::Text, true),
    field("amount", Kind::Amount(Wire::Text), false),
    field("count", Kind::Integer, false),
    field("card", Kind::Object(&[field("cvv", Kind::Text, true)]), false),
    field("order", Kind::Object(ORDER), false),
    field("payouts", Kind::List(PAYOUT), false),
];
const PAYOUT: &[Field] = &[
    field("price", Kind::Amount(Wire::Number), true),
    field("account", Kind::Text, true),
    field("bank", Kind::Object(&[field("code", Kind::Text, true)]), false),
];
const ORDER: &[Field] = &[
    field("reference", Kind::Text, false).same_as("/reference"),
    field("currency", Kind::Text, false).same_as("/order/unit"),
    field("unit", Kind::Text, false),
];

fn errors(text: &str, allows_extra: bool) -> Vec<(String, String)> {
    object(&Given::read(text), FIELDS, Rules { allows_extra, is_exact: false }, "the request", Status::Argument)
        .map_or_else(|error| error.errors, |_| Vec::new())
}

#[test]
fn all_errors_are_reported_at_once_with_their_paths() {
    let found = errors(r#"{"ammount":"1","count":1.5,"card":{"cvv":193,"pin":"1"}}"#, false);
    let expected = [
        ("ammount", "is not a known field; did you mean amount?"),
        ("reference", "is required"),
        ("count", "must be a whole number, not a fraction"),
        ("card.pin", "is not a known field; known are cvv"),
        ("card.cvv", "must be a string, not a number"),
    ];
    let expected: Vec<_> = expected.iter().map(|(m, t)| (m.to_string(), t.to_string())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_message_names_the_misspelt_member_first_and_what_else_is_missing() {
    let message = |text: &str, name: &str| {
        let row = paysvc_spec::endpoint(name);
        object(&Given::read(text), row.fields, Rules::of(row), row.name, Status::Argument).err().unwrap().message
    };
    let card = r#""card":{"cardNumber":"4111111111111111","cvv":"100","expiryMonth":"1","expiryYear":"30","pin":"1"}"#;
    let text = format!(r#"{{"order":{{"reference":"r","amount":"1","currency":"NGN"}},{card}}}"#);
    let found = message(&text, "order_create");
    assert!(
        found.starts_with("order_create: card.cardNumber is not a known field; did you mean cardnumber?"),
        "{found}"
    );
    let found = message("{}", "order_pay_authorize");
    let required = paysvc_spec::endpoint("order_pay_authorize").fields.iter().filter(|field| field.required);
    let required: Vec<_> = required.map(|field| field.name).collect();
    assert!(required.len() > 1 && required.iter().all(|name| found.contains(name)), "{found}");
}

#[test]
fn a_long_name_and_half_a_million_names_are_refused_quickly() {
    let found = errors(&format!(r#"{{"reference":"r","{}":1}}"#, "é".repeat(500_000)), false);
    assert_eq!(found[0].0, format!("{}…", "é".repeat(100)));
    assert_eq!(found[0].1, "is not a known field; known are reference, amount, count, card, order, payouts");
    let many: Vec<_> = (0..500_000).map(|number| format!(r#""m{number}":1"#)).collect();
    assert_eq!(errors(&format!(r#"{{"reference":"r",{}}}"#, many.join(",")), false).len(), MAX_ERRORS);
    let text = format!(r#"{{"reference":"{}"}}"#, "x".repeat(memory::MAX_TEXT));
    let error = object(&Given::read(&text), FIELDS, Rules::CLOSED, "the request", Status::Argument).err().unwrap();
    assert_eq!(error.message, format!("the request is {} bytes; at most 10485760 are accepted", text.len()));
}

#[test]
fn rows_that_allow_extra_members_still_check_the_known_ones() {
    assert!(errors(r#"{"reference":"r","extra":null,"card":{"cvv":"1","pin":"2"}}"#, true).is_empty());
    assert_eq!(errors(r#"{"reference":null}"#, true), [("reference".into(), "must be a string, not null".into())]);
}

#[test]
fn a_text_that_is_no_object_has_a_clear_message() {
    for (text, part) in [
        ("[]", "must be a JSON object, not an array"),
        ("null", "not null"),
        ("{\"a\":", "is not JSON: it ends too early"),
        ("{} {}", "is not JSON: it cannot be read from line 1, byte 4 on"),
        ("{\"reference\":\"a\",\"reference\":\"b\"}", "reference is given more than once"),
    ] {
        let error = object(&Given::read(text), FIELDS, Rules::CLOSED, "the request", Status::Argument).err().unwrap();
        assert!(error.message.contains(part), "{}", error.message);
    }
}

#[test]
fn a_thousand_times_the_same_error_is_reported_a_hundred_times() {
    let many: Vec<_> = (0..1000).map(|index| format!("\"m{index}\":1")).collect();
    assert_eq!(errors(&format!("{{{}}}", many.join(",")), false).len(), MAX_ERRORS);
}

#[test]
fn names_much_longer_than_a_field_are_not_compared() {
    let name = "amount".repeat(200_000);
    assert!(unknown(&name, FIELDS).contains("known are reference"));
    assert!(unknown("Amoumt", FIELDS).contains("did you mean amount?"));
}

#[test]
fn blank_text_is_empty() {
    assert_eq!(errors(r#"{"reference":" "}"#, false), [("reference".into(), "must not be empty".into())]);
}

fn told(text: &str) -> Vec<String> {
    errors(text, true).into_iter().map(|(member, text)| format!("{member} {text}")).collect()
}

#[test]
fn an_open_payload_takes_no_member_that_is_nearly_known() {
    for (text, expected) in [
        (r#""Amount":1"#, "Amount is not a known field; did you mean amount?"),
        (r#""amuont":"1""#, "amuont is not a known field; did you mean amount?"),
        (r#""cvv":"193""#, "cvv is not a known field; did you mean card.cvv?"),
        (r#""order":{"count":1}"#, "order.count is not a known field; did you mean count?"),
        (r#""order":{"amount":1,"reference":"r"}"#, "order.amount is not a known field; did you mean amount?"),
        (r#""card":{"cvv":"1","C_V_V":"1"}"#, "card.C_V_V is not a known field; did you mean cvv?"),
    ] {
        assert_eq!(told(&format!(r#"{{"reference":"r",{text}}}"#)), [expected]);
    }
    for text in [r#""extra":{"amuont":1,"Reference":"x","card":{"CVV":1}}"#, r#""list":[{"amount":1}],"cvc":"1""#] {
        assert_eq!(told(&format!(r#"{{"reference":"r",{text}}}"#)), [""; 0]);
    }
    // A request without a table is a payload that belongs to no endpoint.
    let twice = Given::read(r#"{"Amount":1,"amount":2}"#);
    assert!(object(&twice, &[], Rules::OPEN, "the payload", Status::Argument).is_ok());
}

/// The whole distance of each to every known name would take minutes.
#[test]
fn half_a_million_names_in_an_open_payload_are_compared() {
    let name = |number: usize| ["member", "amoun", "referenc", "order-amoun"][number % 4];
    let many: Vec<_> = (0..500_000).map(|number| format!(r#""{}{number}":1"#, name(number))).collect();
    let found = told(&format!(r#"{{"reference":"r",{}}}"#, many.join(",")));
    // "referenc2" and the few others with one or two digits more.
    assert!(!found.is_empty() && found.len() < MAX_ERRORS, "{found:?}");
}

#[test]
fn two_members_that_mean_the_same_must_be_the_same() {
    assert_eq!(
        told(r#"{"reference":"a","order":{"reference":"b"}}"#),
        ["order.reference must be the same as reference"]
    );
    let same = ["order.currency must be the same as order.unit"];
    assert_eq!(told(r#"{"reference":"a","order":{"currency":"NGN","unit":"USD"}}"#), same);
    for text in [r#""reference":"\u0061""#, "", r#""currency":"NGN""#, r#""currency":"NGN","unit":"N\u0047N""#] {
        assert_eq!(told(&format!(r#"{{"reference":"a","order":{{{text}}}}}"#)), [""; 0], "{text}");
    }
    // A value that is not text is reported once.
    assert_eq!(told(r#"{"reference":5,"order":{"reference":"b"}}"#), ["reference must be a string, not a number"]);
}

#[test]
fn an_amount_is_a_text_or_a_number() {
    assert_eq!(told(r#"{"reference":"r","amount":100.10}"#), [""; 0]);
    assert_eq!(told(r#"{"reference":"r","amount":"100.10"}"#), [""; 0]);
    let wrong = "amount must be a decimal amount above zero in major units, like \"100.10\"";
    assert_eq!(told(r#"{"reference":"r","amount":1e2}"#), [wrong]);
}

#[test]
fn the_elements_of_a_list_are_checked_each_by_itself() {
    let payouts = |text: &str| told(&format!(r#"{{"reference":"r","payouts":{text}}}"#));
    assert_eq!(payouts(r#"[{"price":1,"account":"1"},{"price":"2.50","account":"2","bank":{"code":"3"}}]"#), [""; 0]);
    assert_eq!(
        payouts(r#"[{"price":1,"account":"1"},{"price":-1,"bank":{}},7,{"priec":1,"account":" ","price":1,"Bank":2}]"#),
        [
            "payouts.1.price must be a decimal amount above zero in major units, like \"100.10\"",
            "payouts.1.account is required",
            "payouts.1.bank.code is required",
            "payouts.2 must be an object, not a number",
            "payouts.3.priec is not a known field; did you mean price?",
            "payouts.3.Bank is not a known field; did you mean bank?",
            "payouts.3.account must not be empty",
        ]
    );
    assert_eq!(payouts("[]"), ["payouts must have at least one element"]);
    for (text, found) in [("{}", "an object"), ("null", "null"), (r#""[]""#, "a string")] {
        assert_eq!(payouts(text), [format!("payouts must be an array of objects, not {found}")]);
    }
    let twice = payouts(r#"[{"price":1,"price":1,"account":"1"}]"#);
    assert_eq!(twice, ["payouts.0.price is given more than once"]);
    // The error of a closed payload reports this too, and names the known fields.
    let closed = errors(r#"{"reference":"r","payouts":[{"price":1,"account":"1","priec":1}]}"#, false);
    assert_eq!(closed, [("payouts.0.priec".into(), "is not a known field; did you mean price?".into())]);
    let many = vec!["{}"; 100_000].join(",");
    assert_eq!(payouts(&format!("[{many}]")).len(), MAX_ERRORS);
}

mod options {
    use super::*;
    use paysvc_spec::endpoint;

    fn errors(request: &str) -> Vec<(String, String)> {
        let row = endpoint("order_pay");
        object(&Given::read(request), row.fields, Rules::of(row), row.name, Status::Argument)
            .map_or_else(|error| error.errors, |_| Vec::new())
    }
    fn error(member: &str, reason: &str) -> (String, String) {
        (member.to_owned(), reason.to_owned())
    }
    const CARD: &str = r#"{"cardnumber":"4111111111111111","expirymonth":"01","expiryyear":"2039","cvv":"193"}"#;

    #[test]
    fn an_option_needs_its_members_in_any_case() {
        for word in ["C", "c"] {
            let without = format!(r#"{{"paymentOption":"{word}","reference":"R"}}"#);
            assert_eq!(errors(&without), [error("card", "is required with paymentOption C")]);
            assert_eq!(errors(&without.replacen('}', &format!(r#","card":{CARD}}}"#), 1)), []);
        }
        for word in ["bank-transfer", "BANK-TRANSFER", "bt"] {
            let found = errors(&format!(r#"{{"paymentoption":"{word}","reference":"R"}}"#));
            assert_eq!(found, [error("BankTransfer", "is required with paymentOption bank-transfer")], "{word}");
        }
        assert_eq!(errors(r#"{"paymentOption":"BT","reference":"R","BankTransfer":{}}"#), []);
        let debit = [error("directDebitPaymentRequest", "is required with paymentOption NDD")];
        assert_eq!(errors(r#"{"paymentOption":"ndd","reference":"R"}"#), debit);
    }

    #[test]
    fn an_option_that_is_not_known_needs_nothing() {
        for word in ["Opay", "momo", "USSD", "nqr", "BA", "CC", "transfer", "new"] {
            assert_eq!(errors(&format!(r#"{{"paymentOption":"{word}","reference":"R","phone":"1"}}"#)), [], "{word}");
        }
    }

    #[test]
    fn either_spelling_is_taken_and_not_both() {
        let twice = r#"{"paymentoption":"USSD","reference":"R","paymentOption":"USSD"}"#;
        assert_eq!(errors(twice), [error("paymentOption", "is given more than once")]);
        let other = r#"{"payment_option":"USSD","reference":"R"}"#;
        let meant = error("payment_option", "is not a known field; did you mean paymentOption?");
        assert_eq!(errors(other), [meant, error("paymentOption", "is required")]);
    }

    #[test]
    fn card_digits_in_groups_are_refused_with_a_hint() {
        let with = |number: &str| {
            let card = CARD.replace("4111111111111111", number);
            errors(&format!(r#"{{"paymentOption":"C","reference":"R","card":{card}}}"#))
        };
        for number in
            ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111 ", "4111\u{a0}1111", "4111\u{2011}1"]
        {
            let hint = error("card.cardnumber", "must be digits only, without spaces or dashes");
            assert_eq!(with(number), [hint], "{number}");
        }
        // The service decides what is not a card number: a test card may have any form.
        for number in ["4111111111111111", "x", "tok-1", "4111 x"] {
            assert_eq!(with(number), [], "{number}");
        }
    }
}

fn paths(text: &str, charges: bool) -> Vec<String> {
    price_errors(Given::read(text).fields().unwrap(), charges).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn an_amount_that_is_given_is_above_zero() {
    for nothing in ["null", "\"\"", "\" \"", "0", "\"0\"", "0.00", "\"0.00\"", "-1", "\"-0.01\"", "0e5", "\"+0\""] {
        for (text, path) in [
            (format!(r#"{{"amount":{nothing}}}"#), "amount"),
            (format!(r#"{{"Order":{{"Amount":{nothing}}}}}"#), "Order.Amount"),
            (format!(r#"{{"payoutDetails":[{{}},{{"AMOUNT":{nothing}}}]}}"#), "payoutDetails.1.AMOUNT"),
        ] {
            assert_eq!(paths(&text, false), [path], "{text}");
        }
    }
    for good in ["1", "\"0.01\"", "\"1,5\"", "\"x\"", "true", "{}", "[0]", "1e-2"] {
        assert!(paths(&format!(r#"{{"amount":{good}}}"#), true).is_empty(), "{good}");
    }
    assert!(paths(r#"{"amounts":0,"fee":null,"cart":[{"amount":0}]}"#, true).is_empty());
}

#[test]
fn an_order_has_an_amount_where_it_is_charged() {
    assert_eq!(paths(r#"{"Order":{"reference":"A"}}"#, true), ["Order.amount"]);
    assert!(paths(r#"{"order":{}}"#, false).is_empty());
    for good in [r#"{"order":{"amount":"1"}}"#, r#"{"order":"A"}"#, r#"{"channel":{"order":{}}}"#] {
        assert!(paths(good, true).is_empty(), "{good}");
    }
}
