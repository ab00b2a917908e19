//! The sandbox as a process of its own, ended with the value that holds it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::build;
use super::https::Https;

pub struct Sandbox {
    child: Child,
    /// The line it printed when it was ready.
    pub ready: Value,
    admin: Admin,
}

/// The way to the admin calls.
enum Admin {
    Plain(ureq::Agent),
    Tls(Https),
}

impl Sandbox {
    /// Starts it on a free port, with repeatable keys: those of other sandboxes, unless the arguments have a seed.
    pub fn start(arguments: &[&str]) -> Sandbox {
        Sandbox::start_program(&build().join("bin/paysvc-sandbox"), arguments)
    }

    /// The same with another file of the program.
    pub fn start_program(program: &Path, arguments: &[&str]) -> Sandbox {
        let seed: &[&str] = if arguments.contains(&"--seed") { &[] } else { &["--seed", "7"] };
        let mut child = Command::new(program)
            .args(["--listen", "127.0.0.1:0", "--exit-with-parent"])
            .args(seed)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("paysvc-sandbox starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let admin = match ready["ca_file"].as_str() {
            None => Admin::Plain(ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build().into()),
            Some(file) => Admin::Tls(Https::new(ready["base_url"].as_str().unwrap(), file.as_ref())),
        };
        Sandbox { child, ready, admin }
    }

    pub fn text(&self, member: &str) -> &str {
        self.ready[member].as_str().unwrap_or_else(|| panic!("no {member} in {}", self.ready))
    }

    /// The configuration of a client that fits it.
    pub fn config(&self) -> Value {
        let mut config = self.ready.clone();
        config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        config
    }

    /// The configuration with some fields changed; null removes one.
    pub fn config_with(&self, changes: Value) -> Value {
        let mut config = self.config();
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        config
    }

    /// Gives a program its address and keys as variables.
    pub fn configure<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for name in ["base_url", "public_key", "secret_key", "encryption_key"] {
            command.env(format!("PAYSVC_{}", name.to_uppercase()), self.text(name));
        }
        command
    }

    /// The executed effects.
    pub fn ledger(&self) -> Vec<Value> {
        list(self.get("/sandbox/ledger")["ledger"].take())
    }

    /// The number of times that effect was executed, whatever its key.
    pub fn effects(&self, effect: &str) -> usize {
        self.ledger().iter().filter(|entry| entry["effect"] == effect).count()
    }

    pub fn effects_with_key(&self, effect: &str, key: &str) -> usize {
        self.ledger().iter().filter(|entry| entry["effect"] == effect && entry["key"] == key).count()
    }

    /// All that it has received.
    pub fn requests(&self) -> Vec<Value> {
        list(self.get("/sandbox/requests")["requests"].take())
    }

    /// The names of its faults.
    pub fn faults(&self) -> Vec<String> {
        let all = list(self.get("/sandbox/faults")["faults"].take());
        all.iter().map(|fault| fault["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The next request to that path meets the fault.
    pub fn arm(&self, path: &str, fault: &str) {
        self.post("/sandbox/faults", &json!({"fault": fault, "path": path, "nth": 1, "count": 1}));
    }

    pub fn get(&self, path: &str) -> Value {
        self.send("GET", path, "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, &body.to_string())
    }

    /// An admin call, which must succeed.
    pub fn send(&self, method: &str, path: &str, body: &str) -> Value {
        self.try_send(method, path, body).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// An admin call; the error is what the sandbox answered.
    pub fn try_send(&self, method: &str, path: &str, body: &str) -> Result<Value, String> {
        let (status, text) = match &self.admin {
            Admin::Tls(https) => https.send(method, path, body),
            Admin::Plain(agent) => {
                let request =
                    ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.text("base_url")));
                let mut answer = agent.run(request.body(body).unwrap()).unwrap();
                (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
            }
        };
        match status {
            200..300 => Ok(serde_json::from_str(&text).unwrap_or(Value::Null)),
            _ => Err(format!("{method} {path} {body}: {status} {text}")),
        }
    }
}

fn list(found: Value) -> Vec<Value> {
    let Value::Array(all) = found else { panic!("no list: {found}") };
    all
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
