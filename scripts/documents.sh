#!/bin/sh
# The documents, and the files to which they link: pictures, programs, licences, the header. They are installed in the
# same folders as here, so that their links lead to them.
#   documents.sh           prints their names
#   documents.sh FOLDER    copies them
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

names() {
    cd "$here"
    printf '%s\n' *.md *.svg LICENSE-* include/paysvc.h sandbox/README.md sandbox/*.png bindings/*/README.md
    find docs \( -name '*.md' -o -name '*.svg' \)
    find examples bindings/*/examples \( -name '*.c' -o -name '*.cpp' -o -name '*.py' -o -name '*.go' -o -name '*.java' \) \
        ! -name '*_test.go'
}

if [ $# = 0 ]; then
    names
else
    names | while read -r name; do
        to=$1/$name
        sh "$here/scripts/place.sh" -m 644 "$here/$name" "${to%/*}"
    done
fi
