//! A foreign program under test: it gets a call a line and says a reply a line (see `tests/c/driver.c`).

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

pub struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What the client's creation gave.
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
    fn parse(line: &str) -> Reply {
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
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        writeln!(input, "{config}").unwrap();
        let created = Reply::parse(&read(&mut output, &mut child));
        Driver { child, input: Some(input), output, created }
    }

    pub fn call(&mut self, function: &str, request: &Value) -> Reply {
        self.call_text(function, &request.to_string())
    }

    pub fn call_text(&mut self, function: &str, request: &str) -> Reply {
        writeln!(self.input.as_mut().unwrap(), "{function}\t{request}").unwrap();
        Reply::parse(&read(&mut self.output, &mut self.child))
    }

    /// What `get` of that language says of the last reply.
    pub fn get(&mut self, pointer: &str) -> Option<String> {
        writeln!(self.input.as_mut().unwrap(), "get\t{pointer}").unwrap();
        let line = read(&mut self.output, &mut self.child);
        line.trim_end_matches('\n').strip_prefix('=').map(str::to_owned)
    }

    /// Ends the program, which must have nothing to complain of, and gives what it wrote to standard error.
    pub fn finish(mut self) -> String {
        drop(self.input.take());
        let output = self.child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}\n{errors}", output.status);
        errors
    }
}

fn read(output: &mut BufReader<ChildStdout>, child: &mut Child) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    if line.is_empty() {
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut errors).unwrap();
        panic!("the program ended: {:?}\n{errors}", child.wait());
    }
    line
}
