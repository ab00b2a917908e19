//! The server of the benchmark: one fixed answer for POST, a large one for the list of mandates and a small one for every
//! other GET, over TLS 1.3 or 1.2, on kept-alive connections.
//!
//! It has a blocking thread for each connection: two system calls for each request, where an event loop would need a
//! third to wait. Arguments: the folder for `ca.pem`, which has the bodies of the first two, and the delay of the
//! second port in milliseconds. It prints both ports as JSON and ends with its standard input.

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

/// The documented balance.
const BALANCE: &str = r#"{"currency":"NGN","availableBalance":1000000.00}"#;

/// The data that all connections share.
struct Service {
    tls: Arc<ServerConfig>,
    /// The responses to a payment, for the list of mandates, and for a balance.
    answers: [String; 3],
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder, delay] = arguments.as_slice() else { panic!("usage: bench-server FOLDER DELAY_MS") };
    let delay = Duration::from_millis(delay.parse().expect("DELAY_MS is a number"));
    let service = Arc::new(Service::new(Path::new(folder)));
    let ports = [Duration::ZERO, delay].map(|delay| listen(&service, delay));
    let [port, delayed] = ports;
    println!(r#"{{"port":{},"delayed_port":{}}}"#, port?, delayed?);
    // Ends with the process that started it.
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

impl Service {
    fn new(folder: &Path) -> Service {
        let read = |name| std::fs::read_to_string(folder.join(name)).expect(name);
        let answers = [&read("payment.json"), &read("history.json"), BALANCE].map(|body| {
            let body = body.trim_end();
            format!(
                "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: bench\r\n\
                 content-type: application/json; charset=utf-8\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        });
        Service { tls: Arc::new(config(folder)), answers }
    }
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

fn listen(service: &Arc<Service>, delay: Duration) -> io::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let service = Arc::clone(service);
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let service = Arc::clone(&service);
            // When a client disconnects, only its thread ends.
            std::thread::spawn(move || serve(tcp, &service, delay));
        }
    });
    Ok(port)
}

fn serve(mut tcp: TcpStream, service: &Service, delay: Duration) -> io::Result<()> {
    tcp.set_nodelay(true)?;
    let [paid, list, balance] = &service.answers;
    let mut tls = ServerConnection::new(Arc::clone(&service.tls)).map_err(io::Error::other)?;
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
            [b'G', b'E', b'T', b' ', path @ ..] if path.starts_with(b"/payment/order/direct-debit/history") => list,
            [b'G', b'E', b'T', ..] => balance,
            _ => paid,
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
