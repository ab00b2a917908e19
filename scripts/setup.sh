#!/bin/sh
# Installs what this machine lacks to build the project (setup.sh build), to run its examples in all languages (demo), to
# test it (test), to compare it with other clients (peers, bench), to build the libraries of other platforms (libs, and
# their targets), to make packages of them (dist), or to install and use these (dist-check). Uses Debian's packages if
# possible, and otherwise lists what is missing. `setup.sh needs` installs nothing: it lists what a build lacks. Called by
# make; does nothing if everything is there.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-build}

[ "$(uname -s)" = Linux ] || {
    echo "setup: the library is linked on Linux, also for other systems (docs/platforms.md); this is $(uname -s)" >&2
    exit 1
}

RUST_LEAST=89 # 1.89, which a dependency needs

missing=""

is_there() ( # a command, or with a slash a file, or "venv"; of several with | between them one is enough
    IFS='|'
    for it in $1; do
        case $it in
            */*) [ -e "$it" ] ;;
            venv) python3 -c "import venv, ensurepip" 2>/dev/null ;;
            *) command -v "$it" >/dev/null 2>&1 ;;
        esac && return
    done
    return 1
)
need() { # what is_there looks for, package
    is_there "$1" || missing="$missing $2"
}
install_missing() {
    [ -n "$missing" ] || return 0
    echo "setup: this machine lacks:$missing" >&2
    if [ "$kind" = needs ]; then
        echo "setup: \`make setup\` installs them from Debian's packages, as root or with sudo: apt-get install$missing" >&2
        exit 1
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: there is no apt-get; install them and run this again" >&2
        exit 1
    fi
    if [ "$(id -u)" = 0 ]; then
        run=""
    elif command -v sudo >/dev/null 2>&1; then
        run="sudo"
    else
        echo "setup: this is not root, and there is no sudo; install them and run this again: apt-get install$missing" >&2
        exit 1
    fi
    $run apt-get update -qq
    echo "setup: installing them" >&2
    # Word splitting is intended: one word for each package.
    # shellcheck disable=SC2086
    $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing >/dev/null
    missing=""
}

# The tools in Python are in virtual environments, each of which is created again when its list changes.
environment() { # folder, list
    if ! [ -x "$1/bin/python" ] || ! cmp -s "$2" "$1/installed.txt"; then
        python3 -m venv --clear "$1"
        "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2"
        # It downloads its program now; the tests report it if that fails.
        [ ! -x "$1/bin/pyright" ] || "$1/bin/pyright" --version >/dev/null 2>&1 || :
        cp "$2" "$1/installed.txt"
    fi
}

# Who needs it, what must be there, and Debian's package of it. The tools of test-ci are large, and for few tests:
# continuous integration leaves none of them out.
while read -r kinds what package; do
    case ,$kinds, in ,all, | *",$kind,"* | *",$kind${CI:+-ci},"*) need "$what" "$package" ;; esac
done <<'EOF'
all cc gcc
all c++ g++
all make make
all pkg-config pkg-config
all ld binutils
all objcopy binutils
all /usr/include/stdio.h libc6-dev
demo,test,peers,bench python3 python3
demo,test,dist go|/usr/local/go/bin/go golang-go
peers,bench go golang-go
test,bench valgrind valgrind
test,bench strace strace
test curl curl
test cmake cmake
test groff groff-base
test chromium chromium
test chromedriver chromium-driver
test,dist,bench venv python3-venv
test /usr/lib/postgresql/*/bin/initdb postgresql
test update-ca-certificates|/usr/sbin/update-ca-certificates ca-certificates
test-ci x86_64-w64-mingw32-g++ g++-mingw-w64-x86-64-posix
test-ci i686-w64-mingw32-g++ g++-mingw-w64-i686-posix
dist zip zip
dist,dist-check minisign minisign
dist,dist-check rpm rpm
dist-check unzip unzip
dist-check lintian lintian
dist-check qemu-aarch64-static qemu-user-static
dist-check musl-gcc musl-tools
peers,bench curl-config libcurl4-openssl-dev
bench taskset util-linux
bench strip binutils
bench /usr/include/openssl/param_build.h libssl-dev
bench /usr/include/cjson/cJSON.h libcjson-dev
bench /usr/include/zlib.h zlib1g-dev
EOF
# Downloads need the root certificates of the system.
[ -e "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" ] || need /etc/pki/tls/certs ca-certificates
if ! command -v cargo >/dev/null 2>&1 && [ -x "$HOME/.cargo/bin/cargo" ]; then
    echo "setup: cargo is in $HOME/.cargo/bin, which is not in PATH; add it and run this again" >&2
    exit 1
fi
# rustc-web is the recent compiler with which Debian builds its browsers.
need cargo "cargo-web rustc-web rustfmt-web"

install_missing

minor=$(rustc --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\)\..*/\1/p')
if [ -z "$minor" ] || [ "$minor" -lt "$RUST_LEAST" ]; then
    echo "setup: Rust 1.$RUST_LEAST or newer is needed, this is: $(rustc --version 2>&1)" >&2
    exit 1
fi

# Debian's Go may be older than the Go package needs.
case $kind in test | demo) go=$(sh scripts/go.sh) ;; esac
if [ "$kind" = test ]; then
    # So that no test needs a network.
    for module in bindings/go/otelpaysvc bindings/go/examples/outbox; do (cd $module && "$go" mod download); done
    environment build/venv bindings/python/requirements-test.txt
fi

# The tools that make packages.
if [ "$kind" = dist ]; then
    environment build/tools/dist packaging/requirements.txt
fi

# The needs of a platform's libraries are in the table of platforms.
if [ "$kind" = libs ]; then
    shift
    needs=$(${CARGO:-cargo} platforms libs --needs "$@")
    rust=$(rustc --print sysroot)/lib/rustlib
    while read -r kind name package; do
        case $kind in
            command) need "$name" "$package" ;;
            rust)
                # Where Rust's standard library cannot be had for a target, it is built from its source.
                if ! [ -d "$rust/$name/lib" ] && command -v rustup >/dev/null 2>&1; then
                    rustup target add "$name" 2>/dev/null || rustup component add rust-src
                elif ! [ -d "$rust/$name/lib" ] && ! [ -e "$rust/src/rust/library/Cargo.lock" ]; then
                    missing="$missing rust-web-src"
                fi
                ;;
            zig) need venv "python3 python3-venv" ;;
        esac
    done <<EOF
$needs
EOF
    install_missing
    environment build/tools/venv scripts/libs-requirements.txt
fi
