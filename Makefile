# `make demo` shows what OpTrace does, `make test` runs every check. `make help` lists the rest.

SWIFT ?= swift
PREFIX ?= /usr/local
# Put before every installed path, for those who build packages.
DESTDIR ?=
# Passed to the release build of the command, e.g. --static-swift-stdlib for one that needs no Swift where it runs (Linux); the
# demo's broken programs, whose operations are Foundation's own, are recorded through its shared library, and cannot run then.
SWIFTFLAGS ?=

optrace := .build/release/optrace
demo := demo-output
bin := $(DESTDIR)$(PREFIX)/bin
lib := $(DESTDIR)$(PREFIX)/lib/optrace
share := $(DESTDIR)$(PREFIX)/share
# What `optrace record` loads into programs, on Linux alone: the recorder, in C.
objects := $(if $(filter Linux,$(shell uname)),OpTracePreload)
sources := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Fuzz/Reader Fuzz/Symbols \
  $(wildcard Examples/*/Package.swift Examples/*/Sources Examples/*/Tests)

# Builds that tests can look into (Package.swift). `swift build` and `swift test` by hand share them when they are given the same.
export OPTRACE_OPTIMIZED ?= 1

# $(call products,OPTIONS,PRODUCTS): builds one after the other, as the package manager takes one at a time.
products = for product in $(2); do $(SWIFT) build $(1) --product $$product || exit 1; done
# Not with --build-tests: that compiles the plugins of other packages as well, and their command line library once more for them.
tested := OpTracePackageTests $(objects)

# What scripts/setup installs for the tests alone.
export PATH := $(CURDIR)/.build-tools/bin:$(PATH)

.PHONY: help build release demo test format format-sources lint sanitize sanitize-thread sanitize-address bench readme-images gallery samples docs
.PHONY: reliability fuzz test-core bench-page bench-peers bench-whatif bench-fleet bench-ring
.PHONY: install uninstall writable package clean setup-build setup-test

help:
	@echo "make demo       build, record a photo import, draw its graph and timeline into $(demo)/"
	@echo "make test       install what the tests need, build, run all tests"
	@echo "make sanitize   tests of the recorder and hooked programs under the thread and the address sanitizer"
	@echo "make bench      what recording and the commands cost, each against its goal;  make bench BENCH=queue: a part"
	@echo "make bench-whatif  how near predictions come to real runs"
	@echo "make bench-fleet  what ten hosts' traces take in ClickHouse"
	@echo "make bench-ring  what a flight recorder does to programs with many threads, and what it keeps"
	@echo "make bench-peers  the same work under OpTrace and under other recorders"
	@echo "make bench-page  what a frame of the report's timeline takes in a browser, and a graph of 100,000 operations"
	@echo "make reliability  thousands of processes that are ended, a ring over 100 million events, 1,000 renders: minutes"
	@echo "make fuzz       each fuzzing target for some seconds;  scripts/fuzz TARGET SECONDS: for longer"
	@echo "make test-core  tests of the C core in plain C: here, under a sanitizer, and on arm64 under an emulator"
	@echo "make docs       the libraries' pages, by DocC, into .build/docs"
	@echo "make gallery    the gallery's and the tutorials' pictures anew, from runs;  make readme-images: the README's"
	@echo "make samples    the sample reports in Documentation/samples anew, from their traces"
	@echo "make lint       check the source's format, that arrows go one way, and the page's modules;  make format: mend the format"
	@echo "make format-sources  what is made from the table of events, after a change there; everything that builds does it by itself"
	@echo "make install    the command, its manual pages and completions, into PREFIX ($(PREFIX));  make uninstall"
	@echo "make package    a Debian package and a tarball, into .build-package/;  scripts/check-package: in a system without Swift"
	@echo "make clean      remove everything that was built"

setup-build:
	@scripts/setup build

setup-test:
	@scripts/setup test

build: setup-build format-sources
	@echo "==> Building everything"
	@$(call products,-c release,$(tested) RingBenchmark RenderLeaks)

release: setup-build format-sources
	@echo "==> Building the command (release; minutes the first time)"
	@$(call products,-c release --quiet,$(objects))
	@$(SWIFT) build -c release --product optrace --quiet $(SWIFTFLAGS)

# The command as a debug build, without optimising: all that a first picture needs, in less than half the time of a release build.
demo: setup-build format-sources
	@echo "==> Building the command (debug; some minutes the first time)"
	@export OPTRACE_OPTIMIZED=0; $(call products,--quiet,optrace $(objects))
	@echo "==> Recording photo-import"
	@.build/debug/optrace demo photo-import -o $(demo)
	@for file in svg json optrace; do test -s $(demo)/photo-import.$$file || { \
	  echo "demo: $(demo)/photo-import.$$file was not written" >&2; exit 1; }; done
	@echo
	@echo "The graph:  file://$(CURDIR)/$(demo)/photo-import.svg"

test: setup-test format-sources
	@echo "==> Building the tests"
	@$(call products,-c release --quiet,$(tested))
	@SWIFT="$(SWIFT)" scripts/build-hook-programs
	@echo "==> Running the tests; beside them those of the report page, in a browser, and a program that uses the library alone"
	@SWIFT="$(SWIFT)" scripts/test-all

format:
	@$(SWIFT) format --in-place --parallel --configuration .swift-format --recursive $(sources)

# Compares a checksum, and compiles nothing where the table is as it was.
format-sources:
	@SWIFT="$(SWIFT)" scripts/make-format

lint:
	@scripts/make-format --check
	@$(SWIFT) format lint --strict --parallel --configuration .swift-format --recursive $(sources)
	@SWIFT="$(SWIFT)" scripts/check-arrows
	@scripts/check-modules

sanitize: sanitize-thread sanitize-address

sanitize-thread sanitize-address: sanitize-%: setup-build format-sources
	@echo "==> Tests of the recorder and hooked programs under the $* sanitizer"
	@scripts/sanitize $*

# By the release's build, on real work: everything, or with BENCH='queue drawing' these groups. The table goes to the
# terminal, the same as JSON to bench.json. The emulator that counts instructions is installed where it can be.
bench: release
	@scripts/setup bench
	@$(SWIFT) build --package-path Benchmarks -c release
	@Benchmarks/.build/release/Benchmark $(optrace) --json bench.json $(BENCH)

# How near predictions come to real runs: 20 programs with 5 changes each, in some two minutes; WHATIF='--runs 5 fan' for more or less.
bench-whatif: release
	@$(SWIFT) build --package-path Benchmarks -c release --product WhatIfPrograms --quiet
	@$(SWIFT) build --package-path Benchmarks -c release --product WhatIfBenchmark --quiet
	@Benchmarks/.build/release/WhatIfBenchmark $(optrace) $(WHATIF)

# Ten hosts' traces of 1,000,000 operations each in ClickHouse's engine: minutes, and 3 GB; FLEET='--operations 10000' for less.
bench-fleet: release setup-test
	@$(SWIFT) build --package-path Benchmarks -c release --product MakeTrace --quiet
	@$(SWIFT) build --package-path Benchmarks -c release --product FleetBenchmark --quiet
	@Benchmarks/.build/release/FleetBenchmark $(optrace) .build-tools/bin/python3-databases Tests/Engines/clickhouse_server.py $(FLEET)

# Threads × ring × throughput, plain and recorded in turns: an hour and a half. RING='--short' is a minute, RING='--beside 4' runs beside four
# busy loops, RING='--endure 30' is one busy server for 30 minutes, RING='--shapes hang' one that hangs.
bench-ring: release
	@$(SWIFT) build --package-path Benchmarks -c release --product RingLoad --quiet
	@$(SWIFT) build --package-path Benchmarks -c release --product RingHarm --quiet
	@Benchmarks/.build/release/RingHarm $(optrace) $(RING)

# What there is of others for this system is installed; nothing of theirs stays in the package.
bench-peers: release
	@scripts/bench-peers $(optrace)

# What a frame of the report's timeline takes in a browser, with 10,000, 100,000 and 1,000,000 operations.
bench-page: release setup-test
	@$(SWIFT) build --package-path Benchmarks -c release --product MakeTrace --quiet
	@scripts/measure-page.mjs $(optrace) Benchmarks/.build/release/MakeTrace

# The long forms of what the tests do in short; Documentation/recorder.md tells what they show.
reliability: setup-build format-sources
	@$(call products,-c release --quiet,KillBenchmark RingBenchmark RenderLeaks)
	@.build/release/KillBenchmark 1000
	@.build/release/KillBenchmark 1000 --ring 4
	@.build/release/RingBenchmark 100000000
	@.build/release/RenderLeaks traces/photo-import.optrace 1000

fuzz: format-sources
	@echo "==> Fuzzing the readers and the recorder, from their seeds"
	@scripts/fuzz short

test-core: format-sources
	@scripts/test-core native address arm64

# The pictures in README.md, from the sample trace.
readme-images: release setup-test
	@scripts/make-readme-images $(optrace)

# The libraries' pages, by the toolchain's DocC.
docs: build
	@scripts/make-docs .build/docs
	@echo "to look at them:  python3 -m http.server --directory .build/docs, then http://localhost:8000/documentation/optrace"

# The gallery's and the tutorials', from runs. With other words alone: scripts/make-gallery --words.
gallery: release setup-test
	@scripts/make-gallery $(optrace)
	@scripts/make-tutorial-images $(optrace)

# With a new trace of the service as well: scripts/make-samples --record.
samples: release
	@scripts/make-samples $(optrace)

# Before minutes are spent on what cannot be put anywhere.
writable:
	@install -d "$(bin)" "$(lib)" "$(share)" 2> /dev/null && test -w "$(bin)" && test -w "$(lib)" && test -w "$(share)" || { \
	  echo "install: '$(DESTDIR)$(PREFIX)' cannot be written; use sudo, or name another place: make install PREFIX=..." >&2; exit 1; }

install: writable release
	@echo "==> Writing the manual"
	@scripts/make-manual .build/manual
	@echo "==> Installing into $(DESTDIR)$(PREFIX)"
	@install -d "$(bin)" "$(share)/man/man1" "$(share)/bash-completion/completions" "$(share)/zsh/site-functions" \
	  "$(share)/fish/vendor_completions.d"
	@install -m 755 $(optrace) "$(bin)/optrace"
	@install -m 644 .build/manual/man/*.1 "$(share)/man/man1"
	@install -m 644 .build/manual/completions/optrace.bash "$(share)/bash-completion/completions/optrace"
	@install -m 644 .build/manual/completions/optrace.zsh "$(share)/zsh/site-functions/_optrace"
	@install -m 644 .build/manual/completions/optrace.fish "$(share)/fish/vendor_completions.d/optrace.fish"
	@for object in $(objects); do \
	  install -d "$(lib)" && install -m 755 .build/release/lib$$object.so "$(lib)" || exit 1; done

uninstall:
	@echo "==> Removing optrace from $(DESTDIR)$(PREFIX)"
	@rm -f "$(bin)/optrace" "$(share)/man/man1/optrace.1" "$(share)"/man/man1/optrace-*.1 \
	  "$(share)/bash-completion/completions/optrace" "$(share)/zsh/site-functions/_optrace" \
	  "$(share)/fish/vendor_completions.d/optrace.fish"
	@rm -rf "$(lib)"

# A Debian package, and a tarball with the same files for any folder of any Linux with this C library or a newer one.
package: release
	@scripts/setup package
	@echo "==> Building the packages"
	@scripts/make-package

clean:
	@rm -rf .build .build-tsan .build-asan .build-fuzz .build-tools .build-package $(demo)
