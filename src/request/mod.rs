//! From a row of the table, or the JSON of `paysvc_request`, to the parts of an HTTP request: method, URL, headers,
//! body. Does no I/O.

pub mod amount;
pub mod body;
pub mod look_up;
pub mod names;
pub mod policy;
pub mod raw;
pub mod record;
pub mod secrets;
pub mod url;
pub mod validate;

use crate::config::Config;
use crate::config::address::BaseUrl;
use crate::json::{self, Fields, Given};
use crate::request::names::{References, RequestFields};
use crate::request::secrets::{Secrets, Stop};
use crate::util::panics::failpoint;
use crate::util::secret::SecretBytes;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Answer, ApiKey, Endpoint, Method, Safety};
use paysvc_spec::status::Status;

/// A request without the headers that all requests have in common. Its JSON is read once: what is kept about it is made
/// of the fields that were checked.
pub struct Request<'a> {
    /// Name of the function: the row's, or "request".
    pub name: &'static str,
    /// `None` for a request that the table does not have.
    pub row: Option<&'static Endpoint>,
    /// The fields of an endpoint's request; for a request that JSON describes, the fields that describe it.
    given: Fields<'a>,
    pub method: Method,
    pub url: String,
    pub key: ApiKey,
    /// Headers of this request alone.
    pub headers: Vec<(String, String)>,
    pub body: Option<SecretBytes>,
    pub safety: Safety,
    pub answer: &'static Answer,
    /// A response that names another reference belongs to another request.
    pub references: References<'a>,
    /// The names of the fields of a request without a row.
    pub names: Vec<String>,
    /// The values, besides the API key, that no message or log line may repeat.
    pub secrets: Secrets,
    /// It charges what the order has.
    pub lacks_price: bool,
    /// The row's path, or a fixed text: never anything that the caller gave.
    pub log_path: &'static str,
}

impl Request<'_> {
    /// The fields by which a response names what is wrong with the request.
    pub fn fields(&self) -> RequestFields<'_> {
        RequestFields { row: self.row.map_or(&[][..], |row| row.fields), names: &self.names }
    }

    /// The name of the request in the log.
    pub fn label(&self) -> String {
        format!("{} {}", self.method.name(), self.log_path)
    }
}

/// Prepares the request of an endpoint from one flat JSON object with the service's field names.
pub fn prepare<'a>(
    row: &'static Endpoint,
    json: &'a Given<'_>,
    settings: &Config,
    stop: Stop<'_>,
) -> Result<Request<'a>, ValidationError> {
    let base_url = base_url(row, settings)?;
    let given = validate::object(json, row.fields, validate::Rules::of(row), row.name, Status::Argument)?;
    of_fields(row, base_url, given, json.len(), settings, stop)
}

/// The same for fields that are values already.
pub fn prepare_fields<'a>(
    row: &'static Endpoint,
    given: Fields<'a>,
    settings: &Config,
    stop: Stop<'_>,
) -> Result<Request<'a>, ValidationError> {
    let base_url = base_url(row, settings)?;
    let given = validate::fields(given, row.fields, validate::Rules::of(row), row.name, Status::Argument)?;
    // With quotes, a colon and a comma for each, and the braces.
    let length = given.iter().map(|(name, value)| name.len() + value.raw().len() + 4).sum::<usize>() + 2;
    of_fields(row, base_url, given, length, settings, stop)
}

pub fn text_value(text: &str) -> Box<str> {
    let mut value = Vec::new();
    json::quote(text, &mut value);
    String::from_utf8(value).expect("JSON made of text is UTF-8").into()
}

/// The address of the service, if all is configured that the row's requests need.
fn base_url<'s>(row: &Endpoint, settings: &'s Config) -> Result<&'s BaseUrl, ValidationError> {
    failpoint::at("request");
    settings.require(row.name, settings.key_of(row), row.encrypted)
}

/// `length`: of the JSON of the fields that have been checked.
fn of_fields<'a>(
    row: &'static Endpoint,
    base_url: &BaseUrl,
    given: Fields<'a>,
    length: usize,
    settings: &Config,
    stop: Stop<'_>,
) -> Result<Request<'a>, ValidationError> {
    let body = match row.method {
        Method::Get => None,
        _ => Some(body::body(row.name, row.fields, given, length)?),
    };
    let body = body.map(|payload| body::encode(payload, row.encrypted, settings)).transpose()?;
    Ok(Request {
        name: row.name,
        row: Some(row),
        method: row.method,
        url: url::url(base_url, row, given)?,
        key: settings.key_of(row),
        headers: settings.headers_of(row).iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        body,
        safety: row.safety,
        answer: &row.answer,
        references: names::of_row(given, row.fields),
        names: Vec::new(),
        secrets: Secrets::of_row(given, row.fields, stop),
        lacks_price: lacks_price(row, given),
        log_path: row.path,
        given,
    })
}

/// Returns whether the request is a charge and has no price, although the row has a place for it.
fn lacks_price(row: &'static Endpoint, given: Fields<'_>) -> bool {
    row.fields.iter().any(|field| field.has_price && given.get(field.name).is_none())
        && row.looked_up_by.as_ref().is_some_and(|look_up| look_up::charges(row, look_up, given))
}
