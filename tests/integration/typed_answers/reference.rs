//! The reference reader's leaves, rule by rule.

use paysvc_spec::schema::AnswerKind;
use serde_json::{Value, json};

use super::values::elements;
use crate::support::answers::{Found, Tree, leaf};

/// Each of these JSON texts, which stand in an array, is read so.
#[track_caller]
fn reads(kind: AnswerKind, expected: &Value, list: &str) {
    for text in elements(list) {
        assert_eq!(leaf::entry(kind, &Tree::parse(&text).look("")), *expected, "{text}");
    }
}

fn is(text: &str) -> Value {
    text.into()
}

const UNREADABLE: Value = Value::Bool(false);
const ABSENT: Value = Value::Null;

#[test]
fn a_text_is_a_string_as_it_is_or_a_number_as_it_is_written() {
    for (text, expected) in [(r#""""#, ""), (r#"" a\u00e9\n""#, " aé\n"), ("100.10", "100.10"), ("-1E+2", "-1E+2")] {
        reads(AnswerKind::Text, &is(expected), &format!("[{text}]"));
    }
    reads(AnswerKind::Text, &ABSENT, "[null]");
    reads(AnswerKind::Text, &UNREADABLE, "[true, [], {}]");
}

#[test]
fn an_integer_fits_64_bits_and_has_no_fraction_but_zeros() {
    let (least, most) = ("-9223372036854775808", "9223372036854775807");
    for (list, expected) in [("[5, 5.000]", "5"), ("[-0]", "0"), (r#"[" 007\t"]"#, "7")] {
        reads(AnswerKind::Integer, &is(expected), list);
    }
    for end in [least, most] {
        reads(AnswerKind::Integer, &is(end), &format!("[{end}]"));
    }
    reads(AnswerKind::Integer, &UNREADABLE, "[9223372036854775808, -9223372036854775809, 5.5, 5e0, true]");
    reads(AnswerKind::Integer, &UNREADABLE, r#"["5.", "+5", "-", "٥", "\u00a05"]"#);
    reads(AnswerKind::Integer, &ABSENT, r#"["  ", null]"#);
}

#[test]
fn an_amount_keeps_its_digits_but_for_leading_zeros() {
    let longest = "1".repeat(64);
    for (text, expected) in [
        ("100.10", "100.10"),
        (r#""007.50""#, "7.50"),
        (r#""-000", -0"#, "-0"),
        (r#"" 98000.000000 ""#, "98000.000000"),
        (&longest, &longest),
    ] {
        reads(AnswerKind::Amount, &is(expected), &format!("[{text}]"));
    }
    reads(AnswerKind::Amount, &UNREADABLE, &format!(r#"[1{longest}, 1e2, ".5", "5.", "1,000", false]"#));
    reads(AnswerKind::Amount, &ABSENT, r#"[""]"#);
}

#[test]
fn a_flag_is_a_boolean_or_its_word_in_any_case() {
    reads(AnswerKind::Flag, &is("true"), r#"[true, "TRUE"]"#);
    reads(AnswerKind::Flag, &is("false"), r#"[" FALSE"]"#);
    reads(AnswerKind::Flag, &UNREADABLE, r#"[1, "yes", "fal\u017fe"]"#);
    reads(AnswerKind::Flag, &ABSENT, r#"[" "]"#);
}

#[test]
fn a_time_is_in_utc_with_microseconds() {
    for (text, expected) in [
        ("2026-01-31T09:30:00", "2026-01-31T09:30:00.000000Z"),
        (" 2026-01-31 09:30:00.1234567z ", "2026-01-31T09:30:00.123456Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000000Z"),
        ("2024-02-28T23:30:00.5-01:00", "2024-02-29T00:30:00.500000Z"),
        ("1900-01-01T00:00:00+00:01", "1899-12-31T23:59:00.000000Z"),
        ("9998-12-31T23:59:59.999999999-00:01", "9999-01-01T00:00:59.999999Z"),
    ] {
        reads(AnswerKind::Time, &is(expected), &json!([text]).to_string());
    }
    let unreadable = r#"[
        "0001-01-01T00:00:00.1", "9999-01-01T00:00:00", "1899-12-31T23:59:59", "2026-02-29T00:00:00",
        "2026-01-31T24:00:00", "2026-01-31T23:59:60", "2026-01-31T09:30:00.", "2026-01-31T09:30:00.1234567890",
        "2026-01-31T09:30:00+24:00", "2026-01-31T09:30:00+0100", "2026-01-31", "é026-01-31T09:30:0", 1769851800
    ]"#;
    reads(AnswerKind::Time, &UNREADABLE, unreadable);
    reads(AnswerKind::Time, &ABSENT, r#"["0001-01-01 00:00:00.000+05:00", ""]"#);
}

#[test]
fn anything_is_named_by_its_type() {
    for (text, expected) in [("{}", "object"), ("[]", "array"), (r#""""#, "string"), ("0", "number"), ("true", "bool")]
    {
        reads(AnswerKind::Any, &is(expected), &format!("[{text}]"));
    }
    reads(AnswerKind::Any, &ABSENT, "[null]");
}

#[test]
fn a_tree_is_what_was_written() {
    let text = r#"{"a":[1.50,"x\n",null,true,{}],"a":{"~/":[]}}"#;
    let tree = Tree::parse(text);
    assert_eq!(tree.write(), text);
    assert_eq!(Tree::parse(" { \"a\" : [ 1 , 2 ] } ").write(), r#"{"a":[1,2]}"#);
    assert_eq!(tree.look("/a/0"), Found::Number("1.50".into()));
    assert_eq!(tree.look("/a/5"), Found::Absent);
    assert_eq!(Tree::parse(r#"{"a":{"~/":[0]}}"#).look("/a/~0~1"), Found::Array(1));
    let seen: Value = serde_json::from_str(&Tree::Text("\"\\\u{1}".into()).write()).unwrap();
    assert_eq!(seen, json!("\"\\\u{1}"));
}
