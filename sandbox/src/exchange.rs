//! One request from the wire to the answer: read it, decide, deliver. The seam where faults are chosen.

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Body, Bytes, Incoming as Stream};

use crate::admin;
use crate::connection::Connection;
use crate::delivery::{Delivered, Delivery, Lost, deliver};
use crate::incoming::Incoming;
use crate::sandbox::Sandbox;
use crate::service;

const LARGEST_BODY: usize = 1 << 20;
/// A larger body is still read up to here, so that its sender lives to see the refusal.
const READ_AT_MOST: usize = 16 << 20;

pub async fn exchange(sandbox: &Sandbox, connection: &Connection, request: Request<Stream>) -> Delivered {
    let on_connection = connection.next_request();
    let (head, body) = request.into_parts();
    let (body, body_bytes) = read(body).await?;
    let incoming = Incoming::new(&head, body, body_bytes);
    let answer = match admin::is_admin(&incoming.path) {
        true => admin::answer(sandbox, &incoming),
        false => service::decide(sandbox, &incoming, connection, on_connection),
    };
    deliver(answer, Delivery::Whole, connection)
}

/// The body, or `None` if it is too large; and how many bytes of it were read.
async fn read(mut body: Stream) -> Result<(Option<Bytes>, usize), Lost> {
    let mut kept = Vec::new();
    let mut count = 0;
    while !body.is_end_stream() && count < READ_AT_MOST {
        let Some(frame) = body.frame().await else {
            break;
        };
        // The client left in the middle of its request: nobody waits for an answer.
        let frame = frame.map_err(|_| Lost)?;
        if let Some(bytes) = frame.data_ref() {
            count += bytes.len();
            if count <= LARGEST_BODY {
                kept.extend_from_slice(bytes);
            }
        }
    }
    Ok(((count <= LARGEST_BODY).then(|| Bytes::from(kept)), count))
}
