//! A resolver that hangs: the resources that it may use are bounded, and so is the time that a call waits for it.

use crate::support::server::Server;
use crate::support::{Link, Stage, root, run};

#[test]
fn a_hung_resolver_takes_a_bounded_number_of_threads() {
    let server = Server::ok();
    let stage = Stage::new();
    let program = stage.cc(&root().join("tests/c/look_up.c"), Link::Shared, &["-pthread", "-ldl"]);
    let resolver = stage.path().join("resolver.so");
    let source = root().join("tests/c/resolver.c");
    run(std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&resolver, &source]).arg("-ldl"));
    run(stage.command(&program).arg(server.port.to_string()).env("LD_PRELOAD", &resolver));
}
