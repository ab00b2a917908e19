//! The README's recipe for programs whose base URL cannot be set, as it is written: with an /etc and a network of its
//! own, programs that have the service's host name only. Where a user may have neither, it is not tried.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use crate::common::folder::Folder;
use paysvc_test_common::left_out::left_out;

/// Exit status of a script to which this machine refuses what it needs.
const REFUSED: i32 = 77;

/// Hosts and authorities are copies, which end with the process. In a new network even the loopback is down.
///
/// No mount may come to other namespaces. Only the root of the whole namespace can set that: the root of this process may be
/// a folder, by `chroot`, and no mount point.
const OWN: &str = r#"
nsenter --mount=/proc/self/ns/mnt mount --make-rprivate / || exit 77
cp /etc/hosts hosts
mkdir authorities certificates
cp -r /etc/ssl/certs/. certificates
mount --bind hosts /etc/hosts || exit 77
mount --bind authorities /usr/local/share/ca-certificates || exit 77
mount --bind certificates /etc/ssl/certs || exit 77
python3 -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 1))' || exit 77
"#;

/// Two programs with Debian's list of authorities, or one of their own, and no option for the sandbox.
const PROGRAMS: &str = r#"
. ./sandbox.env
curl --silent --show-error --fail --header "api-key: $PAYSVC_PUBLIC_KEY" https://api.example.com/payment/banks >curl.json
SSL_CERT_FILE=ca/ca.pem python3 -c '
import sys, urllib.request
request = urllib.request.Request("https://api.example.com/payment/banks", headers={"api-key": sys.argv[1]})
sys.stdout.buffer.write(urllib.request.urlopen(request).read())' "$PAYSVC_PUBLIC_KEY" >python.json
"#;

/// The shell blocks of the recipe.
fn recipe() -> Vec<&'static str> {
    let readme = include_str!("../README.md");
    let section = readme.split_once("\n## Unchanged programs\n").unwrap().1.split("\n## ").next().unwrap();
    section.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap()).collect()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Runs a script in namespaces of its own; everything that it starts ends with it. The error is what was refused.
fn run(folder: &Folder, identity: &[&str], script: &str) -> Result<Output, String> {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "unchanged", "--net", "--pid", "--fork", "--kill-child"]).args(identity);
    command.args(["sh", "-c", &format!("echo begun >begun\n{script}")]).current_dir(folder.path());
    for name in
        ["SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        command.env_remove(name);
    }
    // The programs that mount, and the one that makes the list, are not on every user's path.
    command.env("PATH", std::env::var("PATH").unwrap() + ":/usr/sbin:/sbin");
    let output = command.output().map_err(|error| format!("unshare: {error}"))?;
    let begun = folder.path().join("begun").exists();
    if begun && output.status.code() != Some(REFUSED) { Ok(output) } else { Err(text(&output).trim().to_owned()) }
}

#[test]
fn the_recipe_works_as_it_is_written() {
    let [serve, trust] = recipe()[..] else { panic!("the recipe has two blocks") };
    let wait = "sh ./serve >start & until [ -s start ]; do kill -0 $!; sleep 0.1; done\n";
    let script = format!("set -e\n{OWN}{wait}{trust}{PROGRAMS}");
    let mut refused = Vec::new();
    // As root, or as one who is root in a namespace of users.
    for identity in [&[][..], &["--map-root-user"]] {
        let folder = Folder::new(&format!("unchanged-{}", identity.len()));
        std::fs::create_dir_all(folder.path().join("build/bin")).unwrap();
        let program = folder.path().join("build/bin/paysvc-sandbox");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_paysvc-sandbox"), program).unwrap();
        std::fs::write(folder.path().join("serve"), serve).unwrap();
        match run(&folder, identity, &script) {
            Err(why) => refused.push(why.replace('\n', "; ")),
            Ok(output) => {
                assert!(output.status.success(), "{}", text(&output));
                for answer in ["curl.json", "python.json"] {
                    let banks = std::fs::read_to_string(folder.path().join(answer)).unwrap();
                    assert!(banks.contains("000014"), "{answer}: {banks}\n{}", text(&output));
                }
                return;
            }
        }
    }
    left_out(&format!(
        "the recipe for unchanged programs is NOT tried: {}",
        refused.join(", and as root of a namespace: ")
    ));
}
