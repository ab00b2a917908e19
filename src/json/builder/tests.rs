use super::*;

fn text(builder: &mut Builder) -> Option<String> {
    builder.text().map(|text| text.to_str().unwrap().to_owned())
}

/// The text after these values.
fn built<'a>(values: impl IntoIterator<Item = (&'a str, Value<'a>)>) -> String {
    let mut builder = Builder::new();
    for (pointer, value) in values {
        assert!(builder.set(pointer, value), "{:?}", builder.error());
    }
    assert_eq!(builder.error(), c"");
    let text = text(&mut builder).unwrap();
    assert_eq!(Document::read(&text).unwrap().root(&text).raw(), text);
    text
}

/// The error of the value set last; everything before succeeds.
#[track_caller]
fn refused<'a>(values: impl IntoIterator<Item = (&'a str, Value<'a>)>) -> String {
    let mut builder = Builder::new();
    let mut values: Vec<_> = values.into_iter().collect();
    let (pointer, value) = values.pop().unwrap();
    for (pointer, value) in values {
        assert!(builder.set(pointer, value), "{:?}", builder.error());
    }
    assert!(!builder.set(pointer, value), "{:?}", text(&mut builder));
    let error = builder.error().to_str().unwrap().to_owned();
    assert!(!error.is_empty() && builder.has_failed());
    // For good, and with the first error.
    assert!(!builder.set("/a", Value::Bool(true)) && !builder.set("", Value::Json("{}")) && builder.text().is_none());
    assert_eq!(builder.error().to_str().unwrap(), error);
    error
}

#[test]
fn a_card_order() {
    let text = built([
        ("/reference", Value::Text("ORDER-1")),
        ("/card/cvv", Value::Text("193")),
        ("/order/amount", Value::Number("25.50")),
        ("/customer/lastname", Value::Cp1252(b"M\xfcller-L\xfcdenscheidt \"jr.\"")),
        ("/customer/firstname", Value::Text("Ren\u{e9}e \\ \u{1}\n")),
        ("/saveCard", Value::Bool(false)),
        ("/payment", Value::Json(" { \"RedirectUrl\" : \"\\u0041\" , \"n\" : 1.0E+2 } ")),
        ("/order/currency", Value::Text("NGN")),
    ]);
    let expected = r#"{"reference":"ORDER-1","card":{"cvv":"193"},"order":{"amount":25.50,"currency":"NGN"},"customer":{"lastname":"Müller-Lüdenscheidt \"jr.\"","firstname":"Renée \\ \u0001\n"},"saveCard":false,"payment":{"RedirectUrl":"A","n":1.0E+2}}"#;
    assert_eq!(text, expected);
}

#[test]
fn an_undefined_byte_is_named_by_its_place() {
    assert_eq!(*decoded(b"Ren\xe9e \x80 5").unwrap(), "Renée € 5");
    assert_eq!(decoded(b"ab\x8dc").unwrap_err(), "the value is not Windows-1252: the byte at 2 is undefined");
    assert_eq!(*decoded(b"").unwrap(), "");
}

#[test]
fn nothing_set_is_an_empty_object() {
    assert_eq!(built([]), "{}");
    assert_eq!(built([("", Value::Json(r#"{"a":[1]}"#)), ("/a/-", Value::Bool(true))]), r#"{"a":[1,true]}"#);
    assert_eq!(built([("/a", Value::Bool(true)), ("", Value::Json("{}")), ("/b", Value::Bool(true))]), r#"{"b":true}"#);
}

#[test]
fn what_lies_between_is_made() {
    assert_eq!(
        built([
            ("/payoutDetails/0/amount", Value::Number("1")),
            ("/payoutDetails/0/bank/code", Value::Text("044")),
            ("/payoutDetails/1/amount", Value::Number("2")),
            ("/lists/0/0/0", Value::Number("3")),
            ("/lists/0/-", Value::Json("null")),
            ("/new/-", Value::Bool(true)),
        ]),
        r#"{"payoutDetails":[{"amount":1,"bank":{"code":"044"}},{"amount":2}],"lists":[[[3],null]],"new":[true]}"#
    );
}

#[test]
fn an_index_in_an_object_that_is_there_is_a_name() {
    let values = [
        ("/0", Value::Bool(true)),
        ("/a", Value::Json("{}")),
        ("/a/0", Value::Bool(true)),
        ("/a/044", Value::Bool(true)),
        ("/b/c", Value::Bool(true)),
        ("/b/7", Value::Bool(true)),
    ];
    assert_eq!(built(values), r#"{"0":true,"a":{"0":true,"044":true},"b":{"c":true,"7":true}}"#);
}

#[test]
fn setting_again_replaces() {
    let values = [
        ("/a", Value::Text("long text")),
        ("/b/0", Value::Number("1")),
        ("/a", Value::Number("2")),
        ("/b/0", Value::Json("[1,2,3]")),
        ("/b/0/1", Value::Json("{\"x\":{}}")),
        ("/c", Value::Bool(true)),
        ("/a", Value::Json("{}")),
        ("/a/d", Value::Bool(false)),
    ];
    assert_eq!(built(values), r#"{"a":{"d":false},"b":[[1,{"x":{}},3]],"c":true}"#);
}

#[test]
fn names_are_any_text() {
    let values = [
        ("/a~1b/m~0n/~01", Value::Bool(true)),
        ("/", Value::Bool(true)),
        ("/ / ", Value::Bool(true)),
        ("/\"quoted\\", Value::Bool(true)),
        ("/é", Value::Bool(true)),
        ("/-1", Value::Bool(true)),
        ("/+1/01x", Value::Bool(true)),
    ];
    let expected =
        r#"{"a/b":{"m~n":{"~1":true}},"":true," ":{" ":true},"\"quoted\\":true,"é":true,"-1":true,"+1":{"01x":true}}"#;
    assert_eq!(built(values), expected);
    // An escape in a document and a name in a pointer are the same field.
    assert_eq!(built([("", Value::Json(r#"{"\u0061\/":1}"#)), ("/a~1", Value::Number("2"))]), r#"{"a/":2}"#);
}

#[test]
fn a_pointer_that_leads_nowhere_is_refused() {
    let list = || ("/list", Value::Json("[1,{}]"));
    for (values, part) in [
        (vec![("a", Value::Bool(true))], "a: a pointer starts with /, as in /order/amount"),
        (vec![("", Value::Bool(true))], "\"\": the whole document must be an object"),
        (vec![("", Value::Json("[1]"))], "\"\": the whole document must be an object"),
        (vec![("/a~", Value::Bool(true))], "/a~: the pointer has a ~ that is neither"),
        (vec![("/a~2/b", Value::Bool(true))], "neither ~0 (for ~) nor ~1 (for /)"),
        (vec![list(), ("/list/3", Value::Bool(true))], "/list/3: the next index of /list is 2"),
        (vec![("/new/1/a", Value::Bool(true))], "/new/1/a: the next index of /new is 0"),
        (vec![list(), ("/list/99999999999999999999999", Value::Bool(true))], "the next index of /list is 2"),
        (vec![list(), ("/list/01", Value::Bool(true))], "no leading zeros"),
        (vec![("/banks/044/name", Value::Bool(true))], "no leading zeros; for a field of that name, set its object"),
        (vec![list(), ("/list/a", Value::Bool(true))], "/list is an array: the step after it must be an index or -"),
        (vec![list(), ("/list/", Value::Bool(true))], "must be an index or -"),
        (vec![list(), ("/list/-/a", Value::Bool(true))], "- appends to an array, so it must be the last step"),
        (vec![("/-/a", Value::Bool(true))], "must be the last step"),
        (vec![("/-", Value::Bool(true))], "/-: - appends to an array, but \"\" is an object"),
        (vec![list(), ("/list/1/-", Value::Bool(true))], "- appends to an array, but /list/1 is an object"),
        (vec![list(), ("/list/0/a", Value::Bool(true))], "/list/0 is a number, neither an object nor an array"),
        (vec![("/a", Value::Text("x")), ("/a/b/c", Value::Bool(true))], "/a is a string, neither"),
        (vec![("/a", Value::Json("null")), ("/a/b", Value::Bool(true))], "/a is null, neither"),
        (vec![("/a", Value::Bool(true)), ("/a/0", Value::Bool(true))], "/a is a boolean, neither"),
    ] {
        let error = refused(values);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_number_is_as_json_writes_it() {
    for good in ["0", "-0", "100.10", "1e400", "-1.5E-7", "12345678901234567890.0"] {
        assert_eq!(built([("/n", Value::Number(good))]), format!("{{\"n\":{good}}}"));
    }
    let bad = [
        "", " ", " 1", "1 ", "\n1", "1,50", "1.", ".5", "+1", "007", "-", "--1", "1e", "1e+", "0x1", "NaN", "Infinity",
        "1_000", "1.2.3", "٣", "true", "null", "\"1\"", "[1]", "{}", "1,", "1]",
    ];
    for bad in bad {
        let error = refused([("/order/amount", Value::Number(bad))]);
        assert_eq!(
            error,
            "/order/amount: must be a number as JSON writes it, like 100.10: digits, and a point before a fraction"
        );
    }
}

#[test]
fn a_document_is_checked() {
    for (json, part) in [
        ("", "/a: the value is not JSON: it ends too early"),
        ("{", "the value is not JSON"),
        ("{} {}", "the value is not JSON: it cannot be read from line 1, byte 4 on"),
        ("'x'", "the value is not JSON"),
        (r#"{"a":1,"\u0061":2}"#, "the value is not usable: a is given more than once"),
        (r#"{"\ud800":2}"#, "the value is not usable"),
    ] {
        let error = refused([("/a", Value::Json(json))]);
        assert!(error.contains(part), "{error}");
    }
    // No text, but JSON: as in a request that is passed as a whole.
    assert_eq!(built([("/a", Value::Json(r#""\ud800""#))]), r#"{"a":"\ud800"}"#);
    assert_eq!(built([("/a", Value::Json(r#""\u0000""#))]), r#"{"a":"\u0000"}"#);
}

#[test]
fn an_error_never_repeats_the_value() {
    const SECRET: &str = "4111111111111111";
    for (pointer, value) in [
        ("/card/-/a", Value::Text(SECRET)),
        ("/n", Value::Number("4111111111111111,")),
        ("/n", Value::Json("4111111111111111,")),
        ("/n", Value::Json("{\"a\":4111111111111111 4111111111111111}")),
        ("/n", Value::Json("{\"a\":\"4111111111111111\n\"}")),
        ("/n", Value::Json("{\"a\":\"4111111111111111\\x\"}")),
        ("/n", Value::Cp1252(b"4111111111111111\x81")),
    ] {
        let error = refused([(pointer, value)]);
        assert!(!error.contains("4111"), "{error}");
    }
}

#[test]
fn an_error_is_one_short_line() {
    let error = refused([("/\r\n\u{202e}\u{7f}/-/x", Value::Bool(true))]);
    assert_eq!(error, "/   /-/x: - appends to an array, so it must be the last step");
    let error = refused([(&*format!("/{}/-/x", "é".repeat(3000)), Value::Bool(true))]);
    assert!(error.chars().count() < 200 && error.contains("é…: - appends"), "{error}");
    let error = refused([(&*format!("/{}", "x".repeat(MAX_POINTER)), Value::Bool(true))]);
    assert!(error.contains("longer than 8000 bytes"), "{error}");
}

#[test]
fn depth_is_bounded() {
    let steps = |count: usize| "/a".repeat(count);
    let arrays = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(built([(&*steps(MAX_DEPTH), Value::Bool(true))]).matches('{').count(), MAX_DEPTH);
    assert!(refused([(&*steps(MAX_DEPTH + 1), Value::Bool(true))]).contains("has more than 32 steps"));
    built([("/a", Value::Json(&arrays(MAX_DEPTH)))]);
    built([(&*steps(MAX_DEPTH - 1), Value::Json(&arrays(2)))]);
    built([("", Value::Json(&format!("{{\"a\":{}}}", arrays(MAX_DEPTH))))]);
    for (pointer, levels) in [("/a", MAX_DEPTH + 1), (&*steps(MAX_DEPTH - 1), 3), ("/a/0", MAX_DEPTH), ("/a", 100_000)]
    {
        let error = refused([(pointer, Value::Json(&arrays(levels)))]);
        assert!(error.contains("nests deeper than 32 levels"), "{error}");
    }
    let error = refused([("", Value::Json(&format!("{{\"a\":{}}}", arrays(MAX_DEPTH + 1))))]);
    assert!(error.contains("nests deeper"), "{error}");
}

#[test]
fn a_till_s_thread_has_stack_enough() {
    let body = || {
        let deepest = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert_eq!(built([("/a", Value::Json(&deepest))]).len(), 2 * MAX_DEPTH + "{\"a\":}".len());
        let error = refused([("/a", Value::Json(&"[".repeat(900_000)))]);
        assert!(error.contains("the value is not JSON"), "{error}");
        let error = refused([("/a", Value::Json(&("[".repeat(900_000) + &"]".repeat(900_000))))]);
        assert!(error.contains("nests deeper than 32 levels"), "{error}");
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(body).unwrap().join().unwrap();
}

#[test]
fn size_and_count_are_bounded() {
    let most = MAX_TEXT - "{\"a\":\"\"}".len();
    let too_large = "the document would be larger than 10485760 bytes";
    let mut full = Builder::new();
    assert!(full.set("/a", Value::Text(&"x".repeat(most))) && text(&mut full).unwrap().len() == MAX_TEXT);
    // A replaced value does not count.
    assert!(full.set("/a", Value::Cp1252(b"x")) && full.set("/b", Value::Text(&"x".repeat(most - 8))));
    assert!(!full.set("/b/c", Value::Bool(true)) && !full.error().to_str().unwrap().contains("larger"));
    assert!(refused([("/a", Value::Text(&"x".repeat(most + 1)))]).contains(too_large));
    assert!(refused([("/a", Value::Text(&"\u{1}".repeat(most / 5)))]).contains(too_large));
    assert!(refused([("/a", Value::Cp1252(&vec![0x80; most / 2]))]).contains(too_large));
    assert!(refused([("/a", Value::Json(&" ".repeat(MAX_TEXT + 1)))]).contains(too_large));
    // The root and the array are values as well.
    let ones = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
    let mut full = Builder::new();
    assert!(full.set("/a", Value::Json(&ones(MAX_VALUES - 2))));
    assert!(full.set("/a/5", Value::Bool(true)) && !full.set("/a/-", Value::Bool(true)));
    assert!(full.error().to_str().unwrap().contains("more than 1000000 values"));
    assert!(refused([("/a", Value::Json(&ones(MAX_VALUES + 1)))]).contains("more than 1000000 values"));
}

#[test]
fn many_members_are_found_quickly() {
    let mut builder = Builder::new();
    let name = |number: u32| format!("/{:08x}", number.wrapping_mul(0x9e37_79b9));
    for round in 0..2 {
        for number in 0..5_000 {
            assert!(builder.set(&name(number), Value::Bool(round > 0)), "{:?}", builder.error());
        }
    }
    let text = text(&mut builder).unwrap();
    assert_eq!((text.matches("true").count(), text.matches("false").count()), (5_000, 0));
}

#[test]
fn the_text_stays_until_the_next_change_and_may_be_set() {
    let mut builder = Builder::new();
    assert!(builder.set("/a", Value::Text("x")));
    let first = builder.text().unwrap().as_ptr();
    assert_eq!(builder.text().unwrap().as_ptr(), first);
    assert!(builder.set("/b", Value::Number("1")));
    assert_eq!(text(&mut builder).unwrap(), r#"{"a":"x","b":1}"#);
}

#[test]
fn the_size_is_that_of_the_text() {
    let mut builder = Builder::new();
    for (pointer, value) in [
        ("/a/0/b", Value::Text("\"\u{1}é\u{7f}\u{2028}")),
        ("/a/-", Value::Cp1252(b"\x80\x9f\"\\")),
        ("/c/d~1e", Value::Json("[1,{\"x\":\"\\u00e9\"},[],{}]")),
        ("/c/d~1e/1/x", Value::Bool(true)),
        ("/a", Value::Json("{}")),
    ] {
        assert!(builder.set(pointer, value));
        let (size, root) = builder.document.as_ref().map(|document| (document.size, document.root.size())).unwrap();
        assert_eq!((size.bytes, size.values), (root.bytes, root.values));
        assert_eq!(size.bytes, text(&mut builder).unwrap().len());
    }
}
