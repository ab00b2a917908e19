use std::cell::Cell;
use std::time::{Duration, Instant};

use super::*;
use crate::json::Given;
use crate::util::text::MAX_CHARS;

fn of(secrets: &[&str]) -> Secrets {
    let mut all = Secrets::default();
    secrets.iter().for_each(|text| all.push(text));
    all
}

fn masked_by(secrets: &Secrets, text: &str) -> String {
    Redactor { secrets, key: None, stop: &|| false }.redact(text).unwrap_or_else(|| WITHHELD.to_owned())
}

fn masked(text: &str, secrets: &[&str]) -> String {
    masked_by(&of(secrets), text)
}

const CARD: &str = "4111111111111111";

#[test]
fn a_long_secret_is_masked_whatever_separates_its_characters() {
    let characters = " -\t\u{b}\0./,_·\u{a0}\u{2009}\u{202f}\u{3000}\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}\
        \u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{202e}\u{2066}\u{2028}\u{301}\u{2800}😀";
    let several = ["", "  ", "\r\n", ": ", " - ", "\u{fe0f}\u{20e3}"].map(str::to_owned);
    for between in characters.chars().map(String::from).chain(several) {
        for size in [1, 4] {
            let groups: Vec<_> = CARD.as_bytes().chunks(size).map(String::from_utf8_lossy).collect();
            let text = format!("card {} declined", groups.join(&between));
            assert_eq!(masked(&text, &[CARD]), "card *** declined", "{between:?}");
            // And the other way round: the caller separated them, the service did not.
            assert_eq!(masked(&format!("card {CARD} declined"), &[&groups.join(&between)]), "card *** declined");
        }
    }
}

#[test]
fn digits_of_every_script_are_compared() {
    for zero in ['\u{ff10}', '\u{660}', '\u{6f0}', '\u{966}', '\u{1d7ce}', '\u{1d7f6}'] {
        let written = |text: &str| -> String {
            let digit = |c: char| c.to_digit(10).map_or(c, |digit| char::from_u32(zero as u32 + digit).unwrap());
            text.chars().map(digit).collect()
        };
        assert_eq!(masked(&written("card 4111 1111 1111 1111 no"), &[CARD]), "card *** no");
        assert_eq!(masked(&format!("card {CARD} no"), &[&written(CARD)]), "card *** no");
        assert_eq!(masked(&written("cvv 193."), &["193"]), "cvv ***.");
        assert_eq!(masked(&written("otp 864213."), &["864213"]), "otp ***.");
    }
    assert_eq!(masked("4\u{fe0f}\u{20e3}1\u{fe0f}\u{20e3}2\u{fe0f}\u{20e3}", &["412"]), "***\u{20e3}");
}

#[test]
fn a_long_secret_is_masked_anywhere() {
    let doubled = format!("x{CARD}y{CARD}");
    assert_eq!(masked(&doubled, &[CARD]), "x***y***");
    assert_eq!(masked(&format!("é{CARD}é"), &[CARD]), "é***é");
    assert_eq!(masked(&format!("00{CARD}00"), &[CARD]), "00***00");
    assert_eq!(masked("card 4111111111111112 of 4111", &[CARD]), "card 4111111111111112 of 4111");
    assert_eq!(masked("key pgw-publickey-test-1!", &["PGW-PUBLICKEY-TEST-1"]), "key ***!");
    assert_eq!(
        masked("one \u{feff}5399 4130 7882 5962, two 4111.1111.1111.1111", &[CARD, "5399413078825962"]),
        "one ***, two ***"
    );
    // A text that holds a number: the number alone, too.
    assert_eq!(masked("no card 4111-1111-1111-1111 here", &["card 4111 1111 1111 1111 of Ada"]), "no card *** here");
}

#[test]
fn short_secrets_are_masked_as_whole_tokens_only() {
    for (text, secret, expected) in [
        ("cvv 193, order 1193-19345", "193", "cvv ***, order 1193-19345"),
        ("193", "193", "***"),
        ("(193)", "193", "(***)"),
        ("a193b 193c", "193", "a193b 193c"),
        ("1 9 3 and 1-93", "193", "1 9 3 and 1-93"),
        ("1\u{200b}9\u{2060}3", "193", "***"),
        ("1\u{301}9\u{301}3\u{301}", "193", "***\u{301}"),
        ("HTTP 200 for 2000", "200", "HTTP *** for 2000"),
        ("code 864213 or 1864213", "864213", "code *** or 1864213"),
        ("code 864 213, 864-213, 864.213", "864213", "code ***, ***, ***"),
        ("NGN7730194468, 07730194468", "7730194468", "NGN***, 07730194468"),
        ("otp OTP 8K2Q6X wrong", "OTP-8K2Q6X", "otp *** wrong"),
        ("otpother8K2Q6X", "OTP-8K2Q6X", "otpother8K2Q6X"),
        ("pin a b c", "a-b-c", "pin ***"),
        ("41", "4111111111111111", "41"),
        ("ab", "ab", "ab"),
    ] {
        assert_eq!(masked(text, &[secret]), expected, "{text}");
    }
}

#[test]
fn secrets_without_letters_and_digits_are_masked_as_they_are() {
    assert_eq!(masked("bad password !?#+!?#+ given", &["!?#+!?#+"]), "bad password *** given");
    assert_eq!(masked("so !?#+", &["!?#+!?#+"]), "so !?#+");
    assert_eq!(masked("a - b", &[" "]), "a - b");
}

#[test]
fn credentials_of_a_header_are_secrets_without_their_scheme() {
    let mut secrets = Secrets::default();
    secrets.add_header("Bearer abcdefghijklmnop");
    secrets.add_header("en-US");
    assert_eq!(masked_by(&secrets, "token abcdefghijklmnop of en-US"), "token *** of en-US");
    assert_eq!(masked_by(&secrets, "got Bearer abcdefghijklmnop."), "got ***.");
}

#[test]
fn invisible_characters_are_removed() {
    assert_eq!(masked("a\u{202e}b\u{2066}c\u{200f}d\u{61c}e\u{200b}f\r\ng\u{1b}[31m", &[]), "abcdef  g [31m");
}

/// Wherever the message is cut, no part of a secret is left to read that reveals more than a few characters.
#[test]
fn a_secret_at_any_end_leaves_no_readable_part() {
    let long: String = (0..4000).map(|index| char::from(b'a' + (index * 7 + index / 26) as u8 % 26)).collect();
    let pin = "7316";
    for secret in [CARD, "5399413078825962", "sk-8c1f0a99b27e4d63a5", &long, pin] {
        let head: String = secret.chars().take(3).collect();
        for before in [0, 1, 100, 480, 485, 490, 495, 497, 498, 499, 500, 501, 600, 1480, 1490, 1499, 1500] {
            for after in ["", " and so on", &" no".repeat(1000)] {
                for apart in ["", " ", "\u{200b}"] {
                    if secret == pin && apart == " " {
                        continue;
                    }
                    let set: String = secret.chars().flat_map(|c| [c.to_string(), apart.to_owned()]).collect();
                    let text = format!("{}{}{after}", ". ".repeat(before / 2) + &"."[..before % 2], set);
                    let shown = masked(&text, &[secret]);
                    assert!(shown.chars().count() <= MAX_CHARS);
                    assert!(!shown.replace(' ', "").contains(&head), "{before} {apart:?}: {shown}");
                }
            }
        }
    }
}

#[test]
fn the_beginning_of_a_secret_that_ends_the_message_is_masked() {
    let token = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9";
    for length in 12..token.len() {
        assert_eq!(masked(&format!("bad token {}", &token[..length]), &[token]), "bad token ***", "{length}");
        assert_eq!(masked(&format!("bad token {}…", &token[..length]), &[token]), "bad token ***", "{length}");
    }
    assert_eq!(masked("bad token eyJhbGciOi", &[token]), "bad token eyJhbGciOi");
    // No more of a card number than the six digits that may be shown.
    assert_eq!(masked("card 4111 111", &[CARD]), "card ***");
    assert_eq!(masked("card 4111 11", &[CARD]), "card 4111 11");
    assert_eq!(masked("card 4111 111 declined", &[CARD]), "card 4111 111 declined");
    // The whole secret, and then its beginning.
    assert_eq!(masked(&format!("{CARD}, 41111111"), &[CARD]), "***, ***");
}

#[test]
fn the_api_key_is_a_secret_too() {
    let key = Secret::new("PGW-SECRETKEY-TEST-99");
    let mask = Redactor { secrets: &Secrets::default(), key: Some(&key), stop: &|| false };
    assert_eq!(mask.redact("key PGW SECRETKEY TEST 99 is unknown").as_deref(), Some("key *** is unknown"));
    assert_eq!(mask.redact("Refund initiated").as_deref(), Some("Refund initiated"));
    assert_eq!(mask.redact("00"), Some("00".to_owned()));
}

/// The quick check is compared with the full search, and both with a search position by position.
#[test]
fn the_quick_check_overlooks_nothing() {
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut found = 0;
    for round in 0..30_000 {
        let kinds = [3, 5, 8][round % 3];
        let mut made = |length: u64| -> String {
            (0..length)
                .map(|_| ["1", "2", "a", " ", "-", "\u{ff11}", "\u{e9}", "\u{200b}"][random(kinds) as usize])
                .collect()
        };
        let (text, secrets) = (made(30), [made(4), made(7), made(14)]);
        let all = of(&secrets.each_ref().map(String::as_str));
        let window = Window::new(&text);
        let searched = window.masked(&window.hidden(all.iter()).unwrap());
        assert_eq!(masked_by(&all, &text), searched, "{text:?} {secrets:?}");
        let symbols = |text: &str| symbols(text).collect::<Vec<_>>();
        // A letter that is in none of them stands for the mask.
        let left = symbols(&searched.replace("***", "z"));
        for long in secrets.iter().map(|secret| symbols(secret)).filter(|secret| secret.len() >= 12) {
            assert!(!left.windows(long.len()).any(|part| part == long), "{text:?} {secrets:?}: {searched:?}");
        }
        found += usize::from(searched.contains('*'));
    }
    assert!(found > 500, "{found}");
}

/// 4 MB of a one-time code took 58 seconds; now no more is read than can be shown.
#[test]
fn a_message_of_megabytes_takes_no_longer_than_a_short_one() {
    let code = "864213 ".repeat(600_000);
    let secrets = of(&["864213", CARD]);
    let started = Instant::now();
    for text in [&code, &"4".repeat(4_000_000), &"\u{200b}".repeat(2_000_000), &" ".repeat(4_000_000)] {
        assert!(masked_by(&secrets, text).chars().count() <= MAX_CHARS);
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(masked_by(&secrets, &code).replace(['*', ' '], ""), "");
}

/// As many as are searched for, and all like the text.
#[test]
fn many_secrets_that_resemble_the_text_are_found_quickly() {
    let like = |length: usize| "1".repeat(length) + "2";
    let secrets: Vec<_> = (24..360).map(like).collect();
    let secrets = of(&secrets.iter().map(String::as_str).collect::<Vec<_>>());
    let started = Instant::now();
    for text in ["1".repeat(2000), like(2000), like(400)] {
        assert_eq!(masked_by(&secrets, &text).replace(['1', '*'], ""), "");
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_message_is_withheld_if_too_many_secrets_may_be_in_it() {
    let mut secrets = Secrets::default();
    (0..16_000).for_each(|number| secrets.add(&format!("{number:06}")));
    assert_eq!(masked_by(&secrets, "code 015999 is wrong"), WITHHELD);
    assert_eq!(masked_by(&secrets, "the code is wrong"), "the code is wrong");
    let secrets = of(&[&"1x".repeat(1 << 20)]);
    assert_eq!(masked_by(&secrets, "1x1x1x1x"), WITHHELD);
    assert_eq!(masked_by(&secrets, "1x, no"), "1x, no");
}

#[test]
fn nothing_is_shown_if_the_call_ends_meanwhile() {
    let mut secrets = Secrets::default();
    (0..100_000).for_each(|number| secrets.add(&format!("secret {number}")));
    let checks = Cell::new(0);
    let stop = || checks.replace(checks.get() + 1) == 3;
    assert_eq!(Redactor { secrets: &secrets, key: None, stop: &stop }.redact("card 4111"), None);
    assert_eq!(checks.get(), 4, "it continues although it was told to stop");
}

#[test]
fn nothing_is_shown_if_the_secrets_are_incomplete() {
    let text = format!(r#"{{"body":[{}]}}"#, vec!["\"123456\""; 10_000].join(","));
    let checks = Cell::new(0);
    let stop = || checks.replace(checks.get() + 1) == 2;
    let secrets = Secrets::of_request(Given::read(&text).fields().unwrap(), &[], &stop);
    assert_eq!((secrets.is_complete(), checks.get()), (false, 3));
    assert_eq!(masked_by(&secrets, "harmless"), WITHHELD);
    let mask = Redactor { secrets: &secrets, key: None, stop: &|| false };
    assert_eq!((mask.redact("E193"), mask.redact("00")), (None, Some("00".to_owned())));
}
