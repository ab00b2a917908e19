//! One attempt to deliver: a POST and its response.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::target::Target;

const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of the receiver's response is kept.
const KEPT: usize = 1024;

/// Status and the start of the body, or why there is no response.
pub type Result = std::result::Result<(u16, String), String>;

pub async fn post(target: &Target, body: String) -> Result {
    let attempt = tokio::time::timeout(TIMEOUT, send(target, body)).await;
    attempt.unwrap_or_else(|_| Err(format!("no response within {} s", TIMEOUT.as_secs())))
}

async fn send(target: &Target, body: String) -> Result {
    let tcp =
        TcpStream::connect((target.host.as_str(), target.port)).await.map_err(|error| format!("connect: {error}"))?;
    let shaken = hyper::client::conn::http1::handshake(TokioIo::new(tcp)).await;
    let (mut sender, connection) = shaken.map_err(|error| format!("connect: {error}"))?;
    let background = tokio::spawn(connection);
    let path = target.uri.path_and_query().map_or("/", |path| path.as_str());
    let host = target.uri.authority().map_or("localhost", |authority| authority.as_str());
    let request = Request::post(path)
        .header(HOST, host)
        .header(CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| format!("request: {error}"))?;
    let answer = sender.send_request(request).await.map_err(|error| format!("send: {error}"));
    let answered = match answer {
        Ok(answer) => Ok((answer.status().as_u16(), start_of_body(answer).await)),
        Err(error) => Err(error),
    };
    background.abort();
    answered
}

/// The status decides, so a body that breaks off is not an error.
async fn start_of_body(answer: Response<Incoming>) -> String {
    let (mut body, mut kept) = (answer.into_body(), Vec::new());
    while kept.len() < KEPT {
        let Some(Ok(frame)) = body.frame().await else {
            break;
        };
        kept.extend_from_slice(frame.data_ref().map_or(&[], |bytes| bytes.as_ref()));
    }
    kept.truncate(KEPT);
    String::from_utf8_lossy(&kept).into_owned()
}
