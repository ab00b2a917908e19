#!/bin/sh
# Puts files into a folder, each under a name of its own first and then by rename. A file that a program runs or has
# loaded is replaced, never written into: writing fails for a program ("Text file busy") and kills who has a library loaded.
#   place.sh -m MODE FILE... FOLDER
#   place.sh -m MODE -n NAME FILE FOLDER    under another name; FILE may be -
#   place.sh -l TO LINK                     a symbolic link
set -eu

mode="" name="" link=""
while getopts m:n:l: flag; do
    case $flag in
        m) mode=$OPTARG ;;
        n) name=$OPTARG ;;
        l) link=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

new=""
trap '[ -z "$new" ] || rm -f "$new"' EXIT
trap 'exit 1' INT TERM

fresh() { # the file's last name: a name in the same folder that nobody has
    mkdir -p "$(dirname "$1")"
    new=$(dirname "$1")/.$(basename "$1").new.$$
    rm -f "$new"
}

if [ -n "$link" ]; then
    fresh "$1"
    ln -s "$link" "$new"
    mv -f "$new" "$1"
    exit 0
fi

folder=""
for folder; do :; done
while [ $# -gt 1 ]; do
    to=$folder/${name:-$(basename "$1")}
    fresh "$to"
    if [ "$1" = - ]; then cat >"$new"; else cp "$1" "$new"; fi
    chmod "$mode" "$new"
    mv -f "$new" "$to"
    shift
done
