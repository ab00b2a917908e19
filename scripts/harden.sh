#!/bin/sh
# Runs the long tests on hostile input, leaks and money one after the other, then prints their figures, what failed, and what
# this machine could not run. ONLY: the names of the parts to run, with their output. RUNS (1000000): inputs for each fuzz
# target. SEED: of the random faults and payouts.
#   harden.sh list    prints the names of the parts
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
logs=build/harden
mkdir -p "$logs"
mode=${1:-} ran="" failed="" figures=""
add_figures() { # name, lines of its output
    figures="$figures
$1
$(printf '%s\n' "$2" | sed 's/^/    /')"
}

part() { # name, pattern of the lines with figures, command...
    name=$1 pattern=$2
    shift 2
    [ "$mode" != list ] || { echo "$name"; return; }
    case " ${ONLY:-$name} " in *" $name "*) ;; *) return 0 ;; esac
    echo "== $name"
    ran="$ran $name " status=0
    if [ -n "${ONLY:-}" ]; then
        { "$@" 2>&1 && echo 0 >"$logs/$name.status" || echo 1 >"$logs/$name.status"; } | tee "$logs/$name.log"
        status=$(cat "$logs/$name.status")
    else
        "$@" >"$logs/$name.log" 2>&1 || status=$?
    fi
    lines=$(grep -a -E "$pattern|^MISSING" "$logs/$name.log" || true)
    [ "$status" = 0 ] && [ -n "$lines" ] || {
        failed="$failed $name"
        lines="$lines
FAILED: see $logs/$name.log"
    }
    add_figures "$name" "$lines"
}

test_of() { "$CARGO" test --workspace --locked --test integration -- --nocapture "$@"; }
test_with() { # a setting of the tests, then as test_of
    setting=$1
    shift
    env "$setting" "$CARGO" test --workspace --locked --test integration -- --nocapture "$@"
}

with_go() { # which, as scripts/go.sh names it
    test_with GO="$(sh scripts/go.sh "$1")" --ignored --exact go::its_tests_pass_under_the_race_detector
}

part boundary '^test result|^test .* ok$' test_of c_programs:: guards:: no_private_key::
part panics '^test result|^test .* ok$' "$CARGO" test --locked --lib panic_tests -- --nocapture
part resources '^test result|^test .* ok$' test_of resources::
part verdicts '^test result|answers, seed' env TEST_VERDICTS=1000000 "$CARGO" test --locked --lib verdicts:: -- --nocapture
part verdicts-sent '^test result|over sockets' test_with TEST_VERDICTS_SENT=30000 verdicts::
part journal-model 'as expected|NOT EXPECTED|compared' env TEST_JOURNAL_MODEL=all "$CARGO" test --locked --lib \
    ledger::table::model_tests -- --nocapture
part journal-bits '^of [0-9]+ bits' env TEST_BIT_STRIDE=1 "$CARGO" test --locked --lib ledger::sqlite::tests::damage -- \
    --nocapture
part journal '^journal:|^test result' test_with TEST_KILL_STRIDE=5 journal::
part journal-clocks '^journal:|^test result' test_with TEST_CLOCK_STRIDE=1 journal::wrong_clocks
part journal-disk '^journal:|^test result' test_with TEST_JOURNAL_DISK=all journal::power_cuts journal::failing_disk \
    journal::late_tills
part linked-faults '^found|^NOT FOUND' python3 scripts/planted-faults.py linked
part faults '^[0-9]+ calls|^false|^effects|^requests|^answers|^UNKNOWN|^violations' test_with TEST_FAULTS=all faults:: faults_random::
part bulk 'paid twice|^test result' test_with TEST_BULK=10000 bulk::
part certify '^test result' test_with TEST_ANSWERS=all scenarios:: typed_answers::
part bounds '^endless|^whole|kB|^test result' test_of bounds::
part canary '^canary:' test_with TEST_CANARY=all canary::
part journal-canary '^canary:' test_with TEST_JOURNAL_DISK=all canary::journal
part sanitize '^sanitize:' sh scripts/sanitize.sh
part tsan '^tsan:' sh scripts/tsan.sh
part cgocheck2 '^test result' test_of --ignored --exact go::its_tests_pass_with_every_pointer_that_c_gets_checked
part go-modules '^test result' test_of --ignored --exact go::its_modules_pass_their_tests_under_the_race_detector
part go-least '^test result' with_go least
part go-newest '^test result' with_go newest
part pythons '^python 3|^[0-9]+ passed' sh scripts/test-python.sh others
part memory '^memory:|tried$|^test result' test_with TEST_MEMORY=all out_of_memory::
part miri '^miri:' sh scripts/miri.sh
part deny '^deny: [0-9]' sh scripts/deny.sh
part fuzz '^planted|inputs tried' sh scripts/fuzz.sh runs "${RUNS:-1000000}"

[ "$mode" != list ] || exit 0
for name in ${ONLY:-}; do
    case $ran in *" $name "*) ;; *) failed="$failed $name (there is no such part: make harden LIST=1)" ;; esac
done
printf '\n%s\n%s\n' "harden: $(date -u +%Y-%m-%d)" "$figures"
[ -z "$failed" ] || { echo "harden: FAILED:$failed" >&2; exit 1; }
echo "harden: all passed"
