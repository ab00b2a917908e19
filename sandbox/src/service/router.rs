//! Finds the endpoint of a request, among those with a handler and those with a canned answer.

use super::built_in;
use super::endpoint::{Effect, Endpoint, Handler, Status};
use crate::canned::Canned;
use crate::crypto::envelope::Body;
use crate::crypto::keys::{KeyKind, KeyRule};
use crate::http::answer::ApiError;
use crate::http::path_pattern::{self, Values};
use crate::util::json::Json;

pub struct Router(Vec<Endpoint>);

impl Router {
    /// An entry for an endpoint with a handler must agree with it; every other entry is an endpoint of its own.
    pub fn new(canned: Vec<Canned>) -> Result<Router, String> {
        let mut endpoints = built_in::endpoints();
        for canned in canned {
            let is_same = |endpoint: &&Endpoint| {
                endpoint.method == canned.method && path_pattern::is_same(&endpoint.path, &canned.path)
            };
            match endpoints.iter().find(is_same) {
                None => endpoints.push(of_canned(canned)),
                Some(endpoint) => check_same(endpoint, &canned)?,
            }
        }
        Ok(Router(endpoints))
    }

    pub fn all(&self) -> impl Iterator<Item = &Endpoint> {
        self.0.iter()
    }

    /// The paths of all endpoints.
    pub fn paths(&self) -> Vec<&str> {
        self.0.iter().map(|endpoint| endpoint.path.as_ref()).collect()
    }

    /// The endpoint of a request and the values in its path. A literal path takes precedence over a pattern.
    pub fn find(&self, method: &str, path: &str) -> Result<(&Endpoint, Values), ApiError> {
        let at_path: Vec<_> = self.at(path).collect();
        if at_path.is_empty() {
            return Err(ApiError::new(404, format!("There is no endpoint {path}.")));
        }
        let mut allowed: Vec<&str> = at_path.iter().map(|(endpoint, _)| endpoint.method.as_ref()).collect();
        let found = at_path.into_iter().filter(|(endpoint, _)| endpoint.method == method);
        found.min_by_key(|(_, values)| values.len()).ok_or_else(|| {
            allowed.dedup();
            ApiError::method_not_allowed(method, path, &allowed.join(", "))
        })
    }

    /// The type of `status` in responses at this path.
    pub fn status_at(&self, path: &str) -> Status {
        self.at(path).min_by_key(|(_, values)| values.len()).map_or(Status::Text, |(endpoint, _)| endpoint.status)
    }

    fn at(&self, path: &str) -> impl Iterator<Item = (&Endpoint, Values)> {
        self.0.iter().filter_map(move |endpoint| Some((endpoint, path_pattern::values(&endpoint.path, path)?)))
    }
}

fn of_canned(canned: Canned) -> Endpoint {
    let status = match canned.answer.get("status") {
        Some(Json::Bool(_)) => Status::Boolean,
        _ => Status::Text,
    };
    let effect = match canned.method.as_str() {
        "GET" => Effect::LooksUp,
        _ if canned.moves_money() => Effect::Pays,
        _ => Effect::Changes,
    };
    Endpoint {
        method: canned.method.clone().into(),
        path: canned.path.clone().into(),
        key: if canned.key == KeyKind::Secret { KeyRule::Secret } else { KeyRule::Public },
        body: canned.body,
        status,
        effect,
        assumed: true,
        handler: Handler::Canned(canned),
    }
}

/// An error if the entry contradicts the endpoint that exists for its method and path.
fn check_same(endpoint: &Endpoint, canned: &Canned) -> Result<(), String> {
    let place = format!("endpoints: {}: {} {}", canned.name, canned.method, canned.path);
    match &endpoint.handler {
        Handler::Canned(first) => Err(format!("{place} is that of {} already", first.name)),
        Handler::Function(_) if !endpoint.key.takes(canned.key) || !endpoint.body.takes(canned.body) => {
            let wire = |key: &str, body: Body| {
                let header = if body == Body::EncryptedWithHeader { ", \"RSA\"" } else { "" };
                format!("\"{key}\", \"{}\"{header}", body.envelope())
            };
            let (own, given) = (wire(endpoint.key.name(), endpoint.body), wire(canned.key.name(), canned.body));
            Err(format!("{place}: the sandbox's handler for it takes {own}, not {given}"))
        }
        Handler::Function(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::{EMBEDDED, endpoints};
    use crate::faults::magic::Kind;

    fn with(wires: &[&str]) -> Result<Router, String> {
        let entries = wires.iter().enumerate().map(|(index, wire)| {
            format!(r#""e{index}":{{"request":{{"x":"1"}},"wire":{wire},"effect":null,"answer":{{"status":true}}}}"#)
        });
        let file = format!(r#"{{"endpoints":{{{}}}}}"#, entries.collect::<Vec<_>>().join(","));
        Router::new(endpoints(&Json::parse(file.as_bytes()).unwrap())?)
    }

    #[test]
    fn rows_are_found_by_method_and_path() {
        let router = with(&[]).unwrap();
        assert_eq!(router.find("GET", "/payout/balance-enquiry").unwrap().0.path, "/payout/balance-enquiry");
        let (endpoint, values) = router.find("GET", "/payout/B-1/status").unwrap();
        assert_eq!((endpoint.is_canned(), values), (false, vec![("batchReference".to_string(), "B-1".to_string())]));
        assert_eq!(router.find("GET", "/nowhere").err().unwrap().status, 404);
        let refused = router.find("GET", "/payment/order/pay").err().unwrap().into_answer();
        assert_eq!((refused.status, refused.headers), (405, vec![("allow".into(), "POST".to_string())]));
        assert_eq!(router.status_at("/payment/order/refund"), Status::Boolean);
        assert_eq!(
            (router.status_at("/payment/order/pay"), router.status_at("/nowhere")),
            (Status::Text, Status::Text)
        );
    }

    #[test]
    fn kinds_of_requests() {
        let canned = endpoints(&Json::parse(EMBEDDED.as_bytes()).unwrap()).unwrap();
        let router = Router::new(canned).unwrap();
        let kind = |method: &str, path: &str, input: &str| {
            router.find(method, path).unwrap().0.kind(&Json::parse(input.as_bytes()).unwrap())
        };
        const CREATE: &str = "/payment/order/create";
        assert_eq!(kind("POST", "/payment/order/verify", "{}"), Kind::LookUp);
        assert_eq!(kind("POST", "/payment/order/pay", "{}"), Kind::Payment);
        assert_eq!(kind("POST", "/payment/create", "{}"), Kind::Change);
        assert_eq!(kind("GET", "/payout/B/status", "{}"), Kind::LookUp);
        assert_eq!(kind("POST", CREATE, r#"{"order":{}}"#), Kind::Change);
        assert_eq!(kind("POST", CREATE, r#"{"card":{}}"#), Kind::Payment);
    }

    #[test]
    fn an_endpoint_without_a_handler_is_canned() {
        let router = with(&[
            r#"["POST","/payment/order/refund","secret","plain"]"#,
            r#"["GET","/payout/{x}/status","secret","none"]"#,
            r#"["GET","/payment/{x}","public","none"]"#,
            r#"["PUT","/payment/banks","secret","none"]"#,
        ])
        .unwrap();
        let canned: Vec<_> =
            router.all().filter(|endpoint| endpoint.is_canned()).map(|endpoint| endpoint.path.as_ref()).collect();
        assert_eq!(canned, ["/payment/{x}", "/payment/banks"]);
        assert_eq!(router.find("GET", "/payment/banks").unwrap().0.path, "/payment/banks");
        assert_eq!(router.find("GET", "/payment/cards").unwrap().0.path, "/payment/{x}");
        assert!(router.find("PUT", "/payment/banks").unwrap().0.assumed);
        assert_eq!(router.status_at("/payment/cards"), Status::Boolean);
    }

    #[test]
    fn entries_that_contradict_are_refused() {
        let problem = |wires: &[&str]| with(wires).err().unwrap();
        let other_key = problem(&[r#"["POST","/payment/order/refund","public","plain"]"#]);
        assert!(
            other_key.contains("e0: POST /payment/order/refund: the sandbox's handler for it takes"),
            "{other_key}"
        );
        assert!(other_key.ends_with(r#"takes "secret", "plain", not "public", "plain""#), "{other_key}");
        let no_header = problem(&[r#"["POST","/payout/name-enquiry","public","encrypted"]"#]);
        assert!(no_header.ends_with(r#"takes "public", "encrypted", "RSA", not "public", "encrypted""#), "{no_header}");
        for accepted in [r#""public","encrypted""#, r#""secret","encrypted","RSA""#] {
            with(&[&format!(r#"["POST","/payout/initiate",{accepted}]"#)]).unwrap();
        }
        let plain = problem(&[r#"["POST","/payout/initiate","secret","plain"]"#]);
        assert!(plain.ends_with(r#"takes "public or secret", "encrypted", not "secret", "plain""#), "{plain}");
        let twice = problem(&[r#"["GET","/a/{x}","public","none"]"#, r#"["GET","/a/{x}","public","none"]"#]);
        assert_eq!(twice, "endpoints: e1: GET /a/{x} is that of e0 already");
    }
}
