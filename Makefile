# The two commands of a newcomer are `make demo` and `make test`.
CARGO  ?= cargo
PREFIX ?= /usr/local
DEST    = $(DESTDIR)$(PREFIX)
ABI     = $(shell sed -n 's/^pub const ABI: i32 = \([0-9]*\);/\1/p' src/status.rs)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
TARGET  = $(or $(CARGO_TARGET_DIR),target)

.PHONY: all build demo test test-python test-go test-cpp faults canary fuzz harden certify peers bench bench-check check sanitize deny miri install clean setup setup-demo setup-test

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
	@mkdir -p build/include build/lib/pkgconfig build/bin
	@cp include/paysvc.h bindings/cpp/*.hpp build/include/
	@cp $(TARGET)/release/libpaysvc.so build/lib/libpaysvc.so.$(VERSION)
	@ln -sf libpaysvc.so.$(VERSION) build/lib/libpaysvc.so.$(ABI)
	@ln -sf libpaysvc.so.$(ABI) build/lib/libpaysvc.so
	@cp $(TARGET)/release/libpaysvc.a build/lib/
	@cp $(TARGET)/release/paysvc-sandbox build/bin/
	@sed -e 's|@PREFIX@|$${pcfiledir}/../..|' -e 's|@VERSION@|$(VERSION)|' paysvc.pc.in > build/lib/pkgconfig/paysvc.pc

demo: setup-demo build
	@sh scripts/demo.sh

# Formatting and lints.
check: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# Everything, the parts for one language below included.
test: setup-test
	GO="$$(sh scripts/go.sh)" $(CARGO) test --workspace --locked
	@$(MAKE) --no-print-directory test-python
	@CARGO="$(CARGO)" sh scripts/fuzz.sh seconds 5

test-go: setup-test
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test go
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test example -- go

test-cpp: setup-test
	$(CARGO) test --locked --test cpp
	$(CARGO) test --locked --test example -- cpp

# The Python binding: types, lints, and its tests with the library and the sandbox as they are now.
VENV = $(CURDIR)/build/venv/bin
test-python: setup-test
	$(CARGO) build --quiet --locked -p paysvc -p paysvc-sandbox
	cd bindings/python && $(VENV)/ruff check --no-cache . ../../examples ../../tests
	cd bindings/python && $(VENV)/mypy --cache-dir ../../build/mypy
	@if command -v node >/dev/null; then echo pyright; cd bindings/python && $(VENV)/pyright; \
	else echo "MISSING: node is not on this machine; pyright is NOT run"; fi
	cd bindings/python && PYTHONPATH=$(CURDIR)/bindings/python/src PYTHONDONTWRITEBYTECODE=1 \
	    PAYSVC_LIBRARY=$(abspath $(TARGET))/debug/libpaysvc.so PAYSVC_SANDBOX=$(abspath $(TARGET))/debug/paysvc-sandbox \
	    $(VENV)/python -m pytest -q -p no:cacheprovider

# All endpoints against all faults, plain and TLS, then 60 seconds of random faults (SEED=n), with tables and figures.
faults: setup-test
	PAYSVC_FAULTS=all $(CARGO) test --locked --no-fail-fast --test faults --test faults_random -- --nocapture

# The leak canary: every endpoint and every fault in three languages, plain and TLS, with its figures.
canary: setup-test
	GO="$$(sh scripts/go.sh)" PAYSVC_CANARY=all $(CARGO) test --locked --test canary -- --nocapture

# Everything against hostile input and leaks, with its figures (SECURITY.md). Takes hours, most of them for a million
# whole conversations and programs of the slowest two fuzz targets; RUNS=10000 gives a first idea.
harden: setup-test
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/harden.sh

# A million made-up inputs for every fuzz target.
fuzz: setup-test
	@CARGO="$(CARGO)" sh scripts/fuzz.sh runs 1000000

# Every scenario through every language, with the table.
certify: setup-test
	GO="$$(sh scripts/go.sh)" $(CARGO) test --locked --test scenarios -- --nocapture

# The C programs and the scenarios, with the sanitizers in C and Rust together.
sanitize: setup-test
	GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/sanitize.sh

# Licences, versions, sources and advisories of what we depend on.
deny: setup
	@CARGO="$(CARGO)" sh scripts/deny.sh

# The pure modules in Miri, where a toolchain has it.
miri: setup
	@sh scripts/miri.sh

# What libcurl and Go's net/http do on two of those days.
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
	install -d $(DEST)/include $(DEST)/lib/pkgconfig $(DEST)/bin
	install -m 644 build/include/* $(DEST)/include/
	install -m 755 build/lib/libpaysvc.so.$(VERSION) $(DEST)/lib/
	cp -P build/lib/libpaysvc.so.$(ABI) build/lib/libpaysvc.so $(DEST)/lib/
	install -m 644 build/lib/libpaysvc.a $(DEST)/lib/
	install -m 755 build/bin/paysvc-sandbox $(DEST)/bin/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' paysvc.pc.in > $(DEST)/lib/pkgconfig/paysvc.pc

clean:
	$(CARGO) clean
	rm -rf build
