#!/bin/sh
# Copies the settings by which cargo, npm, pip and Go reach their registries into a folder for .ci/run: cargo's folder, HOME,
# XDG_CONFIG_HOME, the folder. Files with a password or a token are left out, because every test could read the copy; a
# registry that needs one is given it by its variables, such as PIP_INDEX_URL.
set -eu
cargo=$1 home=$2 config=$3 to=$4
copy() { # from, to; if it exists
    [ -f "$1" ] || return 0
    if grep -qiE '(token|password|passwd|secret|_auth|credential)[a-z_-]*"?[[:space:]]*[=:]|://[^/[:space:]"]*@' "$1"; then
        echo "-- not copied, because it holds credentials: $1" >&2
        return 0
    fi
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2"
}
for file in config.toml config; do copy "$cargo/$file" "$to/cargo/$file"; done
for file in .npmrc .pip/pip.conf; do copy "$home/$file" "$to/home/$file"; done
for file in pip/pip.conf go/env; do copy "$config/$file" "$to/home/.config/$file"; done
