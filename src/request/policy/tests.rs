use super::*;
use crate::config::address::BaseUrl;
use crate::json::Given;
use crate::request::raw::prepare;
use crate::util::secret::Secret;
use paysvc_spec::schema::Safety;

/// The URL of the request, or the error.
fn prepared(base_path: &str, request: &serde_json::Value) -> Result<String, String> {
    prepare_with(base_path, request).map(|(url, _)| url)
}

fn repeated(base_path: &str, request: &serde_json::Value) -> bool {
    prepare_with(base_path, request).unwrap_or_else(|error| panic!("{request}: {error}")).1 == Safety::ReadOnly
}

fn prepare_with(base_path: &str, request: &serde_json::Value) -> Result<(String, Safety), String> {
    let base_url = BaseUrl::parse(&format!("https://pay.example{base_path}"), false)?;
    let settings = settings(base_url);
    let request = request.to_string();
    let given = Given::read(&request);
    let prepared = prepare(&given, &settings, &|| false).map_err(|error| error.message)?;
    Ok((prepared.url, prepared.safety))
}

fn settings(base_url: BaseUrl) -> Config {
    let keys = ["p", "s"].map(|key| Some(Secret::new(key)));
    Config { base_url: Some(base_url.into()), keys, ..Config::default() }
}

/// Other spellings of a path, each with the end of `base_url`, that are read as a row's path.
fn spellings(path: &str) -> Vec<(String, String)> {
    let path = path.replace(['{', '}'], "");
    let (head, tail) = path.rsplit_once('/').unwrap();
    let escaped: String = path.chars().map(|c| if c == 'a' { "%61".to_owned() } else { c.to_string() }).collect();
    let mut all: Vec<_> = [
        path.clone(),
        path.to_uppercase(),
        escaped,
        format!("{path}/"),
        format!("{path}%20"),
        format!("{path}."),
        format!("{path}.json"),
    ]
    .map(|path| (String::new(), path))
    .into();
    all.push((head.to_owned(), format!("/{tail}")));
    all.push((format!("{head}/"), format!("/{tail}")));
    all.push(("/api/v1".to_owned(), path.clone()));
    all
}

#[test]
fn no_spelling_of_a_path_sends_an_encrypted_payload_in_clear() {
    for row in ENDPOINTS.iter().filter(|row| row.encrypted) {
        for (base, path) in spellings(row.path) {
            for method in ["POST", "PUT", "DELETE"] {
                let request = serde_json::json!({"method": method, "path": path, "key": "public", "body": {"a": 1}});
                let refused = prepared(&base, &request).expect_err(&path);
                assert!(refused.contains("never sent unencrypted"), "{base} {path}: {refused}");
            }
        }
    }
}

#[test]
fn the_secret_key_goes_only_to_rows_that_name_it() {
    for row in ENDPOINTS {
        for (base, path) in spellings(row.path) {
            for method in ["GET", "POST", "PUT"] {
                let request = serde_json::json!({"method": method, "path": path, "key": "secret"});
                let result = prepared(&base, &request);
                let rejected = result.as_ref().is_err_and(|error| error.contains("must be the public_key"));
                let accepted = result.is_ok() || result.as_ref().is_err_and(|error| !error.contains("key "));
                assert!(
                    if row.key == ApiKey::Secret { accepted } else { rejected },
                    "{method} {base} {path}: {result:?}"
                );
            }
        }
    }
}

/// At the path of every row that changes something, and below it.
#[test]
fn requests_that_change_something_are_never_repeated_under_any_spelling_or_method() {
    let mut checked = 0;
    for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
        for (base, path) in spellings(row.path) {
            for below in ["", "/", "/X-1", "/status/X-1", "/%73tatus"] {
                for method in ["GET", "POST", "PUT", "DELETE"] {
                    let path = format!("{}{below}", path.trim_end_matches('/'));
                    let key = row.key.setting().trim_end_matches("_key");
                    let mut request = serde_json::json!({"method": method, "path": path, "key": key});
                    request["read_only"] = true.into();
                    if method != "GET" {
                        request["body"] = serde_json::json!({"a": 1});
                        request["encrypt"] = row.encrypted.into();
                    }
                    let exact_reading = |other: &Endpoint| {
                        other.read_only()
                            && other.method.name() == method
                            && normalized_segments(other.path) == normalized_segments(&path)
                    };
                    if ENDPOINTS.iter().any(exact_reading) {
                        continue;
                    }
                    checked += 1;
                    let refused = prepared(&base, &request).expect_err(&path);
                    assert!(refused.contains("read_only must be false"), "{method} {base} {path}: {refused}");
                    // A GET is read-only by default, but not here.
                    if method == "GET" && !row.encrypted {
                        request.as_object_mut().unwrap().remove("read_only");
                        assert!(!repeated(&base, &request), "{base} {path}");
                    }
                }
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn read_only_requests_may_be_repeated() {
    for path in ["/payment/currencies", "/payment/order/history", "/payment/orders/pay"] {
        let get = serde_json::json!({"method": "GET", "path": path, "key": "public"});
        assert!(repeated("", &get), "{path}");
        let post = serde_json::json!({"method": "POST", "path": path, "key": "public", "read_only": true});
        assert!(repeated("", &post), "{path}");
    }
    for row in ENDPOINTS.iter().filter(|row| row.read_only() && row.method == Method::Get) {
        let key = row.key.setting().trim_end_matches("_key");
        let path = row.path.replace(['{', '}'], "");
        let get = serde_json::json!({"method": "GET", "path": path, "key": key, "read_only": true});
        assert!(repeated("", &get), "{path}");
    }
}

#[test]
fn paths_that_only_resemble_a_row_are_unrestricted() {
    for path in ["/v2/payment/order/pay", "/payment/order/pay/v2", "/order/pay", "/payment/order/payout"] {
        let request = serde_json::json!({"method": "POST", "path": path, "key": "secret", "body": {"a": 1}});
        assert_eq!(prepared("", &request), Ok(format!("https://pay.example{path}")));
    }
}

/// A setting that chooses the key of a row does so for raw requests too.
#[test]
fn a_row_keeps_the_key_that_a_setting_chooses() {
    let row = ENDPOINTS.iter().find(|row| row.key_setting.is_some()).unwrap();
    let (own, other) = if row.key == ApiKey::Secret { ("secret", ApiKey::Public) } else { ("public", ApiKey::Secret) };
    let request =
        serde_json::json!({"method": row.method.name(), "path": row.path, "key": own, "encrypt": true, "body": {}});
    let refusal = |row_keys| {
        let base = settings(BaseUrl::parse("https://pay.example", false).unwrap());
        let settings = Config { row_keys, ..base };
        prepare(&Given::read(&request.to_string()), &settings, &|| false).map(|_| ()).unwrap_err().message
    };
    let chosen = vec![(row.key_setting.unwrap(), other)];
    assert_eq!(refusal(chosen), format!("request: key must be the {} of paysvc_{}", other.setting(), row.name));
    assert!(refusal(vec![]).contains("encryption_key is not configured"));
}

mod resolved;
