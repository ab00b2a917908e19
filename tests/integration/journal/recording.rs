//! The operations of a program on the files of a folder, as strace records them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RECORDED: &str = "trace=?open,?openat,?creat,?write,?writev,?pwrite64,?pwritev,?pwritev2,?sendto,?sendmsg,\
                        ?ftruncate,?fallocate,?fsync,?fdatasync,?sync_file_range,?msync,?link,?linkat,?unlink,?unlinkat,\
                        ?rename,?renameat,?renameat2";

/// One thing that a program did. Files are named as in their folder.
#[derive(Clone, Debug)]
pub enum Op {
    Opened(String),
    Created(String),
    Write {
        name: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        name: String,
        length: usize,
    },
    Sync(String),
    /// The data written since the last one is lost, though it can still be read.
    FailedSync(String),
    SyncNames,
    Link {
        from: String,
        to: String,
    },
    Unlink(String),
    /// A POST left, to that path.
    Sent(String),
    /// A line was written to standard output.
    Told,
}

/// The same program under strace, which writes to that file.
pub fn traced(command: &Command, trace: &Path, options: &[&str]) -> Command {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-y", "-xx", "-s", "1000000", "-o"]).arg(trace).args(options);
    traced.arg(command.get_program()).args(command.get_args());
    traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    traced
}

/// As [`traced`], for [`read`]. `inject`: a system call, and how it fails.
pub fn recorded(command: &Command, trace: &Path, inject: Option<(&str, &str)>) -> Command {
    match inject {
        None => traced(command, trace, &["-e", RECORDED]),
        Some((name, failure)) => traced(command, trace, &["-e", &format!("{RECORDED},{name}"), "-e", failure]),
    }
}

/// A system call: its name, what was between its parentheses, and its result.
pub struct SystemCall {
    pub name: String,
    pub arguments: String,
    result: String,
}

impl SystemCall {
    /// The strings and the paths of file descriptors.
    fn texts(&self, from: char, to: char) -> impl Iterator<Item = Vec<u8>> {
        let mut rest = self.arguments.as_str();
        std::iter::from_fn(move || {
            let (_, behind) = rest.split_once(from)?;
            let (text, behind) = behind.split_once(to).expect("strace ends what it begins");
            rest = behind;
            Some(unescaped(text))
        })
    }

    pub fn strings(&self) -> Vec<Vec<u8>> {
        self.texts('"', '"').collect()
    }

    fn first_number(&self) -> usize {
        let digits: String = self.arguments.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(usize::MAX)
    }

    fn last_number(&self) -> usize {
        self.arguments.rsplit(", ").next().unwrap().parse().unwrap_or_else(|_| panic!("{}", self.arguments))
    }

    /// It names that path, or one in it, in any way.
    pub fn concerns(&self, folder: &Path) -> bool {
        let folder = folder.as_os_str().as_encoded_bytes();
        let mut all = self.texts('"', '"').chain(self.texts('<', '>'));
        all.any(|text| text.starts_with(folder))
    }
}

fn unescaped(text: &str) -> Vec<u8> {
    let hex = |pair: &str| u8::from_str_radix(pair, 16).unwrap_or_else(|_| panic!("{text:?} is not in hexadecimal"));
    text.split("\\x").skip(1).map(|pair| hex(&pair[..2])).collect()
}

/// The system calls that strace has written, in their order.
pub fn system_calls(trace: &Path) -> Vec<SystemCall> {
    let (mut calls, mut unfinished) = (Vec::new(), HashMap::new());
    for line in fs::read_to_string(trace).unwrap().lines() {
        let (process, rest) = line.split_once(' ').unwrap();
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
            unfinished.insert(process.to_owned(), begun.to_owned());
            continue;
        }
        let whole = match rest.split_once(" resumed>") {
            Some((_, end)) if rest.starts_with("<... ") => unfinished.remove(process).unwrap_or_default() + end,
            _ => rest.to_owned(),
        };
        if let Some((begin, result)) = whole.rsplit_once(" = ")
            && let Some((name, arguments)) = begin.trim_end().trim_end_matches(')').split_once('(')
        {
            calls.push(SystemCall {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
                result: result.to_owned(),
            });
        }
    }
    calls
}

/// The operations on the files of the folder, the requests sent, and the replies reported.
pub fn read(trace: &Path, folder: &Path) -> Vec<Op> {
    let folder = fs::canonicalize(folder).unwrap();
    system_calls(trace).iter().filter_map(|call| op(call, &folder)).collect()
}

fn op(call: &SystemCall, folder: &Path) -> Option<Op> {
    let strings = call.strings();
    let path = |bytes: &[u8]| PathBuf::from(std::str::from_utf8(bytes).unwrap().to_owned());
    let name = |bytes: &[u8]| Some(path(bytes).strip_prefix(folder).ok()?.to_str()?.to_owned());
    let of_descriptor = || call.texts('<', '>').next().filter(|bytes| bytes.starts_with(b"/"));
    let failed = call.result.starts_with('-');
    match call.name.as_str() {
        "fsync" | "fdatasync" => {
            let synced = of_descriptor().unwrap();
            match (path(&synced) == folder, failed) {
                (true, false) => Some(Op::SyncNames),
                (true, true) => None,
                (false, false) => name(&synced).map(Op::Sync),
                (false, true) => name(&synced).map(Op::FailedSync),
            }
        }
        _ if failed => None,
        "openat" if call.arguments.contains("O_CREAT") => name(strings.first()?).map(Op::Created),
        "openat" => name(strings.first()?).map(Op::Opened),
        "write" | "writev" | "sendto" | "sendmsg" if of_descriptor().and_then(|path| name(&path)).is_none() => {
            let sent = strings.first()?.strip_prefix(b"POST ");
            let path = |bytes: &[u8]| String::from_utf8_lossy(bytes.split(|byte| *byte == b' ').next().unwrap()).into();
            match sent {
                Some(bytes) => Some(Op::Sent(path(bytes))),
                None => (call.first_number() == 1).then_some(Op::Told),
            }
        }
        "pwrite64" => {
            let written: usize = call.result.split(' ').next().unwrap().parse().unwrap();
            let bytes = strings.first()?[..written].to_vec();
            name(&of_descriptor()?).map(|name| Op::Write { name, at: call.last_number(), bytes })
        }
        "ftruncate" => name(&of_descriptor()?).map(|name| Op::Truncate { name, length: call.last_number() }),
        "link" | "linkat" => name(strings.first()?).map(|from| Op::Link { from, to: name(&strings[1]).unwrap() }),
        "unlink" | "unlinkat" => name(strings.first()?).map(Op::Unlink),
        "pread64" | "mmap" | "fcntl" | "statx" | "newfstatat" => None,
        _ => {
            assert!(!call.concerns(folder), "{}({}) is not known here", call.name, call.arguments);
            None
        }
    }
}
