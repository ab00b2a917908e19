#!/bin/sh
# Runs a program that was built for another platform: runner.sh RUNNER PROGRAM [ARGUMENT...]
#   debian11          in the root of Debian 11
#   newest            in the root with the newest Python
#   debian11-i386     with the i386 loader of Debian 11
#   qemu-PROCESSOR    in user emulation, over Debian's C library for it
#   musl              with the musl loader
#   empty             alone: the root of the program is its own folder
#   wine, wine32      in the root of Wine for 64-bit or 32-bit programs, which has /proc, /dev, this project and the temporary
#                     folder of this machine
# runner.sh stop: ends the Wine server, which otherwise ends by itself 20 seconds after its last program.
# runner.sh RUNNER: checks that it can be used, with exit status 3 and a line "MISSING: ..." where it cannot.
# The roots are made by scripts/roots.sh. The environment and the current folder are passed on; LD_LIBRARY_PATH finds shared
# libraries, WINEPATH does on Windows.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd -P)
roots=$here/build/roots

missing() {
    echo "MISSING: $*" >&2
    exit 3
}

in_root() { # root: mounts what the program may need of this machine, each at its own path, and runs it there
    root=$1
    shift
    temporary=$(cd "${TMPDIR:-/tmp}" && pwd -P)
    for folder in /proc /dev "$temporary" "$here" ${CARGO_TARGET_DIR:+"$CARGO_TARGET_DIR"}; do
        mkdir -p "$root$folder"
        mount --rbind "$folder" "$root$folder"
    done
    exec chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$PWD" "$@"
}

kind=${1:?usage: runner.sh RUNNER PROGRAM [ARGUMENT...]}
shift
case $kind in
    stop)
        for root in "$roots/wine" "$roots/wine32"; do
            [ ! -x "$root/usr/bin/wineserver-stable" ] ||
                WINEPREFIX=/var/lib/wine chroot "$root" wineserver -k || : # It may have ended.
        done
        exit 0
        ;;
    inside)
        in_root "$@"
        ;;
    wine | wine32 | newest) root=$roots/$kind ;;
    debian11) root=$roots/bullseye ;;
    debian11-i386) root=$roots/bullseye-i386 ;;
    qemu-aarch64) root=$roots/arm64 ;;
    qemu-arm) root=$roots/armhf ;;
    musl) root=$roots/musl ;;
    empty) root=/ ;;
    *)
        echo "runner.sh: no runner $kind" >&2
        exit 2
        ;;
esac
[ -d "$root" ] || missing "there is no $root: run scripts/roots.sh $(basename "$root")"
case $kind in
    debian11 | newest | wine | wine32 | empty) [ "$(id -u)" = 0 ] || missing "the runner $kind needs root, for chroot" ;;
    qemu-*) command -v "$kind-static" >/dev/null || missing "there is no $kind-static: install qemu-user-static" ;;
esac
[ $# -gt 0 ] || exit 0
program=$1
shift
case $program in */*) ;; *) program=./$program ;; esac
[ "$kind" = empty ] || program=$(cd "$(dirname "$program")" && pwd -P)/$(basename "$program")

case $kind in
    debian11 | newest)
        exec unshare --mount --propagation private sh "$0" inside "$root" "$program" "$@"
        ;;
    wine | wine32)
        export WINEPREFIX=/var/lib/wine WINEDEBUG=-all HOME=/root XDG_RUNTIME_DIR=/tmp
        exec unshare --mount --propagation private sh "$0" inside "$root" \
            sh -c 'wineserver -p20 2>/dev/null; exec wine "$@"' wine "$program" "$@"
        ;;
    debian11-i386)
        libraries=$root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu
        exec "$root/lib/i386-linux-gnu/ld-linux.so.2" --library-path "${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries" "$program" "$@"
        ;;
    qemu-*)
        exec "$kind-static" -L "$root" "$program" "$@"
        ;;
    musl)
        # A static program has no loader.
        readelf --program-headers "$program" | grep -q INTERP || exec "$program" "$@"
        exec "$root/lib/ld-musl-x86_64.so.1" "$program" "$@"
        ;;
    empty)
        exec chroot "$(dirname "$program")" "/$(basename "$program")" "$@"
        ;;
esac
