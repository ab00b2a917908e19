//! The program: arguments, start line, exit.

use crate::common::folder::Folder;
use crate::common::wire::Client;
use crate::common::{Sandbox, command, refusal};
use rsa::traits::PublicKeyParts;

#[test]
fn the_start_line_has_address_and_keys() {
    let sandbox = Sandbox::start_with(&["--seed", "5"]);
    let start = &sandbox.start;
    assert!(start["base_url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert!(sandbox.public.starts_with("PGW-PUBLICKEY-TEST-") && sandbox.secret.starts_with("PGW-SECRETKEY-TEST-"));
    assert!(start["ca_file"].is_null());
    assert_eq!(sandbox.key.n().bits(), 4096);
    assert_eq!(start["encryption_key"].as_str().unwrap().len(), 1016);
}

#[test]
fn a_seed_repeats_keys_codes_and_references() {
    let observed = |seed: &str| {
        let sandbox = Sandbox::start_with(&["--seed", seed, "--key-bits", "2048"]);
        let mandate = sandbox.mandate("0690000031");
        let otp = sandbox.code(&mandate);
        let paid = sandbox.pay("M-0690000031", &mandate, &otp).expect(200).json();
        let mut start = sandbox.start.clone();
        start["base_url"].take();
        (start, mandate, otp, paid)
    };
    let (one, again, two) = (observed("1"), observed("1"), observed("2"));
    assert_eq!(one, again);
    assert_ne!(one.0["encryption_key"], two.0["encryption_key"]);
    assert_ne!(one.0["public_key"], two.0["public_key"]);
    assert_ne!(one.1, two.1);
}

#[test]
fn without_a_seed_every_start_has_its_own_api_keys() {
    let (one, two) = (
        Sandbox::start_with(&["--any-reference"]),
        Sandbox::start_with(&["--fresh-key", "--key-bits", "2048", "--any-reference"]),
    );
    assert_ne!(one.secret, two.secret);
    for sandbox in [one, two] {
        let payload = crate::common::card("A", "4111111111111111");
        sandbox.post("/payment/order/create", &payload).expect(200);
    }
}

#[test]
fn the_env_file_has_the_same_values() {
    let folder = Folder::new("env");
    let path = folder.file("sandbox.env");
    let sandbox = Sandbox::start(&["--env-file", &path]);
    let text = std::fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    assert_eq!(crate::common::folder::mode(&path), 0o600);
    let value = |name: &str| sandbox.start[name].as_str().unwrap().to_string();
    let expected = format!(
        "PAYSVC_BASE_URL={}\nPAYSVC_PUBLIC_KEY={}\nPAYSVC_SECRET_KEY={}\nPAYSVC_ENCRYPTION_KEY={}\n",
        value("base_url"),
        value("public_key"),
        value("secret_key"),
        value("encryption_key")
    );
    assert_eq!(text, expected);
}

/// The program prints the error, prints nothing on standard output, and leaves no partial file.
#[test]
fn an_env_file_that_cannot_be_written() {
    let folder = Folder::new("env-bad");
    let kept = folder.file("kept.env");
    std::fs::write(&kept, "OLD=1\n").unwrap();
    let program = env!("CARGO_BIN_EXE_paysvc-sandbox");
    for (path, setup, why) in [
        ("/dev/full".to_string(), "", "No space left"),
        (folder.file("no/such.env"), "", "No such file"),
        (folder.file(""), "", "Is a directory"),
        // Simulates a full disk: files cannot grow, and SIGXFSZ is ignored.
        (folder.file("new.env"), "trap '' XFSZ; ulimit -f 0;", "File too large"),
        (folder.file("kept.env"), "trap '' XFSZ; ulimit -f 0;", "File too large"),
    ] {
        let script = format!("{setup} exec \"$0\" --exit-with-parent --env-file \"$1\"");
        let output = std::process::Command::new("sh").args(["-c", &script, program, &path]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{path}: {said}");
        assert!(said.contains(&format!("could not write {path}: ")) && said.contains(why), "{said}");
        assert!(output.stdout.is_empty(), "{path}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["kept.env"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "OLD=1\n");
}

#[test]
fn tls_with_its_own_ca() {
    let sandbox = Sandbox::start(&["--tls"]);
    assert!(sandbox.start["base_url"].as_str().unwrap().starts_with("https://"));
    let ca_file = sandbox.start["ca_file"].as_str().unwrap().to_string();
    for name in ["127.0.0.1", "::1", "localhost"] {
        let mut client = Client::of(&sandbox, name);
        client.ask_for_banks(&sandbox);
        client.answer().expect(200);
    }
    // On exit it deletes its CA file.
    sandbox.end();
    assert!(!std::path::Path::new(&ca_file).exists());
}

#[test]
fn invalid_arguments_are_refused() {
    for (arguments, reason) in [
        (&["--listen", "0.0.0.0:0"][..], "--allow-remote"),
        (&["--listen", "localhost"], "ADDRESS:PORT"),
        (&["--listen", "no-such-host.invalid:0"], "--listen no-such-host.invalid:0: "),
        (&["--host", "payments.example:443"], "a host name without a port"),
        (&["--key-bits", "1024"], "2048, 3072 or 4096"),
        (&["--webhook", "https://example.com/"], "http://"),
        (&["--seed", "x"], "--seed"),
        (&["--webhook-form", "xml"], "data, pascal, flat"),
        (&["--currencies", "NGN,XXX"], "there is no currency"),
        (&["--fault", r#"{"path":"/payment/bank","fault":"drip"}"#], "near it are /payment/banks"),
    ] {
        let error = refusal(arguments);
        assert!(error.contains(reason), "{arguments:?}: {error}");
    }
}

#[test]
fn another_key_size() {
    let sandbox = Sandbox::start_with(&["--seed", "9", "--any-reference", "--key-bits", "3072"]);
    assert_eq!(sandbox.key.n().bits(), 3072);
    sandbox.charge_card("A", "4111111111111111").expect(200);
}

/// A sandbox that is killed cannot delete its file; the next one does, and leaves those of sandboxes that run.
#[test]
fn what_a_killed_sandbox_left_is_removed_at_the_next_start() {
    let folder = Folder::new("left");
    let start = || {
        let mut sandbox = command(&["--tls", "--key-bits", "2048"]);
        sandbox.env("TMPDIR", folder.path()).env("TMP", folder.path());
        let mut child = sandbox.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        let file = folder.path().join(format!("paysvc-sandbox-ca-{}.pem", child.id()));
        assert!(file.exists(), "{line}");
        // As if it had been made a while ago.
        let made = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(made).unwrap();
        (child, file)
    };
    let end = |mut child: std::process::Child| {
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let ((killed, left), (running, kept)) = (start(), start());
    end(killed);
    assert!(left.exists());
    let (next, own) = start();
    assert!(!left.exists() && kept.exists() && own.exists());
    end(running);
    end(next);
}
