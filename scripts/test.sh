#!/bin/sh
# Builds the tests once and runs them side by side, after `make build`, whose library and sandbox they use. Every test
# program of the workspace is a part, and so are the documentation's tests, the Python package and the sandbox in a
# browser. The output of a part is printed when it ends, and kept in build/test. JOBS (processors plus one): how many parts
# run at a time, and half the number of integration tests that do; most of them wait for a peer. ONLY: what the names of the
# parts to run begin with, such as "python browser".
# A test reports each part left out because this machine lacks or refuses something: "MISSING: ..." if it is a tool,
# else "LEFT OUT: ..."; they are listed at the end. Where CI is set, a missing tool is a failure.
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo} MAKE=${MAKE:-make}
logs=build/test
MOST_SECONDS=1800 # several times the duration of the longest part on a busy machine
jobs=${JOBS:-$(($(nproc) + 1))}

part() { # name, folder, command...
    name=$1 status=0
    cd "$2"
    shift 2
    began=$(date +%s)
    # A part that hangs must not block the run.
    timeout "$MOST_SECONDS" "$@" >"$OLDPWD/$logs/$name.log" 2>&1 </dev/null || status=$?
    cd "$OLDPWD"
    echo "$status" >"$logs/$name.status"
    exec 9>"$logs/lock"
    flock 9
    printf '\n== %s (%s s)\n' "$name" "$(($(date +%s) - began))"
    cat "$logs/$name.log"
    [ "$status" != 124 ] || echo "$name was stopped after $MOST_SECONDS s"
    [ "$status" = 0 ] || echo "FAILED: $name, exit status $status"
}

case ${1:-} in
    part)
        shift
        part "$@"
        exit 0
        ;;
esac

rm -rf "$logs"
mkdir -p "$logs"
began=$(date +%s)
rust=""
for word in ${ONLY:-all}; do
    case $word in python* | browser*) ;; *) rust=yes ;; esac
done
: >"$logs/built.json"
[ -z "$rust" ] || "$CARGO" test --workspace --locked --no-run --message-format=json-render-diagnostics >"$logs/built.json"
echo "built in $(($(date +%s) - began)) s; $jobs parts at a time, their logs in $logs"

# One line for each part: name, folder, command. A test program runs in the folder of its package, as with cargo.
sed -n '/"reason":"compiler-artifact"/{/"profile":{[^}]*"test":true/s/.*"manifest_path":"\([^"]*\)\/Cargo.toml".*"executable":"\([^"]*\)".*/\1 \2/p;}' \
    "$logs/built.json" | while read -r folder program; do
    name=$(basename "$program" | sed 's/-[0-9a-f]*$//')
    [ "$folder" = "$PWD" ] || name=$(basename "$folder")-$name
    [ "$name" != integration ] || program="$program --test-threads=$((2 * jobs))"
    echo "$name $folder $program"
    # The library and the program of a package have the same name; their logs need two.
done | awk '{ if (seen[$1]++) $1 = $1 "-" seen[$1]; print }' >"$logs/programs"
[ -s "$logs/programs" ] || [ -z "$rust" ] || { echo "test: cargo built no test programs" >&2; exit 1; }
{
    # The longest first, so that it does not run alone at the end.
    grep "^integration " "$logs/programs" || :
    echo "python-binding $PWD sh scripts/test-python.sh"
    echo "browser $PWD sh scripts/test-browser.sh"
    grep -v "^integration " "$logs/programs" || :
    echo "documentation $PWD $CARGO test --workspace --locked --doc"
} | awk -v only="${ONLY:-}" '{ n = split(only, words); asked = !n; while (n) if (index($1, words[n--]) == 1) asked = 1 } asked' >"$logs/parts"
[ -s "$logs/parts" ] || { echo "test: no part begins with one of $ONLY" >&2; exit 2; }

xargs -P "$jobs" -L 1 sh "$0" part <"$logs/parts"

failed="" count=0
while read -r name _; do
    count=$((count + 1))
    [ "$(cat "$logs/$name.status" 2>/dev/null)" = 0 ] || failed="$failed $name"
done <"$logs/parts"
tests=$(cat "$logs"/*.log | awk '/^test result: / { for (i = 2; i <= NF; i++) if ($i == "passed;") sum += $(i - 1) } END { print sum + 0 }')
printf '\nmake test: %s parts, %s Rust tests passed, %s s\n' "$count" "$tests" "$(($(date +%s) - began))"
# pytest has a word of its own for it.
left_out=$(cat "$logs"/*.log | grep -aoE '(MISSING|LEFT OUT): .*|^SKIPPED .*' | sort -u) || :
if [ -n "$left_out" ]; then
    printf 'make test: left out:\n%s\n' "$left_out"
else
    echo "make test: nothing was left out"
fi
case ${CI:+$left_out} in *MISSING:*) failed="$failed (a tool is missing)" ;; esac
if [ -n "$failed" ]; then
    echo "make test: FAILED:$failed"
    exit 1
fi
echo "make test: ok"
