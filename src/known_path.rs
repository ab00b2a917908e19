//! Whether a free path is one of the table's after all, and what it is then held to. Pure.

use percent_encoding::percent_decode_str;

use crate::config::Config;
use crate::endpoints::{ApiKey, ENDPOINTS, Endpoint, Method};

/// The segments of a path, decoded.
pub fn segments(path: &str) -> Vec<String> {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    decoded.split(['/', '\\']).map(str::to_owned).collect()
}

/// The segments as a server may understand them: without case, empty ones, parameters after a semicolon, and dots or
/// blanks at the end.
fn lenient(path: &str) -> Vec<String> {
    let plain = |segment: &String| {
        let bare = segment.split(';').next().unwrap_or_default();
        bare.trim_matches(|c: char| c.is_whitespace()).trim_end_matches(['.', ' ']).to_ascii_lowercase()
    };
    segments(path).iter().map(plain).filter(|segment| !segment.is_empty()).collect()
}

/// The rows whose URL this is, whatever the method, and however the path is split between it and `base_url`.
fn rows_of(config: &Config, path: &str) -> Vec<&'static Endpoint> {
    let base = config.base_url.as_ref().map_or(Vec::new(), |base| lenient(base.path()));
    let whole: Vec<_> = base.iter().cloned().chain(lenient(path)).collect();
    let same = |row: &&Endpoint| {
        let known = lenient(row.path);
        // The row's path starts within `base_url` or right behind it.
        let Some(start) = whole.len().checked_sub(known.len()).filter(|start| *start <= base.len()) else {
            return false;
        };
        known.iter().zip(&whole[start..]).all(|(known, given)| known.starts_with('{') || known == given)
    };
    ENDPOINTS.iter().filter(same).collect()
}

/// What a free request asks for.
pub struct Asked {
    pub method: Method,
    pub key: ApiKey,
    pub encrypt: bool,
    pub has_body: bool,
    pub read_only: bool,
}

/// A member of the request and what is wrong with it.
type Wrong = (&'static str, String);

/// An endpoint of the table keeps its key, its encryption and its rule of repetition, whichever way it is called; with
/// another method its path still gets no payload in clear and no key that is not its own. Gives the row, if it is one.
pub fn hold(config: &Config, path: &str, asked: &Asked) -> Result<Option<&'static Endpoint>, Wrong> {
    let rows = rows_of(config, path);
    let exact = rows.iter().copied().find(|row| row.method == asked.method);
    if let Some(row) = rows.iter().find(|row| row.encrypted && asked.has_body && !asked.encrypt) {
        return Err(in_clear(row));
    }
    if let Some(row) =
        rows.first().filter(|_| asked.key == ApiKey::Secret && rows.iter().all(|row| row.key != asked.key))
    {
        return Err(not_its_key(row));
    }
    match exact {
        Some(row) if row.encrypted && !asked.encrypt => Err(in_clear(row)),
        Some(row) if row.key != asked.key => Err(not_its_key(row)),
        Some(row) if asked.read_only && !row.read_only() => {
            let why = format!("must be false: paysvc_{} changes something, so it is never repeated", row.name);
            Err(("read_only", why))
        }
        _ => Ok(exact),
    }
}

fn in_clear(row: &Endpoint) -> Wrong {
    ("encrypt", format!("must be true: the payload of paysvc_{} is never sent in clear", row.name))
}

fn not_its_key(row: &Endpoint) -> Wrong {
    ("key", format!("must be the {} of paysvc_{}", row.key.member(), row.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw_request::prepare;

    /// The refusal, or where the request would have gone.
    fn prepared(base_path: &str, request: &serde_json::Value) -> Result<String, String> {
        let config = format!(
            r#"{{"base_url":"https://pay.example{base_path}","public_key":"p","secret_key":"s","encryption_key":"unused"}}"#
        );
        let config = Config::parse(Some(&config), &|_| None).unwrap();
        match prepare(&request.to_string(), &config, None) {
            Ok(prepared) => Ok(prepared.url),
            Err(refusal) => Err(refusal.message),
        }
    }

    /// A path of the table as careless or clever people write it, and what `base_url` ends with.
    fn disguises(path: &str) -> Vec<(String, String)> {
        let path = path.replace(['{', '}'], "");
        let (head, tail) = path.rsplit_once('/').unwrap();
        let shouted = path.to_uppercase();
        let escaped: String = path.chars().map(|c| if c == 'a' { "%61".to_owned() } else { c.to_string() }).collect();
        let mut all: Vec<_> = [
            path.clone(),
            shouted,
            escaped,
            format!("{path}/"),
            format!("{head}//{tail}"),
            format!("{head}%2F{tail}"),
            format!("{head}%5C{tail}"),
            format!("{path};v=1"),
            format!("{path}%20"),
            format!("{path}."),
            format!("{head};x/{tail}"),
        ]
        .map(|path| (String::new(), path))
        .into();
        all.push((head.to_owned(), format!("/{tail}")));
        all.push((format!("{head}/"), format!("/{tail}")));
        all.push(("/api/v1".to_owned(), path.clone()));
        all
    }

    #[test]
    fn no_disguise_sends_an_encrypted_payload_in_clear() {
        for row in ENDPOINTS.iter().filter(|row| row.encrypted) {
            for (base, path) in disguises(row.path) {
                for method in ["POST", "PUT", "DELETE"] {
                    let request =
                        serde_json::json!({"method": method, "path": path, "key": "public", "body": {"a": 1}});
                    let refused = prepared(&base, &request).expect_err(&path);
                    assert!(refused.contains("never sent in clear"), "{base} {path}: {refused}");
                }
            }
        }
    }

    #[test]
    fn the_secret_key_goes_only_to_rows_that_name_it() {
        for row in ENDPOINTS {
            for (base, path) in disguises(row.path) {
                for method in ["GET", "POST", "PUT"] {
                    let request = serde_json::json!({"method": method, "path": path, "key": "secret"});
                    let result = prepared(&base, &request);
                    let held = result.as_ref().is_err_and(|why| why.contains("must be the public_key"));
                    let open = result.is_ok() || result.as_ref().is_err_and(|why| !why.contains("key "));
                    assert!(if row.key == ApiKey::Secret { open } else { held }, "{method} {base} {path}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn what_only_resembles_a_row_is_free() {
        for path in ["/v2/payment/order/pay", "/payment/order/pay/v2", "/order/pay", "/payment/order/payout"] {
            let request = serde_json::json!({"method": "POST", "path": path, "key": "secret", "body": {"a": 1}});
            assert_eq!(prepared("", &request), Ok(format!("https://pay.example{path}")));
        }
    }
}
