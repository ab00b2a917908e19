//! Reads the `endpoints` of a scenarios file.

use super::endpoint::{Canned, CannedEffect};
use super::template::Template;
use crate::crypto::envelope::Body;
use crate::crypto::keys::KeyKind;
use crate::http::path_pattern;
use crate::state::ledger::Effect;
use crate::util::json::Json;

/// The scenarios of this project's own tests, which are data; no code is shared.
pub const EMBEDDED: &str = include_str!("../../../tests/scenarios.json");

/// `other_answers` is for the tests of this project.
const MEMBERS: [&str; 7] = ["setup", "request", "wire", "effect", "amount", "answer", "other_answers"];

/// All entries, including those of endpoints that have a handler. Errors name the entry.
pub fn endpoints(file: &Json) -> Result<Vec<Canned>, String> {
    let entries = match file.get("endpoints") {
        Some(Json::Object(entries)) => entries,
        _ => return Err("there is no object \"endpoints\"".to_string()),
    };
    let entry =
        |(name, json): &(String, Json)| entry(name, json).map_err(|problem| format!("endpoints: {name}: {problem}"));
    entries.iter().map(entry).collect()
}

fn entry(name: &str, json: &Json) -> Result<Canned, String> {
    let Json::Object(members) = json else {
        return Err("an entry must be an object".to_string());
    };
    if let Some((unknown, _)) = members.iter().find(|(name, _)| !MEMBERS.contains(&name.as_str())) {
        return Err(format!("there is no field {unknown}; there are {}", MEMBERS.join(", ")));
    }
    let request = json.get("request").filter(|request| request.is_object()).ok_or("\"request\" must be an object")?;
    let answer = json.get("answer").filter(|answer| answer.is_object()).ok_or("\"answer\" must be an object")?;
    let (method, path, key, body) = wire(json.get("wire"))?;
    let effect = effect(json)?;

    let mut templates = Vec::new();
    collect(answer, &mut templates);
    let of_effect = effect.iter().flat_map(|effect| std::iter::once(&effect.key).chain(&effect.amount));
    let used = templates.iter().chain(of_effect).flat_map(Template::members).chain(path_pattern::names(&path));
    let absent = |name: &&str| request.at(name).is_none();
    if let Some(name) = used.into_iter().find(absent) {
        return Err(format!("{{{name}}} is not in \"request\""));
    }
    Ok(Canned { name: name.to_string(), method, path: path.clone(), key, body, effect, answer: answer.clone() })
}

fn wire(json: Option<&Json>) -> Result<(String, String, KeyKind, Body), String> {
    const FORM: &str = "\"wire\" must be [method, path, API key, envelope], and \"RSA\" as a fifth where it applies";
    let Some(Json::Array(items)) = json else {
        return Err(FORM.to_string());
    };
    let texts = items.iter().map(Json::as_text).collect::<Option<Vec<_>>>().ok_or(FORM)?;
    let (method, path, key, envelope, header) = match texts.as_slice() {
        [method, path, key, envelope] => (*method, *path, *key, *envelope, false),
        [method, path, key, envelope, "RSA"] => (*method, *path, *key, *envelope, true),
        _ => return Err(FORM.to_string()),
    };
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(format!("\"wire\": {method:?} is not a method in capital letters"));
    }
    path_pattern::check(path).map_err(|problem| format!("\"wire\": the path {path} {problem}"))?;
    if path == "/sandbox" || path.starts_with("/sandbox/") {
        return Err(format!("\"wire\": the path {path} is one of the sandbox's own calls"));
    }
    let key = match key {
        "public" => KeyKind::Public,
        "secret" => KeyKind::Secret,
        _ => return Err(format!("\"wire\": the API key {key:?} is neither public nor secret")),
    };
    let body = match (envelope, header) {
        ("none", false) => Body::None,
        ("plain", false) => Body::Plain,
        ("encrypted", false) => Body::Encrypted,
        ("encrypted", true) => Body::EncryptedWithHeader,
        ("none" | "plain", true) => return Err("\"wire\": \"RSA\" belongs to the envelope encrypted".to_string()),
        _ => return Err(format!("\"wire\": the envelope {envelope:?} is not one of none, plain and encrypted")),
    };
    Ok((method.to_string(), path.to_string(), key, body))
}

fn effect(json: &Json) -> Result<Option<CannedEffect>, String> {
    const FORM: &str = "\"effect\" must be null or [effect, key]";
    let amount = match json.get("amount") {
        None => None,
        Some(Json::Text(text)) if !text.is_empty() => Some(Template::parse(text)),
        Some(_) => return Err("\"amount\" must be a text such as \"{amount}\"".to_string()),
    };
    let items = match json.get("effect") {
        Some(Json::Null) if amount.is_some() => return Err("\"amount\" belongs to an effect".to_string()),
        Some(Json::Null) => return Ok(None),
        Some(Json::Array(items)) => items,
        _ => return Err(FORM.to_string()),
    };
    let [Json::Text(name), Json::Text(key)] = items.as_slice() else {
        return Err(FORM.to_string());
    };
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Err(format!("\"effect\": {name:?} is not a name in small letters and _"));
    }
    if key.is_empty() {
        return Err("\"effect\": the key is empty".to_string());
    }
    Ok(Some(CannedEffect { effect: Effect::named(name), key: Template::parse(key), amount }))
}

/// The texts of a response.
fn collect(json: &Json, templates: &mut Vec<Template>) {
    match json {
        Json::Text(text) => templates.push(Template::parse(text)),
        Json::Array(items) => items.iter().for_each(|item| collect(item, templates)),
        Json::Object(members) => members.iter().for_each(|(_, value)| collect(value, templates)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"request":{"a":"1","b":{"c":"2"}},"wire":["POST","/x/{a}","secret","encrypted","RSA"],"effect":["done","{b.c}"],"amount":"{a}","answer":{"text":"{b.c}"}}"#;

    fn read(entry: &str) -> Result<Canned, String> {
        let file = format!(r#"{{"endpoints":{{"e":{entry}}}}}"#);
        endpoints(&Json::parse(file.as_bytes()).unwrap()).map(|mut entries| entries.remove(0))
    }

    #[test]
    fn a_good_entry() {
        let entry = read(GOOD).unwrap();
        assert_eq!((entry.name.as_str(), entry.method.as_str(), entry.path.as_str()), ("e", "POST", "/x/{a}"));
        assert_eq!((entry.key, entry.body), (KeyKind::Secret, Body::EncryptedWithHeader));
        let effect = entry.effect.unwrap();
        assert_eq!((effect.effect.name(), effect.amount), ("done", Some(Template::parse("{a}"))));
        for (envelope, body) in [("none", Body::None), ("plain", Body::Plain), ("encrypted", Body::Encrypted)] {
            assert_eq!(read(&GOOD.replace(r#""encrypted","RSA""#, &format!("\"{envelope}\""))).unwrap().body, body);
        }
    }

    #[test]
    fn the_problem_of_a_bad_entry_is_named() {
        let with = |from: &str, to: &str| {
            assert!(GOOD.contains(from), "{from}");
            read(&GOOD.replace(from, to)).unwrap_err()
        };
        for (from, to, words) in [
            (GOOD, "5", "must be an object"),
            (r#""amount""#, r#""amuont""#, "there is no field amuont; there are setup, request"),
            (r#"{"a":"1","b":{"c":"2"}}"#, "[]", "\"request\" must be an object"),
            (r#"{"text":"{b.c}"}"#, "\"x\"", "\"answer\" must be an object"),
            (r#"{"text":"{b.c}"}"#, r#"{"list":[{"text":"{b.d}"}]}"#, "{b.d} is not in \"request\""),
            (r#"["done","{b.c}"]"#, r#"["done","{z}"]"#, "{z} is not in \"request\""),
            (r#""amount":"{a}""#, r#""amount":"{z}""#, "{z} is not in \"request\""),
            ("/x/{a}", "/x/{z}", "{z} is not in \"request\""),
            ("/x/{a}", "x", "must start with /"),
            ("/x/{a}", "/x/{a}-1", "a value must be a whole segment"),
            ("/x/{a}", "/sandbox/x", "one of the sandbox's own calls"),
            (r#""POST""#, r#""post""#, "\"post\" is not a method"),
            (r#""secret""#, r#""both""#, "\"both\" is neither public nor secret"),
            (r#""encrypted""#, r#""sealed""#, "\"sealed\" is not one of none, plain and encrypted"),
            (r#""encrypted""#, r#""plain""#, "\"RSA\" belongs to the envelope encrypted"),
            (r#""RSA""#, r#""AES""#, "\"wire\" must be [method, path, API key, envelope]"),
            (r#","encrypted","RSA"]"#, "]", "\"wire\" must be [method, path, API key, envelope]"),
            (r#"["done","{b.c}"]"#, "null", "\"amount\" belongs to an effect"),
            (r#"["done","{b.c}"]"#, r#"["done"]"#, "\"effect\" must be null or [effect, key]"),
            (r#"["done","{b.c}"]"#, r#"["Done","{b.c}"]"#, "\"Done\" is not a name"),
            (r#"["done","{b.c}"]"#, r#"["done",""]"#, "the key is empty"),
            (r#""amount":"{a}""#, r#""amount":5"#, "\"amount\" must be a text"),
        ] {
            let problem = with(from, to);
            assert!(problem.starts_with("endpoints: e: ") && problem.contains(words), "{problem}: {words}");
        }
        assert!(endpoints(&Json::parse(b"{}").unwrap()).unwrap_err().contains("no object \"endpoints\""));
    }
}
