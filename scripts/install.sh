#!/bin/sh
# make install and make uninstall. Installing only copies what `make build` has built, or what BUILD names. A record,
# LIBDIR/paysvc/installed, has every file and every folder that was made: those are removed again, and nothing else.
#   PREFIX=/usr/local LIBDIR=lib INCLUDEDIR=include BINDIR=bin MANDIR=share/man DOCDIR=share/doc/libpaysvc DESTDIR= \
#       BUILD=build install.sh install
#   PREFIX=/usr/local LIBDIR=lib DESTDIR= install.sh uninstall
# A folder that is not absolute lies in PREFIX.
set -eu
umask 022
cd "$(dirname "$0")/.."

fail() {
    echo "$*" >&2
    exit 1
}

in_prefix() { # folder
    case $1 in
        /*) printf '%s\n' "${1%/}" ;;
        *) printf '%s\n' "$prefix/${1%/}" ;;
    esac
}

build=${BUILD:-build} destination=${DESTDIR:-} prefix=${PREFIX:-/usr/local}
destination=${destination%/} prefix=${prefix%/}
case $prefix in
    /* | "") ;;
    *) prefix=$(pwd)/$prefix ;;
esac
libdir=$(in_prefix "${LIBDIR:-lib}")
includedir=$(in_prefix "${INCLUDEDIR:-include}")
bindir=$(in_prefix "${BINDIR:-bin}")
mandir=$(in_prefix "${MANDIR:-share/man}")
docdir=$(in_prefix "${DOCDIR:-share/doc/libpaysvc}")
record=$destination$libdir/paysvc/installed

from_record() { # kind, record: the paths of this kind, where they are now
    while read -r kind path; do
        case $kind/$path/ in
            */../*) fail "$2 is damaged: $path" ;;
            "$1"//*) printf '%s\n' "$destination$path" ;;
            "$1"/*) printf '%s\n' "$destination$prefix/$path" ;;
        esac
    done <"$2"
}

note() { # kind, path; one below the prefix without it, so that what was installed may be moved
    case $2 in
        "$prefix"/*) echo "$1 ${2#"$prefix"/}" >>"$record" ;;
        *) echo "$1 $2" >>"$record" ;;
    esac
}

made="" # folders that had to be made before there was a record
folder() { # makes it and those above it
    [ -d "$destination$1/" ] && return
    [ -n "$1" ] || { mkdir -p "$destination" && return; }
    folder "${1%/*}"
    mkdir "$destination$1"
    if [ -e "$record" ]; then note folder "$1"; else made="$made$1
"; fi
}

put() { # mode, folder, files
    mode=$1 to=$2
    shift 2
    [ -e "$1" ] || return 0
    folder "$to"
    for file; do note file "$to/${file##*/}"; done
    sh scripts/place.sh -m "$mode" "$@" "$destination$to"
}

link() { # to, link
    note file "$2"
    sh scripts/place.sh -l "$1" "$destination$2"
}

install() {
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    abi=$(sed -n 's/^pub const ABI: i32 = \([0-9]*\);/\1/p' spec/src/status.rs)
    dll=""
    [ ! -e "$build/bin/paysvc.dll" ] || dll=bin/paysvc.dll
    [ -z "$dll" ] || [ "$bindir" = "$prefix/bin" ] || fail "programs look for the DLL in PREFIX/bin: leave BINDIR as it is"
    for file in include/paysvc.h "${dll:-lib/libpaysvc.so.$version}" lib/libpaysvc.a; do
        [ -e "$build/$file" ] || fail "$build/$file is not there: run make build first"
    done

    if ! [ -e "$record" ]; then
        folder "$libdir/paysvc"
        : >"$record"
        chmod 644 "$record"
        printf '%s' "$made" | while read -r path; do note folder "$path"; done
    fi
    # Until the end the record has what was there before as well: an install that was interrupted can be removed.
    before=$(cat "$record") start=$(wc -l <"$record")

    put 644 "$includedir" "$build"/include/*
    if [ -n "$dll" ]; then
        put 755 "$bindir" "$build/$dll"
        put 644 "$libdir" "$build/lib/libpaysvc.dll.a" "$build/lib/paysvc.lib" "$build/lib/paysvc.def"
    else
        put 755 "$libdir" "$build/lib/libpaysvc.so.$version"
        link "libpaysvc.so.$version" "$libdir/libpaysvc.so.$abi"
        link "libpaysvc.so.$abi" "$libdir/libpaysvc.so"
    fi
    put 644 "$libdir" "$build/lib/libpaysvc.a"
    # Files that are not there are left out: the libraries of other platforms come without a sandbox.
    put 644 "$libdir/debug" "$build"/lib/debug/*.debug
    put 755 "$bindir" "$build/bin/paysvc-sandbox"
    for section in docs/man/man? "$build"/share/man/man?; do put 644 "$mandir/${section##*/}" "$section"/*; done
    put 644 "$prefix/share/paysvc" "$build/share/paysvc/schema.json"
    sh scripts/documents.sh | while read -r file; do
        to=$docdir/$file
        put 644 "${to%/*}" "$file"
    done
    folder "$libdir/pkgconfig"
    folder "$libdir/cmake/paysvc"
    for file in pkgconfig/paysvc.pc pkgconfig/paysvc-static.pc cmake/paysvc/paysvcConfig.cmake \
        cmake/paysvc/paysvcConfigVersion.cmake; do
        note file "$libdir/$file"
    done
    sh scripts/describe.sh -p "$prefix" -l "$libdir" -i "$includedir" "$destination"

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    { printf '%s\n' "$before" | grep '^folder ' || true; tail -n "+$((start + 1))" "$record"; } | sort -u >"$work/installed"
    # Files of the release that was replaced.
    from_record file "$work/installed" >"$work/files"
    from_record file "$record" >"$work/all"
    grep -Fvx -f "$work/files" "$work/all" | while read -r path; do rm -f "$path"; done
    sh scripts/place.sh -m 644 "$work/installed" "${record%/*}"

    echo "installed in $destination$prefix"
    [ -n "$destination$dll" ] || echo "if programs do not find libpaysvc.so.$abi, run ldconfig as root, or name $libdir in LD_LIBRARY_PATH"
}

uninstall() {
    [ -e "$record" ] || fail "$record is not there: nothing is known to be installed with this PREFIX, LIBDIR and DESTDIR"
    files=$(from_record file "$record")
    folders=$(from_record folder "$record" | sort -r)
    printf '%s\n' "$files" | while read -r path; do rm -f "$path"; done
    rm -f "$record"
    # The innermost first. One that holds something else, or is gone, stays as it is.
    printf '%s\n' "$folders" | while read -r path; do rmdir "$path" 2>/dev/null || true; done
    echo "removed from $destination$prefix"
}

case ${1:-} in
    install) install ;;
    uninstall) uninstall ;;
    *) fail "install.sh install, or install.sh uninstall" ;;
esac
