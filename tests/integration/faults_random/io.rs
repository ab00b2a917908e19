//! One end of a connection of the raw server: plain or under TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ServerConnection, StreamOwned};

pub enum Io {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Read for Io {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Io::Plain(tcp) => tcp.read(buffer),
            Io::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Io {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Io::Plain(tcp) => tcp.write(bytes),
            Io::Tls(tls) => tls.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Io::Plain(tcp) => tcp.flush(),
            Io::Tls(tls) => tls.flush(),
        }
    }
}

impl Io {
    /// rustls fails before it reads, if it cannot write what it still has to: what has arrived is read without it.
    pub fn what_came(&mut self) -> Vec<u8> {
        let mut came = Vec::new();
        if let Io::Tls(tls) = self {
            while tls.conn.read_tls(&mut tls.sock).is_ok_and(|count| count > 0)
                && tls.conn.process_new_packets().is_ok()
            {}
            let _ = tls.conn.reader().read_to_end(&mut came);
        }
        came
    }
}
