//! URL paths that every server reads as the same segments.
//!
//! Servers and proxies differ in what they do with parameters (`..;`), dots, repeated slashes, backslashes, and text
//! that is escaped twice. A path in which they could differ is refused, because the rules for an endpoint would not
//! find it.

/// The characters that a path may have unescaped, besides letters and digits; a `%` begins an escape.
const PLAIN: &[u8] = b"/-._~!$&'()*+,=:@[]%";
/// The characters that no escape may stand for: a server that decodes once more, or before it splits the path, finds a
/// different path.
const NEVER_ESCAPED: &[u8] = b"/\\;%?#";

/// Fails with the reason why servers could read a path differently; the text follows the name of the field or setting.
pub fn check(path: &str) -> Result<(), String> {
    if path.contains(['?', '#']) {
        return Err("must not hold a query or fragment".into());
    }
    if path.contains(';') {
        return Err("must not hold a parameter (;): servers remove it and find another path".into());
    }
    if !path.bytes().all(|b| b.is_ascii_alphanumeric() || PLAIN.contains(&b)) {
        return Err("holds a character that must be percent-encoded".into());
    }
    let escapes = || path.split('%').skip(1).map(|rest| rest.get(..2));
    for escape in escapes() {
        let is_hex = |digits: &&str| digits.bytes().all(|b| b.is_ascii_hexdigit());
        let byte = escape.filter(is_hex).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            None => return Err("holds a % without two hexadecimal digits after it".into()),
            Some(byte) if !(b' '..0x7f).contains(&byte) || NEVER_ESCAPED.contains(&byte) => {
                return Err(format!("must not hold %{byte:02X}: servers differ in how they read it"));
            }
            Some(_) => {}
        }
    }
    let all = segments(path);
    if all.iter().any(|segment| !segment.is_empty() && segment.bytes().all(|b| matches!(b, b'.' | b' '))) {
        return Err("must not hold dot segments".into());
    }
    // The first is the part before the first slash; the last may be the part after a final slash.
    if all.iter().skip(1).rev().skip(1).any(String::is_empty) {
        return Err("must not hold two slashes in a row".into());
    }
    Ok(())
}

/// The segments of a path that has been checked, unescaped.
pub fn segments(path: &str) -> Vec<String> {
    let unescaped = |segment| percent_encoding::percent_decode_str(segment).decode_utf8_lossy().into_owned();
    path.split('/').map(unescaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_servers_read_differently_is_refused() {
        for (path, part) in [
            ("/x/..;/payment", "parameter"),
            ("/payment;v=1", "parameter"),
            ("/payment%3bv=1", "%3B"),
            ("/x/../payment", "dot segments"),
            ("/x/./payment", "dot segments"),
            ("/x/%2e%2E/payment", "dot segments"),
            ("/x/.%2e/payment", "dot segments"),
            ("/x/..%20/payment", "dot segments"),
            ("/x/.../payment", "dot segments"),
            ("/x/%20/payment", "dot segments"),
            ("/x/..", "dot segments"),
            ("/x/%252e%252e/payment", "%25"),
            ("/x/%25252e./payment", "%25"),
            ("/x%2fpayment", "%2F"),
            ("/x/..%5cpayment", "%5C"),
            (r"/x\payment", "percent-encoded"),
            ("/x|y", "percent-encoded"),
            ("/x y", "percent-encoded"),
            ("/é", "percent-encoded"),
            ("/x/%c0%ae%c0%ae/payment", "%C0"),
            ("/x/%ef%bc%8e/payment", "%EF"),
            ("/payment%00", "%00"),
            ("/payment%09", "%09"),
            ("/payment%3Fa", "%3F"),
            ("/payment%23a", "%23"),
            ("/x/%u002e%u002e/payment", "hexadecimal"),
            ("/x/%2", "hexadecimal"),
            ("/x/%+2", "hexadecimal"),
            ("/x%", "hexadecimal"),
            ("//payment", "two slashes"),
            ("/x//payment", "two slashes"),
            ("/x//", "two slashes"),
            ("/x?a=b", "query or fragment"),
            ("/x#a", "query or fragment"),
        ] {
            let refused = check(path).expect_err(path);
            assert!(refused.contains(part), "{path}: {refused}");
        }
    }

    #[test]
    fn other_paths_are_accepted() {
        for path in
            ["", "/", "/payment/", "/v1.2/a-b_c~d", "/a%20b", "/%61", "/.well-known/x", "/..a/x", "/a(1)!$&'*+,=:@"]
        {
            assert_eq!(check(path), Ok(()), "{path}");
        }
        assert_eq!(segments("/a%20b/%7Ec"), ["", "a b", "~c"]);
    }
}
