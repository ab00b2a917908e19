#!/bin/sh
# Runs the example programs in C, C++, Go and Python, each against a new sandbox. Called by make demo after make build.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

work=$(mktemp -d)
sandbox=""
stop() {
    if [ -n "$sandbox" ]; then
        kill "$sandbox" 2>/dev/null || true
        wait "$sandbox" 2>/dev/null || true
        sandbox=""
    fi
}
trap 'stop; rm -rf "$work"' EXIT INT TERM

start() {
    rm -f "$work/ready"
    mkfifo "$work/ready"
    build/bin/paysvc-sandbox --listen 127.0.0.1:0 --env-file "$work/env" >"$work/ready" &
    sandbox=$!
    # It prints one line when it is ready.
    read -r line <"$work/ready"
    echo "$line" | grep -q base_url || { echo "demo: the sandbox did not start" >&2; exit 1; }
    set -a
    # shellcheck disable=SC1091
    . "$work/env"
    set +a
}

example() { # title, command...
    printf '\n== %s\n\n' "$1"
    shift
    start
    "$@" --sandbox
    stop
}

export LD_LIBRARY_PATH="$root/build/lib" PKG_CONFIG_PATH="$root/build/lib/pkgconfig"
echo "compiling the examples"
${CC:-cc} -O2 -Wall -Wextra examples/collect.c -Ibuild/include -Lbuild/lib -lpaysvc -o "$work/collect-c"
${CXX:-c++} -std=c++11 -O2 -Wall -Wextra bindings/cpp/examples/collect.cpp -Ibuild/include -Lbuild/lib -lpaysvc -o "$work/collect-cpp"
(cd bindings/go && "$(sh "$root/scripts/go.sh")" build -o "$work/collect-go" ./examples/collect)

example "C: examples/collect.c" "$work/collect-c"
example "C++: bindings/cpp/examples/collect.cpp" "$work/collect-cpp"
example "Go: bindings/go/examples/collect" "$work/collect-go"
example "Python: examples/collect.py" env PYTHONPATH="$root/bindings/python/src" PYTHONDONTWRITEBYTECODE=1 \
    PAYSVC_LIBRARY="$root/build/lib/libpaysvc.so" python3 examples/collect.py
