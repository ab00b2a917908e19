#!/bin/sh
# Lints, types and tests of the Python package, with the debug build of the library and the sandbox. Called by make.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
venv=$root/build/venv/bin
case ${CARGO_TARGET_DIR:-target} in
    /*) built=$CARGO_TARGET_DIR/debug ;;
    *) built=$root/${CARGO_TARGET_DIR:-target}/debug ;;
esac

cd bindings/python
"$venv/ruff" check --no-cache . ../../examples ../../tests
"$venv/mypy" --cache-dir ../../build/mypy
if command -v node >/dev/null; then
    "$venv/pyright"
else
    echo "MISSING: node is not on this machine; pyright is NOT run"
fi
PYTHONPATH=$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 \
    PAYSVC_LIBRARY=$built/libpaysvc.so PAYSVC_SANDBOX=$built/paysvc-sandbox \
    "$venv/python" -m pytest -q -p no:cacheprovider
