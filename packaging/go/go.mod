// Packs the Go modules. golang.org/x/mod is the newest that Go 1.24 builds.
module modules

go 1.24.0

require golang.org/x/mod v0.33.0
