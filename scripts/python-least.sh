#!/bin/sh
# Runs the tests of the Python package with the oldest Python that it supports, Debian 11's 3.9, in build/roots/bullseye,
# with the library of `make libs` for an old glibc. The sandbox runs there with this machine's C library. Exit status 3 and a line
# "MISSING: ..." if something is not there. Called by .ci/run after `make libs-check`.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
library=$root/build/libs/x86_64-unknown-linux-gnu/lib/libpaysvc.so.1
sandbox=$root/build/bin/paysvc-sandbox
list=bindings/python/requirements-least.txt
packages=$root/build/python-least

for needed in "$library" "$sandbox" build/venv/bin/pip; do
    [ -e "$needed" ] || { echo "MISSING: $needed; run make test and make libs-check first" >&2; exit 3; }
done
sh scripts/runner.sh debian11

if ! cmp -s $list "$packages/installed.txt"; then
    rm -rf "$packages"
    build/venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: --python-version 3.9 \
        --implementation cp --platform manylinux2014_x86_64 --target "$packages" -r $list
    cp $list "$packages/installed.txt"
fi
# The sandbox needs the C library with which it was built.
mkdir -p "$packages/host"
loader=""
for file in $(ldd "$sandbox" | awk '$2 == "=>" { print $3 } $1 ~ "/ld-linux" { print $1 }'); do
    cp -L "$file" "$packages/host"
    case $file in */ld-linux*) loader=$packages/host/${file##*/} ;; esac
done
printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$packages/host" "$sandbox" >"$packages/paysvc-sandbox"
chmod 755 "$packages/paysvc-sandbox"

cd bindings/python
# Without those that make wheels, for which that Python lacks pip.
PYTHONPATH=$packages:$root/bindings/python/src PYTHONDONTWRITEBYTECODE=1 PAYSVC_LIBRARY=$library \
    PAYSVC_SANDBOX=$packages/paysvc-sandbox sh ../../scripts/runner.sh debian11 /usr/bin/python3 -m pytest -q \
    -p no:cacheprovider --ignore tests/test_package.py --ignore tests/test_postgres_server.py --ignore tests/test_outbox.py \
    --ignore tests/test_celery.py --ignore tests/test_opentelemetry.py
