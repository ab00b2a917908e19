# The two commands of a newcomer are `make demo` and `make test`.
CARGO  ?= cargo
PREFIX ?= /usr/local
DEST    = $(DESTDIR)$(PREFIX)
ABI     = $(shell sed -n 's/^pub const ABI: i32 = \([0-9]*\);/\1/p' spec/src/status.rs)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
TARGET  = $(or $(CARGO_TARGET_DIR),target)
BUILD   = build
# Never writes into a file that a running program has open.
PLACE   = sh scripts/place.sh

.PHONY: all build generate demo test test-python test-go test-cpp faults canary fuzz harden certify peers bench bench-check check sanitize tsan cgocheck bare deny miri install clean setup setup-demo setup-test

all: build

setup:
	@sh scripts/setup.sh build

setup-test:
	@sh scripts/setup.sh test

setup-demo:
	@sh scripts/setup.sh demo

# Library, header and sandbox, laid out as they are installed.
build: setup
	$(CARGO) build --release --locked -p paysvc -p paysvc-sandbox
	@$(PLACE) -m 644 include/paysvc.h bindings/cpp/*.hpp $(BUILD)/include
	@$(PLACE) -m 755 -n libpaysvc.so.$(VERSION) $(TARGET)/release/libpaysvc.so $(BUILD)/lib
	@$(PLACE) -l libpaysvc.so.$(VERSION) $(BUILD)/lib/libpaysvc.so.$(ABI)
	@$(PLACE) -l libpaysvc.so.$(ABI) $(BUILD)/lib/libpaysvc.so
	@$(PLACE) -m 644 $(TARGET)/release/libpaysvc.a $(BUILD)/lib
	@$(PLACE) -m 755 $(TARGET)/release/paysvc-sandbox $(BUILD)/bin
	@sed -e 's|@PREFIX@|$${pcfiledir}/../..|' -e 's|@VERSION@|$(VERSION)|' paysvc.pc.in | \
	    $(PLACE) -m 644 -n paysvc.pc - $(BUILD)/lib/pkgconfig

# The committed files that follow from the tables: header, bindings, README's table.
generate: setup
	$(CARGO) xtask gen
	@# The tables of verdicts are code of the library, so its own test renders them.
	PAYSVC_GENERATE=1 $(CARGO) test --quiet --locked -p paysvc --lib verdict::document >/dev/null

demo: setup-demo build
	@sh scripts/demo.sh

# Formatting and lints.
check: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# Everything, the parts for one language below included, side by side, with what `make build` built. JOBS: how many parts.
# What takes a build of its own is in `make harden` and `.ci/run`: sanitizers, cgocheck2, fuzzing.
test: setup-test build
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" MAKE="$(MAKE)" sh scripts/test.sh

test-go: setup-test build
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test integration -- go:: a_till_in_go

test-cpp: setup-test build
	$(CARGO) test --locked --test integration -- cpp:: a_till_in_cpp

# The Python binding: types, lints, and its tests.
test-python: setup-test build
	@sh scripts/test-python.sh

# All endpoints against all faults, plain and TLS, then 60 seconds of random faults (SEED=n), with tables and figures.
faults: setup-test build
	PAYSVC_FAULTS=all $(CARGO) test --locked --test integration -- --nocapture faults:: faults_random::

# The leak canary: every endpoint and every fault in three languages, plain and TLS, with its figures.
canary: setup-test build
	GO="$$(sh scripts/go.sh)" PAYSVC_CANARY=all $(CARGO) test --locked --test integration -- --nocapture canary::

# Everything against hostile input and leaks, with its figures (SECURITY.md). Takes hours, most of them for a million
# whole conversations and programs of the slowest two fuzz targets; RUNS=10000 gives a first idea.
harden: setup-test build
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/harden.sh

# A million made-up inputs for every fuzz target.
fuzz: setup-test
	@CARGO="$(CARGO)" sh scripts/fuzz.sh runs 1000000

# Every scenario through every language, with the table.
certify: setup-test build
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test integration -- --nocapture scenarios::

# The C programs and the scenarios, with the sanitizers in C and Rust together.
sanitize: setup-test build
	GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/sanitize.sh

# The threads', cancel and fork tests with ThreadSanitizer in C and Rust together.
tsan: setup-test build
	CARGO="$(CARGO)" sh scripts/tsan.sh

# The Go package with every pointer checked that it hands to C.
cgocheck: setup-test build
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test integration -- --ignored go::

# README's two commands as they are written, on a Debian that holds nothing but its base system. Takes root.
bare:
	@sh scripts/bare.sh

# Licences, versions, sources and advisories of what we depend on.
deny: setup
	@CARGO="$(CARGO)" sh scripts/deny.sh

# The pure modules in Miri, where a toolchain has it.
miri: setup
	@sh scripts/miri.sh

# What libcurl and Go's net/http do in two such failures.
peers: build
	@sh scripts/setup.sh peers
	@python3 benches/peers/run.py

# Speed, memory and size against libcurl, raw rustls, Python's and Go's clients: BENCHMARKS.md and its picture, from one
# run. QUICK=1: a short run that leaves the committed files alone. RESUME=1: goes on with one that was broken off.
bench: build
	@sh scripts/setup.sh bench
	@PYTHONDONTWRITEBYTECODE=1 python3 benches/speed/run.py $(if $(QUICK),--quick) $(if $(RESUME),--resume)

# What a noisy machine cannot blur: instructions, system calls and heap of a warm call, held against what is committed.
bench-check: build
	@sh scripts/setup.sh test
	@PYTHONDONTWRITEBYTECODE=1 python3 benches/speed/warm.py

install: build
	@$(PLACE) -m 644 $(BUILD)/include/* $(DEST)/include
	@$(PLACE) -m 755 $(BUILD)/lib/libpaysvc.so.$(VERSION) $(DEST)/lib
	@$(PLACE) -l libpaysvc.so.$(VERSION) $(DEST)/lib/libpaysvc.so.$(ABI)
	@$(PLACE) -l libpaysvc.so.$(ABI) $(DEST)/lib/libpaysvc.so
	@$(PLACE) -m 644 $(BUILD)/lib/libpaysvc.a $(DEST)/lib
	@$(PLACE) -m 755 $(BUILD)/bin/paysvc-sandbox $(DEST)/bin
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' paysvc.pc.in | \
	    $(PLACE) -m 644 -n paysvc.pc - $(DEST)/lib/pkgconfig
	@echo "installed in $(DEST)"

clean:
	$(CARGO) clean
	rm -rf build
