//! One request on the wire, and the evidence of how far it got. Knows no endpoint.
//!
//! ureq speaks HTTP; the connection beneath it is ours (`transport/stream.rs`), so that what left this process is
//! counted where it leaves, a deadline bounds every wait, and cancelling shuts down one socket.

pub mod answer;
pub mod call;
mod clock;
mod connect;
mod connection_state;
mod error;
mod framing;
mod look_up;
mod pool;
mod proxy;
mod retry_after;
mod roots;
pub mod settings;
mod sock;
mod stream;
mod tls;

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ureq::http::{HeaderMap, HeaderName, Request, Response, Uri, header};
use ureq::{Agent, Body};

use crate::transport::answer::{Cut, HttpAnswer};
use crate::transport::call::Call;
use crate::util::limits::MAX_TEXT;
use crate::util::memory;
use crate::util::panics::caught;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::Method;
use paysvc_spec::status::Status;

use connect::Peer;
use connection_state::ConnectionState;
pub use error::TransportError;
use framing::{End, MAX_OVERHEAD};
use pool::{Pool, PooledConnection};
use settings::Settings;

/// Servers commonly close idle connections after 15 s or more; one dropped earlier costs a reconnect, not an unknown.
const MAX_IDLE: Duration = Duration::from_secs(15);

/// A request as it goes to the wire.
pub struct Exchange<'a> {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Option<&'a [u8]>,
    pub deadline: Instant,
    pub call: Option<&'a Arc<Call>>,
}

/// How it went.
pub struct Exchanged {
    /// A byte of the request was handed to the system: from here on the service may have got it.
    pub sent: bool,
    /// The connection had served a call before.
    pub reused: bool,
    pub result: Result<HttpAnswer, TransportError>,
}

pub struct Transport {
    peer: Arc<Peer>,
    pool: Pool,
}

impl Transport {
    /// Reads the certificate files that the settings name.
    pub fn new(settings: Settings) -> Result<Transport, ValidationError> {
        let tls = if settings.https { Some(tls::client_config(&settings)?) } else { None };
        let pool = Pool::new(settings.max_idle_connections, MAX_IDLE);
        Ok(Transport { peer: Arc::new(Peer::new(settings, tls)), pool })
    }

    /// Puts the request on the wire at most once.
    pub fn exchange(&self, exchange: Exchange<'_>) -> Exchanged {
        let connection = self.pool.take().unwrap_or_else(|| self.new_connection());
        connection.state.start(exchange.deadline, exchange.call.cloned());
        // A panic beneath ureq must not lose the evidence of what was sent.
        let result = caught(|| run(&connection, exchange));
        let evidence = connection.state.finish();
        let result = match result {
            Ok(result) => {
                // Where an answer was not read to its end, what is left of it must not meet the next call.
                match &result {
                    Ok(answer) if answer.cut.is_some() => drop(connection),
                    _ => self.pool.give_back(connection),
                }
                result
            }
            // The connection is dropped: its connection is in an unknown state.
            Err(place) => {
                let text = format!(
                    "a bug in the library was caught at {place}, on the way to the wire or back; please report it"
                );
                Err(TransportError::new(Status::Internal, text))
            }
        };
        Exchanged { sent: evidence.sent, reused: evidence.reused, result }
    }

    fn new_connection(&self) -> PooledConnection {
        let state = Arc::new(ConnectionState::new(Arc::clone(&self.peer)));
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
        PooledConnection::new(stream::agent(config, &state), state)
    }
}

fn run(connection: &PooledConnection, exchange: Exchange<'_>) -> Result<HttpAnswer, TransportError> {
    let method = exchange.method.name();
    let mut request = Request::builder().method(method).uri(exchange.uri);
    if let Some(headers) = request.headers_mut() {
        *headers = exchange.headers;
    }
    let sent = match exchange.body {
        Some(body) => request.body(body).map(|request| connection.agent.run(request)),
        None => request.body(()).map(|request| connection.agent.run(request)),
    };
    let response = sent
        .map_err(|error| TransportError::new(Status::Internal, format!("the request could not be built: {error}")))?
        .map_err(|error| connection.state.error(error))?;
    Ok(read(response, &connection.state))
}

fn read(response: Response<Body>, state: &ConnectionState) -> HttpAnswer {
    let text = |name: HeaderName| response.headers().get(name)?.to_str().ok().map(str::to_owned);
    let content_type = text(header::CONTENT_TYPE);
    let retry_after_ms =
        text(header::RETRY_AFTER).and_then(|text| retry_after::retry_after_ms(&text, SystemTime::now()));
    let http_status = response.status().as_u16();
    let encoded = framing::is_encoded(response.headers());
    let end = framing::end_of_body(response.status(), response.version(), response.headers());
    let close_delimited = end == Ok(End::Connection);
    let (body, cut) = match end {
        Ok(_) => read_body(response.into_body(), state),
        Err(why) => (Vec::new(), Some(Cut::Framing(why))),
    };
    HttpAnswer { http_status, content_type, retry_after_ms, body, encoded, close_delimited, cut }
}

/// The body up to the limit, and why it is not whole, if it is not.
fn read_body(body: Body, state: &ConnectionState) -> (Vec<u8>, Option<Cut>) {
    let expected = body.content_length().map_or(1023, |length| length.min(MAX_TEXT as u64) as usize);
    // The one copy that is made of an answer: it moves on as it is, with the NUL that C wants put behind it.
    let Some(mut bytes) = memory::buffer(expected + 1) else {
        return (Vec::new(), Some(Cut::NoMemory));
    };
    // One byte more than allowed tells a body of the limit from a larger one.
    let reader = body.into_with_config().limit(u64::MAX).reader();
    let mut reader = Watched { reader, state, deadline: state.deadline() }.take(MAX_TEXT as u64 + 1);
    let cut = match reader.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() > MAX_TEXT => Some(Cut::TooLarge(MAX_TEXT)),
        Ok(_) if bytes.try_reserve_exact(1).is_err() => Some(Cut::NoMemory),
        // Where a body ends with its connection, a cancel or a timeout looks like its end.
        Ok(_) => state.cut(),
        // Where the length is not told beforehand, the buffer grows as it is read.
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Some(Cut::NoMemory),
        Err(error) => Some(state.cut().unwrap_or_else(|| match error.kind() {
            ErrorKind::UnexpectedEof => Cut::Broken(error.to_string()),
            _ => Cut::Framing(error.to_string()),
        })),
    };
    (bytes, cut)
}

/// A body that is read no longer than the call may take: what is there already costs no wait, but it costs time.
struct Watched<'a, R> {
    reader: R,
    state: &'a ConnectionState,
    deadline: Instant,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let error = if self.state.is_cancelled() {
            Some(TransportError::cancelled())
        } else {
            (Instant::now() >= self.deadline).then(|| TransportError::timeout("reading the answer"))
        };
        if let Some(error) = error {
            self.state.record_error(error);
            return Err(io::Error::other("the call is over"));
        }
        self.state.overhead.body();
        self.reader.read(buffer)
    }
}
