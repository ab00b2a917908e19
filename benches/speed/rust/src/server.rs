//! The server of the benchmark: one fixed answer for POST, a large one for the list of mandates and a small one for every
//! other GET, over TLS 1.3 or 1.2, on kept-alive connections.
//!
//! It has a blocking thread for each connection: two system calls for each request, where an event loop would need a
//! third to wait. Arguments: the folder for `ca.pem`, and the delay of the second port in milliseconds. It prints both
//! ports as JSON and ends with its standard input.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};

/// The documented response to a payment.
const BODY: &str = concat!(
    r#"{"data":{"paymentDetail":{"redirectUrl":null,"recipientAccount":"0123456789","#,
    r#""paymentReference":"PAY-20260101-000001","cardToken":null},"bankTransferDetails":null,"#,
    r#""orderPayment":{"orderId":1001,"orderPaymentReference":"ORDER-20260101-000001","currency":"NGN","#,
    r#""statusId":5,"orderPaymentResponseCode":"00","orderPaymentResponseMessage":"Approved","#,
    r#""orderPaymentInstrument":null,"remarks":"Order payment completed","totalAmount":100.10,"fee":1.50}},"#,
    r#""status":"success","statusCode":"00","message":"Order payment completed"}"#
);

/// The documented balance.
const BALANCE: &str = r#"{"currency":"NGN","availableBalance":1000000.00}"#;

/// The documented list of a customer's mandates, 500 of them: 67 kB.
fn mandates() -> String {
    let mandate = |index: usize| {
        format!(
            concat!(
                r#"{{"accountNumber":"01234{:05}","bankName":"Example Bank","directDebitId":{},"#,
                r#""dateCreated":"2026-01-31T09:30:00.000Z","bankCode":"044"}}"#
            ),
            index,
            1 + index
        )
    };
    let all: Vec<_> = (0..500).map(mandate).collect();
    format!(
        r#"{{"customerName":"Ada Lovelace","hasExistingDebitMandate":true,"directDebitMandates":[{}]}}"#,
        all.join(",")
    )
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, delay] = arguments.as_slice() else { panic!("usage: bench-server FOLDER DELAY_MS") };
    let delay = Duration::from_millis(delay.parse().expect("DELAY_MS is a number"));
    let config = Arc::new(config(Path::new(folder)));
    let ports = [Duration::ZERO, delay].map(|delay| listen(&config, delay));
    let [port, delayed] = ports;
    println!(r#"{{"port":{},"delayed_port":{}}}"#, port?, delayed?);
    // Ends with the process that started it.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

/// A certificate for 127.0.0.1 from an authority created for this run, with the extensions that strict clients expect.
fn config(folder: &Path) -> ServerConfig {
    let mut authority = CertificateParams::new(Vec::<String>::new()).expect("names");
    authority.distinguished_name.push(DnType::CommonName, "authority of the benchmark");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("an authority");
    std::fs::write(folder.join("ca.pem"), authority.pem()).expect("ca.pem");
    let key = KeyPair::generate().expect("a key");
    let mut leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("names");
    leaf.distinguished_name.push(DnType::CommonName, "server of the benchmark");
    leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    leaf.use_authority_key_identifier_extension = true;
    let leaf = leaf.signed_by(&key, &authority).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)
        .expect("a key pair");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

fn listen(config: &Arc<ServerConfig>, delay: Duration) -> io::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let config = Arc::clone(config);
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            // When a client disconnects, only its thread ends.
            std::thread::spawn(move || serve(tcp, config, delay));
        }
    });
    Ok(port)
}

fn serve(mut tcp: TcpStream, config: Arc<ServerConfig>, delay: Duration) -> io::Result<()> {
    tcp.set_nodelay(true)?;
    let [paid, list, balance] = [BODY, &mandates(), BALANCE].map(|body| {
        format!(
            "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: bench\r\n\
             content-type: application/json; charset=utf-8\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    });
    let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
    // The large response is more than is held by default.
    tls.set_buffer_limit(None);
    let (mut request, mut filled) = (vec![0; 64 * 1024], 0);
    loop {
        let end = loop {
            if let Some(end) = end_of_request(&request[..filled]) {
                break end;
            }
            match read(&mut tls, &mut tcp, &mut request[filled..])? {
                0 => return Ok(()),
                count => filled += count,
            }
        };
        let answer = match &request[..] {
            [b'G', b'E', b'T', b' ', path @ ..] if path.starts_with(b"/payment/order/direct-debit/history") => &list,
            [b'G', b'E', b'T', ..] => &balance,
            _ => &paid,
        };
        request.copy_within(end..filled, 0);
        filled -= end;
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        tls.writer().write_all(answer.as_bytes())?;
        while tls.wants_write() {
            tls.write_tls(&mut tcp)?;
        }
    }
}

/// The next bytes of the request, after the handshake if it is not done yet.
fn read(tls: &mut ServerConnection, tcp: &mut TcpStream, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match tls.reader().read(into) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
        while tls.wants_write() {
            tls.write_tls(tcp)?;
        }
        tls.read_tls(tcp)?;
        tls.process_new_packets().map_err(io::Error::other)?;
    }
}

/// The end of the request, once its headers and the body that they announce have arrived.
fn end_of_request(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let announced = bytes[..head].split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(b"content-length:".len())?;
        name.eq_ignore_ascii_case(b"content-length:").then_some(value)
    });
    let length = announced.map_or(0, |value| {
        let text = std::str::from_utf8(value).expect("content-length is text");
        text.trim().parse().expect("content-length is a number")
    });
    (bytes.len() >= head + length).then_some(head + length)
}
