//! The programs of docs/webhooks.md in C and Go, as they are written: each is sent a genuine event, twice, and a forged
//! one. The programs in Python are in bindings/python/tests/test_webhook_document.py.

use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::json;

use super::Service;
use crate::support::markdown::{self, Block};
use crate::support::server::closed_port;
use crate::support::{Link, Stage, root, run};

fn blocks(language: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/webhooks.md")).unwrap();
    let all = markdown::blocks("docs/webhooks.md", &text).unwrap();
    all.into_iter().filter(|block: &Block| block.language == language).map(|block| block.text).collect()
}

/// Bodies of a genuine event, of a forged one, of one about an unknown order, and of none.
fn bodies(service: &Service) -> [String; 4] {
    service.pay("ORDER-1", "600.00");
    let genuine = service.body();
    let forged = service.forge(json!({"order": "ORDER-1", "change": {"orderAmount": "1.00"}}));
    let unknown = service.forge(json!({"order": "ORDER-9"}));
    [genuine, forged, unknown, "{".to_owned()]
}

const MAIN: &str = r#"
#include <stdio.h>

const char *price_of(const char *reference)
{
    return strcmp(reference, "ORDER-1") == 0 ? "600.00" : NULL;
}

int mark_as_paid(const char *reference, const char *key)
{
    printf("%s is paid, key %.8s\n", reference, key);
    return 1;
}

int main(int argc, char **argv)
{
    paysvc_client *client;
    int index, wait;
    if (paysvc_client_new(NULL, &client, NULL) != PAYSVC_OK)
        return 2;
    for (index = 1; index < argc; index++) {
        int answer = on_event(client, argv[index], &wait);
        if (answer == 503)
            printf("%d after %d\n", answer, wait);
        else
            printf("%d\n", answer);
    }
    paysvc_client_free(client);
    return 0;
}
"#;

/// A service in which the order was paid with another amount than the program asks for it, and the event.
fn cheaper() -> (Service, String) {
    let service = Service::new();
    service.pay("ORDER-1", "6.00");
    let body = service.body();
    (service, body)
}

#[test]
fn the_program_in_c() {
    let stage = Stage::new();
    let [block] = &blocks("c")[..] else { panic!("each block needs a test") };
    let source = stage.path().join("events.c");
    std::fs::write(&source, block.clone() + MAIN).unwrap();
    let program = stage.cc(&source, Link::Shared, &["-std=c89", "-pedantic"]);
    let printed = |service: &Service, bodies: &[String]| {
        let output = run(service.sandbox.configure(stage.command(&program).args(bodies)));
        String::from_utf8(output.stdout).unwrap()
    };
    let service = Service::new();
    let all = printed(&service, &bodies(&service));
    assert_eq!(all, "ORDER-1 is paid, key order-5-\n200\n200\n503 after 30\n400\n");
    let nobody = json!({"path": "/payment/order/verify", "fault": "status_503", "count": 3});
    service.sandbox.post("/sandbox/faults", &nobody);
    assert_eq!(printed(&service, &[service.forge(json!({"order": "ORDER-1"}))]), "503 after 30\n");
    let (service, body) = cheaper();
    assert_eq!(printed(&service, &[body]), "500\n", "it is not paid as it was ordered");
}

/// A server that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The statuses of the program's responses to the bodies, and what it prints.
fn served(stage: &Stage, program: &Path, service: &Service, bodies: &[String]) -> (Vec<u16>, String) {
    let address = format!("127.0.0.1:{}", closed_port());
    let mut command = stage.command(program);
    service.sandbox.configure(&mut command).env("LISTEN", &address);
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    while std::net::TcpStream::connect(&address).is_err() {
        assert!(running.0.try_wait().unwrap().is_none(), "it has ended");
    }
    let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None);
    let agent: ureq::Agent = config.build().into();
    let post = |body: &String| agent.post(format!("http://{address}/events")).send(body.as_str()).unwrap().status();
    let statuses = bodies.iter().map(|body| post(body).as_u16()).collect();
    let mut printed = String::new();
    let output = running.0.stdout.take().unwrap();
    drop(running);
    BufReader::new(output).read_to_string(&mut printed).unwrap();
    (statuses, printed)
}

#[test]
fn the_program_in_go() {
    let stage = Stage::new();
    let [block] = &blocks("go")[..] else { panic!("each block needs a test") };
    let folder = stage.path().join("events");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("main.go"), block).unwrap();
    run(stage.go(&folder).args(["mod", "init", "example.com/events"]));
    let module = |version: &str| format!("paysvc.example/go/paysvc{version}");
    let replace = format!("-replace={}={}", module(""), root().join("bindings/go").display());
    run(stage.go(&folder).args(["mod", "edit", &format!("-require={}", module("@v0.0.0")), &replace]));
    run(stage.go(&folder).args(["vet", "."]));
    run(stage.go(&folder).args(["build", "-o", "events", "."]));
    let program = folder.join("events");
    let service = Service::new();
    let bodies = bodies(&service);
    let (found, printed) = served(&stage, &program, &service, &[&bodies[0..1], &bodies[..]].concat());
    assert_eq!(found, [200, 200, 200, 503, 400]);
    assert!(printed.starts_with("ORDER-1 is paid: 600.00 NGN") && printed.lines().count() == 1, "{printed}");
    let (service, body) = cheaper();
    let found = served(&stage, &program, &service, &[body]);
    assert_eq!(found, (vec![500], String::new()), "it is not paid as it was ordered");
}
