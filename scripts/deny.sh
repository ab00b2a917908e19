#!/bin/sh
# Holds the dependencies against deny.toml: licences, versions, sources, and advisories where their list can be had.
set -eu
cd "$(dirname "$0")/.."

DENY=0.20.2
if ! command -v build/tools/bin/cargo-deny >/dev/null 2>&1; then
    echo "deny: building cargo-deny $DENY, which takes about five minutes"
    ${CARGO:-cargo} install --quiet --locked --root build/tools --version "$DENY" cargo-deny
fi
deny() { build/tools/bin/cargo-deny --offline --locked "$@"; }

deny check licenses bans sources

# It can fail: each of these is against the rules when the rules lack one line.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
must_fail() { # what is taken out of deny.toml, what is checked
    grep -v "$1" deny.toml >"$work/deny.toml"
    ! cmp -s deny.toml "$work/deny.toml" || { echo "deny: deny.toml does not hold $1" >&2; exit 1; }
    if deny check --config "$work/deny.toml" "$2" >/dev/null 2>&1; then
        echo "deny: $2 passes without the line $1: the check is asleep" >&2
        exit 1
    fi
}
must_fail '"ISC",' licenses
must_fail 'crate = "syn@2"' bans
cp deny.toml "$work/deny.toml"
sed 's|^unknown-registry.*|unknown-registry = "deny"\nallow-registry = []|' deny.toml >"$work/deny.toml"
if deny check --config "$work/deny.toml" sources >/dev/null 2>&1; then
    echo "deny: sources pass although none is allowed: the check is asleep" >&2
    exit 1
fi

crates=$(grep -c '^name = ' Cargo.lock)
# Fetched first, so that a list that cannot be had is told apart from an advisory.
if build/tools/bin/cargo-deny --locked fetch db >"$work/fetch" 2>&1; then
    deny check advisories
    echo "deny: $crates crates; licences, versions, sources and advisories are in order"
else
    echo "MISSING: the list of advisories cannot be fetched from here; advisories are NOT checked" >&2
    echo "deny: $crates crates; licences, versions and sources are in order, advisories NOT checked"
fi
