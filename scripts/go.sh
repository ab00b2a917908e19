#!/bin/sh
# Prints the path of a Go that is new enough for bindings/go. An older one, such as Debian 12's 1.19, fetches it: Go's
# own toolchains are a module, which the go command downloads and checks like any other.
set -eu

GO_LEAST=21 # go.mod's
GO_FETCHED=1.24.9

minor() {
    GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p'
}

for go in "${GO:-go}" /usr/local/go/bin/go /usr/lib/go-1.2[1-9]/bin/go; do
    found=$(command -v "$go" 2>/dev/null) || continue
    of=$(minor "$found")
    if [ -n "$of" ] && [ "$of" -ge "$GO_LEAST" ]; then
        echo "$found"
        exit 0
    fi
    old=${old:-$found}
done

if [ -z "${old:-}" ]; then
    echo "go.sh: Go 1.$GO_LEAST or newer is needed, and there is none: install Debian's golang-go (an old one fetches a newer), or Go's own release" >&2
    exit 1
fi
system=$("$old" env GOOS)-$("$old" env GOARCH)
# Outside of any module, so that no go.mod asks for more than the old one is.
cd /
# -modcacherw: or the programs could not be made executable, which the cache does not keep.
folder=$(GO111MODULE=on GOFLAGS=-modcacherw "$old" mod download -json "golang.org/toolchain@v0.0.1-go$GO_FETCHED.$system" |
    sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
if [ -z "$folder" ]; then
    echo "go.sh: $("$old" version) is too old, and Go $GO_FETCHED could not be fetched; install Go 1.$GO_LEAST or newer and call again" >&2
    exit 1
fi
[ -x "$folder/bin/go" ] || chmod -R +x "$folder/bin" "$folder/pkg/tool"
if ! env -u GOROOT GOTOOLCHAIN=local "$folder/bin/go" version >/dev/null; then
    echo "go.sh: the Go that was fetched to $folder does not run" >&2
    exit 1
fi
echo "$folder/bin/go"
