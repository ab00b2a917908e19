//! The lower bound: a bare rustls socket and a request prepared in advance. One write, reads until the response is complete,
//! no checks. Arguments as for the other programs (see `c/worker.h`); the only mode is `post`.

use std::fs;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use nix::time::{ClockId, clock_gettime};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

struct Connection {
    tcp: TcpStream,
    tls: ClientConnection,
    request: Vec<u8>,
    answer: Vec<u8>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, mode, base_url, folder] = arguments.as_slice() else { panic!("usage: bench-raw post BASE_URL FOLDER") };
    assert_eq!(mode, "post");
    let mut connection = Connection::open(base_url.strip_prefix("https://").expect("an https address"), folder);
    // All responses have the length of the first.
    let length = connection.first();
    let stdout = io::stdout();
    for count in io::stdin().lock().lines() {
        let count: u64 = count.expect("a line").trim().parse().expect("a number of calls");
        let (wall, cpu) = (Instant::now(), cpu_ns());
        for _ in 0..count {
            connection.call(length);
        }
        let (wall, cpu) = (wall.elapsed().as_nanos(), cpu_ns() - cpu);
        writeln!(stdout.lock(), "{wall} {cpu}").expect("stdout");
    }
}

fn cpu_ns() -> i64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("the clock");
    time.tv_sec() * 1_000_000_000 + time.tv_nsec()
}

impl Connection {
    fn open(address: &str, folder: &str) -> Connection {
        let mut roots = RootCertStore::empty();
        let bundle = CertificateDer::pem_file_iter(format!("{folder}/bundle.pem")).expect("bundle.pem");
        roots.add_parsable_certificates(bundle.map(|certificate| certificate.expect("a certificate")));
        let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from("127.0.0.1").expect("an address");
        let tls = ClientConnection::new(Arc::new(config), name).expect("TLS");
        let tcp = TcpStream::connect(address).expect("the server");
        tcp.set_nodelay(true).expect("TCP_NODELAY");
        let body = fs::read_to_string(format!("{folder}/plain.json")).expect("plain.json");
        let request = format!(
            "POST /payment/order/refund HTTP/1.1\r\nhost: {address}\r\naccept: application/json\r\n\
             api-key: SECRETKEY-BENCH\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Connection { tcp, tls, request: request.into_bytes(), answer: vec![0; 16 * 1024] }
    }

    /// The first call; gives the length of its response.
    fn first(&mut self) -> usize {
        self.send();
        let mut filled = 0;
        loop {
            filled += self.read(filled);
            let text = std::str::from_utf8(&self.answer[..filled]).expect("text");
            let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
            let whole = head.len() + 4 + length.parse::<usize>().expect("a number");
            while filled < whole {
                filled += self.read(filled);
            }
            return whole;
        }
    }

    fn call(&mut self, length: usize) {
        self.send();
        let mut filled = 0;
        while filled < length {
            filled += self.read(filled);
        }
    }

    fn send(&mut self) {
        self.tls.writer().write_all(&self.request).expect("room");
        while self.tls.is_handshaking() || self.tls.wants_write() {
            while self.tls.wants_write() {
                self.tls.write_tls(&mut self.tcp).expect("written");
            }
            if self.tls.is_handshaking() {
                self.more();
            }
        }
    }

    fn read(&mut self, filled: usize) -> usize {
        loop {
            match self.tls.reader().read(&mut self.answer[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.more(),
                count => return count.expect("a response"),
            }
        }
    }

    fn more(&mut self) {
        assert_ne!(self.tls.read_tls(&mut self.tcp).expect("bytes"), 0, "the server closed the connection");
        self.tls.process_new_packets().expect("TLS records");
    }
}
