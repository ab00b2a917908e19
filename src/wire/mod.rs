//! Sends one request, and reports the response and whether a byte of the request was sent. Knows no endpoint.
//!
//! ureq speaks HTTP; the connection beneath it is this module's own (`stream.rs`), so that sent bytes are counted where
//! they are written, a deadline bounds every wait, and a cancel ends one call's waits.

pub mod answer;
mod certificates;
mod channel;
pub mod clock;
mod connect;
mod connection_state;
pub mod error;
mod framing;
mod look_up;
mod pool;
mod proxy;
mod roots;
mod sessions;
mod sock;
mod stream;
pub mod sys;
mod tls;

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ureq::http::{self, HeaderMap, HeaderName, Request, Response, Uri, header};
use ureq::{Agent, Body};

use crate::call::{Bounds, Call};
use crate::config::{Config, Reuse};
use crate::util::expiry::Expiry;
use crate::util::memory::{self, MAX_TEXT};
use crate::util::panics::{SourceLine, catch_panic};
use crate::util::validation_error::ValidationError;
use crate::wire::answer::HttpAnswer;
use paysvc_spec::checks::Check;
use paysvc_spec::schema::Method;
use paysvc_spec::status::Status;

use channel::Channel;
use connect::Peer;
use connection_state::ConnectionState;
pub use connection_state::Usage;
pub use error::TransportError;
use framing::{End, MAX_OVERHEAD};
use pool::{Pool, PooledConnection};

/// Servers commonly close idle connections after 15 s or more. One that is closed earlier costs a reconnect, and does
/// not make an outcome unknown.
const MAX_IDLE: Duration = Duration::from_secs(15);
/// Many services close a connection sooner if it has carried no request.
const MAX_UNASKED: Duration = Duration::from_secs(10);

pub struct WireRequest<'a> {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Option<&'a [u8]>,
    /// True to keep the response's date and all its numbers (see [`answer::trace`]), and not only the first number.
    pub keep_trace: bool,
}

/// The result of sending a request.
pub struct ExchangeResult {
    pub usage: Usage,
    pub result: Result<HttpAnswer, TransportError>,
}

impl ExchangeResult {
    pub fn not_sent(error: TransportError) -> ExchangeResult {
        ExchangeResult { usage: Usage::default(), result: Err(error) }
    }
}

pub struct Transport {
    peer: Arc<Peer>,
    base: Uri,
    pool: Pool,
    /// Connections that have carried no request.
    unasked: Pool,
}

impl Transport {
    /// Reads the certificate files that the configuration names. `None` without a base URL.
    pub fn new(config: &Arc<Config>) -> Result<Option<Transport>, ValidationError> {
        let Some(service) = config.base_url.clone() else { return Ok(None) };
        let tls = if service.https {
            Some(tls::client_config(config, &service)?)
        } else {
            // A wrong path would be found only after the change to https.
            roots::check_files(config)?;
            None
        };
        let base = service.text.parse().map_err(|_| ValidationError::new(Status::Config, "base_url is not a URL"))?;
        let max_idle = config.max_idle_connections;
        let (pool, unasked) = (Pool::new(max_idle, MAX_IDLE), Pool::new(max_idle, MAX_UNASKED));
        let peer = Arc::new(Peer { config: Arc::clone(config), service, tls });
        Ok(Some(Transport { peer, base, pool, unasked }))
    }

    /// The URL of a request, which begins as `base_url` does; `None` if it is malformed.
    pub fn uri(&self, url: &str) -> Option<Uri> {
        let mut parts = self.base.clone().into_parts();
        let origin = parts.scheme.as_ref()?.as_str().len() + "://".len() + parts.authority.as_ref()?.as_str().len();
        parts.path_and_query = Some(url.get(origin..)?.parse().ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Makes a connection for the next request that does more than read.
    pub fn warm(&self, call: &Call<'_>) -> Result<(), TransportError> {
        self.connect(&call.bounds, &mut Check::Connection).map(drop)
    }

    /// Opens a connection and closes it: the step that failed, and why. Nothing is asked on it.
    pub fn probe(&self, call: &Call<'_>) -> Result<(), (Check, TransportError)> {
        let mut step = Check::Connection;
        let result = self.connect(&call.bounds, &mut step).map(|mut connection| {
            if let Some(probed) = connection.pooled.take() {
                probed.state.finish();
            }
        });
        result.map_err(|error| (step, if call.bounds.is_cancelled() { TransportError::cancelled() } else { error }))
    }

    /// A kept connection, or a new one, on which this call may send one request. `read_only`: the request only reads,
    /// so another exchange may have used the connection before.
    pub fn connection<'a>(&'a self, read_only: bool, call: &'a Call<'_>) -> Result<Connection<'a>, TransportError> {
        let bounds = &call.bounds;
        let Some(pooled) = self.kept_connection(read_only) else { return self.connect(bounds, &mut Check::Connection) };
        pooled.state.start(bounds);
        Ok(Connection { transport: self, bounds, pooled: Some(pooled) })
    }

    /// Makes a connection that has carried no request. `step`: what failed, if that does.
    fn connect<'a>(&'a self, bounds: &'a Bounds, step: &mut Check) -> Result<Connection<'a>, TransportError> {
        let state = Arc::new(ConnectionState::new(Arc::clone(&self.peer)));
        state.start(bounds);
        match catch_panic(|| Channel::connect(&state, step)).unwrap_or_else(|source_line| Err(bug(source_line))) {
            Ok(channel) => Ok(Connection { transport: self, bounds, pooled: Some(pooled(state, channel)) }),
            Err(error) => {
                state.finish();
                Err(error)
            }
        }
    }

    fn kept_connection(&self, read_only: bool) -> Option<PooledConnection> {
        if read_only {
            return self.pool.take();
        }
        let unasked = self.unasked.take_young();
        // An earlier request could still be answered, and its response be taken for this request's.
        if self.peer.config.reuse == Reuse::Reads { unasked } else { unasked.or_else(|| self.pool.take()) }
    }
}

/// A connection on which a call may send one request. If it sends none, the connection is kept for a later call.
pub struct Connection<'a> {
    transport: &'a Transport,
    bounds: &'a Bounds,
    /// `None`: the request was sent, or was tried.
    pooled: Option<PooledConnection>,
}

impl Connection<'_> {
    /// Sends the request at most once, and not at all after that time.
    pub fn exchange(mut self, request: WireRequest<'_>, send_until: Option<Expiry>) -> ExchangeResult {
        let Some(connection) = self.pooled.take() else { unreachable!("an exchange consumes its connection") };
        connection.state.send_until(send_until);
        // A panic in ureq must not lose the evidence of what was sent.
        let result = catch_panic(|| run(&connection, request, self.bounds));
        let usage = connection.state.finish();
        let result = match result {
            Ok(result) => {
                match &result {
                    // The rest of an incomplete answer must not reach the next call.
                    Ok(answer) if answer.body_error.is_some() => drop(connection),
                    _ => self.transport.pool.give_back(connection),
                }
                result
            }
            // The connection is dropped, because its state is unknown.
            Err(source_line) => Err(bug(source_line)),
        };
        ExchangeResult { usage, result }
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.pooled.take() {
            connection.state.finish();
            self.transport.unasked.give_back(connection);
        }
    }
}

fn pooled(state: Arc<ConnectionState>, channel: Channel) -> PooledConnection {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .max_idle_connections(1)
        .max_idle_connections_per_host(1)
        .max_idle_age(MAX_IDLE)
        .input_buffer_size(stream::BUFFER)
        .output_buffer_size(stream::BUFFER)
        .max_response_header_size(MAX_OVERHEAD)
        .accept_encoding("")
        .build();
    PooledConnection::new(stream::agent(config, &state, channel), state)
}

fn bug(source_line: SourceLine) -> TransportError {
    TransportError::new(Status::Internal, source_line.bug(", on the way to the wire or back"))
}

fn run(connection: &PooledConnection, request: WireRequest<'_>, bounds: &Bounds) -> Result<HttpAnswer, TransportError> {
    let mut head = Request::new(());
    *head.method_mut() = match request.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Delete => http::Method::DELETE,
    };
    (*head.uri_mut(), *head.headers_mut()) = (request.uri, request.headers);
    let result = match request.body {
        Some(body) => connection.agent.run(head.map(|()| body)),
        None => connection.agent.run(head),
    };
    let response = result.map_err(|error| connection.state.error(error))?;
    Ok(read(response, &connection.state, bounds, request.keep_trace))
}

fn read(response: Response<Body>, state: &ConnectionState, bounds: &Bounds, keep_trace: bool) -> HttpAnswer {
    let text = |name: HeaderName| response.headers().get(name)?.to_str().ok().map(str::to_owned);
    let types = response.headers().get_all(header::CONTENT_TYPE).iter();
    let types = types.map(|value| String::from_utf8_lossy(value.as_bytes()));
    let content_type = types.reduce(|all, one| all + ", " + one).map(Cow::into_owned);
    let retry_after_ms = text(header::RETRY_AFTER).and_then(|text| answer::retry_after_ms(&text, SystemTime::now()));
    let trace = answer::trace(response.headers(), keep_trace);
    let http_status = response.status().as_u16();
    let encoded = framing::is_encoded(response.headers());
    let end = framing::end_of_body(response.status(), response.version(), response.headers());
    let close_delimited = end == Ok(End::ConnectionClose);
    let (body, body_error) = match end {
        Ok(_) => read_body(response.into_body(), state, bounds),
        Err(reason) => (Vec::new(), Some(TransportError::framing(&reason))),
    };
    HttpAnswer { http_status, content_type, retry_after_ms, trace, body, encoded, close_delimited, body_error }
}

/// The body up to the limit, and why it is incomplete, if it is.
fn read_body(body: Body, state: &ConnectionState, bounds: &Bounds) -> (Vec<u8>, Option<TransportError>) {
    let expected = body.content_length().map_or(1023, |length| length.min(MAX_TEXT as u64) as usize);
    // The only copy that is made of a response. One byte more, for the NUL at the end of a C string.
    let Some(mut bytes) = memory::buffer(expected + 1) else {
        return (Vec::new(), Some(TransportError::no_memory()));
    };
    // One byte more than allowed distinguishes a body at the limit from a larger one.
    let reader = body.into_with_config().limit(u64::MAX).reader();
    let mut reader = LimitedReader { reader, state, bounds }.take(MAX_TEXT as u64 + 1);
    let error = match reader.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() > MAX_TEXT => {
            Some(TransportError::new(Status::Response, format!("is larger than {MAX_TEXT} bytes")))
        }
        Ok(_) if bytes.try_reserve_exact(1).is_err() => Some(TransportError::no_memory()),
        // A body may end with its connection: then a cancel or a timeout looks like its end.
        Ok(_) => state.body_error(),
        // Without a length in the headers, the buffer grows while the body is read.
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Some(TransportError::no_memory()),
        Err(error) => Some(state.body_error().unwrap_or_else(|| match error.kind() {
            ErrorKind::UnexpectedEof => TransportError::new(Status::Transport, error.to_string()),
            _ => TransportError::framing(&error.to_string()),
        })),
    };
    (bytes, error)
}

/// Ends the reading of a body at the deadline or at a cancel, even if all of it has already arrived.
struct LimitedReader<'a, R> {
    reader: R,
    state: &'a ConnectionState,
    bounds: &'a Bounds,
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Err(error) = error::check(self.bounds, "reading the response") {
            self.state.record_error(error);
            return Err(io::Error::other("the call is over"));
        }
        self.state.overhead.start_body();
        self.reader.read(buffer)
    }
}
