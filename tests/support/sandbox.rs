//! The sandbox as a process of its own, ended with the value that holds it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::artifacts;

pub struct Sandbox {
    child: Child,
    /// The line it printed when it was ready.
    pub ready: Value,
    agent: ureq::Agent,
}

impl Sandbox {
    /// Starts it on a free port, with repeatable keys.
    pub fn start(arguments: &[&str]) -> Sandbox {
        let mut child = Command::new(artifacts().join("paysvc-sandbox"))
            .args(["--listen", "127.0.0.1:0", "--seed", "7", "--exit-with-parent"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("paysvc-sandbox starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let agent = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build().into();
        Sandbox { child, ready, agent }
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

    /// The configuration with some members changed; null removes one.
    pub fn config_with(&self, changes: Value) -> Value {
        let mut config = self.config();
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        config
    }

    pub fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.text("base_url"));
        let text = self.agent.get(&url).call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("GET {path}: {error}: {text}"))
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.text("base_url"));
        let mut answer = self.agent.post(&url).content_type("application/json").send(body.to_string()).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert!(answer.status().is_success(), "POST {path} {body}: {} {text}", answer.status());
        serde_json::from_str(&text).unwrap_or(json!(null))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
