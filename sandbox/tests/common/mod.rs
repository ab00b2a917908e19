//! Starts the program on a free port and sends requests over sockets.

pub mod faults;
pub mod folder;
pub mod receiver;
pub mod wire;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
pub use paysvc_test_common::http;
use rsa::{BigUint, Pkcs1v15Encrypt, RsaPublicKey};
use serde_json::Value;

pub struct Sandbox {
    pub child: Child,
    pub out: BufReader<ChildStdout>,
    pub start: Value,
    pub public: String,
    pub secret: String,
    pub key: RsaPublicKey,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub text: String,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub fn is_assumed(&self) -> bool {
        self.header("x-sandbox-assumed") == Some("1")
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// Checks for the failure envelope, with these words for this field.
    #[track_caller]
    pub fn expect_error(self, status: u16, field: &str, words: &str) {
        let answer = self.expect(status);
        let json = answer.json();
        assert_eq!(json["status"], false, "{json}");
        let text = json["errors"][field].as_str().unwrap_or_default();
        assert!(text.contains(words), "errors.{field} should say {words:?}: {json}");
        assert!(json["message"].is_string(), "{json}");
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_paysvc-sandbox"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Sandbox {
    /// As [`Sandbox::start_strict`], and a payment may name an order that nothing has created.
    pub fn start(arguments: &[&str]) -> Sandbox {
        Sandbox::start_strict(&[arguments, &["--any-reference"]].concat())
    }

    /// With seed 1 and a small key. The program exits with the test, and two implementations decrypt every payload.
    pub fn start_strict(arguments: &[&str]) -> Sandbox {
        let quick = ["--seed", "1", "--key-bits", "2048"];
        Sandbox::start_with(&[&quick, arguments].concat())
    }

    pub fn start_with(arguments: &[&str]) -> Sandbox {
        let mut command = command(&[arguments, &["--exit-with-parent", "--check-decryption"]].concat());
        Sandbox::of(command.stderr(Stdio::inherit()).spawn().unwrap())
    }

    /// Reads the start line of a program that was started.
    pub fn of(mut child: Child) -> Sandbox {
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let start: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| start[name].as_str().unwrap().to_string();
        let (public, secret, key) = (text("public_key"), text("secret_key"), encryption_key(&text("encryption_key")));
        Sandbox { child, out, start, public, secret, key }
    }

    pub fn address(&self) -> &str {
        self.start["base_url"].as_str().unwrap().split_once("//").unwrap().1
    }

    /// Sends bytes and reads until the end of the connection.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut client = wire::Client::new(self);
        // The sandbox may answer before it has read everything.
        let _ = client.stream.write_all(bytes);
        read_answer(&mut client.stream)
    }

    pub fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.raw(&request(method, target, headers, body))
    }

    pub fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[("api-key", &self.public)], "")
    }

    pub fn get_secret(&self, target: &str) -> Answer {
        self.send("GET", target, &[("api-key", &self.secret)], "")
    }

    /// A plain POST with the secret key.
    pub fn post_secret(&self, target: &str, body: &str) -> Answer {
        self.send("POST", target, &[("api-key", &self.secret), JSON], body)
    }

    /// An encrypted POST with the public key.
    pub fn post(&self, target: &str, payload: &str) -> Answer {
        self.send("POST", target, &[("api-key", &self.public), JSON], &self.encrypt(payload))
    }

    /// An encrypted POST with the header `encryption: RSA`.
    pub fn post_marked(&self, target: &str, api_key: &str, payload: &str) -> Answer {
        let headers = [("api-key", api_key), JSON, ("encryption", "RSA")];
        self.send("POST", target, &headers, &self.encrypt(payload))
    }

    pub fn admin(&self, target: &str) -> Value {
        self.send("GET", &format!("/sandbox/{target}"), &[], "").expect(200).json()
    }

    pub fn admin_post(&self, target: &str, body: &str) -> Answer {
        self.send("POST", &format!("/sandbox/{target}"), &[], body)
    }

    pub fn encrypt(&self, payload: &str) -> String {
        encrypt(&self.key, payload.as_bytes())
    }

    pub fn requests(&self) -> Vec<Value> {
        self.admin("requests")["requests"].as_array().unwrap().clone()
    }

    pub fn rule(&self, rule: &str) -> Value {
        self.admin_post("faults", rule).expect(200).json()
    }

    /// The effects of this name, in order.
    pub fn effects(&self, name: &str) -> Vec<Value> {
        let ledger = self.admin("ledger")["ledger"].as_array().unwrap().clone();
        ledger.into_iter().filter(|entry| entry["effect"] == name).collect()
    }

    /// Creates a mandate for this account; returns its code.
    pub fn mandate(&self, account: &str) -> String {
        let payload = format!(r#"{{"orderReference":"M-{account}","accountNumber":"{account}","bankCode":"058"}}"#);
        let answer = self.post("/payment/order/direct-debit/create", &payload).expect(200);
        answer.json()["data"]["mandateCode"].as_str().unwrap().to_string()
    }

    /// The one-time code that is sent for this mandate.
    pub fn code(&self, mandate: &str) -> String {
        self.post("/payment/order/direct-debit/otp", &format!(r#"{{"mandateCode":"{mandate}"}}"#)).expect(200);
        self.admin(&format!("otp/{mandate}"))["otp"].as_str().unwrap().to_string()
    }

    pub fn pay(&self, reference: &str, mandate: &str, otp: &str) -> Answer {
        let payload = format!(
            r#"{{"paymentOption":"NDD","reference":"{reference}","directDebitPaymentRequest":{{"otp":"{otp}","mandateCode":"{mandate}","accountName":"Ada","bankCode":"058"}}}}"#
        );
        self.post("/payment/order/pay", &payload)
    }

    pub fn status(&self, reference: &str) -> Answer {
        self.post("/payment/order/status", &format!(r#"{{"reference":"{reference}"}}"#))
    }

    pub fn verify(&self, reference: &str) -> Answer {
        self.post_secret("/payment/order/verify", &format!(r#"{{"reference":"{reference}"}}"#))
    }

    pub fn charge_card(&self, reference: &str, number: &str) -> Answer {
        self.post("/payment/order/create", &card(reference, number))
    }
}

impl Sandbox {
    /// Ends it by this signal; it must report that all is well.
    #[cfg(unix)]
    pub fn signal(mut self, name: &str) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status();
        assert!(sent.unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    /// Ends it as a signal does; what it wrote is there afterwards.
    pub fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The program's output when it does not start.
pub fn refusal(arguments: &[&str]) -> String {
    let output = command(&[arguments, &["--exit-with-parent"]].concat()).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The values at these places, such as `data/statusId`.
pub fn pick(json: &Value, places: &str) -> Value {
    places.split(' ').map(|place| json.pointer(&format!("/{place}")).cloned().unwrap_or_default()).collect()
}

pub const JSON: (&str, &str) = ("content-type", "application/json");

pub fn card(reference: &str, number: &str) -> String {
    format!(
        r#"{{"reference":"{reference}","paymentoption":"C","country":"NG","card":{{"cardnumber":"{number}","expirymonth":"01","expiryyear":"39","cvv":"193"}}}}"#
    )
}

pub fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        text += &format!("content-length: {}\r\n", body.len());
    }
    (text + "\r\n" + body).into_bytes()
}

pub fn read_answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_string(), text: body.to_string(), bytes: body.as_bytes().to_vec() }
}

pub fn encrypt(key: &RsaPublicKey, payload: &[u8]) -> String {
    let block = key.encrypt(&mut rsa::rand_core::OsRng, Pkcs1v15Encrypt, payload).unwrap();
    format!(r#"{{"data":"{}"}}"#, STANDARD.encode(block))
}

/// Parses the dashboard's format of the key.
fn encryption_key(text: &str) -> RsaPublicKey {
    let text = String::from_utf8(STANDARD.decode(text).unwrap()).unwrap();
    let (bits, xml) = text.split_once('!').unwrap();
    let element = |name: &str| {
        let (_, rest) = xml.split_once(&format!("<{name}>")).unwrap();
        let number = rest.split_once(&format!("</{name}>")).unwrap().0;
        BigUint::from_bytes_be(&STANDARD.decode(number).unwrap())
    };
    let modulus = element("Modulus");
    assert_eq!(modulus.bits().to_string(), bits);
    RsaPublicKey::new(modulus, element("Exponent")).unwrap()
}
