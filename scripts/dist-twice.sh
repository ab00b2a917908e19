#!/bin/sh
# Makes the packages again of what is built, in another time zone and language and with other permissions for new files, and
# compares them with those of build/dist: dist-twice.sh [KIND...]. Prints the files that differ; exit status 1 if there are
# any. build/dist is then as it was. A signature is left out: the second run has no key.
set -eu
cd "$(dirname "$0")/.."
[ -d build/dist ] || { echo "dist-twice: build/dist is not there: run make dist first" >&2; exit 1; }
first=$(mktemp -d "$PWD/build/first.XXXXXX")
ended() {
    rm -rf build/dist
    mv "$first/dist" build/dist
    rmdir "$first"
}
mv build/dist "$first/dist"
trap ended EXIT
trap 'exit 1' INT TERM
(
    umask 077
    TZ=Asia/Tokyo LC_ALL=C.UTF-8 ${CARGO:-cargo} platforms dist --built "$@"
)
# The packages of those kinds.
files=0 differs=0
for kind in build/dist/*/; do
    kind=${kind%/}
    diff -rq "$first/dist/${kind##*/}" "$kind" || differs=1
    files=$((files + $(find "$kind" -type f | wc -l)))
done
[ "$files" -gt 0 ] || { echo "dist-twice: nothing was made" >&2; exit 1; }
[ "$differs" = 0 ] || exit 1
echo "dist-twice: $files files are the same"
