#!/bin/sh
# Runs the programs with threads, cancels, signals and forks (tests/integration/process.rs) under ThreadSanitizer in C, the
# library, Rust's standard library and AWS-LC together. Any report fails the run, and two planted races must be reported.
set -eu
cd "$(dirname "$0")/.."

missing() {
    echo "MISSING: $1; the threads are NOT run under ThreadSanitizer" >&2
    echo "tsan: NOT run"
    [ -z "${CI:-}" ] || exit 1 # A missing tool.
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

triple=$(rustc -vV | sed -n 's/^host: //p')
sysroot=$(rustc --print sysroot)
runtime=$(find "$sysroot/lib/rustlib/$triple/lib" -name 'librustc*_rt.tsan.a' 2>/dev/null | head -n 1)
[ -n "$runtime" ] || missing "this machine's Rust has no ThreadSanitizer runtime"
# The standard library must be instrumented too: otherwise each of its locks would look like a race.
standard=$sysroot/lib/rustlib/src/rust/library/Cargo.lock
[ -f "$standard" ] || rustup component add rust-src >"$work/rustup" 2>&1 || cat "$work/rustup" >&2 || true
[ -f "$standard" ] || missing "the source of Rust's standard library is not installed (rustup component add rust-src)"
echo 'int main(void) { return 0; }' >"$work/try.c"
{ cc -fsanitize=thread -c "$work/try.c" -o "$work/try.o" &&
    cc "$work/try.o" -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive -lpthread -ldl -lrt -lm -lstdc++ \
        -o "$work/try" && "$work/try"; } >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    missing "this machine's C compiler does not work with Rust's ThreadSanitizer"
}

# Sanitizers are not part of stable Rust yet, but its compiler has them; none of this is shipped. The separate folder
# keeps this and other builds from replacing each other.
folder=${CARGO_TARGET_DIR:-target}/tsan
under=$(echo "$triple" | tr - _)
(
    export RUSTC_BOOTSTRAP=1 "CFLAGS_$under=-fsanitize=thread -fno-omit-frame-pointer"
    RUSTFLAGS="-Zsanitizer=thread -Cforce-frame-pointers=yes" CARGO_INCREMENTAL=0 \
        ${CARGO:-cargo} build --quiet --locked -Zbuild-std -p paysvc --lib --target "$triple" --target-dir "$folder"
)
archive=$(cd "$folder/$triple/debug" && pwd)/libpaysvc.a

# A program with a report ends with exit status 66.
export TEST_TSAN="$archive:$runtime" TEST_SANITIZED_LIST="$work/list"
export TSAN_OPTIONS="exitcode=66 halt_on_error=0 second_deadlock_stack=1"
: >"$work/list"
${CARGO:-cargo} test --quiet --workspace --locked --test integration -- --test-threads=2 process::
programs=$(sort -u "$work/list" | grep -vc '^races\.c$')
grep -q '^races\.c$' "$work/list" || { echo "tsan: the planted races were not run" >&2; exit 1; }
[ "$programs" -ge 5 ] || { echo "tsan: only $programs programs were run" >&2; exit 1; }
echo "tsan: $programs programs, no reports except of the races planted in races.c"
