#!/bin/sh
# Plants defects in a copy of the library, one at a time, and expects the tests of the journal's file to find each.
#
#   claim after sending    the claim is written when the response is there: failing_disk, power_cuts
#   sync left out          what was committed is taken for durable: failing_disk, power_cuts
#   lost end not open      a claim without an end is not open: failing_disk
#   open key sent again    an open key does not keep a request from being sent: power_cuts
#   age of a claim         a claim is sent however old it is: late_tills
#   clock of another boot  times of two boots are compared: other_boots
#   another account's row  what another account has paid is confirmed: one_file
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
work=$PWD/target/journal-defects
tree=$work/tree out=$work/build
rm -rf "$tree" "$out"
mkdir -p "$tree" "$out"
git ls-files -z | tar -c --null -T - | tar -x -C "$tree"
# Cargo goes by times: a copy of an old file must not look as if it had been built.
touch "$tree/src/lib.rs"
cp -R build/include build/lib build/bin "$out"

tests() { TEST_BUILD="$out" "$CARGO" test --workspace --locked --test integration -- --nocapture "journal::$1"; }

build() {
    (cd "$tree" && CARGO_TARGET_DIR="$work/target" "$CARGO" rustc --quiet --release --locked -p paysvc --lib \
        --crate-type staticlib && sh scripts/link.sh "$work/target/release/libpaysvc.a" "$out/lib") >"$work/build.log" 2>&1 || {
        cat "$work/build.log" >&2
        exit 1
    }
}

# What a test says if it has found one.
FOUND='sent without a durable claim:|executed twice:|executed [2-9][0-9]* times|sent again:|it was damaged:|the lease ended early:|sent after its time:|executed \['
failed=""
planted() { # defect, file, sed expression, tests...
    defect=$1 file=$2 change=$3
    shift 3
    sed "$change" "$file" >"$tree/$file"
    if cmp -s "$file" "$tree/$file"; then
        echo "journal-defects: '$defect' changes nothing in $file" >&2
        exit 1
    fi
    build
    for test in "$@"; do
        if tests "$test" >"$work/test.log" 2>&1; then
            failed="$failed, $defect by $test"
            echo "planted: $defect: NOT FOUND by $test"
        elif grep -a -q -E "$FOUND" "$work/test.log"; then
            echo "planted: $defect: found by $test"
        else
            failed="$failed, $defect by $test"
            echo "planted: $defect: $test failed for another reason:"
            cat "$work/test.log"
        fi
    done
    cp "$file" "$tree/$file"
}

build
for test in failing_disk power_cuts; do
    tests "$test" >"$work/test.log" 2>&1 || { cat "$work/test.log"; echo "journal-defects: $test fails without a defect" >&2; exit 1; }
done
planted 'claim after sending' src/flow/engine.rs '
s/claimed => (claimed, connection.exchange(request, send_until)),/claimed => (claimed, result),/
s/match self.claim(call, ready) {/let result = connection.exchange(request, send_until); &/' \
    failing_disk power_cuts
planted 'sync left out' src/ledger/sqlite/syncs.rs 's/log\.sync_data()/{ let _ = log; Ok::<(), std::io::Error>(()) }/' \
    failing_disk power_cuts
planted 'lost end not open' src/ledger/claims.rs 's/ClaimState::NoEnd | ClaimState::Unknown => true/ClaimState::Unknown => true/' \
    failing_disk
planted 'open key sent again' src/ledger/table.rs 's/open: !open.is_empty()/open: false/' \
    power_cuts
planted 'age of a claim' src/flow/engine.rs 's/MAX_AGE\.min(/MAX_AGE.max(/' \
    late_tills
planted 'clock of another boot' src/util/boot.rs 's/if self.boot == now.boot {/if true {/' \
    other_boots
planted "another account's row" src/ledger/key.rs 's/self.keys.iter().any(|own| agrees(own, key))/!key.is_empty()/' \
    one_file
[ -z "$failed" ] || { echo "journal-defects: NOT FOUND:${failed#,}" >&2; exit 1; }
