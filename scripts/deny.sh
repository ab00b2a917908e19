#!/bin/sh
# Checks the dependencies with deny.toml: licences, versions, sources and, if their list can be downloaded, advisories.
set -eu
cd "$(dirname "$0")/.."

DENY=0.20.2
if ! command -v build/tools/bin/cargo-deny >/dev/null 2>&1; then
    echo "deny: building cargo-deny $DENY, which takes about five minutes"
    ${CARGO:-cargo} install --quiet --locked --root build/tools --version "$DENY" cargo-deny
fi
deny() { build/tools/bin/cargo-deny --offline --locked "$@"; }

deny check licenses bans sources

# The check can fail: each of these is forbidden if one line is removed from deny.toml.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
must_fail() { # pattern of the removed line, name of the check
    grep -v "$1" deny.toml >"$work/deny.toml"
    ! cmp -s deny.toml "$work/deny.toml" || { echo "deny: deny.toml does not contain $1" >&2; exit 1; }
    if deny check --config "$work/deny.toml" "$2" >/dev/null 2>&1; then
        echo "deny: the check of $2 passes without the line $1, so it checks nothing" >&2
        exit 1
    fi
}
must_fail '"ISC",' licenses
must_fail 'crate = "syn@2"' bans
cp deny.toml "$work/deny.toml"
sed 's|^unknown-registry.*|unknown-registry = "deny"\nallow-registry = []|' deny.toml >"$work/deny.toml"
if deny check --config "$work/deny.toml" sources >/dev/null 2>&1; then
    echo "deny: the check of sources passes although none is allowed, so it checks nothing" >&2
    exit 1
fi

crates=$(grep -c '^name = ' Cargo.lock)
# Downloaded separately, so that a failed download is not taken for an advisory.
if build/tools/bin/cargo-deny --locked fetch db >"$work/fetch" 2>&1; then
    deny check advisories
    echo "deny: $crates crates; licences, versions, sources and advisories are in order"
else
    echo "MISSING: the list of advisories cannot be downloaded; advisories are NOT checked" >&2
    echo "deny: $crates crates; licences, versions and sources are in order, advisories NOT checked"
fi
