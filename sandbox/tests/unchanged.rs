//! The README's recipe for programs whose base URL cannot be set, as it is written: with an /etc and a network of its own,
//! programs that know the service's host name only.
#![cfg(target_os = "linux")]

mod common;

use std::process::Command;

use common::folder::Folder;

/// Hosts and authorities are copies, which end with the process. In a new network even the loopback is down.
const OWN: &str = r#"
cp /etc/hosts hosts
mkdir authorities certificates
cp -r /etc/ssl/certs/. certificates
mount --bind hosts /etc/hosts
mount --bind authorities /usr/local/share/ca-certificates
mount --bind certificates /etc/ssl/certs
python3 -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 1))'
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

#[test]
fn the_recipe_works_as_it_is_written() {
    let folder = Folder::new("unchanged");
    let [serve, trust] = recipe()[..] else { panic!("the recipe has two blocks") };
    std::fs::create_dir_all(folder.path().join("build/bin")).unwrap();
    let program = folder.path().join("build/bin/paysvc-sandbox");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_paysvc-sandbox"), program).unwrap();
    std::fs::write(folder.path().join("serve"), serve).unwrap();
    let wait = "sh ./serve >start & until [ -s start ]; do kill -0 $!; sleep 0.1; done\n";
    let script = format!("set -e\n{OWN}{wait}{trust}{PROGRAMS}");
    // Everything that it starts ends with it.
    let own = ["--mount", "--propagation", "private", "--net", "--pid", "--fork", "--kill-child", "sh", "-c"];
    let mut command = Command::new("unshare");
    if !nix::unistd::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(own).arg(script).current_dir(folder.path());
    for name in
        ["SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{told}");
    for answer in ["curl.json", "python.json"] {
        let text = std::fs::read_to_string(folder.path().join(answer)).unwrap();
        assert!(text.contains("000014"), "{answer}: {text}\n{told}");
    }
}
