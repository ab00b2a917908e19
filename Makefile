# Start with `make demo` and `make test`. `make help` lists all targets: the text after ## beside each of them.
CARGO  ?= cargo
PREFIX ?= /usr/local
PLACES  = PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' BINDIR='$(BINDIR)' MANDIR='$(MANDIR)' \
    DOCDIR='$(DOCDIR)' DESTDIR='$(DESTDIR)' BUILD='$(BUILD)'
TARGET_DIR = $(or $(CARGO_TARGET_DIR),target)
BUILD   = build
FOR     = build
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

.PHONY: help all setup needs build install uninstall clean demo test try check generate harden planted-faults bare bench peers libs libs-check dist dist-check licences

all: build ## the same as build; the default

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## installs what a build needs and this machine lacks, as root or with sudo; FOR=demo, FOR=test: what these need
	@sh scripts/setup.sh $(FOR)

needs: ## says what a build needs and this machine lacks; installs nothing
	@sh scripts/setup.sh needs

build: needs ## library, header, manual pages and sandbox in build/, laid out as they are installed
	$(call make_build,release,--release,$(BUILD))
	@$(CARGO) xtask man $(BUILD)/share/man
	@$(CARGO) xtask schema $(BUILD)/share/paysvc

libs: needs ## libraries of all platforms, or of TARGET, in build/libs/, with checks and a table of their sizes
	$(CARGO) platforms libs $(TARGET)

# QUICK=1: two platforms, and less of each. PARTIAL=1: what is MISSING is no failure.
libs-check: FOR = test
libs-check: setup build ## runs programs with the libraries of all platforms, or of TARGET, each where it can
	GO="$$(sh scripts/go.sh)" $(CARGO) platforms libs-check $(if $(PARTIAL),--partial) $(if $(QUICK),--quick) $(TARGET)

dist: needs ## archives, wheels, .deb, .rpm and Go modules of all platforms in build/dist/; KEY=FILE: a minisign secret key to sign with
	$(CARGO) platforms dist $(if $(KEY),--key $(KEY)) $(KIND)

# QUICK=1: makes and uses a few. PARTIAL=1: what is MISSING is no failure. KIND=python: one kind.
dist-check: FOR = test
dist-check: setup build ## installs what `make dist` made and uses it; TWICE=1: makes it again, and compares every byte
	$(if $(TWICE),CARGO="$(CARGO)" sh scripts/dist-twice.sh $(KIND),GO="$$(sh scripts/go.sh)" $(CARGO) platforms dist-check \
	    $(if $(PARTIAL),--partial) $(if $(QUICK),--quick) $(KIND))

generate: needs ## writes the committed files that are rendered from the tables
	$(CARGO) xtask gen

demo: FOR = demo
demo: setup build ## installs what is missing, and makes payments from C, C++, Go and Python against the sandbox
	@sh scripts/demo.sh

check: FOR = test
check: setup build ## formatting and lints
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	@sh scripts/lint-go.sh

test: FOR = test
test: setup build ## installs what is missing, and runs all tests of all languages; ONLY="python browser": parts
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" MAKE="$(MAKE)" sh scripts/test.sh

try: needs ## after a change: builds without optimisation and runs the Rust tests whose names have one of the words ONLY
	@[ -n "$(ONLY)" ] || { echo 'try: say which tests, such as ONLY="journal:: verdict"' >&2; exit 2; }
	$(call make_build,debug,,$(BUILD)/try)
	GO="$$(sh scripts/go.sh)" TEST_BUILD=$(BUILD)/try $(CARGO) test --workspace --locked --lib --test integration -- $(ONLY)

bare: ## the two commands of README on a Debian with nothing but its base system and make; needs root
	@sh scripts/bare.sh

# The sanitizers, cgocheck2 and fuzzing need builds of their own.
harden: FOR = test
harden: $(if $(LIST),,setup build) ## the long tests of SECURITY.md, with figures; takes hours; ONLY="faults canary": parts, LIST=1 lists them
	@GO="$$(sh scripts/go.sh)" CARGO="$(CARGO)" sh scripts/harden.sh $(if $(LIST),list)

planted-faults: FOR = test
planted-faults: setup build ## plants faults in a copy of the tree, one at a time: the tests must find each; ONLY=words
	@GO="$$(sh scripts/go.sh)" python3 scripts/planted-faults.py $(ONLY)

licences: needs ## renders LICENSE-THIRD-PARTY, the licences of all that the libraries and the sandbox contain
	@sh scripts/setup.sh libs x86_64-unknown-linux-musl
	$(CARGO) xtask licences

peers: build ## what libcurl and Go's net/http do when a response is lost, and when an unsolicited one arrives
	@sh scripts/setup.sh peers
	@python3 benches/peers/run.py

# QUICK=1: a short run that does not change the committed files. RESUME=1: continues a run that was interrupted.
bench: build ## speed, memory and size beside other clients: BENCHMARKS.md; CHECK=1: the counts of a call beside the committed ones
	@sh scripts/setup.sh $(if $(CHECK),test,bench)
	@PYTHONDONTWRITEBYTECODE=1 python3 benches/speed/$(if $(CHECK),warm.py,run.py \
	    $(if $(QUICK),--quick) $(if $(RESUME),--resume))

# Copies only: what a build needs is neither installed nor called, so that it can be done as another user.
install: ## copies what was built: PREFIX=/usr/local, LIBDIR=lib, INCLUDEDIR, BINDIR, MANDIR, DOCDIR, DESTDIR
	@$(PLACES) sh scripts/install.sh install

uninstall: ## removes what `make install` with the same variables installed
	@$(PLACES) sh scripts/install.sh uninstall

clean: ## removes everything that was built
	$(CARGO) clean
	rm -rf build
