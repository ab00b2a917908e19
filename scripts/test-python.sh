#!/bin/sh
# Lints, types and tests of the Python package, with the library and the sandbox that `make build` built. Called by make.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
venv=$root/build/venv/bin
built=$(cd "${TEST_BUILD:-build}" && pwd)

cd bindings/python
"$venv/ruff" check --no-cache . ../../examples ../../tests ../../sandbox/python
"$venv/mypy" --cache-dir ../../build/mypy
# It downloads its program when it is called first.
if "$venv/pyright" --version >/dev/null 2>&1; then
    "$venv/pyright"
else
    echo "MISSING: pyright could not be downloaded; it is NOT run"
fi
PYTHONPATH=$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 \
    PAYSVC_LIBRARY=$built/lib/libpaysvc.so PAYSVC_SANDBOX=$built/bin/paysvc-sandbox \
    "$venv/python" -m pytest -q -rs -p no:cacheprovider
