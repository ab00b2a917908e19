#!/bin/sh
# Runs the tests of the Python package, except those of types and wheels, with every other Python from 3.9 on that is on
# this machine: in /usr, or of pyenv. Called by `make harden`.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
version() { # python: its version, if it is new enough
    "$1" -c 'import sys; sys.version_info >= (3, 9) and print("%d.%d" % sys.version_info[:2])' 2>/dev/null || :
}
done_with=" $(version build/venv/bin/python) "
found=""
failed=""
pyenv=${PYENV_ROOT:-$HOME/.pyenv}
for python in /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* "$pyenv"/versions/*/bin/python; do
    case $python in *-config) continue ;; esac
    of=$(version "$python")
    case $done_with in *" $of "*) continue ;; esac
    [ -n "$of" ] || continue
    done_with="$done_with$of "
    venv=build/pythons/$of
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check pytest django fastapi flask uvicorn
    echo "python $of"
    found=yes
    (
        cd bindings/python &&
            PYTHONPATH=$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 PAYSVC_LIBRARY=$root/build/lib/libpaysvc.so \
            PAYSVC_SANDBOX=$root/build/bin/paysvc-sandbox "$root/$venv/bin/python" -m pytest -q -p no:cacheprovider \
            --ignore tests/test_package.py --ignore tests/test_postgres_server.py --ignore tests/test_outbox.py \
            --ignore tests/test_celery.py --ignore tests/test_opentelemetry.py
    ) || failed="$failed $of"
done
[ -n "$found" ] || echo "MISSING: there is no other Python from 3.9 on; the package is NOT tested with one"
[ -z "$failed" ] || { echo "the tests fail with Python$failed" >&2; exit 1; }
