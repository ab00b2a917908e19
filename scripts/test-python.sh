#!/bin/sh
# The tests of the Python package, with the library and the sandbox that `make build` built:
#   test-python.sh           lints, types and all tests, with the Python of build/venv; `make test` calls it
#   test-python.sh others    the tests with every other Python from 3.9 on that is on this machine, in /usr or of pyenv; `make
#                            harden` calls it
#   test-python.sh least     the tests with the oldest Python that the package is for, Debian 11's 3.9, in build/roots/bullseye,
#                            with the library of `make libs` for an old glibc. The sandbox runs there with this machine's C
#                            library. `.ci/run` calls it after `make libs-check`
# Exit status 3 and a line "MISSING: ..." if something is not there.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
venv=$root/build/venv/bin
built=$(cd "${TEST_BUILD:-build}" && pwd)
library=$built/lib/libpaysvc.so sandbox=$built/bin/paysvc-sandbox packages=""

tests() { # a Python with its arguments
    PYTHONPATH=$packages$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 PAYSVC_LIBRARY=$library PAYSVC_SANDBOX=$sandbox \
        "$@" -m pytest -q -p no:cacheprovider $options
}
# Another Python lacks what makes wheels, and the packages of others.
others="--ignore tests/test_package.py --ignore tests/test_postgres_server.py --ignore tests/test_outbox.py
    --ignore tests/test_celery.py --ignore tests/test_opentelemetry.py"
list=bindings/python/requirements-least.txt

every_other() {
    version() { # python: its version, if it is new enough
        "$1" -c 'import sys; sys.version_info >= (3, 9) and print("%d.%d" % sys.version_info[:2])' 2>/dev/null || :
    }
    done_with=" $(version "$venv/python") " found="" failed="" options=$others
    for python in /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python; do
        case $python in *-config) continue ;; esac
        of=$(version "$python")
        case $done_with in *" $of "*) continue ;; esac
        [ -n "$of" ] || continue
        done_with="$done_with$of " found=yes own=$root/build/pythons/$of
        "$python" -m venv --clear "$own"
        "$own/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps -r $list
        echo "python $of"
        (cd bindings/python && tests "$own/bin/python") || failed="$failed $of"
    done
    [ -n "$found" ] || echo "MISSING: there is no other Python from 3.9 on; the package is NOT tested with one"
    [ -z "$failed" ] || { echo "the tests fail with Python$failed" >&2; exit 1; }
}

the_least() {
    library=$root/build/libs/x86_64-unknown-linux-gnu/lib/libpaysvc.so.1 options=$others
    folder=$root/build/python-least
    for needed in "$library" "$sandbox" "$venv/pip"; do
        [ -e "$needed" ] || { echo "MISSING: $needed; run make test and make libs-check first" >&2; exit 3; }
    done
    sh scripts/runner.sh debian11
    if ! cmp -s $list "$folder/installed.txt"; then
        rm -rf "$folder"
        "$venv/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --python-version 3.9 \
            --implementation cp --platform manylinux2014_x86_64 --target "$folder" -r $list
        cp $list "$folder/installed.txt"
    fi
    # The sandbox needs the C library with which it was built.
    mkdir -p "$folder/host"
    loader=""
    for file in $(ldd "$sandbox" | awk '$2 == "=>" { print $3 } $1 ~ "/ld-linux" { print $1 }'); do
        cp -L "$file" "$folder/host"
        case $file in */ld-linux*) loader=$folder/host/${file##*/} ;; esac
    done
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$folder/host" "$sandbox" >"$folder/paysvc-sandbox"
    chmod 755 "$folder/paysvc-sandbox"
    packages=$folder: sandbox=$folder/paysvc-sandbox
    cd bindings/python
    tests sh ../../scripts/runner.sh debian11 /usr/bin/python3
}

case ${1:-} in
    others) every_other ;;
    least) the_least ;;
    "")
        options=-rs
        cd bindings/python
        "$venv/ruff" check --no-cache . ../../examples ../../tests ../../sandbox/python
        "$venv/mypy" --cache-dir ../../build/mypy
        # It downloads its program when it is called first.
        if "$venv/pyright" --version >/dev/null 2>&1; then
            "$venv/pyright"
        else
            echo "MISSING: pyright could not be downloaded; it is NOT run"
        fi
        tests "$venv/python"
        ;;
    *)
        sed -n '2,9s/^# //p' "$0" >&2
        exit 2
        ;;
esac
