//! The reference reader, rule by rule.

use paysvc_spec::schema::{Answer, Certainty, Endpoint, Member};
use serde_json::{Map, Value, json};

use crate::support::answers::{Found, Tree, of_text};

const INNER: &[Member] = &[Member::text("t", ""), Member::integer("i", "")];

const ROW: Endpoint = Endpoint {
    answer: Answer {
        members: &[
            Member::text("text", ""),
            Member::integer("integer", ""),
            Member::amount("amount", ""),
            Member::flag("flag", ""),
            Member::time("time", ""),
            Member::any("any", ""),
            Member::object("object", INNER, ""),
            Member::list("list", INNER, ""),
            Member::text("guessed", "").certainty(Certainty::Guessed),
            Member::object("guess", INNER, "").certainty(Certainty::Guessed),
        ],
        ..Endpoint::ANSWER
    },
    ..Endpoint::ROW
};

fn read(text: &str) -> Map<String, Value> {
    of_text(&ROW, text)
}

/// What a field is read as, from each JSON text.
fn reads(member: &str, cases: &[(&str, Value)]) {
    for (text, expected) in cases {
        let entries = read(&format!("{{{member:?}:{text}}}"));
        assert_eq!(entries[&format!("/{member}")], *expected, "{member}: {text}");
    }
}

fn is(text: &str) -> Value {
    text.into()
}

const UNREADABLE: Value = Value::Bool(false);
const ABSENT: Value = Value::Null;

#[test]
fn a_text_is_a_string_as_it_is_or_a_number_as_it_is_written() {
    reads(
        "text",
        &[
            (r#""""#, is("")),
            (r#"" a\u00e9\n""#, is(" aé\n")),
            ("100.10", is("100.10")),
            ("-1E+2", is("-1E+2")),
            ("null", ABSENT),
            ("true", UNREADABLE),
            ("[]", UNREADABLE),
            ("{}", UNREADABLE),
        ],
    );
}

#[test]
fn an_integer_fits_64_bits_and_has_no_fraction_but_zeros() {
    reads(
        "integer",
        &[
            ("5", is("5")),
            ("-0", is("0")),
            ("5.000", is("5")),
            (r#"" 007\t""#, is("7")),
            ("9223372036854775807", is("9223372036854775807")),
            ("9223372036854775808", UNREADABLE),
            ("-9223372036854775808", is("-9223372036854775808")),
            ("-9223372036854775809", UNREADABLE),
            ("5.5", UNREADABLE),
            ("5e0", UNREADABLE),
            (r#""5.""#, UNREADABLE),
            (r#""+5""#, UNREADABLE),
            (r#""-""#, UNREADABLE),
            (r#""٥""#, UNREADABLE),
            (r#""\u00a05""#, UNREADABLE),
            (r#""  ""#, ABSENT),
            ("null", ABSENT),
            ("true", UNREADABLE),
        ],
    );
}

#[test]
fn an_amount_keeps_its_digits_but_for_leading_zeros() {
    let (longest, longer) = ("1".repeat(64), "1".repeat(65));
    reads(
        "amount",
        &[
            ("100.10", is("100.10")),
            (r#""007.50""#, is("7.50")),
            (r#""-000""#, is("-0")),
            ("-0", is("-0")),
            (r#"" 98000.000000 ""#, is("98000.000000")),
            (&longest, is(&longest)),
            (&longer, UNREADABLE),
            ("1e2", UNREADABLE),
            (r#"".5""#, UNREADABLE),
            (r#""5.""#, UNREADABLE),
            (r#""1,000""#, UNREADABLE),
            (r#""""#, ABSENT),
            ("false", UNREADABLE),
        ],
    );
}

#[test]
fn a_flag_is_a_boolean_or_its_word_in_any_case() {
    reads(
        "flag",
        &[
            ("true", is("true")),
            (r#"" FALSE""#, is("false")),
            ("1", UNREADABLE),
            (r#""yes""#, UNREADABLE),
            (r#""fal\u017fe""#, UNREADABLE),
            (r#"" ""#, ABSENT),
        ],
    );
}

#[test]
fn a_time_is_in_utc_with_microseconds() {
    reads(
        "time",
        &[
            (r#""2026-01-31T09:30:00""#, is("2026-01-31T09:30:00.000000Z")),
            (r#"" 2026-01-31 09:30:00.1234567z ""#, is("2026-01-31T09:30:00.123456Z")),
            (r#""2026-01-01T00:30:00+01:00""#, is("2025-12-31T23:30:00.000000Z")),
            (r#""2024-02-28T23:30:00.5-01:00""#, is("2024-02-29T00:30:00.500000Z")),
            (r#""1900-01-01T00:00:00+00:01""#, is("1899-12-31T23:59:00.000000Z")),
            (r#""9998-12-31T23:59:59.999999999-00:01""#, is("9999-01-01T00:00:59.999999Z")),
            (r#""0001-01-01 00:00:00.000+05:00""#, ABSENT),
            (r#""0001-01-01T00:00:00.1""#, UNREADABLE),
            (r#""9999-01-01T00:00:00""#, UNREADABLE),
            (r#""1899-12-31T23:59:59""#, UNREADABLE),
            (r#""2026-02-29T00:00:00""#, UNREADABLE),
            (r#""2026-01-31T24:00:00""#, UNREADABLE),
            (r#""2026-01-31T23:59:60""#, UNREADABLE),
            (r#""2026-01-31T09:30:00.""#, UNREADABLE),
            (r#""2026-01-31T09:30:00.1234567890""#, UNREADABLE),
            (r#""2026-01-31T09:30:00+24:00""#, UNREADABLE),
            (r#""2026-01-31T09:30:00+0100""#, UNREADABLE),
            (r#""2026-01-31""#, UNREADABLE),
            (r#""é026-01-31T09:30:0""#, UNREADABLE),
            ("1769851800", UNREADABLE),
            (r#""""#, ABSENT),
        ],
    );
}

#[test]
fn anything_is_named_by_its_type() {
    reads(
        "any",
        &[
            ("{}", is("object")),
            ("[]", is("array")),
            (r#""""#, is("string")),
            ("0", is("number")),
            ("true", is("bool")),
            ("null", ABSENT),
        ],
    );
}

#[test]
fn a_chain_through_what_is_absent_is_absent_and_through_something_else_unreadable() {
    for (text, object, leaf) in [
        ("{}", ABSENT, ABSENT),
        (r#"{"object":null}"#, ABSENT, ABSENT),
        (r#"{"object":{}}"#, is("{}"), ABSENT),
        (r#"{"object":{"t":"x"}}"#, is("{}"), is("x")),
        (r#"{"object":""}"#, UNREADABLE, UNREADABLE),
        (r#"{"object":[{"t":"x"}]}"#, UNREADABLE, UNREADABLE),
        ("[]", UNREADABLE, UNREADABLE),
        ("null", UNREADABLE, UNREADABLE),
    ] {
        let entries = read(text);
        assert_eq!((&entries["/object"], &entries["/object/t"]), (&object, &leaf), "{text}");
    }
}

#[test]
fn an_element_that_is_no_object_is_unreadable() {
    let entries = read(r#"{"list":[{"t":"a","i":"5"},null,[],{}]}"#);
    let at = |pointer: &str| &entries[pointer];
    assert_eq!(
        (at("/list"), at("/list/0"), at("/list/0/t"), at("/list/0/i")),
        (&is("[4]"), &is("{}"), &is("a"), &is("5"))
    );
    for element in ["/list/1", "/list/2"] {
        assert_eq!((at(element), at(&format!("{element}/t"))), (&UNREADABLE, &UNREADABLE), "{element}");
    }
    assert_eq!((at("/list/3"), at("/list/3/t")), (&is("{}"), &ABSENT));
    reads("list", &[("{}", UNREADABLE), (r#""""#, UNREADABLE), ("null", ABSENT), ("[]", is("[0]"))]);
    let entries = read(&format!(r#"{{"list":[{}{{}}]}}"#, "{},".repeat(11)));
    assert_eq!(
        (&entries["/list"], entries.contains_key("/list/4"), entries.contains_key("/list/5")),
        (&is("[12]"), true, false)
    );
}

#[test]
fn the_first_of_two_members_counts_and_names_are_exact() {
    let entries = read(r#"{"Integer":1,"integer":2,"\u0069nteger":3,"amount":null,"amount":5,"FLAG":true}"#);
    assert_eq!((&entries["/integer"], &entries["/amount"], &entries["/flag"]), (&is("2"), &ABSENT, &ABSENT));
}

#[test]
fn what_is_guessed_has_no_entry() {
    let entries = read(r#"{"guessed":"x","guess":{"t":"x"}}"#);
    assert!(!entries.keys().any(|pointer| pointer.starts_with("/gues")), "{entries:?}");
    assert_eq!(entries.len(), 10);
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
