use super::*;
use crate::json::scan::plain_bytes;

fn scan(text: &str) -> Result<Document, ScanError> {
    Document::scan(text, &|| false)
}

#[test]
fn accepts_what_serde_json_accepts_and_nothing_else() {
    let short = [
        "{}", "[]", "null", " true ", "-0", "0.10", "1e400", r#""""#, "", " ", "{", "}", "[1,]", "{,}", r#"{"a"}"#,
        "{a:1}", "01", "-", "1.", ".5", "1e", "+1", "NaN", "tru", "truex", "nul", "\"", "\"\\\"", r#""\x""#, "\"\n\"",
        "[1 2]", "{} {}", "[}", "{]", "[1}", "'a'", "// a",
    ];
    let long = [
        "12345678901234567890",
        r#""\ud800""#,
        "[1,[2,{}],\"a\"]",
        r#"{"a":{"b":[{"c":null}]},"":1}"#,
        "\t[ 1 , 2 ]\r\n",
        r#""\u00e9\n\/""#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#""\u12g4""#,
        "\u{feff}{}",
    ];
    for text in short.into_iter().chain(long) {
        let expected = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert_eq!(scan(text).is_ok(), expected, "{text:?}");
    }
}

#[test]
fn the_first_special_byte_is_found_wherever_it_stands() {
    for length in 0..40 {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for at in 0..length {
                // Neighbours that differ from it by a borrow, and bytes with the top bit.
                for around in [b'a', b'!', b'#', b'[', b']', b' ', 0x7f, 0x80, 0xff, special ^ 0x80] {
                    let mut bytes = vec![around; length];
                    bytes[at] = special;
                    assert_eq!(plain_bytes(&bytes), at, "{around} {special} {at} of {length}");
                }
            }
        }
        assert_eq!(plain_bytes(&vec![0xa2; length]), length);
    }
}

#[test]
fn depth_and_number_of_values_are_bounded_by_memory_not_by_the_stack() {
    let deep = "[".repeat(200_000) + &"]".repeat(200_000);
    assert!(scan(&deep).is_ok());
    assert!(matches!(scan(&deep[1..]), Err(ScanError::Syntax)));
    let many = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    assert!(scan(&many(MAX_VALUES - 1)).is_ok());
    assert!(matches!(scan(&many(MAX_VALUES)), Err(ScanError::TooMany)));
}

#[test]
fn stops_within_every_kind_of_long_input() {
    for text in [
        " ".repeat(1 << 20),
        format!("\"{}\"", "x".repeat(1 << 20)),
        format!("\"{}\"", "\\n".repeat(1 << 19)),
        "1".repeat(1 << 20),
        format!("[{}0]", "0,".repeat(1 << 19)),
        "[".repeat(1 << 20),
    ] {
        let looks = std::cell::Cell::new(0);
        let stop = || looks.replace(looks.get() + 1) == 3;
        assert_eq!(Document::scan(&text, &stop).err(), Some(ScanError::Stopped), "{}...", &text[..5]);
    }
    let members: String = (0..100_000).map(|index| format!("\"{index}\":1,")).collect();
    let text = format!("{{{members}\"x\":1}}");
    assert!(!scan(&text).unwrap().has_duplicate_names());
}

#[test]
fn duplicate_names_are_found_at_any_depth_and_after_unescaping() {
    let many: String = (0..40).map(|index| format!("\"m{index}\":1,")).collect();
    for (text, twice) in [
        (r#"{"a":1,"b":2}"#.to_owned(), false),
        (r#"{"a":1,"a":2}"#.to_owned(), true),
        (r#"{"a":1,"\u0061":2}"#.to_owned(), true),
        (r#"{"\u0061":1,"b":2,"a":2}"#.to_owned(), true),
        (r#"{"x":[{"y":{"a":1,"a":1}}]}"#.to_owned(), true),
        (r#"{"x":{"a":1},"y":{"a":1}}"#.to_owned(), false),
        (r#"{"a":1,"A":2}"#.to_owned(), false),
        (r#"{"\ud800":1,"\ud800":2}"#.to_owned(), true),
        (r#"{"\ud800a":1,"b":3,"\uD800\u0061":2}"#.to_owned(), true),
        (r#"{"\ud800":1,"x":{"\ud800":2},"\u00e9":3}"#.to_owned(), false),
        (format!("{{{many}\"x\":1}}"), false),
        (format!("{{{many}\"m7\":1}}"), true),
        (format!("{{{many}\"\\u006d7\":1}}"), true),
    ] {
        let document = scan(&text).unwrap();
        assert_eq!(document.has_duplicate_names(), twice, "{text}");
    }
    let text = r#"{"a":1,"b":2,"\u0061":3}"#;
    let document = scan(text).unwrap();
    let member = |name| document.root(text).member(name).map(Value::raw);
    assert_eq!((member("a"), member("b"), member("c")), (Some("1"), Some("2"), None), "the first counts");
}

#[test]
fn a_long_text_is_unescaped_only_as_far_as_it_is_wanted() {
    for (text, most, expected) in [
        (r#""abcdef""#, 4, "abcd"),
        (r#""ab\ncd""#, 3, "ab"),
        (r#""ab\ncd""#, 4, "ab\n"),
        (r#""ab\\cd""#, 3, "ab"),
        (r#""a\u00e9b""#, 5, "a"),
        (r#""a\u00e9b""#, 7, "aé"),
        ("\"aéb\"", 2, "a"),
        (r#""ab""#, 9, "ab"),
    ] {
        let document = scan(text).unwrap();
        let most = most.min(text.len());
        assert_eq!(document.root(text).text_start(most).as_deref(), Some(expected), "{text} {most}");
    }
}

#[test]
fn pointers_follow_rfc_6901() {
    let text = r#"{"data":{"code":"M-1","n":100.10,"ok":true,"none":null,"list":[{"x":1},2],"a/b":3,"m~n":4,"":5,"nul":"a\u0000b"}}"#;
    let document = scan(text).unwrap();
    let get = |p: &str| document.root(text).find(p).and_then(Value::plain).map(Cow::into_owned);
    let expect = |p: &str, text: &str| assert_eq!(get(p).as_deref(), Some(text), "{p}");
    expect("/data/code", "M-1");
    expect("/data/n", "100.10");
    expect("/data/ok", "true");
    expect("/data/list", r#"[{"x":1},2]"#);
    expect("/data/list/0/x", "1");
    expect("/data/list/1", "2");
    expect("/data/a~1b", "3");
    expect("/data/m~0n", "4");
    expect("/data/", "5");
    expect("/data/nul", r"a\u0000b");
    assert!(get("").unwrap().starts_with('{'));
    let absent =
        "/data/none /data/absent /data/list/01 /data/list/- /data/list/+1 /data/list/2 /data/m~2n /data/m~ data";
    for absent in absent.split(' ') {
        assert_eq!(get(absent), None, "{absent}");
    }
}

/// In any order, and with containers in containers.
#[test]
fn a_child_is_found_wherever_the_last_look_was() {
    let list = |inner: &str| format!("[{}]", vec![inner; 40].join(","));
    let names = |count: usize| (0..count).map(|index| format!(r#""n{index}":0,"#)).collect::<String>();
    let text = list(&format!(r#"{{"a":{},"b":[[],{{}}],"c":1,{}"":2}}"#, list("[1,2]"), names(60)));
    let document = scan(&text).unwrap();
    let mut containers: Vec<_> = document.values(&text).filter(|value| value.count() > 0).collect();
    let mut seed = 7_usize;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (seed >> 33) % bound
    };
    for _ in 0..50_000 {
        let container = containers[below(5).min(containers.len() - 1)];
        let number = below(container.count() + 1);
        let expected = container.children().nth(number).map(Value::index);
        assert_eq!(container.child(number).map(Value::index), expected);
        if let Some(name) = expected.and_then(|_| container.children().nth(number)?.name()) {
            assert_eq!(container.find(&format!("/{name}")).map(Value::index), expected);
        }
        if below(50) == 0 {
            let other = below(containers.len());
            containers.swap(0, other);
        }
    }
}

/// A program that passes a response from its beginning to its end.
#[test]
fn a_long_answer_is_passed_in_linear_time() {
    const MANY: usize = 150_000;
    let members: String = (0..MANY).map(|index| format!(r#""m{index}":{index},"#)).collect();
    let text = format!(r#"{{{members}"data":[{}0]}}"#, r#"{"x":[1,2]},"#.repeat(MANY));
    let document = scan(&text).unwrap();
    let root = document.root(&text);
    for index in 0..MANY {
        let name = root.child(index).and_then(Value::step).unwrap();
        assert_eq!(root.find(&format!("/{name}")).map(Value::raw), Some(&name[1..]));
    }
    for index in 0..MANY {
        assert_eq!(root.find(&format!("/data/{index}/x/1")).map(Value::raw), Some("2"));
    }
}
