#!/bin/sh
# Runs the tests of the pure modules in Miri, which finds undefined behaviour that sanitizers do not. Code that calls the
# operating system or AWS-LC cannot run in it.
set -eu
cd "$(dirname "$0")/.."

# The toolchain in use, or rustup's nightly.
for cargo in "cargo" "cargo +nightly"; do
    if $cargo miri --version >/dev/null 2>&1; then
        found=$cargo
        break
    fi
done
if [ -z "${found:-}" ]; then
    echo "MISSING: no Rust toolchain here has Miri (rustup +nightly component add miri rust-src); it is NOT run" >&2
    echo "miri: NOT run"
    exit 0
fi
# These read megabytes, which takes hours in Miri.
skip="--skip bounded --skip a_thousand_times --skip long --skip wherever_it_stands --skip accepts_what --skip quickly
    --skip a_pointer_that --skip a_number_is"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
modules="json::tests document::tests verdict::cells validate::tests reader::tests reply::tests redact::tests
    secrets::tests symbols::tests retry::tests log::tests builder::tests cp1252::tests"
# shellcheck disable=SC2086
$found miri test --locked --lib --target-dir "${CARGO_TARGET_DIR:-target}/miri" -- $modules $skip >"$out" 2>&1 ||
    { cat "$out" >&2; exit 1; }
# A module that was renamed would no longer be tested.
for module in $modules; do
    grep -q "^test .*$module" "$out" || { echo "miri: no test is called $module" >&2; exit 1; }
done
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$out")
[ "${passed:-0}" -gt 0 ] || { cat "$out" >&2; exit 1; }
echo "miri: $passed tests, 0 reports"
