#!/bin/sh
# Starts the sandbox and runs examples/collect.c against it. Called by make demo, after make build.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
sandbox=""
finish() {
    if [ -n "$sandbox" ]; then
        kill "$sandbox" 2>/dev/null || true
        wait "$sandbox" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT INT TERM

echo "cc examples/collect.c, linked against libpaysvc"
${CC:-cc} -O2 -Wall -Wextra examples/collect.c -Ibuild/include -Lbuild/lib -lpaysvc -Wl,-rpath,"$PWD/build/lib" -o "$work/collect"

echo "starting the sandbox"
mkfifo "$work/ready"
build/bin/paysvc-sandbox --listen 127.0.0.1:0 --env-file "$work/env" >"$work/ready" &
sandbox=$!
# Its one line of output says that it is ready.
read -r line <"$work/ready"
echo "$line" | grep -q base_url || { echo "demo: the sandbox did not start" >&2; exit 1; }

set -a
# shellcheck disable=SC1091
. "$work/env"
set +a
echo
"$work/collect" --sandbox
