//! The tests that use the library, its programs, its bindings and its scripts from outside.

#[path = "../support/mod.rs"]
mod support;

mod abi;
mod bounds;
mod bulk;
mod c_programs;
mod call_id;
mod canary;
mod clock;
mod config;
mod cpp;
mod deadlines;
mod endpoint_examples;
mod endpoints;
mod example;
mod faults;
mod faults_random;
mod framing;
mod go;
mod guards;
mod hostile;
mod install;
mod json_wiped;
mod name_look_up;
mod no_private_key;
mod process;
mod prose;
mod proxy;
mod python;
mod reading;
mod readme;
mod resolve;
mod resources;
mod scenarios;
mod scripts;
mod shell_blocks;
mod threads;
mod tls;
mod two_edits;
mod typed_answers;
mod unsolicited_answers;
mod verdict_languages;
mod verdicts;
mod webhooks;
mod wire;
