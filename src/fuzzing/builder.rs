//! Input: a line for each value that is set: a letter for its kind (s string, w Windows-1252, n number, b boolean, j JSON),
//! the pointer, a tab, the value. A plain model of the document is changed in the same way, and both texts are compared.
//!
//! Here and not in `fuzz/`, because the builder is private.

use serde::de::IgnoredAny;

use super::{has_canary, json as reader, may_name_canary};
use crate::json::builder::{Builder, Value};
use crate::request::body;

/// The root is one level, and each of its fields may have 32.
const LEVELS: usize = 33;

pub fn builder(input: &[u8]) {
    run(input);
}

/// Returns the number of values set before the first failure, and whether there was one.
fn run(input: &[u8]) -> (usize, bool) {
    let (mut builder, mut model) = (Builder::new(), Model::Object(Vec::new()));
    let mut count = 0;
    for line in input.split(|&byte| byte == b'\n') {
        let Some((&kind, rest)) = line.split_first() else { continue };
        let Some(tab) = rest.iter().position(|&byte| byte == b'\t') else { continue };
        let (Ok(pointer), bytes) = (std::str::from_utf8(&rest[..tab]), &rest[tab + 1..]) else { continue };
        let text = std::str::from_utf8(bytes);
        let (value, expected) = match (kind, text) {
            (b's', Ok(text)) => (Value::Text(text), Some(Model::text(text))),
            (b'w', _) => (Value::Cp1252(bytes), cp1252(bytes).map(|text| Model::text(&text))),
            (b'n', Ok(text)) => (Value::Number(text), is_number(text).then(|| Model::Leaf(text.to_owned()))),
            (b'b', _) => (Value::Bool(bytes != b"0"), Some(Model::Leaf((bytes != b"0").to_string()))),
            (b'j', Ok(text)) => (Value::Json(text), Model::json(text)),
            _ => continue,
        };
        let is_set = builder.set(pointer, value);
        let may_name = has_canary(pointer) || (kind == b'j' && text.is_ok_and(may_name_canary));
        let expected = expected.is_some_and(|value| model.set(pointer, value)) && model.levels() <= LEVELS;
        assert_eq!(is_set, expected, "{}: {:?}", line.escape_ascii(), builder.error());
        if !is_set {
            check_failure(&mut builder, may_name);
            return (count, true);
        }
        count += 1;
        // Making the text changes nothing.
        if count % 3 == 0 {
            assert!(builder.text().is_some());
        }
    }
    let text = builder.text().expect("nothing failed").to_str().expect("JSON is UTF-8").to_owned();
    assert_eq!((text.as_str(), builder.error()), (&*model.to_text(), c""));
    let sent = body::payload(&text).unwrap_or_else(|error| panic!("what was built is refused: {}", error.message));
    assert_eq!(std::str::from_utf8(&sent), Ok(&*text), "what was built is not compact");
    (count, false)
}

fn check_failure(builder: &mut Builder, may_name: bool) {
    let error = builder.error().to_str().expect("an error is UTF-8").to_owned();
    assert!(!error.is_empty() && error.chars().count() <= 500 && !error.contains(char::is_control), "{error:?}");
    assert!(may_name || !has_canary(&error), "a value is repeated: {error}");
    assert!(builder.has_failed() && builder.text().is_none() && !builder.set("/a", Value::Bool(true)));
    assert_eq!(builder.error().to_str(), Ok(&*error), "the first failure is the one that is told");
}

/// Leaves are JSON text.
enum Model {
    Object(Vec<(String, Model)>),
    Array(Vec<Model>),
    Leaf(String),
}

impl Model {
    fn text(text: &str) -> Model {
        Model::Leaf(serde_json::to_string(text).unwrap())
    }

    /// `None` unless it is JSON that may be set.
    fn json(text: &str) -> Option<Model> {
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let scan = reader::scan(text);
        let mut rest = scan.compact.as_str();
        (!scan.named_twice).then(|| Model::read(&mut rest, LEVELS))?
    }

    /// Reads one value of compact JSON.
    fn read(rest: &mut &str, levels: usize) -> Option<Model> {
        let levels = levels.checked_sub(1)?;
        let close = match rest.as_bytes()[0] {
            b'{' => '}',
            b'[' => ']',
            b'"' => return Some(Model::Leaf(reader::take_string(rest).to_owned())),
            _ => {
                let (leaf, after) = rest.split_at(rest.find([',', ']', '}']).unwrap_or(rest.len()));
                *rest = after;
                return Some(Model::Leaf(leaf.to_owned()));
            }
        };
        let mut children = Vec::new();
        *rest = &rest[1..];
        while !rest.starts_with(close) {
            *rest = rest.strip_prefix(',').unwrap_or(rest);
            let name = if close == '}' {
                // Half of a surrogate pair is no name.
                let name = serde_json::from_str(reader::take_string(rest)).ok()?;
                *rest = &rest[1..];
                name
            } else {
                String::new()
            };
            children.push((name, Model::read(rest, levels)?));
        }
        *rest = &rest[1..];
        Some(match close {
            '}' => Model::Object(children),
            _ => Model::Array(children.into_iter().map(|(_, item)| item).collect()),
        })
    }

    fn levels(&self) -> usize {
        1 + match self {
            Model::Object(members) => members.iter().map(|(_, value)| value.levels()).max().unwrap_or(0),
            Model::Array(items) => items.iter().map(Model::levels).max().unwrap_or(0),
            Model::Leaf(_) => 0,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Model::Object(members) => {
                let member =
                    |(name, value): &(String, Model)| format!("{}:{}", Model::text(name).to_text(), value.to_text());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
            Model::Array(items) => format!("[{}]", items.iter().map(Model::to_text).collect::<Vec<_>>().join(",")),
            Model::Leaf(text) => text.clone(),
        }
    }

    /// False if the rules refuse it; the model is of no use then.
    fn set(&mut self, pointer: &str, value: Model) -> bool {
        let tildes = pointer.matches('~').count();
        if tildes != pointer.matches("~0").count() + pointer.matches("~1").count() {
            return false;
        }
        let Some(steps) = pointer.strip_prefix('/') else {
            let is_object = matches!(value, Model::Object(_));
            *self = value;
            return pointer.is_empty() && is_object;
        };
        let steps: Vec<_> = steps.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
        // An escaped step is never a dash or a number.
        steps[..steps.len() - 1].iter().all(|step| step != "-") && self.put(&steps, value)
    }

    fn put(&mut self, steps: &[String], value: Model) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            *self = value;
            return true;
        };
        let is_decimal = |step: &String| !step.is_empty() && step.chars().all(|c| c.is_ascii_digit());
        let new = || match rest.first() {
            Some(next) if next == "-" || is_decimal(next) => Model::Array(Vec::new()),
            _ => Model::Object(Vec::new()),
        };
        match self {
            Model::Leaf(_) => false,
            Model::Object(_) if step == "-" => false,
            Model::Object(members) => {
                if !members.iter().any(|(name, _)| name == step) {
                    members.push((step.clone(), new()));
                }
                let found = members.iter_mut().find(|(name, _)| name == step);
                found.is_some_and(|(_, found)| found.put(rest, value))
            }
            Model::Array(items) => {
                let index = match step.as_str() {
                    "-" => Some(items.len()),
                    _ => (0..=items.len()).find(|index| index.to_string() == *step),
                };
                let Some(index) = index else { return false };
                if index == items.len() {
                    items.push(new());
                }
                items[index].put(rest, value)
            }
        }
    }
}

/// A JSON number, character by character.
fn is_number(text: &str) -> bool {
    fn digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let whole = match unsigned.strip_prefix('0') {
        Some(rest) => Some(rest),
        None => digits(unsigned),
    };
    let fraction = whole.and_then(|rest| rest.strip_prefix('.').map_or(Some(rest), digits));
    let exponent = fraction.and_then(|rest| match rest.strip_prefix(['e', 'E']) {
        Some(rest) => digits(rest.strip_prefix(['+', '-']).unwrap_or(rest)),
        None => Some(rest),
    });
    exponent == Some("")
}

/// Decodes Windows-1252: only the bytes from 0x80 to 0x9F differ from Unicode.
fn cp1252(bytes: &[u8]) -> Option<String> {
    const UPPER: &str = "€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ";
    let character = |&byte: &u8| match byte {
        0x80..=0x9f => UPPER.chars().nth(usize::from(byte - 0x80)).filter(|&c| c != '.'),
        _ => char::from_u32(byte.into()),
    };
    bytes.iter().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::run;

    /// A sequence that is the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 33) as usize % end
        }

        fn pick<T: Copy>(&mut self, of: &[T]) -> T {
            of[self.below(of.len())]
        }
    }

    /// Few names, so that ways cross.
    const STEPS: &[&str] = &["a", "b", "a", "b", "0", "0", "1", "2", "-", "10", "a~1b", "~0", "", "é"];
    const RARE_STEPS: &[&str] = &["01", "~2", "-1", "99999999999999999999", "\u{7f}"];
    const VALUES: &[(char, &[u8])] = &[
        ('s', b"canary \"x\" \\ \x01"),
        ('s', "canary é€".as_bytes()),
        ('w', b"canary \xe9\x80\x9f\""),
        ('n', b"-1.50E+3"),
        ('n', b"0"),
        ('b', b"0"),
        ('b', b"1"),
        ('j', b"{}"),
        ('j', b"[]"),
        ('j', b"null"),
        ('j', br#" [ 1 , { "a" : [ "\u00e9" , 1e400 ] } , [ ] ] "#),
        ('j', br#"{"b":{"a":{}},"0":"\ud800"}"#),
    ];
    const RARE_VALUES: &[(char, &[u8])] =
        &[('n', b"1,50"), ('n', b"01"), ('w', b"\x81"), ('j', b"{\"a\":1,\"a\":2}"), ('j', b"[1")];

    fn input(random: &mut Random) -> Vec<u8> {
        let mut input = Vec::new();
        for _ in 0..=random.below(12) {
            let steps = if random.below(50) == 0 { 0 } else { 1 + random.below(4) };
            let mut pointer = String::new();
            for _ in 0..steps {
                let steps = if random.below(80) == 0 { RARE_STEPS } else { STEPS };
                pointer.extend(["/", random.pick(steps)]);
            }
            let values = if random.below(60) == 0 { RARE_VALUES } else { VALUES };
            let (kind, value) = random.pick(values);
            input.extend(format!("{kind}{pointer}\t").into_bytes());
            input.extend([value, b"\n"].concat());
        }
        input
    }

    /// Each is compared with the model; the counts show that they do not all fail, or all succeed.
    #[test]
    fn random_requests_are_those_of_the_model() {
        let mut random = Random(0x5eed_5eed_5eed_5eed);
        let (mut set, mut failed, mut whole) = (0, 0, 0);
        for _ in 0..4000 {
            let (count, has_failed) = run(&input(&mut random));
            set += count;
            failed += usize::from(has_failed);
            whole += usize::from(!has_failed && count >= 3);
        }
        assert!(set > 4000 && failed > 500 && whole > 200, "{set} set, {failed} failed, {whole} whole");
    }
}
