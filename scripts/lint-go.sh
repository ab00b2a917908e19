#!/bin/sh
# Runs go vet and staticcheck on the Go package, its module for OpenTelemetry, that of an example and the module that
# packs them, after `make build`.
set -eu
cd "$(dirname "$0")/.."
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.6.1 # the newest that Go 1.24 builds

go=$(sh scripts/go.sh)
export PKG_CONFIG_PATH="$PWD/build/lib/pkgconfig" GOFLAGS=-buildvcs=false
for module in bindings/go bindings/go/otelpaysvc bindings/go/examples/outbox packaging/go; do
    (cd "$module" && "$go" vet ./... && "$go" run "$STATICCHECK" ./...)
done
