//! The body of a request: compact JSON, encrypted where the row requires it.

use std::cmp::Reverse;

use crate::config::Config;
use crate::json::document::Document;
use crate::json::object::{Object, list, object};
use crate::json::{Fields, Given, Type, Value};
use crate::request::amount;
use crate::request::validate;
use crate::util::memory;
use crate::util::secret::SecretBytes;
use crate::util::text::shortened;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Field, Kind, Location, PayOption};
use paysvc_spec::status::Status;

/// The fields that belong in the body, as compact JSON, with amounts in the row's form.
pub fn body(what: &str, fields: &[Field], given: Fields<'_>, capacity: usize) -> Result<SecretBytes, ValidationError> {
    let mut out = buffer(what, capacity + growth(fields, capacity))?;
    let mut is_complete = true;
    push(fields, given, &mut out, &mut is_complete);
    // The amounts were checked before; one that cannot be read again is too large for the memory that is left.
    if is_complete { Ok(out) } else { Err(validate::out_of_memory(what, capacity, Status::Argument)) }
}

/// Returns the max growth of a request of that length: its amounts may get quotes.
fn growth(fields: &[Field], length: usize) -> usize {
    // One amount with its name takes at least `"x":1,`, or `"x":1}` as the last.
    if has_amount(fields) { length / 6 * amount::GROWTH } else { 0 }
}

/// Returns whether an object with these fields holds an amount, at any depth.
fn has_amount(fields: &[Field]) -> bool {
    fields.iter().any(|field| matches!(field.kind, Kind::Amount(_)) || has_amount(field.kind.members()))
}

/// Returns whether an object with these fields may be rewritten: an amount, or the case of a name.
fn is_rewritten(fields: &[Field]) -> bool {
    let is_one = |field: &Field| matches!(field.kind, Kind::Amount(_)) || field.any_case;
    fields.iter().any(|field| is_one(field) || is_rewritten(field.kind.members()))
}

/// `is_complete`: false as soon as an amount could not be written.
fn push(fields: &[Field], given: Fields<'_>, out: &mut Vec<u8>, is_complete: &mut bool) {
    object(out, |object| {
        for (name, value) in given.iter() {
            let field = fields.iter().find(|field| field.is_called(&name));
            match field {
                Some(field) if field.location != Location::Body => {}
                Some(field) => push_field(field, value, object, is_complete),
                None => object.raw(&name, |out| value.compact(out)),
            }
        }
    });
}

fn push_field(field: &Field, value: Value<'_>, object: &mut Object<'_>, is_complete: &mut bool) {
    object.raw(sent_as(field, value), |out| match field.kind {
        Kind::Amount(wire) => *is_complete &= amount::push(value, wire, out),
        Kind::Object(fields) if is_rewritten(fields) => push(fields, value.fields(), out, is_complete),
        Kind::List(fields) if is_rewritten(fields) => {
            list(out, value.children(), |out, element| push(fields, element.fields(), out, is_complete));
        }
        _ => value.compact(out),
    });
}

/// Returns the name of a field as spelled in the request.
fn sent_as(field: &Field, value: Value<'_>) -> &'static str {
    if field.options.is_empty() {
        return field.name;
    }
    let option = value.text().and_then(|value| PayOption::of(field.options, &value));
    option.map_or(field.name, |option| option.sent_as)
}

/// A buffer for a body of at most that many bytes.
pub fn buffer(what: &str, size: usize) -> Result<SecretBytes, ValidationError> {
    memory::buffer(size).map(SecretBytes::new).ok_or_else(|| validate::out_of_memory(what, size, Status::Argument))
}

/// Any JSON object, compact: a payload that belongs to no endpoint.
pub fn payload(text: &str) -> Result<SecretBytes, ValidationError> {
    const WHAT: &str = "the payload";
    let given = Given::read(text);
    let fields = validate::object(&given, &[], validate::Rules::OPEN, WHAT, Status::Argument)?;
    body(WHAT, &[], fields, text.len())
}

/// The payload as it is sent: encrypted, if asked for. Without a key this fails, so that nothing is sent unencrypted.
pub fn encode(payload: SecretBytes, encrypted: bool, settings: &Config) -> Result<SecretBytes, ValidationError> {
    if !encrypted {
        return Ok(payload);
    }
    let key = settings.require_encryption_key("request")?;
    let body = key.encrypt(&payload).map_err(|error| with_longest(error, &payload))?;
    Ok(SecretBytes::new(body.into_bytes()))
}

/// The error of a payload that is too long, with the values that take most of it.
pub fn with_longest(error: ValidationError, payload: &[u8]) -> ValidationError {
    const SHOWN: usize = 3;
    let text = std::str::from_utf8(payload).unwrap_or_default();
    let mut values = Vec::new();
    if let Ok(document) = Document::scan_own(text) {
        document
            .root(text)
            .children()
            .for_each(|field| push_lengths(&field.name().unwrap_or_default(), field, &mut values));
    }
    values.sort_by_key(|(_, length)| Reverse(*length));
    values.truncate(SHOWN);
    let longest: Vec<_> = values.iter().map(|(name, length)| format!("{name} ({length} bytes)")).collect();
    let errors = values.into_iter().map(|(name, length)| (name, format!("takes {length} bytes")));
    let more = if longest.is_empty() { String::new() } else { format!("; the longest fields: {}", longest.join(", ")) };
    ValidationError { message: error.message + &more, errors: errors.collect(), ..error }
}

/// The paths of the values in it that have no values in them, with their lengths as JSON.
fn push_lengths(path: &str, value: Value<'_>, found: &mut Vec<(String, usize)>) {
    let path = shortened(path);
    match value.kind() {
        Type::Object | Type::Array => {
            for (index, child) in value.children().enumerate() {
                let step = child.name().unwrap_or_else(|| index.to_string().into());
                push_lengths(&format!("{path}.{step}"), child, found);
            }
        }
        _ => found.push((path.into_owned(), value.raw().len())),
    }
}

#[cfg(test)]
mod tests {
    use paysvc_spec::schema::Wire;

    use super::*;
    use crate::json::MAX_DEPTH;
    use crate::json::builder::{Builder, Value};

    const fn amount(name: &'static str, wire: Wire) -> Field {
        Field::optional(name, Kind::Amount(wire), "")
    }
    const FIELDS: &[Field] = &[
        Field::query("page", ""),
        amount("text", Wire::Text),
        amount("number", Wire::Number),
        Field::optional("order", Kind::Object(AMOUNTS), ""),
        Field::optional("payouts", Kind::List(PAYOUT), ""),
        Field::optional("banks", Kind::List(&[Field::optional("code", Kind::Text, "")]), ""),
    ];
    const AMOUNTS: &[Field] = &[amount("text", Wire::Text), amount("number", Wire::Number)];
    const PAYOUT: &[Field] = &[amount("amount", Wire::Number), Field::optional("parts", Kind::List(AMOUNTS), "")];

    fn written(text: &str) -> Result<String, ValidationError> {
        let given = Given::read(text);
        let fields = validate::object(&given, &[], validate::Rules::OPEN, "made_up", Status::Argument)?;
        let out = body("made_up", FIELDS, fields, text.len())?;
        // It never moved: the buffer is as large as it was made, so no copy is left in memory.
        assert_eq!(out.capacity(), text.len() + growth(FIELDS, text.len()), "{text}");
        Ok(String::from_utf8(out.to_vec()).unwrap())
    }

    #[test]
    fn amounts_are_written_as_the_row_says_and_all_else_as_it_is_given() {
        for (given, expected) in [
            (r#"{"text":1.10,"number":"01.10"}"#, r#"{"text":"1.10","number":1.10}"#),
            (r#"{"order":{"number":"2.50","text":3,"x":4}}"#, r#"{"order":{"number":2.50,"text":"3","x":4}}"#),
            (r#"{"text":1,"order":{"text":2,"number":3}}"#, r#"{"text":"1","order":{"text":"2","number":3}}"#),
            (r#"{"page":"1","a":{"number":"1"}, "b":[ 1.0 ]}"#, r#"{"a":{"number":"1"},"b":[1.0]}"#),
            (
                r#"{"payouts":[{"amount":"1.0"},{"amount":2,"parts":[{"text":3,"number":"4"}, {"text":5}]}]}"#,
                r#"{"payouts":[{"amount":1.0},{"amount":2,"parts":[{"text":"3","number":4},{"text":"5"}]}]}"#,
            ),
            (r#"{"banks":[ {"code":"1", "number": "2" } ]}"#, r#"{"banks":[{"code":"1","number":"2"}]}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(written(given).unwrap(), expected);
        }
    }

    #[test]
    fn a_member_is_spelled_as_the_row_or_the_payment_option_says() {
        let pay = |text: &str| {
            let (row, given) = (paysvc_spec::endpoint("order_pay"), Given::read(text));
            let out = body(row.name, row.fields, given.fields().unwrap(), text.len()).unwrap();
            String::from_utf8(out.to_vec()).unwrap()
        };
        for (given, sent) in [
            (r#"{"paymentOption":"C"}"#, r#"{"paymentoption":"C"}"#),
            (r#"{"PaymentOption":"bt"}"#, r#"{"paymentoption":"bt"}"#),
            (r#"{"paymentoption":"ndd"}"#, r#"{"paymentOption":"ndd"}"#),
            (r#"{"paymentoption":"new"}"#, r#"{"paymentOption":"new"}"#),
            (r#"{"a":{"paymentoption":"NDD"}}"#, r#"{"a":{"paymentoption":"NDD"}}"#),
            (r#"{"card":{"AUTHOPTION":"PIN","Pin":"1"}}"#, r#"{"card":{"authOption":"PIN","pin":"1"}}"#),
        ] {
            assert_eq!(pay(given), sent);
        }
    }

    #[test]
    fn the_error_names_the_member_that_nests_too_deep() {
        let deep = "[".repeat(100) + &"]".repeat(100);
        let error = written(&format!(r#"{{"order":{{"x":{deep}}}}}"#)).unwrap_err();
        assert_eq!(error.message, "made_up: order nests deeper than 32 levels");
        let error = written(&format!(r#"{{"payouts":[{{}},{{"parts":[{{"x":{deep}}}]}}]}}"#)).unwrap_err();
        assert_eq!(error.message, "made_up: payouts nests deeper than 32 levels");
    }

    #[test]
    fn the_error_of_a_long_payload_names_its_longest_fields() {
        let vector: serde_json::Value = serde_json::from_str(include_str!("../../tests/vectors/rsa2048.json")).unwrap();
        let key = crate::config::encryption_key::EncryptionKey::parse(vector["encryption_key"].as_str().unwrap());
        let config = Config { encryption_key: key.ok(), ..Config::default() };
        let text = format!(
            r#"{{"order":{{"description":"{}","amount":1}},"list":[{{"note":"{}"}}],"a":"b"}}"#,
            "d".repeat(200),
            "n".repeat(100)
        );
        let payload = SecretBytes::new(text.clone().into_bytes());
        let error = encode(payload, true, &config).err().unwrap();
        let begins = format!("payload is {} bytes, this key can encrypt at most 245", text.len());
        assert_eq!(
            error.message,
            format!(
                "{begins}; the longest fields: order.description (202 bytes), list.0.note (102 bytes), a (3 bytes)"
            )
        );
        assert_eq!(error.errors[0], ("order.description".to_owned(), "takes 202 bytes".to_owned()));
    }

    #[test]
    fn the_deepest_document_that_can_be_built_may_be_sent() {
        let mut builder = Builder::new();
        assert!(builder.set(&"/a".repeat(MAX_DEPTH), Value::Bool(true)));
        assert!(payload(builder.text().unwrap().to_str().unwrap()).is_ok());
    }

    /// Every amount may get quotes, so the buffer has room for as many as there are.
    #[test]
    fn a_list_of_any_length_is_written_without_moving() {
        let many: Vec<_> = (1..=1000).map(|number| format!(r#"{{"text":{number}}}"#)).collect();
        let body = written(&format!(r#"{{"payouts":[{{"parts":[{}]}}]}}"#, many.join(","))).unwrap();
        assert!(body.starts_with(r#"{"payouts":[{"parts":[{"text":"1"},{"text":"2"}"#), "{body}");
        assert!(body.ends_with(r#"{"text":"1000"}]}]}"#), "{body}");
    }
}
