//! `examples/Till.java`: what a language without a package needs to make a charge, to resolve it and to receive webhooks.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::support::sandbox::Sandbox;
use crate::support::{build, left_out, root, run};

/// Where Debian's packages libjna-java and libgoogle-gson-java put them.
const LIBRARIES: [&str; 2] = ["/usr/share/java/jna.jar", "/usr/share/java/gson.jar"];

struct Java {
    classes: TempDir,
    sandbox: Sandbox,
}

impl Java {
    /// `None`: this machine cannot compile it.
    fn new() -> Option<Java> {
        let has_compiler = Command::new("javac").arg("-version").output().is_ok_and(|it| it.status.success());
        if !has_compiler || LIBRARIES.iter().any(|library| !Path::new(library).exists()) {
            left_out("examples/Till.java is NOT run: it needs javac, libjna-java and libgoogle-gson-java");
            return None;
        }
        let classes = tempfile::tempdir().unwrap();
        run(Command::new("javac")
            .args(["-Xlint:all", "-Werror", "-cp", &LIBRARIES.join(":"), "-d"])
            .arg(classes.path())
            .arg(root().join("examples/Till.java")));
        Some(Java { classes, sandbox: Sandbox::start(&[]) })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut java = Command::new("java");
        let classes = format!("{}:{}", LIBRARIES.join(":"), self.classes.path().display());
        java.arg(format!("-Djna.library.path={}", build().join("lib").display())).args(["-cp", &classes, "Till"]);
        self.sandbox.configure(&mut java).args(arguments);
        java
    }

    fn says(&self, arguments: &[&str]) -> String {
        String::from_utf8(run(&mut self.command(arguments)).stdout).unwrap().trim().to_owned()
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_charge_a_resolve_and_a_webhook_need_no_package() {
    let Some(java) = Java::new() else { return };
    let stored = java.classes.path().join("look_up.json");
    let stored = stored.to_str().unwrap();
    assert_eq!(java.says(&["charge", "T-1", "25.50", stored]), "paid");
    assert!(!std::fs::read_to_string(stored).unwrap().contains("5123450000000008"), "the card is kept nowhere");
    // Charged, and the response is lost.
    let path = paysvc_spec::endpoint("order_create").path;
    java.sandbox.post("/sandbox/faults", &json!({"fault": "commit_then_close", "path": path, "count": 1}));
    assert_eq!(java.says(&["charge", "T-2", "10.00", stored]), "paid");
    assert_eq!(java.says(&["resolve", stored]), "paid");
    // The status query fails, too.
    for (fault, name) in [("commit_then_close", "order_create"), ("status_500", "order_status")] {
        let path = paysvc_spec::endpoint(name).path;
        java.sandbox.post("/sandbox/faults", &json!({"fault": fault, "path": path, "count": 9}));
    }
    let unknown = java.says(&["charge", "T-3", "10.00", stored]);
    assert!(unknown.starts_with("UNKNOWN, do not charge again: "), "{unknown}");
    java.sandbox.send("DELETE", "/sandbox/faults", "");
    assert_eq!(java.says(&["resolve", stored]), "paid");
    assert_eq!(java.sandbox.effects("charge_made"), 3);

    let server = java.command(&["webhooks", "0", "T-1", "25.50"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut server = Running(server);
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    let port: u16 = line().rsplit(' ').next().unwrap().parse().unwrap();
    let deliver = |body: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST /events HTTP/1.1\r\nhost: till\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    let event = |reference: &str, amount: &str| {
        json!({"data": {"orderReference": reference, "statusId": 5, "orderAmount": amount, "currency": "NGN"}})
            .to_string()
    };
    for _ in 0..2 {
        assert_eq!(deliver(&event("T-1", "25.50")), "200");
    }
    assert_eq!(deliver(&event("T-2", "10.00")), "200");
    assert_eq!([line(), line()], ["T-1 is paid", "T-2 is not paid as ordered"]);
    assert_eq!(deliver("{}"), "400");
}
