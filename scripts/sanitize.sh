#!/bin/sh
# Runs the C programs and the scenarios with the sanitizers in C and Rust together. Any report fails the run.
#   sanitize.sh build    only builds the static library, with AddressSanitizer in Rust, and with AddressSanitizer and
#                        UndefinedBehaviorSanitizer in the C of AWS-LC, and prints its path. Exit status 3 and a line with
#                        MISSING if this machine's compilers cannot do that
set -eu
cd "$(dirname "$0")/.."

build() {
    # Sanitizers are not part of stable Rust yet, but its compiler has them; none of this is shipped.
    export RUSTC_BOOTSTRAP=1
    instrument="-Zsanitizer=address -Cforce-frame-pointers=yes"
    triple=$(rustc -vV | sed -n 's/^host: //p')
    folder=${CARGO_TARGET_DIR:-target}/sanitized

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    missing() {
        echo "MISSING: $1; C and Rust together are NOT run under the sanitizers" >&2
        exit 3
    }
    echo 'int main(void) { return 0; }' >"$work/try.c"
    cc -fsanitize=address,undefined "$work/try.c" -o "$work/try" 2>/dev/null && "$work/try" ||
        missing "this machine's C compiler has no AddressSanitizer and UndefinedBehaviorSanitizer"
    echo '#[unsafe(no_mangle)] pub extern "C" fn f(p: &mut [u8], i: usize) { p[i] += 1 }' >"$work/try.rs"
    # shellcheck disable=SC2086
    rustc --edition 2024 --crate-type staticlib $instrument "$work/try.rs" --emit obj -o "$work/try.o" 2>/dev/null &&
        nm "$work/try.o" | grep -q __asan_ || missing "this machine's Rust compiler has no AddressSanitizer"

    # --target keeps build scripts from being instrumented. The separate folder keeps this and other builds from replacing each
    # other.
    under=$(echo "$triple" | tr - _)
    export "CFLAGS_$under=-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    RUSTFLAGS=$instrument CARGO_INCREMENTAL=0 \
        ${CARGO:-cargo} build --quiet --locked -p paysvc --lib --target "$triple" --target-dir "$folder"
    echo "$PWD/$folder/$triple/debug/libpaysvc.a" | sed "s|^$PWD//|/|"
}
if [ "${1:-}" = build ]; then
    build
    exit 0
fi

status=0
sh "$0" build >/dev/null || status=$?
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
