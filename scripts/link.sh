#!/bin/sh
# Makes the libraries for Linux from the archive that rustc wrote.
#   link.sh ARCHIVE FOLDER
# writes into FOLDER
#   libpaysvc.so.VERSION and links to it: stripped, with a version for every exported symbol
#   libpaysvc.a: one object, with no global symbols but paysvc_*
#   debug/libpaysvc.so.VERSION.debug: the symbols and lines that were stripped, for debuggers
# CC (cc) links for the target, and may have options; BINUTILS is what the names of its ld, objcopy and ar begin with, such
# as aarch64-linux-gnu-; LIBS are the libraries to link with instead of those of glibc. PARTS are archives from which both
# libraries take what they need, PARTS_OF_SHARED those from which only the shared one does.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 2 ] || { echo "usage: link.sh ARCHIVE FOLDER" >&2; exit 2; }
archive=$1 folder=$2
CC=${CC:-cc} BINUTILS=${BINUTILS:-}
LIBS=${LIBS:--lutil -lrt -lpthread -lm -ldl}
exports=$root/src/ffi/exports.map

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
abi=$(sed -n 's/^pub const ABI: i32 = \([0-9]*\);/\1/p' "$root/spec/src/status.rs")
name=libpaysvc.so.$version

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# rustc's archive holds all of Rust's standard library and of AWS-LC, thousands of global symbols. Linked into one object,
# without what no exported function needs, they can be local, so that they cannot clash with those of another archive.
sed -n 's/^ *\(paysvc_[a-z0-9_]*\);.*/-u \1/p' "$exports" >"$work/roots"
[ -s "$work/roots" ] || { echo "link: $exports names no functions" >&2; exit 1; }
# AWS-LC calls these five instead of its own memory functions if some other library or the program defines them: then memory
# would not be wiped, and could be freed by another allocator than the one that gave it. Hidden, and under names that nobody
# has, they stay undefined, which is what AWS-LC takes for "not there". Given two visibilities, ld takes the narrower one.
hooks="OPENSSL_memory_alloc OPENSSL_memory_free OPENSSL_memory_get_size OPENSSL_memory_realloc sdallocx"
renamed=""
"${BINUTILS}nm" "$archive" >"$work/symbols" 2>/dev/null || :
for hook in $hooks; do
    # An archive that was linked before has the other names already.
    grep -q " $hook\$" "$work/symbols" || continue
    printf 'void %s(void) __attribute__((weak, visibility("hidden")));\nvoid *not_%s(void) { return (void *)%s; }\n' \
        "$hook" "$hook" "$hook"
    renamed="$renamed --redefine-sym $hook=paysvc_unused_$hook"
done >"$work/hooks.c"
# shellcheck disable=SC2086
$CC -fPIC -g0 -c -o "$work/hooks.o" "$work/hooks.c"
# shellcheck disable=SC2086
"${BINUTILS}ld" -r --gc-sections --force-group-allocation "@$work/roots" -o "$work/all.o" "$work/hooks.o" \
    --whole-archive "$archive" --no-whole-archive ${PARTS:-}
# Besides, rustc leaves its intermediate code in there.
# shellcheck disable=SC2086
"${BINUTILS}objcopy" -R .llvmbc -R .llvmcmd $renamed --wildcard --keep-global-symbol='paysvc_*' "$work/all.o" \
    "$work/paysvc.o"

# An old glibc crashes in destructors of thread-locals after dlclose: nodelete.
# shellcheck disable=SC2086
$CC -shared -o "$work/$name" "$work/paysvc.o" ${PARTS_OF_SHARED:-} "-Wl,--version-script=$exports" "-Wl,-soname,libpaysvc.so.$abi" \
    -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,--no-undefined -Wl,--gc-sections -Wl,--build-id=sha1 \
    -Wl,--as-needed $LIBS

# The library names its debug file and that file's checksum.
(
    cd "$work"
    "${BINUTILS}objcopy" --only-keep-debug "$name" "$name.debug"
    chmod 644 "$name.debug"
    "${BINUTILS}objcopy" --strip-unneeded "--add-gnu-debuglink=$name.debug" "$name"
    "${BINUTILS}objcopy" --strip-unneeded paysvc.o
    "${BINUTILS}ar" rcsD libpaysvc.a paysvc.o
)

place() {
    sh "$root/scripts/place.sh" "$@"
}
place -m 644 "$work/$name.debug" "$folder/debug"
place -m 755 "$work/$name" "$folder"
place -l "$name" "$folder/libpaysvc.so.$abi"
place -l "libpaysvc.so.$abi" "$folder/libpaysvc.so"
place -m 644 "$work/libpaysvc.a" "$folder"
