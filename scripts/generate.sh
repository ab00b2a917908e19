#!/bin/sh
# Writes the committed files that follow from the tables: include/paysvc.h, the bindings' generated files, README's table
# of endpoints and the tables of verdicts. build.rs renders all but the last beside the build; this copies those that
# differ.
set -eu
cd "$(dirname "$0")/.."

out=$(${CARGO:-cargo} build --quiet --locked -p paysvc --message-format=json |
    grep '"reason":"build-script-executed"' | grep -E '"package_id":"[^"]*[/#]paysvc[@#][0-9.]*"' |
    sed -n 's/.*"out_dir":"\([^"]*\)".*/\1/p')
[ -f "$out/tree/include/paysvc.h" ] || { echo "generate: cargo does not say where build.rs has rendered to" >&2; exit 1; }
(cd "$out/tree" && find . -type f) | sed 's|^\./||' | while read -r file; do
    if ! cmp -s "$out/tree/$file" "$file"; then
        mkdir -p "$(dirname "$file")"
        cp "$out/tree/$file" "$file"
        echo "generate: $file"
    fi
done
# The verdicts are code, which build.rs does not see: the test that compares them writes them.
PAYSVC_GENERATE=1 ${CARGO:-cargo} test --quiet --locked -p paysvc --lib verdict::document >/dev/null
