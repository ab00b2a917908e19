#!/bin/sh
# Renders the lists of Python packages that the scripts install, with all that they need and the hashes of each file, from the
# lists beside them that are written by hand. Needs uv (https://docs.astral.sh/uv/), and asks PyPI.
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null || { echo "MISSING: uv, which renders the lists" >&2; exit 3; }
render() { # list without .in, then what to render it for
    list=$1
    shift
    rendered=$(uv pip compile --quiet --no-header --no-annotate --generate-hashes "$@" "$list.in")
    printf '# Rendered from %s.in by scripts/requirements.sh.\n%s\n' "$(basename "$list")" "$rendered" >"$list.txt"
}
for list in bindings/python/requirements-test packaging/requirements scripts/libs-requirements benches/speed/python/requirements; do
    render $list --universal --python-version 3.11
done
# The oldest Python; pip would read a marker for the Python that runs it.
render bindings/python/requirements-least --python-version 3.9 --python-platform x86_64-manylinux2014
