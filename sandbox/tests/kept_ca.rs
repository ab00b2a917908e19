//! `--ca-dir` and `--ca-file` keep the certificate authority between starts.

use std::path::Path;

use crate::common::folder::Folder;
#[cfg(unix)]
use crate::common::folder::mode;
use crate::common::wire::Client;
use crate::common::{Sandbox, refusal};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};

fn serves(sandbox: &Sandbox) {
    let mut client = Client::new(sandbox);
    client.ask_for_banks(sandbox);
    client.answer().expect(200);
}

#[cfg(unix)]
fn set_mode(path: &str, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, permissions).unwrap();
}

#[test]
fn a_ca_is_made_once_and_stays() {
    let folder = Folder::new("ca-kept");
    let directory = folder.file("new/ca");
    let certificate = folder.file("new/ca/ca.pem");
    let first = Sandbox::start(&["--tls", "--ca-dir", &directory]);
    assert_eq!(first.start["ca_file"], certificate.as_str());
    serves(&first);
    let made = std::fs::read_to_string(&certificate).unwrap();
    assert!(made.contains("BEGIN CERTIFICATE") && !made.contains("PRIVATE"));
    #[cfg(unix)]
    assert_eq!((mode(&certificate), mode(&folder.file("new/ca/ca-key.pem"))), (0o644, 0o600));
    first.end();
    // The other flag with the same file.
    let second = Sandbox::start(&["--tls", "--ca-file", &certificate]);
    assert_eq!(second.start["ca_file"], certificate.as_str());
    serves(&second);
    second.end();
    assert_eq!(std::fs::read_to_string(&certificate).unwrap(), made);
}

#[test]
fn sandboxes_that_start_together_have_one_ca() {
    let folder = Folder::new("ca-race");
    let directory = folder.file("ca");
    let start = || Sandbox::start(&["--tls", "--ca-dir", &directory]);
    let sandboxes = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
    });
    sandboxes.iter().for_each(serves);
}

/// The certificate and its key in a file each.
fn write(certificate: &str, key: &str, params: CertificateParams) {
    let pair = KeyPair::generate().unwrap();
    std::fs::write(certificate, params.self_signed(&pair).unwrap().pem()).unwrap();
    std::fs::write(key, pair.serialize_pem()).unwrap();
    #[cfg(unix)]
    set_mode(key, 0o600);
}

fn ca() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

#[test]
fn a_ca_of_another_program_signs() {
    let folder = Folder::new("ca-other");
    let (certificate, key) = (folder.file("rootCA.pem"), folder.file("rootCA-key.pem"));
    write(&certificate, &key, ca());
    // As some programs make it.
    #[cfg(unix)]
    set_mode(&key, 0o400);
    serves(&Sandbox::start(&["--tls", "--ca-file", &certificate]));
}

#[test]
fn what_cannot_be_used_is_refused_and_kept() {
    let folder = Folder::new("ca-bad");
    let (certificate, key) = (folder.file("ca.pem"), folder.file("ca-key.pem"));
    let expired = || {
        let mut params = ca();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        params
    };
    let cases: [(&dyn Fn(), &str); 8] = [
        (&|| write(&certificate, &key, CertificateParams::default()), "not the certificate of a certificate authority"),
        (&|| write(&certificate, &key, expired()), "valid from Jan  1 00:00:00 2020"),
        (&|| write(&folder.file("other.pem"), &key, ca()), "ca-key.pem is not its key"),
        (&|| std::fs::write(&key, "x").unwrap(), "ca-key.pem: not a private key"),
        (&|| std::fs::write(&key, "").unwrap(), "ca-key.pem: it is empty, but"),
        (&|| std::fs::remove_file(&key).unwrap(), "ca-key.pem is missing"),
        (
            &|| [&certificate, &key].iter().for_each(|path| std::fs::write(path, "x").unwrap()),
            "ca.pem: not a certificate",
        ),
        (&|| std::fs::remove_file(&certificate).unwrap(), "ca.pem: No such file"),
    ];
    write(&certificate, &key, ca());
    for (damage, words) in cases {
        // The certificate of the case before is that of a CA.
        if words.contains("key") {
            write(&certificate, &key, ca());
        }
        damage();
        #[cfg(unix)]
        if Path::new(&key).exists() {
            set_mode(&key, 0o600);
        }
        let before = std::fs::read(&certificate).ok();
        let said = refusal(&["--tls", "--ca-dir", folder.path().to_str().unwrap()]);
        assert!(said.contains("--ca-dir: ") && said.contains(words), "{words}: {said}");
        assert_eq!(std::fs::read(&certificate).ok(), before, "{words}");
    }
    assert!(refusal(&["--tls", "--ca-file", "/dev/null/ca.pem"]).contains("--ca-file: /dev/null"));
    assert!(refusal(&["--ca-dir", "x"]).contains("--tls"));
    assert!(refusal(&["--tls", "--ca-dir", "x", "--ca-file", "y"]).contains("cannot be used with"));
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_use_is_refused() {
    let folder = Folder::new("ca-exposed");
    let (certificate, key) = (folder.file("ca.pem"), folder.file("ca-key.pem"));
    write(&certificate, &key, ca());
    let said = || refusal(&["--tls", "--ca-file", &certificate]);
    for exposed in [0o640, 0o604, 0o622] {
        set_mode(&key, exposed);
        let said = said();
        assert!(said.contains(&format!("ca-key.pem: its mode is 0{exposed:o}, so other users can use it")), "{said}");
    }
    set_mode(&key, 0o600);
    // Only root can give a file away.
    if std::os::unix::fs::chown(&key, Some(12345), None).is_ok() {
        let said = said();
        assert!(said.contains("ca-key.pem: it belongs to another user"), "{said}");
    } else {
        paysvc_test_common::left_out::left_out(
            "a CA's key of another user is NOT tried: only root can give a file away",
        );
    }
}
