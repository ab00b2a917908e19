//! Whether a free path is one of the table's after all, and what it is then held to. Pure.

use percent_encoding::percent_decode_str;

use crate::client::config::Config;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Endpoint, Method};

/// The segments of a path, decoded as often as they are encoded: two servers in a row may each decode once.
pub fn segments(path: &str) -> Vec<String> {
    const MOST: usize = 8;
    let mut decoded = path.to_owned();
    for _ in 0..MOST {
        let once = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
        if once == decoded {
            break;
        }
        decoded = once;
    }
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

/// The rows whose URL this is or that it lies below, whatever the method, and however the path is split between it and
/// `base_url`; and how many segments of it are left behind the row's path.
fn rows_of(config: &Config, path: &str) -> Vec<(&'static Endpoint, usize)> {
    let base = config.base_url.as_ref().map_or(Vec::new(), |base| lenient(base.path()));
    let whole: Vec<_> = base.iter().cloned().chain(lenient(path)).collect();
    let mut rows = Vec::new();
    for row in ENDPOINTS {
        let known = lenient(row.path);
        let same =
            |given: &[String]| known.iter().zip(given).all(|(known, given)| known.starts_with('{') || known == given);
        // The row's path starts within `base_url` or right behind it.
        let starts = (0..=base.len()).rev().filter(|start| start + known.len() <= whole.len());
        let below = starts.filter(|&start| same(&whole[start..])).map(|start| whole.len() - start - known.len());
        rows.extend(below.min().map(|below| (row, below)));
    }
    rows
}

/// What a free request asks for.
pub struct Asked {
    pub method: Method,
    pub key: ApiKey,
    pub encrypt: bool,
    pub has_body: bool,
    /// `None`: left out.
    pub read_only: Option<bool>,
}

/// What it is held to.
pub struct Held {
    /// The row that it is.
    pub row: Option<&'static Endpoint>,
    pub read_only: bool,
}

/// A member of the request and what is wrong with it.
type Wrong = (&'static str, String);

/// An endpoint of the table keeps its key, its encryption and its retry rule, whichever way it is called; with
/// another method its path still gets no payload in clear and no key that is not its own. At and below the path of one
/// that changes something nothing is repeated, but for the rows of the table that only read.
pub fn enforce(config: &Config, path: &str, asked: &Asked) -> Result<Held, Wrong> {
    let related = rows_of(config, path);
    let rows: Vec<_> = related.iter().filter(|(_, below)| *below == 0).map(|(row, _)| *row).collect();
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
        Some(row) if row.encrypted && !asked.encrypt => return Err(in_clear(row)),
        Some(row) if row.key != asked.key => return Err(not_its_key(row)),
        _ => {}
    }
    let changing = match exact {
        Some(row) => Some(row).filter(|row| !row.read_only()),
        None => related.iter().map(|(row, _)| *row).find(|row| !row.read_only()),
    };
    match (changing, asked.read_only) {
        (Some(row), Some(true)) => Err(changes(row)),
        (changing, given) => {
            let unasked = asked.method == Method::Get && changing.is_none();
            Ok(Held { row: exact, read_only: given.unwrap_or(unasked) })
        }
    }
}

fn changes(row: &Endpoint) -> Wrong {
    let why = format!(
        "must be false: it would be repeated, and paysvc_{} changes something at {} and below",
        row.name, row.path
    );
    ("read_only", why)
}

fn in_clear(row: &Endpoint) -> Wrong {
    ("encrypt", format!("must be true: the payload of paysvc_{} is never sent in clear", row.name))
}

fn not_its_key(row: &Endpoint) -> Wrong {
    ("key", format!("must be the {} of paysvc_{}", row.key.setting(), row.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Prepared;
    use crate::request::raw::prepare;
    use paysvc_spec::schema::Safety;

    /// The refusal, or where the request would have gone.
    fn prepared(base_path: &str, request: &serde_json::Value) -> Result<String, String> {
        prepare_with(base_path, request).map(|prepared| prepared.url)
    }

    fn repeated(base_path: &str, request: &serde_json::Value) -> bool {
        prepare_with(base_path, request).unwrap_or_else(|why| panic!("{request}: {why}")).safety == Safety::ReadOnly
    }

    fn prepare_with(base_path: &str, request: &serde_json::Value) -> Result<Prepared, String> {
        let config = format!(
            r#"{{"base_url":"https://pay.example{base_path}","public_key":"p","secret_key":"s","encryption_key":"unused"}}"#
        );
        let config = Config::parse(Some(&config), &|_| None).unwrap();
        prepare(&request.to_string(), &config, None, &|| false).map_err(|refusal| refusal.message)
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
            path.replace("pay", "%2570ay"),
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

    /// At the path of every row that changes something, and below it.
    #[test]
    fn what_changes_something_is_never_repeated_under_any_disguise_or_method() {
        let mut looked_at = 0;
        for row in ENDPOINTS.iter().filter(|row| !row.read_only()) {
            for (base, path) in disguises(row.path) {
                for below in ["", "/", "/X-1", "/status/X-1", "%2Fstatus", "//status", "%5cstatus", "/%2e/status"] {
                    for method in ["GET", "POST", "PUT", "DELETE"] {
                        let path = format!("{path}{below}");
                        let key = row.key.setting().trim_end_matches("_key");
                        let mut request = serde_json::json!({"method": method, "path": path, "key": key});
                        request["read_only"] = true.into();
                        if method != "GET" {
                            request["body"] = serde_json::json!({"a": 1});
                            request["encrypt"] = row.encrypted.into();
                        }
                        let exact_reading = |other: &Endpoint| {
                            other.read_only() && other.method.name() == method && lenient(other.path) == lenient(&path)
                        };
                        if ENDPOINTS.iter().any(exact_reading) {
                            continue;
                        }
                        looked_at += 1;
                        let refused = prepared(&base, &request).expect_err(&path);
                        let dots = refused.contains("dot segments");
                        assert!(
                            dots || refused.contains("read_only must be false"),
                            "{method} {base} {path}: {refused}"
                        );
                        // Unasked a GET is taken for reading, but not here.
                        if method == "GET" && !row.encrypted {
                            request.as_object_mut().unwrap().remove("read_only");
                            assert!(dots || !repeated(&base, &request), "{base} {path}");
                        }
                    }
                }
            }
        }
        assert!(looked_at > 1000, "{looked_at}");
    }

    #[test]
    fn what_only_reads_may_still_be_repeated() {
        for path in ["/payment/banks", "/payment/order/history", "/payment/orders/pay"] {
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
    fn what_only_resembles_a_row_is_free() {
        for path in ["/v2/payment/order/pay", "/payment/order/pay/v2", "/order/pay", "/payment/order/payout"] {
            let request = serde_json::json!({"method": "POST", "path": path, "key": "secret", "body": {"a": 1}});
            assert_eq!(prepared("", &request), Ok(format!("https://pay.example{path}")));
        }
    }
}
