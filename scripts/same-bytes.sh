#!/bin/sh
# Builds the libraries of a platform again, in another folder and with other caches, and compares them with those of build/libs:
#   same-bytes.sh PROGRAM TARGET
# PROGRAM builds them. Prints the files that differ; exit status 1 if there are any. Called by `cargo platforms libs-check`.
set -eu
program=${1:?usage: same-bytes.sh PROGRAM TARGET} target=${2:?the target}
cd "$(dirname "$0")/.."
# Another path, of another length.
there=$(mktemp -d "$PWD/build/elsewhere.XXXXXX")
trap 'rm -rf "$there"' EXIT
trap 'exit 1' INT TERM

mkdir -p "$there/tree/build" "$there/cargo/registry" "$there/temporary"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -P -t "$there/tree"
cp -al build/tools "$there/tree/build"
# Cargo's downloads, without the unpacked sources, and its registry settings.
cargo=${CARGO_HOME:-$HOME/.cargo}
cp -a "$cargo/registry/index" "$cargo/registry/cache" "$there/cargo/registry"
for file in config.toml config credentials.toml credentials; do
    [ ! -f "$cargo/$file" ] || cp "$cargo/$file" "$there/cargo/$file"
done

CARGO_HOME=$there/cargo CARGO_TARGET_DIR=$there/target XDG_CACHE_HOME=$there/cache TMPDIR=$there/temporary \
    ZIG_GLOBAL_CACHE_DIR=$there/zig ZIG_LOCAL_CACHE_DIR=$there/zig-here \
    "$program" libs --root "$there/tree" "$target" >"$there/log" 2>&1 || { tail -n 30 "$there/log"; exit 1; }
diff -rq --no-dereference "build/libs/$target" "$there/tree/build/libs/$target"
