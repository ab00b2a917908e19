#!/bin/sh
# Runs the tests of the pure modules in Miri, which sees undefined behaviour that no sanitizer does. What enters the
# operating system or AWS-LC cannot run there.
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
# Megabytes are read there for hours.
skip="--skip bounded --skip a_thousand_times --skip long --skip wherever_it_stands --skip accepts_what"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# shellcheck disable=SC2086
$found miri test --locked --lib --target-dir "${CARGO_TARGET_DIR:-target}/miri" -- \
    json::tests document::tests verdict::cells validate::tests reader::tests reply::tests redact::tests secrets::tests symbols::tests retry::tests log::tests $skip >"$out" 2>&1 || { cat "$out" >&2; exit 1; }
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$out")
[ "${passed:-0}" -gt 0 ] || { cat "$out" >&2; exit 1; }
echo "miri: $passed tests, 0 reports"
