#!/bin/sh
# Runs the two commands of README, as they are written, on a bare Debian: a root made by debootstrap with the base system,
# make, the files that git tracks, and the settings that this machine needs to reach its package registries. It has no git, no
# compiler and no caches. Prints wall and CPU seconds of each command.
#   bare.sh                   both, in a root that is removed then. KEEP=1: keeps it
#   bare.sh root FOLDER       makes the root in that folder. Exit status 3 and a line "MISSING: ..." where it cannot be made
#   bare.sh demo|test FOLDER  runs the command of README with this target there
#   bare.sh run FOLDER CMD    runs that command of the shell there, with what those two have built
# Needs root, debootstrap and the network. SUITE (bookworm): the Debian.
set -eu
cd "$(dirname "$0")/.."
SUITE=${SUITE:-bookworm}

die() {
    echo "bare: $*" >&2
    exit 1
}
missing() {
    echo "MISSING: $*" >&2
    exit 3
}

# The step that mounts is in a namespace of its own, and its mounts end with it in any case.
apart() { # step, folder, command of a step "run"
    unshare --mount --propagation private --pid --fork --kill-child sh "$0" "$1" "$2" apart "${3:-}" &
    # This also ends all processes in it.
    trap 'kill -KILL $!; wait; exit 1' INT TERM
    wait $!
}
step=${1:-all} folder=${2:-}
if [ "$step" = all ]; then
    folder=$(mktemp -d "${TMPDIR:-/tmp}/paysvc-bare.XXXXXX")
    trap '[ -n "${KEEP:-}" ] && echo "bare: kept $folder" || rm -rf --one-file-system "$folder"' EXIT
    sh "$0" root "$folder"
    apart both "$folder"
    exit 0
fi
bare=$folder/root
if [ "$step" != root ] && [ "${3:-}" != apart ]; then
    apart "$step" "$folder" "${3:-}"
    exit 0
fi

# The commands: the lines of the first shell block of README.
commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md)
[ "$(printf '%s\n' "$commands" | grep -c '^make ')" = 2 ] || die "the first shell block of README should be two make commands: $commands"
case $step in
    demo | test) commands=$(printf '%s\n' "$commands" | grep "^make $step") ;;
    run) commands=$4 ;;
esac

# Where the project lies in the root: an ordinary user may read it.
checkout=srv/libpaysvc

# Only these environment variables are passed on.
environment=$(env | grep -iE '^(CI|(http|https|ftp|all|no)_proxy|pip_[a-z_]*|npm_config_[a-z_]*|GO(PROXY|SUMDB|NOSUMDB|NOPROXY|PRIVATE|INSECURE)|CARGO_((HTTP|NET|REGISTRIES|REGISTRY|SOURCE|PROFILE)_[A-Z_0-9]*|INCREMENTAL)|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)=' |
    grep -viE '^(pip_cache_dir|pip_find_links|npm_config_cache|npm_config_prefix)=' || true)

# Runs a command in the root, with only the environment chosen above.
there() {
    printf '%s\n' "$environment" | {
        set -- sh -c "$1"
        while IFS= read -r line; do [ -z "$line" ] || set -- "$line" "$@"; done
        exec chroot "$bare" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
    }
}

settings() {
    # Copies settings for the package registries, if they exist. No caches and no programs.
    carry() {
        for path; do
            [ -e "$path" ] || continue
            mkdir -p "$bare$(dirname "$path")"
            cp -RL "$path" "$bare$(dirname "$path")/"
        done
    }
    carry /etc/resolv.conf /etc/hosts /etc/nsswitch.conf /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf.d /etc/apt/auth.conf \
        /etc/apt/trusted.gpg.d /etc/apt/keyrings /usr/local/share/ca-certificates /etc/pip.conf /etc/xdg/pip/pip.conf /etc/npmrc
    # The package sources of this machine are usable only for the same Debian.
    if [ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = "$SUITE" ]; then
        rm -f "$bare/etc/apt/sources.list"
        carry /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources /usr/share/keyrings
    fi
    # Certificates are installed by a package, with those of this machine. They are copied only if packages come over https.
    ! grep -rqs '^[^#]*https://' "$bare"/etc/apt/sources.list* || carry /etc/ssl/certs
    home=$bare/root
    put() { # from, to
        [ ! -f "$1" ] || { mkdir -p "$(dirname "$2")" && cp "$1" "$2"; }
    }
    for file in config.toml config credentials.toml; do put "${CARGO_HOME:-$HOME/.cargo}/$file" "$home/.cargo/$file"; done
    for file in .npmrc .netrc .pip/pip.conf; do put "$HOME/$file" "$home/$file"; done
    put "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$home/.config/pip/pip.conf"
    # The settings of Go, except those that name programs and folders.
    if command -v go >/dev/null; then
        mkdir -p "$home/.config/go"
        for name in GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOINSECURE GOVCS; do
            value=$(cd / && go env "$name")
            [ -z "$value" ] || echo "$name=$value"
        done >"$home/.config/go/env"
    fi
}

make_root() {
    [ "$(id -u)" = 0 ] || missing "a bare Debian needs root, for debootstrap and chroot"
    command -v debootstrap >/dev/null ||
        apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends debootstrap >/dev/null 2>&1 ||
        missing "debootstrap is not installed"
    unshare --mount --propagation private true || missing "a bare Debian needs mounts of its own, which this machine refuses"
    # The package mirror of this machine.
    mirror=$(sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        grep '/debian/*$' | head -n 1)
    echo "bare: installing the base system of Debian $SUITE, and make"
    mkdir -p "$folder"
    debootstrap --variant=minbase --include=make "$SUITE" "$bare" ${mirror:+"$mirror"} >"$folder/debootstrap.log" 2>&1 ||
        { tail -n 20 "$folder/debootstrap.log" >&2; missing "debootstrap of Debian $SUITE failed"; }
    settings
    # The files as they are here, without their history.
    mkdir "$bare/$checkout"
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z | tar -c --null --files-from - | tar -x --no-same-owner -C "$bare/$checkout"
    else
        tar -c --exclude ./target --exclude ./build . | tar -x --no-same-owner -C "$bare/$checkout"
    fi
    # shellcheck disable=SC2016
    there 'for it in git cc cargo go python3; do ! command -v $it || exit 1; done' || die "the root is not bare"
}

if [ "$step" = root ]; then
    make_root
    exit 0
fi

mount -t proc proc "$bare/proc"
mount --rbind /dev "$bare/dev"
mount --rbind /sys "$bare/sys"
mount -t tmpfs tmpfs "$bare/run"

figures="" status=0
# shellcheck disable=SC2046
while IFS= read -r line; do
    [ -n "$line" ] || continue
    printf '\n== %s\n' "$line"
    # Files of an earlier command would be taken for those of this one.
    rm -f "$bare/root/took" "$bare/root/times"
    # The second line of `times` is about child processes. It must not be in a pipe, which would be another shell.
    there "cd /$checkout
        began=\$(date +%s) status=0
        $line
        status=\$?
        echo \$((\$(date +%s) - began)) \$status >/root/took
        times >/root/times" || status=1
    if ! [ -s "$bare/root/took" ] || ! [ -s "$bare/root/times" ]; then
        figures="$figures
bare: $line: its shell ended before it could say how; it was killed, or the root was removed"
        status=1
        break
    fi
    set -- $(cat "$bare/root/took") $(tail -n 1 "$bare/root/times")
    cpu=$(echo "$3 $4" | tr 'ms' '  ' | awk '{ printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4 }')
    figures="$figures
bare: $(printf '%-48.48s %5s s wall, %5s s CPU, exit status %s' "$line" "$1" "$cpu" "$2")"
    [ "$2" = 0 ] || { status=1; break; }
done <<EOF
$commands
EOF
printf '%s\n' "$figures"
[ "$status" = 0 ] || die "FAILED"
echo "bare: passed on a bare Debian $SUITE"
