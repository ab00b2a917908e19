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
trap '[ -z "$new" ] || rm -rf "$new"' EXIT
trap 'exit 1' INT TERM

fresh() { # folder; makes a temporary one in it
    new=$1/.new.$$
    # One that was killed may have had this number.
    rm -rf "$new"
    mkdir -p "$new"
}

if [ -n "$link" ]; then
    folder=$(dirname "$1")
    fresh "$folder"
    ln -s "$link" "$new/$(basename "$1")"
else
    for folder; do :; done
    fresh "$folder"
    if [ "$1" = - ]; then
        cat >"$new/$name"
    elif [ -n "$name" ]; then
        cp "$1" "$new/$name"
    else
        # All but the folder.
        for file; do
            shift
            [ "$file" = "$folder" ] || set -- "$@" "$file"
        done
        cp "$@" "$new"
    fi
    chmod "$mode" "$new"/*
fi
mv -f "$new"/* "$folder"
rmdir "$new"
new=""
