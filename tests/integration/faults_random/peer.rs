//! The raw server: what it does to each connection and each request is drawn by chance, and all that it saw and gave is
//! noted. Plain, under TLS, and as an HTTP proxy in front of itself.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustls::ServerConfig;

use super::answers::{self, Piece, Script, Then};
use super::evidence::{Evidence, Given, Place, Seen};
use crate::support::random::Random;
use crate::support::server::{Io, reset_when_closed, stop_accepting, whole_message};

/// A request that comes so long after a stray response is from a client that could have noticed it.
const NOTICED: Duration = Duration::from_secs(1);
/// Ends connections that a client has forgotten; far longer than any call.
const LONGEST: Duration = Duration::from_secs(20);
/// `KEY-` and digits.
pub const KEY_LENGTH: usize = 12;

pub struct Peer {
    pub port: u16,
    pub evidence: Arc<Evidence>,
    pub counts: Arc<Counts>,
    listener: TcpListener,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
pub struct Counts {
    pub connections: AtomicUsize,
    pub requests: AtomicUsize,
    pub strays: AtomicUsize,
    open: AtomicUsize,
    /// The port of the client that was accepted last.
    accepted: AtomicUsize,
}

/// The behavior of the peer.
#[derive(Clone)]
pub struct Manner {
    pub seed: u64,
    /// Answers every request with success: for controls.
    pub calm: bool,
    pub tls: Option<Arc<ServerConfig>>,
}

impl Peer {
    pub fn start(manner: Manner) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (evidence, counts) = (Arc::new(Evidence::default()), Arc::new(Counts::default()));
        let thread = std::thread::spawn({
            let (listener, evidence, counts) =
                (listener.try_clone().unwrap(), Arc::clone(&evidence), Arc::clone(&counts));
            move || {
                while let Ok((tcp, from)) = listener.accept() {
                    let id = counts.connections.fetch_add(1, Ordering::SeqCst);
                    counts.open.fetch_add(1, Ordering::SeqCst);
                    counts.accepted.store(from.port().into(), Ordering::SeqCst);
                    let (manner, evidence, counts) = (manner.clone(), Arc::clone(&evidence), Arc::clone(&counts));
                    std::thread::spawn(move || {
                        Connection::new(tcp, id, &manner, evidence, Arc::clone(&counts)).live();
                        counts.open.fetch_sub(1, Ordering::SeqCst);
                    });
                }
            }
        });
        Peer { port, evidence, counts, listener, thread: Some(thread) }
    }

    /// Once all clients are gone: waits until their connections have ended, so that all that was sent has been seen.
    pub fn stop(&mut self) {
        // They are accepted in their order, so with this one all of them are.
        let last = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let port = usize::from(last.local_addr().unwrap().port());
        self.wait("accept a connection", |counts| counts.accepted.load(Ordering::SeqCst) == port);
        drop(last);
        stop_accepting(&self.listener, self.thread.take());
        self.wait("end its connections", |counts| counts.open.load(Ordering::SeqCst) == 0);
    }

    fn wait(&self, what: &str, so: impl Fn(&Counts) -> bool) {
        let give_up = Instant::now() + 2 * LONGEST;
        while !so(&self.counts) {
            assert!(Instant::now() < give_up, "the server did not {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

struct Connection {
    io: Io,
    tcp: TcpStream,
    id: usize,
    random: Random,
    calm: bool,
    evidence: Arc<Evidence>,
    counts: Arc<Counts>,
    /// Read, and no part of a request that was answered.
    input: Vec<u8>,
    /// The request that the input begins with, once its key was seen.
    current: Option<Place>,
    stray_at: Option<Instant>,
    /// The stray response was a 429, and no request came since.
    stray_is_429: bool,
    /// Requests that were read whole.
    served: usize,
    /// The token of the response that was sent last, if a client that took the stray response takes this for the next
    /// one's.
    shifted: Option<(String, Given)>,
    /// The events on it, kept if it sent a stray response.
    history: Vec<(Instant, String)>,
}

/// The connection is at its end.
#[derive(Debug)]
enum Over {
    /// The server ends it, as it was drawn.
    Drawn,
    Closed,
    #[allow(dead_code, reason = "printed with a violation")]
    Broken(io::Error),
}

impl From<io::Error> for Over {
    fn from(error: io::Error) -> Over {
        Over::Broken(error)
    }
}

impl Connection {
    fn new(tcp: TcpStream, id: usize, manner: &Manner, evidence: Arc<Evidence>, counts: Arc<Counts>) -> Connection {
        let _ = tcp.set_nodelay(true);
        tcp.set_read_timeout(Some(LONGEST)).unwrap();
        tcp.set_write_timeout(Some(LONGEST)).unwrap();
        let io = Io::new(&tcp, manner.tls.as_ref());
        let (random, calm) = (Random::new(manner.seed, id as u64 + 1), manner.calm);
        Connection {
            io,
            tcp,
            id,
            random,
            calm,
            evidence,
            counts,
            input: Vec::new(),
            current: None,
            stray_at: None,
            stray_is_429: false,
            served: 0,
            shifted: None,
            history: Vec::new(),
        }
    }

    fn live(mut self) {
        let Err(over) = self.greet().and_then(|()| self.serve()) else { return };
        if let (Over::Drawn, Some((token, _))) = (&over, self.shifted.take()) {
            self.evidence.closed_after_shifted(token);
            // Late by two answers, the unread request may have taken the stray one before it.
            self.evidence.closed_after_shifted(answers::stray_token(answers::LATER, self.id));
        }
        self.tell(format!("{over:?}"));
        if self.history.iter().any(|(_, event)| event.contains("stray")) {
            let start = self.history[0].0;
            let line = |(at, event): &(Instant, String)| format!("{:?} {event}", at.duration_since(start));
            self.evidence.keep(self.id, self.history.iter().map(line).collect());
        }
    }

    fn tell(&mut self, event: impl Into<String>) {
        self.history.push((Instant::now(), event.into()));
    }

    /// Applies a fault to a connection before any request.
    fn greet(&mut self) -> Result<(), Over> {
        if self.calm {
            return Ok(());
        }
        match self.random.below(100) {
            0..3 => {
                // Nothing is said any more; what the client sends is still noted.
                let _ = self.tcp.shutdown(Shutdown::Write);
                self.listen("the connection was ended at once")
            }
            3..5 => {
                self.peek("the connection was reset at once", Duration::from_millis(1));
                self.reset()
            }
            5..7 => self.listen("the connection was never answered"),
            7..10 => {
                self.peek("closed after some bytes", Duration::from_secs(2));
                if matches!(self.io, Io::Plain(_)) {
                    let mut some = vec![0; self.random.between(1, 200) as usize];
                    let _ = self.tcp.read(&mut some);
                }
                // Unread bytes make it a reset.
                Err(Over::Drawn)
            }
            10..13 if matches!(self.io, Io::Tls(_)) => {
                self.tcp.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")?;
                Err(Over::Drawn)
            }
            13..20 => match &mut self.io {
                // Leaves with the server's last words of the handshake: before any request.
                Io::Tls(tls) => {
                    self.counts.strays.fetch_add(1, Ordering::SeqCst);
                    self.history.push((Instant::now(), "a stray with the handshake".to_owned()));
                    Ok(tls.conn.writer().write_all(&answers::stray(&mut self.random, "handshake", self.id).0)?)
                }
                Io::Plain(_) => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn serve(&mut self) -> Result<(), Over> {
        loop {
            let place = self.request()?;
            self.served += 1;
            self.counts.requests.fetch_add(1, Ordering::SeqCst);
            let script = if self.calm {
                answers::calm(&place.key)
            } else {
                answers::draw(&mut self.random, &place.key, self.id)
            };
            let is_tainted = self.evidence.change(&place, |seen| {
                (seen.whole, seen.act) = (true, script.act);
                seen.after_stray
            });
            self.tell(format!("{} is answered: {}", place.key, script.act));
            self.shifted = (is_tainted == Some(true)).then(|| (place.key.clone(), script.given));
            self.play(script, &place)?;
            if is_tainted == Some(true) {
                // A client that took the stray response for this request's takes this one for the next request's.
                self.stray_at = Some(Instant::now());
                self.stray_is_429 = false;
            }
        }
    }

    /// The next whole request with a key; the tunnel of a proxy is opened on the way.
    fn request(&mut self) -> Result<Place, Over> {
        loop {
            let length = whole_message(&self.input);
            if length.is_some() && self.input.starts_with(b"CONNECT ") {
                self.input.clear();
                self.tunnel()?;
                continue;
            }
            self.note("read in part");
            if let (Some(length), Some(place)) = (length, self.current.take()) {
                self.input.drain(..length);
                return Ok(place);
            }
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<(), Over> {
        let mut buffer = [0; 4096];
        let read = self.io.read(&mut buffer);
        if read.is_err() {
            self.input.extend_from_slice(&what_came(&mut self.io));
            self.note("the connection broke when it was read");
        }
        match read? {
            0 => Err(Over::Closed),
            count => {
                self.input.extend_from_slice(&buffer[..count]);
                self.tell(format!("{count} bytes read"));
                Ok(())
            }
        }
    }

    fn tunnel(&mut self) -> Result<(), Over> {
        const OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";
        match self.random.below(20) {
            0 => self.io.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")?,
            1 => return Err(Over::Drawn),
            // In the same write, so that it lies there before the request.
            2..4 => {
                self.counts.strays.fetch_add(1, Ordering::SeqCst);
                self.tell("a stray with the tunnel");
                let stray = answers::stray(&mut self.random, "tunnel", self.id).0;
                self.io.write_all(&[OPEN, &stray].concat())?;
            }
            _ => self.io.write_all(OPEN)?,
        }
        Ok(())
    }

    /// Notes the request that the input begins with, as soon as its key is there.
    fn note(&mut self, act: &'static str) {
        if self.current.is_none()
            && let Some(key) = key_in(&self.input)
        {
            let after_stray = self.stray_at.is_some_and(|at| at.elapsed() < NOTICED);
            let whole = whole_message(&self.input).is_some();
            let shifted_429 = self.stray_is_429 || matches!(self.shifted, Some((_, Given::ComeAgain)));
            let (after_shifted_429, first) = (after_stray && shifted_429, self.served == 0);
            let (connection, given) = (self.id, Given::Nothing);
            let seen = Seen { connection, whole, given, first, act, after_stray, after_shifted_429 };
            self.current = Some(self.evidence.saw(&key, seen));
        }
    }

    /// Says nothing, and notes what comes until the client goes away.
    fn listen(&mut self, act: &'static str) -> Result<(), Over> {
        loop {
            self.note(act);
            self.read()?;
        }
    }

    /// Notes a request that lies in the connection or comes soon, without reading it. Under TLS nothing can be told of
    /// it that way.
    fn peek(&mut self, act: &'static str, wait: Duration) {
        if matches!(self.io, Io::Tls(_)) {
            return;
        }
        let _ = self.tcp.set_read_timeout(Some(wait));
        let mut buffer = [0; 4096];
        if let Ok(count) = self.tcp.peek(&mut buffer) {
            self.input.extend_from_slice(&buffer[..count]);
            self.note(act);
        }
        let _ = self.tcp.set_read_timeout(Some(LONGEST));
    }

    fn reset(&mut self) -> Result<(), Over> {
        reset_when_closed(&self.tcp);
        Err(Over::Drawn)
    }

    fn play(&mut self, script: Script, place: &Place) -> Result<(), Over> {
        let last = script.pieces.len();
        for (index, piece) in script.pieces.into_iter().enumerate() {
            if index + 1 == last {
                // Before the last bytes leave, so that a client that has read them finds it here.
                self.evidence.change(place, |seen| seen.given = script.given);
            }
            match piece {
                Piece::Bytes(bytes) => self.io.write_all(&bytes).and_then(|()| self.io.flush())?,
                Piece::Pause(pause) => std::thread::sleep(pause),
                // Ends when the client goes away: its bounds and its limit are what is tried.
                Piece::Endless(bytes) => return self.repeat(&bytes),
            }
        }
        match script.then {
            Then::Serve => Ok(()),
            Then::Close => Err(Over::Drawn),
            Then::Reset => self.reset(),
            Then::Listen => self.listen("after a response that was the last"),
            Then::CloseUnread => {
                self.peek("the kept connection ended when it was used again", LONGEST);
                Err(Over::Drawn)
            }
            Then::Stray { after, bytes, given } => {
                self.counts.strays.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(after);
                self.stray_at = Some(Instant::now());
                self.stray_is_429 = given == Given::ComeAgain;
                self.tell("the stray is written");
                self.io.write_all(&bytes)?;
                self.tell("the stray has been written");
                Ok(())
            }
        }
    }

    /// The system does not report for a minute a client that closed while its window was full, so it is looked for.
    fn repeat(&mut self, bytes: &[u8]) -> Result<(), Over> {
        let give_up = Instant::now() + LONGEST;
        self.tcp.set_write_timeout(Some(Duration::from_millis(100)))?;
        self.tcp.set_read_timeout(Some(Duration::from_millis(1)))?;
        while Instant::now() < give_up {
            let stalled = |error: &io::Error| {
                matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::WriteZero)
            };
            match self.io.write_all(bytes) {
                Err(error) if stalled(&error) => match self.tcp.peek(&mut [0]) {
                    Err(error) if stalled(&error) => {}
                    // It says goodbye, or has gone: in the middle of a response it has nothing else to say.
                    _ => return Err(Over::Drawn),
                },
                written => written?,
            }
        }
        Err(Over::Drawn)
    }
}

/// rustls fails before it reads, if it cannot write what it still has to: what has arrived is read without it.
fn what_came(io: &mut Io) -> Vec<u8> {
    let mut came = Vec::new();
    if let Io::Tls(tls) = io {
        while tls.conn.read_tls(&mut tls.sock).is_ok_and(|count| count > 0) && tls.conn.process_new_packets().is_ok() {}
        let _ = tls.conn.reader().read_to_end(&mut came);
    }
    came
}

/// The key that the bytes name: an encrypted body has its number in its trace.
fn key_in(bytes: &[u8]) -> Option<String> {
    const DIGITS: usize = KEY_LENGTH - 4;
    [&b"KEY-"[..], super::TRACE.as_bytes()].into_iter().find_map(|before| {
        let is_key =
            |window: &[u8]| window.starts_with(before) && window[before.len()..].iter().all(u8::is_ascii_digit);
        let found = bytes.windows(before.len() + DIGITS).find(|window| is_key(window))?;
        Some(format!("KEY-{}", String::from_utf8_lossy(&found[before.len()..])))
    })
}
