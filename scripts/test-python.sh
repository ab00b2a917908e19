#!/bin/sh
# Lints, types and tests of the Python package, with the library and the sandbox that `make build` built. Called by make.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
venv=$root/build/venv/bin
built=$(cd "${PAYSVC_BUILD:-build}" && pwd)

cd bindings/python
"$venv/ruff" check --no-cache . ../../examples ../../tests ../../sandbox/python
"$venv/mypy" --cache-dir ../../build/mypy
if command -v node >/dev/null; then
    "$venv/pyright"
else
    echo "MISSING: there is no node; pyright is NOT run"
fi
PYTHONPATH=$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 \
    PAYSVC_LIBRARY=$built/lib/libpaysvc.so PAYSVC_SANDBOX=$built/bin/paysvc-sandbox \
    "$venv/python" -m pytest -q -rs -p no:cacheprovider
