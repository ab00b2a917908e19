#!/bin/sh
# Makes the roots in which libraries of other platforms are tried, in build/roots, where they are missing: roots.sh [NAME...]
#   bullseye       Debian 11 for x86_64 with Python's standard library
#   newest         Debian's testing release with the newest Python that it has, as python3
#   wine           Debian 13 with Wine for 64-bit programs
#   wine32         the same for 32-bit programs too, which takes packages of a second architecture from the mirror
#   debhelper      Debian 11 with what makes Debian's packages, and a C compiler
#   debhelper-cross
#                  the same with the C libraries of the other processors beside its own
#   bullseye-i386, arm64, armhf
#                  the C library of Debian 11 for that processor, and for arm64 musl's too
#   musl           musl's loader for x86_64
# Uses the package mirror of this machine, or those that MIRRORS names, for a release that mirrors no longer have. The first
# four need root and debootstrap; the others apt-get and dpkg, and arm64 and armhf QEMU. Exit status 3 and a line
# "MISSING: ..." if something is not there. Started side by side, one waits for the other.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bullseye newest wine wine32 bullseye-i386 arm64 armhf musl
# The originals of copied roots come first.
for name; do
    shift
    case $name in
        debhelper) set -- "$@" bullseye ;;
        debhelper-cross) set -- "$@" bullseye debhelper ;;
    esac
    set -- "$@" "$name"
done
roots=$PWD/build/roots
mkdir -p "$roots"
: >>"$roots/log"
exec 9>"$roots/lock"
flock 9

missing() {
    echo "MISSING: $*" >&2
    exit 3
}

# Ours is moved to its name when it is whole.
work=$roots/half-made
ended() {
    rm -rf --one-file-system "$work"
}
trap ended EXIT
trap 'exit 1' INT TERM

of_apt=$(sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep '/debian/*$' | head -n 1) || :
mirrors=${MIRRORS:-$of_apt}
keys=/usr/share/keyrings/debian-archive-keyring.gpg

program() { # command, package: installs it if it can
    command -v "$1" >/dev/null || apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends "$2" >/dev/null 2>&1 || missing "$2 is not installed"
}

debian() { # suite, further packages
    [ "$(id -u)" = 0 ] || missing "a root of Debian $1 needs root, for debootstrap and chroot"
    program debootstrap debootstrap
    for from in $mirrors; do
        rm -rf --one-file-system "$work"
        debootstrap --variant=minbase ${2:+"--include=$2"} "$1" "$work" "$from" >"$roots/log" 2>&1 && return
    done
    tail -n 20 "$roots/log" >&2
    missing "debootstrap of Debian $1 failed with the mirrors \"$mirrors\""
}

# The settings with which this machine reaches its mirror.
mirror_settings() {
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf; do
        [ ! -f "$file" ] || cp -L "$file" "$work$file"
    done
}

# Adds packages to a copy of another root.
more() { # root, further architectures, package...
    rm -rf --one-file-system "$work"
    cp -a --reflink=auto "$roots/$1" "$work"
    mirror_settings
    shift
    # shellcheck disable=SC2016
    chroot "$work" sh -c 'for it in $1; do dpkg --add-architecture "$it" || exit; done && shift && apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' more "$@" >"$roots/log" 2>&1 ||
        { tail -n 20 "$roots/log" >&2; missing "packages could not be installed: $*"; }
}

bullseye() {
    debian bullseye python3-minimal,libpython3-stdlib
}

wine() { # a second architecture, or nothing
    # The compilers of the programs in C++ that run in it; MinGW's for C builds the libraries.
    program x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
    [ -z "$1" ] || program i686-w64-mingw32-g++-posix g++-mingw-w64-i686-posix
    debian trixie ""
    # shellcheck disable=SC2016
    inside Wine '{ [ -z "$1" ] || dpkg --add-architecture "$1"; } && apt-get update -qq &&
        apt-get install -y -qq --no-install-recommends wine64 wine ${1:+"wine32:$1"}' "$1"
}

# A new Python comes every year. The copy that a mirror has of this release may be older than the release allows.
newest() {
    debian testing ""
    # shellcheck disable=SC2016
    inside "the newest Python" 'apt-get update -qq -o Acquire::Check-Valid-Until=false &&
        name=$(apt-cache pkgnames python3. | grep -x "python3\.[0-9]*-venv" | sort -V | tail -n 1) &&
        apt-get install -y -qq --no-install-recommends "$name" && ln -sf "/usr/bin/${name%-venv}" /usr/local/bin/python3'
}

inside() { # what it installs, commands, argument: runs them in the root
    # Its documentation is a tenth of it.
    printf 'path-exclude=/usr/share/%s/*\n' doc man locale >"$work/etc/dpkg/dpkg.cfg.d/small"
    mirror_settings
    # A package must not start a daemon.
    printf '#!/bin/sh\nexit 101\n' >"$work/usr/sbin/policy-rc.d"
    chmod 755 "$work/usr/sbin/policy-rc.d"
    DEBIAN_FRONTEND=noninteractive chroot "$work" sh -c "$2" sh "${3:-}" >"$roots/log" 2>&1 ||
        { tail -n 20 "$roots/log" >&2; missing "$1 could not be installed"; }
}

# Only packages that a program needs, unpacked and not set up: dpkg and apt do that for every processor.
unpacked() { # architecture, package...
    command -v apt-get >/dev/null || missing "apt-get, to download packages of Debian 11 for $1"
    command -v dpkg >/dev/null || missing "dpkg, to unpack packages of Debian 11 for $1"
    architecture=$1 apt=$work/apt
    shift
    for from in $mirrors; do
        rm -rf "$work"
        mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/debs"
        : >"$apt/status"
        signed=""
        [ ! -e "$keys" ] || signed="[signed-by=$keys] "
        echo "deb $signed$from bullseye main" >"$apt/sources.list"
        cat >"$apt/apt.conf" <<EOF
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
EOF
        if (export APT_CONFIG="$apt/apt.conf" && apt-get -qq update && cd "$apt/debs" && apt-get -qq download "$@") >"$roots/log" 2>&1; then
            for package in "$apt"/debs/*.deb; do dpkg -x "$package" "$work"; done
            rm -rf "$apt"
            return
        fi
    done
    tail -n 20 "$roots/log" >&2
    missing "packages of Debian 11 for $architecture could not be had from the mirrors \"$mirrors\""
}

# Steps that need the root's final name, because it has paths in it.
begin_wine() { # its root
    WINEPREFIX=/var/lib/wine WINEDEBUG=-all HOME=/root XDG_RUNTIME_DIR=/tmp \
        unshare --mount --propagation private --pid --fork --kill-child sh -c '
            mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" wineboot --init' wine "$1" >"$roots/log" 2>&1 || return 1
    # They are copies of what the packages have: 1.3 GB.
    for pair in x86_64:system32 i386:syswow64; do
        from=$1/usr/lib/${pair%:*}-linux-gnu/wine/${pair%:*}-windows
        for file in "$1/var/lib/wine/drive_c/windows/${pair#*:}"/*; do
            ! cmp -s "$from/${file##*/}" "$file" || ln -f "$from/${file##*/}" "$file"
        done
    done
}

for name; do
    case $name in
        arm64) program qemu-aarch64-static qemu-user-static ;;
        armhf) program qemu-arm-static qemu-user-static ;;
    esac
    [ ! -d "$roots/$name" ] || continue
    echo "roots: making build/roots/$name" >&2
    began=$(date +%s)
    case $name in
        bullseye) bullseye ;;
        debhelper) more bullseye "" debhelper gcc libc6-dev pkg-config ;;
        debhelper-cross)
            more debhelper "i386 arm64 armhf" libc6:i386 libc6:arm64 libc6:armhf \
                binutils-i686-linux-gnu binutils-aarch64-linux-gnu binutils-arm-linux-gnueabihf
            ;;
        newest) newest ;;
        wine) wine "" ;;
        wine32) wine i386 ;;
        bullseye-i386) unpacked i386 libc6 libgcc-s1 ;;
        arm64) unpacked arm64 libc6 libgcc-s1 musl ;;
        armhf) unpacked armhf libc6 libgcc-s1 ;;
        musl) unpacked amd64 musl ;;
        *)
            echo "roots: no root $name" >&2
            exit 2
            ;;
    esac
    rm -rf "$work/var/cache/apt" "$work/var/lib/apt/lists"
    echo "127.0.0.1 localhost" >"$work/etc/hosts" 2>/dev/null || :
    mv "$work" "$roots/$name"
    # Windows's own folders, which the first program would otherwise wait for.
    case $name in
        wine*) begin_wine "$roots/$name" || { tail -n 20 "$roots/log" >&2; rm -rf --one-file-system "${roots:?}/$name"; missing "Wine does not run in its root"; } ;;
    esac
    echo "roots: build/roots/$name, $(du -sm "$roots/$name" | cut -f 1) MB, in $(($(date +%s) - began)) s" >&2
done
