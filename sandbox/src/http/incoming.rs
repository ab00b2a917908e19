//! A request as received: request line, headers and body.

use hyper::body::Bytes;
use hyper::http::request::Parts;
use percent_encoding::percent_decode_str;

use super::answer::ApiError;
use crate::util::json::Json;

/// The default stands for a request that was not read.
#[derive(Debug, Default)]
pub struct Incoming {
    pub method: String,
    pub path: String,
    /// Path and query as received.
    pub target: String,
    pub query: Vec<(String, String)>,
    pub headers: Headers,
    /// `None`: not read, or too large.
    pub body: Option<Bytes>,
    pub body_bytes: usize,
}

/// The headers that the sandbox uses or logs.
#[derive(Debug, Default)]
pub struct Headers {
    pub api_key: Option<String>,
    pub encryption: Option<String>,
    pub content_type: Option<String>,
    pub accept: Option<String>,
    pub user_agent: Option<String>,
    pub host: Option<String>,
    /// A browser asks whether a page may call another network.
    pub private_network: Option<String>,
    /// The source of the page that sends the request, as browsers send it.
    pub fetch_site: Option<String>,
    /// The same from older browsers, and from those that send nothing else on plain http.
    pub origin: Option<String>,
}

impl Incoming {
    /// Without the body, which is read later.
    pub fn new(head: &Parts) -> Incoming {
        let header =
            |name: &str| head.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Incoming {
            method: head.method.as_str().to_string(),
            path: decoded(head.uri.path()),
            target: head.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
            query: head.uri.query().map(query_members).unwrap_or_default(),
            headers: Headers {
                api_key: header("api-key"),
                encryption: header("encryption"),
                content_type: header("content-type"),
                accept: header("accept"),
                user_agent: header("user-agent"),
                host: header("host"),
                fetch_site: header("sec-fetch-site"),
                origin: header("origin"),
                private_network: header("access-control-request-private-network"),
            },
            body: None,
            body_bytes: 0,
        }
    }

    /// The body, which was read.
    pub fn body(&self) -> Result<&Bytes, ApiError> {
        self.body.as_ref().ok_or_else(|| ApiError::new(413, "The body is larger than 1 MB."))
    }

    /// Returns whether the client is a browser.
    pub fn accepts_html(&self) -> bool {
        self.headers.accept.as_deref().is_some_and(|accept| accept.contains("text/html"))
    }

    /// Returns whether the client asks for JSON; most programs send no preference.
    pub fn wants_json(&self) -> bool {
        self.headers.accept.as_deref().is_some_and(|accept| accept.starts_with("application/json"))
    }

    /// The query as a JSON object, so that it is read like a body.
    pub fn query_json(&self) -> Json {
        Json::Object(self.query.iter().map(|(name, value)| (name.clone(), Json::from(value))).collect())
    }
}

fn query_members(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " "))))
        .collect()
}

/// A `%` without two hexadecimal digits after it is kept.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let pairs = query_members("emailAddress=ada%2Bx%40example.com&a=b+c&&flag&bad=%zz%4");
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("emailAddress", "ada+x@example.com"), ("a", "b c"), ("flag", ""), ("bad", "%zz%4")]);
        assert_eq!(decoded("/a+b%20c"), "/a+b c");
    }
}
