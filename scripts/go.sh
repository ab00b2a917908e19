#!/bin/sh
# Prints the path of a Go that is new enough for bindings/go; with the argument `least`, of the oldest that is; with `newest`, of
# the newest release. An older one, such as 1.19 of Debian 12, downloads it: Go's toolchains are modules, which the go command
# downloads and verifies like any other.
set -eu

GO_LEAST=21 # as in go.mod
GO_FETCHED=1.24.9
[ "${1:-}" != least ] || GO_FETCHED=1.$GO_LEAST.13

minor() {
    GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p'
}

for go in "${GO:-go}" /usr/local/go/bin/go /usr/lib/go-1.2[1-9]/bin/go; do
    found=$(command -v "$go" 2>/dev/null) || continue
    of=$(minor "$found")
    if [ -z "${1:-}" ] && [ -n "$of" ] && [ "$of" -ge "$GO_LEAST" ]; then
        echo "$found"
        exit 0
    fi
    old=${old:-$found}
done

if [ -z "${old:-}" ]; then
    echo "go.sh: Go 1.$GO_LEAST or newer is needed, and there is none: install Debian's golang-go (which can download a newer one), or a release of Go" >&2
    exit 1
fi
system=$("$old" env GOOS)-$("$old" env GOARCH)
# Outside of any module, because a go.mod may require a newer version than the old one.
cd /
[ "${1:-}" != newest ] || GO_FETCHED=$(GO111MODULE=on "$old" list -m -versions golang.org/toolchain | tr ' ' '\n' |
    sed -n "s/^v0\.0\.1-go\(1\.[0-9.]*\)\.$system\$/\1/p" | sort -t . -k 2,2n -k 3,3n | tail -n 1)
# -modcacherw, so that the programs can be made executable: the cache does not keep that permission.
folder=$(GO111MODULE=on GOFLAGS=-modcacherw "$old" mod download -json "golang.org/toolchain@v0.0.1-go$GO_FETCHED.$system" |
    sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
if [ -z "$folder" ]; then
    echo "go.sh: $("$old" version) is not the one, and Go $GO_FETCHED could not be downloaded; install Go 1.$GO_LEAST or newer and run this again" >&2
    exit 1
fi
[ -x "$folder/bin/go" ] || chmod -R +x "$folder/bin" "$folder/pkg/tool"
if ! env -u GOROOT GOTOOLCHAIN=local "$folder/bin/go" version >/dev/null; then
    echo "go.sh: the Go that was downloaded to $folder does not run" >&2
    exit 1
fi
echo "$folder/bin/go"
