#!/bin/sh
# Runs every fuzz target (fuzz/, src/fuzzing/ and src/ffi/fuzzing/) on random inputs, starting from the committed corpus:
#   fuzz.sh runs 1000000    this number of inputs for each target
#   fuzz.sh seconds 5       this long for each target
#   fuzz.sh planted         only checks that crash, leak, panic and hang are found; "runs" and "seconds" begin with it
#   fuzz.sh corpus          adds new inputs of the last run to the committed corpus, as few as reach the same code
# Prints a line for each target and fails on any crash, leak, hang or lack of memory. SEED (1) chooses the inputs.
# Needs no cargo-fuzz and no nightly compiler.
set -eu
cd "$(dirname "$0")/.."

mode=${1:-} amount=${2:-0}
seed=${SEED:-1}
work=build/fuzz
flags="-timeout=20 -rss_limit_mb=2048 -max_len=4096 -seed=$seed -print_final_stats=1"
triple=$(rustc -vV | sed -n 's/^host: //p')
folder=${CARGO_TARGET_DIR:-target}/fuzz
binaries=$folder/$triple/release

# Clients without a configuration would read the settings in the environment of the user.
for name in $(env | sed -n 's/^\(PAYSVC_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done

# Runs a fuzz binary without the roots of the system: reading them for every client takes longer than everything else,
# and no result depends on them. Only for the binaries: cargo needs the roots for downloads.
fuzzed() {
    env SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/nonexistent "$@"
}

# The slowest first, so that they do not run alone at the end.
targets() {
    echo ffi
    echo wire
    for file in fuzz/fuzz_targets/*.rs; do basename "$file" .rs; done | grep -vxE 'planted|ffi|wire'
}

dictionary() {
    case $1 in
        key) echo fuzz/dictionaries/xml.dict ;;
        wire | ffi) echo fuzz/dictionaries/http.dict ;;
        *) echo fuzz/dictionaries/json.dict ;;
    esac
}

# Runs one target and prints its line.
one() {
    log=$work/$1.log
    rm -rf "${work:?}/$1" && mkdir -p "$work/$1"
    case $mode in
        runs) limit="-runs=$amount" ;;
        *) limit="-max_total_time=$amount" ;;
    esac
    # These reach so much code that the entropic schedule would take longer than the inputs.
    case $1 in ffi | wire) limit="$limit -entropic=0" ;; esac
    began=$(date +%s) result=0
    # Word splitting is intended: one word for each flag.
    # shellcheck disable=SC2086
    fuzzed "$binaries/$1" $flags $limit -dict="$(dictionary "$1")" -artifact_prefix="$work/crash-$1-" \
        "$work/$1" "fuzz/corpus/$1" >"$log" 2>&1 || result=$?
    number() { grep -a -o "$1 *[0-9]*" "$log" | tail -n 1 | grep -o '[0-9]*$' || echo 0; }
    printf '%-8s %9s inputs tried, %5s edges, corpus %4s, %4s s, crashes: %s\n' "$1" \
        "$(number stat::number_of_executed_units:)" "$(number cov:)" "$(number corp:)" \
        "$(($(date +%s) - began))" "$([ "$result" = 0 ] && echo 0 || echo 1)"
    if [ "$result" != 0 ]; then
        grep -a -E 'panicked at|ERROR:|SUMMARY:|Test unit written' -A 1 "$log" | head -n 20
        echo "to repeat: $binaries/$1 $work/crash-$1-...    whole log: $log"
        return 1
    fi
}

build() {
    sanitizer=-Zsanitizer=address
    mkdir -p "$work"
    echo 'fn main() {}' >"$work/probe.rs"
    if ! RUSTC_BOOTSTRAP=1 rustc $sanitizer --target "$triple" -o "$work/probe" "$work/probe.rs" 2>"$work/probe.log"; then
        echo "MISSING: this machine's Rust has no AddressSanitizer; fuzzing finds panics and hangs, but invalid memory accesses and leaks are NOT found"
        [ -z "${CI:-}" ] || exit 1
        sanitizer=""
    fi
    # As cargo-fuzz does: the pass that reports to libFuzzer which code an input reaches, and what it is compared with.
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$folder" RUSTFLAGS="--cfg fuzzing $sanitizer -Cpasses=sancov-module
        -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
        -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
        ${CARGO:-cargo} build --quiet --locked --release --target "$triple" --manifest-path fuzz/Cargo.toml
}

# Fails unless a deliberate defect is found and reported in these words.
must_find() { # defect, words, more flags
    printf %s "$1" >"$work/planted"
    # shellcheck disable=SC2086
    if fuzzed "$binaries/planted" $flags ${3:-} -artifact_prefix="$work/planted-" "$work/planted" >"$work/planted.log" 2>&1; then
        echo "fuzz: the planted $1 was NOT found" >&2
        exit 1
    fi
    grep -a -q "$2" "$work/planted.log" || { echo "fuzz: the planted $1 was not reported as '$2'" >&2 && exit 1; }
}

planted() {
    must_find panic 'deadly signal'
    must_find hang 'libFuzzer: timeout' -timeout=1
    found="panic, hang"
    if [ -n "$sanitizer" ]; then
        for target in $(targets); do
            grep -q __asan_init "$binaries/$target" || { echo "fuzz: no AddressSanitizer in $target" >&2 && exit 1; }
        done
        must_find overflow 'AddressSanitizer: heap-buffer-overflow'
        must_find leak 'LeakSanitizer: detected memory leaks'
        found="$found, heap overflow, leak; AddressSanitizer is in every target"
    fi
    printf nothing >"$work/planted"
    fuzzed "$binaries/planted" -artifact_prefix="$work/planted-" "$work/planted" >"$work/planted.log" 2>&1 || { echo "fuzz: a defect was reported although there was none" >&2 && exit 1; }
    echo "planted  found: $found"
}

case $mode in
    one)
        mode=$3 amount=$4
        one "$2"
        ;;
    runs | seconds)
        build
        planted
        echo "seed     $seed"
        targets | xargs -P "${JOBS:-$(nproc)}" -I '{}' sh "$0" one '{}' "$mode" "$amount"
        ;;
    planted)
        build
        planted
        ;;
    corpus)
        build
        for target in $(targets); do
            rm -rf "${work:?}/small" && mkdir -p "$work/small"
            find "$work/$target" -type f -size -256c -exec cp '{}' "$work/small" ';'
            # Handwritten entries keep their names. New entries must name their endpoints before they are committed: see
            # src/ffi/fuzzing/tests.rs.
            before=$(find "fuzz/corpus/$target" -type f | wc -l)
            fuzzed "$binaries/$target" -merge=1 -max_len=512 -artifact_prefix="$work/merge-$target-" "fuzz/corpus/$target" "$work/small" >"$work/merge.log" 2>&1
            echo "$target: $before files, now $(find "fuzz/corpus/$target" -type f | wc -l)"
        done
        ;;
    *)
        sed -n '2,8s/^# //p' "$0" >&2
        exit 2
        ;;
esac
