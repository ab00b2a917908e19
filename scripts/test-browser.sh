#!/bin/sh
# The sandbox's page and widget in headless Chromium, with the sandbox that `make build` built. Called by make.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/venv/bin
tests=sandbox/tests/browser

"$venv/ruff" check --no-cache --config bindings/python/pyproject.toml $tests
"$venv/mypy" --strict --cache-dir build/mypy-browser $tests/*.py
PAYSVC_SANDBOX=$PWD/build/bin/paysvc-sandbox PYTHONDONTWRITEBYTECODE=1 \
    "$venv/python" -m pytest -q -rs -p no:cacheprovider --rootdir $tests $tests
