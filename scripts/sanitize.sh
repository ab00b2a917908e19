#!/bin/sh
# Runs the C programs and the scenarios with the sanitizers in C and Rust together. Any report fails the run.
set -eu
cd "$(dirname "$0")/.."

status=0
sh scripts/sanitized.sh >/dev/null || status=$?
if [ "$status" = 3 ]; then
    echo "sanitize: NOT run"
    [ -z "${CI:-}" ] || exit 1 # A missing tool.
    exit 0
elif [ "$status" != 0 ]; then
    exit "$status"
fi
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# Without these variables the tests run the programs without the sanitizers.
TEST_SANITIZED=1 TEST_SANITIZED_LIST=$list ${CARGO:-cargo} test --quiet --workspace --locked \
    --test integration -- c_programs:: process:: resources:: scenarios:: verdicts::
planted="leak.c planted.c"
programs=$(sort -u "$list" | grep -vxF "$(printf '%s\n' $planted)" | wc -l)
[ "$programs" -gt 5 ] || { echo "sanitize: only $programs programs were run" >&2; exit 1; }
echo "sanitize: $programs programs, no reports except of the defects planted in $planted"
