# Start with `make demo` and `make test`. `make help` lists all targets: the text after ## beside each of them.
CARGO  ?= cargo
PREFIX ?= /usr/local
PLACES  = PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' BINDIR='$(BINDIR)' MANDIR='$(MANDIR)' \
    DOCDIR='$(DOCDIR)' DESTDIR='$(DESTDIR)' BUILD='$(BUILD)'
TARGET_DIR = $(or $(CARGO_TARGET_DIR),target)
BUILD   = build
# Replaces files by rename, because a running program may have the old one open.
PLACE   = sh scripts/place.sh
# Library, header and sandbox: cargo's folder of the profile, its option, where to.
define make_build
$(CARGO) rustc $(2) --locked -p paysvc --lib --crate-type staticlib
	$(CARGO) build $(2) --locked -p paysvc-sandbox
	@$(PLACE) -m 644 include/paysvc.h bindings/cpp/*.hpp $(3)/include
	@sh scripts/link.sh $(TARGET_DIR)/$(1)/libpaysvc.a $(3)/lib
	@$(PLACE) -m 755 $(TARGET_DIR)/$(1)/paysvc-sandbox $(3)/bin
	@sh scripts/describe.sh $(3)
endef

# Cargo uses all processors itself; what installs must have ended before the build.
.NOTPARALLEL:

.PHONY: help all build libs libs-check dist dist-check dist-twice generate demo test try test-python test-browser test-go-race faults bulk canary fuzz harden certify peers bench bench-check check sanitize tsan cgocheck planted-faults bare deny licences miri install uninstall clean setup setup-demo setup-test needs

all: build ## the same as build; the default

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## installs what a build needs and this machine lacks, from Debian's packages, as root or with sudo
	@sh scripts/setup.sh build

setup-demo: ## the same for `make demo`, which calls it
	@sh scripts/setup.sh demo

setup-test: ## the same for `make test`, which calls it
	@sh scripts/setup.sh test

needs: ## says what a build needs and this machine lacks; installs nothing
	@sh scripts/setup.sh needs

build: needs ## library, header, manual pages and sandbox in build/, laid out as they are installed
	$(call make_build,release,--release,$(BUILD))
	@$(CARGO) xtask man $(BUILD)/share/man
	@$(CARGO) xtask schema $(BUILD)/share/paysvc

libs: needs ## libraries of all platforms, or of TARGET, in build/libs/, with checks and a table of their sizes
	$(CARGO) platforms libs $(TARGET)

libs-check: setup-test build ## runs programs with the libraries of all platforms, or of TARGET, each where it can; PARTIAL=1, QUICK=1
	GO="$$(sh scripts/go.sh)" $(CARGO) platforms libs-check $(if $(PARTIAL),--partial) $(if $(QUICK),--quick) $(TARGET)

dist: needs ## packages of all platforms in build/dist/: archives, wheels, .deb, .rpm, Go modules. KEY=FILE: a minisign secret key to sign with
	$(CARGO) platforms dist $(if $(KEY),--key $(KEY)) $(KIND)

dist-check: setup-test build ## installs what `make dist` made and uses it. QUICK=1: makes and uses a few; PARTIAL=1; KIND=python: one kind
	GO="$$(sh scripts/go.sh)" $(CARGO) platforms dist-check $(if $(PARTIAL),--partial) $(if $(QUICK),--quick) $(KIND)

dist-twice: needs ## makes the packages of build/dist again, and compares: every byte is the same. KIND=archives: one kind
	@CARGO="$(CARGO)" sh scripts/dist-twice.sh $(KIND)

generate: needs ## writes the committed files that are rendered from the tables
	$(CARGO) xtask gen

demo: setup-demo build ## installs what is missing, and makes payments from C, C++, Go and Python against the sandbox
	@sh scripts/demo.sh

check: setup-test build ## formatting and lints
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@sh scripts/lint-go.sh

# The sanitizers, cgocheck2 and fuzzing need builds of their own: `make harden` and `.ci/run` run them.
test: setup-test build ## installs what is missing, and runs all tests of all languages, side by side; JOBS=n: how many at a time
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" MAKE="$(MAKE)" sh scripts/test.sh

try: needs ## after a change: builds without optimisation and runs the Rust tests whose names have one of the words ONLY
	@[ -n "$(ONLY)" ] || { echo 'try: say which tests, such as ONLY="journal:: verdict"' >&2; exit 2; }
	$(call make_build,debug,,$(BUILD)/try)
	GO="$$(sh scripts/go.sh)" TEST_BUILD=$(BUILD)/try $(CARGO) test --workspace --locked --lib --test integration -- $(ONLY)

test-go-race: setup-test build ## the tests of the Go package under Go's race detector; GO=go: with this one
	GO="$${GO:-$$(sh scripts/go.sh)}" $(CARGO) test --workspace --locked --test integration -- --exact \
	    go::its_tests_pass_under_the_race_detector

test-python: setup-test build ## types, lints and tests of the Python package
	@sh scripts/test-python.sh

test-browser: setup-test build ## the sandbox's page and widget in headless Chromium
	@sh scripts/test-browser.sh

faults: setup-test build ## every endpoint with every fault, plain and TLS; then 60 seconds of random faults (SEED=n)
	TEST_FAULTS=all $(CARGO) test --workspace --locked --test integration -- --nocapture faults:: faults_random::

bulk: setup-test build ## 10,000 payouts in bulk with faults, given again until nothing is left to send, with figures (SEED=n)
	TEST_BULK=10000 $(CARGO) test --workspace --locked --test integration -- --nocapture bulk::

canary: setup-test build ## searches logs, messages and memory for secrets: every endpoint with every fault, three languages
	GO="$$(sh scripts/go.sh)" TEST_CANARY=all $(CARGO) test --workspace --locked --test integration -- --nocapture canary::

# Most of the hours go into a million inputs for the two slowest fuzz targets; RUNS=10000 makes it shorter.
harden: setup-test build ## the long tests of SECURITY.md with the sanitizers and the fuzzer, with figures; takes hours
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/harden.sh

fuzz: setup-test ## a million random inputs for every fuzz target
	@CARGO="$(CARGO)" sh scripts/fuzz.sh runs 1000000

certify: setup-test build ## every scenario in every language, and every typed answer, with tables: the same requests, outcomes, values
	GO="$$(sh scripts/go.sh)" TEST_ANSWERS=all $(CARGO) test --workspace --locked --test integration -- --nocapture scenarios:: typed_answers::

sanitize: setup-test build ## the C programs and the scenarios with AddressSanitizer and others in C and Rust together
	GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/sanitize.sh

tsan: setup-test build ## the tests of threads, cancels and forks with ThreadSanitizer in C and Rust together
	CARGO="$(CARGO)" sh scripts/tsan.sh

cgocheck: setup-test build ## the Go package with a check of every pointer that it passes to C
	GO="$$(sh scripts/go.sh)" $(CARGO) test --workspace --locked --test integration -- --ignored go::

bare: ## the two commands of README on a Debian with nothing but its base system and make; needs root
	@sh scripts/bare.sh

planted-faults: setup-test build ## plants faults in a copy of the tree, one at a time: the tests must find each of them. ONLY=words
	@GO="$$(sh scripts/go.sh)" python3 scripts/planted-faults.py $(ONLY)

deny: needs ## licences, versions, sources and advisories of the dependencies
	@CARGO="$(CARGO)" sh scripts/deny.sh

licences: needs ## renders LICENSE-THIRD-PARTY, the licences of all that the libraries and the sandbox contain
	@sh scripts/setup.sh libs x86_64-unknown-linux-musl
	$(CARGO) xtask licences

miri: needs ## the tests of the pure modules in Miri, where a toolchain has it
	@sh scripts/miri.sh

peers: build ## what libcurl and Go's net/http do when a response is lost, and when an unsolicited one arrives
	@sh scripts/setup.sh peers
	@python3 benches/peers/run.py

# QUICK=1: a short run that does not change the committed files. RESUME=1: continues a run that was interrupted.
bench: build ## speed, memory and size compared with other clients: writes BENCHMARKS.md and its picture
	@sh scripts/setup.sh bench
	@PYTHONDONTWRITEBYTECODE=1 python3 benches/speed/run.py $(if $(QUICK),--quick) $(if $(RESUME),--resume)

bench-check: build ## instructions, system calls and heap of a call, compared with the committed figures
	@sh scripts/setup.sh test
	@PYTHONDONTWRITEBYTECODE=1 python3 benches/speed/warm.py

# Copies only: what a build needs is neither installed nor called, so that it can be done as another user.
install: ## copies what was built: PREFIX=/usr/local, LIBDIR=lib, INCLUDEDIR, BINDIR, MANDIR, DOCDIR, DESTDIR
	@$(PLACES) sh scripts/install.sh install

uninstall: ## removes what `make install` with the same variables installed
	@$(PLACES) sh scripts/install.sh uninstall

clean: ## removes everything that was built
	$(CARGO) clean
	rm -rf build
