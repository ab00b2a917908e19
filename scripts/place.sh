#!/bin/sh
# Copies files into a folder, each under a temporary name first, and then renames it. A file that a program runs or has
# loaded must be replaced, not written: writing fails for a program ("Text file busy"), and crashes processes that have
# a library loaded.
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

fresh() { # final name; sets a temporary name in the same folder
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
