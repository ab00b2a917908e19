#!/bin/sh
# All that is done against hostile input and leaks, one after the other, and then its figures: what failed, and what this
# machine could not run, among them. RUNS (1000000) is the number of inputs for each fuzz target.
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
logs=build/harden
mkdir -p "$logs"
failed="" figures=""
note() { # name, the lines that tell
    figures="$figures
$1
$(printf '%s\n' "$2" | sed 's/^/    /')"
}

part() { # name, which lines of its output tell, command...
    name=$1 telling=$2
    shift 2
    echo "== $name"
    status=0
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    told=$(grep -a -E "$telling|^MISSING" "$logs/$name.log" || true)
    [ "$status" = 0 ] && [ -n "$told" ] || {
        failed="$failed $name"
        told="$told
FAILED: see $logs/$name.log"
    }
    note "$name" "$told"
}

test_of() { "$CARGO" test --locked "$@" -- --nocapture; }

part boundary '^test result|^test .* ok$' test_of --test c_programs --test guards --test no_private_key
part panics '^test result|^test .* ok$' test_of --lib panic_tests
part resources '^test result|^test .* ok$' test_of --test resources
part verdicts '^test result|^test .* ok$' env PAYSVC_VERDICTS=200000 "$CARGO" test --locked --test verdicts -- --nocapture
part faults '^[0-9]+ calls|^false|^effects|^requests|^answers|^UNKNOWN|^violations' env PAYSVC_FAULTS=all "$CARGO" test --locked --no-fail-fast --test faults --test faults_random -- --nocapture
part bounds '^endless|^whole|kB|^test result' test_of --test bounds
part canary '^canary:' env PAYSVC_CANARY=all "$CARGO" test --locked --test canary -- --nocapture
part sanitize '^sanitize:' sh scripts/sanitize.sh
[ ! -e scripts/tsan.sh ] || part tsan '^tsan:' sh scripts/tsan.sh
part cgocheck2 '^test result' "$CARGO" test --workspace --locked --test go -- --ignored
part miri '^miri:' sh scripts/miri.sh
part deny '^deny: [0-9]' sh scripts/deny.sh
part fuzz '^planted|inputs tried' sh scripts/fuzz.sh runs "${RUNS:-1000000}"

printf '\n%s\n%s\n' "harden: $(date -u +%Y-%m-%d)" "$figures"
[ -z "$failed" ] || { echo "harden: FAILED:$failed" >&2; exit 1; }
echo "harden: all passed"
