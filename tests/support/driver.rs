//! A foreign program under test: it reads a call a line and prints a reply a line (see `tests/c/driver.c`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use super::capi::HANG;

pub struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// Its standard error: a file, because a pipe that nobody reads fills up.
    errors: File,
    /// The reply to the client's creation.
    pub created: Reply,
}

/// A reply as the foreign program saw it.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: String,
    pub outcome: String,
    pub state: i32,
    pub http_status: i32,
    pub attempts: i32,
    pub retry_after_ms: i32,
    pub code: String,
    pub message: String,
    pub body: String,
}

impl Reply {
    pub fn parse(line: &str) -> Reply {
        let fields: Vec<&str> = line.trim_end_matches('\n').splitn(9, '\t').collect();
        let [status, outcome, state, http_status, attempts, retry_after_ms, code, message, body] = fields[..] else {
            panic!("not a reply: {line:?}");
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("not a number in {line:?}"));
        Reply {
            status: status.into(),
            outcome: outcome.into(),
            state: number(state),
            http_status: number(http_status),
            attempts: number(attempts),
            retry_after_ms: number(retry_after_ms),
            code: code.into(),
            message: message.into(),
            body: body.into(),
        }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("the body is not JSON: {error}: {}", self.body))
    }

    pub fn verdict(&self) -> (&str, &str) {
        (&self.status, &self.outcome)
    }
}

impl Driver {
    pub fn start(command: &mut Command, config: &Value) -> Driver {
        Driver::start_text(command, &config.to_string())
    }

    pub fn start_text(command: &mut Command, config: &str) -> Driver {
        let mut errors = tempfile::tempfile().unwrap();
        let to_file = errors.try_clone().unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(to_file).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = lines(child.stdout.take().unwrap());
        writeln!(input, "{config}").unwrap();
        let created = Reply::parse(&read(&output, &mut child, &mut errors));
        Driver { child, input: Some(input), output, errors, created }
    }

    pub fn call(&mut self, function: &str, request: &Value) -> Reply {
        self.call_text(function, &request.to_string())
    }

    pub fn call_text(&mut self, function: &str, request: &str) -> Reply {
        Reply::parse(&self.ask(function, request))
    }

    /// The line that answers a command.
    fn ask(&mut self, command: &str, argument: &str) -> String {
        self.tell(command, argument);
        read(&self.output, &mut self.child, &mut self.errors)
    }

    /// Begins a call, and kills the program this long after that.
    pub fn call_and_kill(mut self, function: &str, request: &Value, after: Duration) {
        self.tell(function, &request.to_string());
        std::thread::sleep(after);
        self.kill();
    }

    /// Begins a call that the program may not survive, and waits for the program's end.
    pub fn call_and_end(mut self, function: &str, request: &Value) {
        self.tell(function, &request.to_string());
        drop(self.input.take());
        self.child.wait().unwrap();
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A command that gets no response.
    pub fn tell(&mut self, command: &str, argument: &str) {
        writeln!(self.input.as_mut().unwrap(), "{command}\t{argument}").unwrap();
    }

    /// The result of `get` of that language on the last reply.
    pub fn get(&mut self, pointer: &str) -> Option<String> {
        self.ask("get", pointer).trim_end_matches('\n').strip_prefix('=').map(str::to_owned)
    }

    /// The typed fields of the last reply's response, read as that endpoint's: the line of the command `answer`.
    pub fn answer(&mut self, endpoint: &str) -> serde_json::Map<String, Value> {
        let line = self.ask("answer", endpoint);
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Closes the client; the program goes on.
    pub fn close(&mut self) {
        assert_eq!(self.ask("close", ""), "closed\n");
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends the program, which must succeed, and gives what it wrote to standard error.
    pub fn finish(mut self) -> String {
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        let errors = whole(&mut self.errors);
        assert!(status.success(), "{status}\n{errors}");
        errors
    }
}

/// The value at a pointer, as `paysvc_reply_get` returns it, when the reply in the program may be gone already.
/// Numbers stay text, and values off the path are not read: a fault nests deeper than this thread's stack.
pub fn get(json: &str, pointer: &str) -> Option<String> {
    let mut found: &RawValue = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    for step in pointer.split('/').skip(1) {
        let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(found.get());
        found = match members {
            Ok(members) => members.get(step)?,
            Err(_) => serde_json::from_str::<Vec<&RawValue>>(found.get()).ok()?.get(step.parse::<usize>().ok()?)?,
        };
    }
    match found.get() {
        "null" => None,
        text => Some(serde_json::from_str(text).unwrap_or_else(|_| text.to_owned())),
    }
}

fn whole(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// On a thread of its own, because a read has no deadline.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).unwrap() == 0 || sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn read(output: &Receiver<String>, child: &mut Child, errors: &mut File) -> String {
    output.recv_timeout(3 * HANG).unwrap_or_else(|why| {
        _ = child.kill();
        panic!("the program wrote no line: {why}; {:?}\n{}", child.wait(), whole(errors))
    })
}
