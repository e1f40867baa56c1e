# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make test` are complete: on a fresh Debian 12 they install what they need, and say so.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-build setup-test demo cluster install test check stress foreign bench evidence readme docs deb format format-check tidy clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export JOBS

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.* ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: setup-test ## install the Debian packages that building and testing need

setup-build:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh build test

demo: setup-build ## build, then run a few programs of the gallery on real input
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target tools/sennit
	@mkdir -p out/demo
	build/release/tools/sennit demo --output out/demo

cluster: setup-test ## run programs of the gallery on four ranks of MPI, and show what each rank did: out/cluster/*.html
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target sennit_mpi_programs sennit_tool
	@scripts/cluster.sh build/release out/cluster

install: setup-build ## build the library and the tools, and install them to PREFIX
	@cmake --preset release -DSENNIT_INSTALL_VARIANTS=ON -DSENNIT_WERROR=OFF
	@cmake --build --preset release --parallel $(JOBS) --target src/all src/checker/all tools/all
	@cmake --install build/release --prefix '$(PREFIX)'
	@grep -q '^SENNIT_CLANG_LIBRARY:.*=/' build/release/CMakeCache.txt || \
		echo 'install: all but sennit-splicec, which takes libclang 19: scripts/setup.sh splicec && make install'

deb: ## build Debian packages of the last commit in a clean root, and try them in another: out/deb
	@scripts/setup.sh deb
	@scripts/deb.sh

test: setup-test ## build and run the tests, optimized; ONLY=regex builds and runs the programs of tests that match
	@scripts/test.sh test '$(ONLY)'

check: setup-test ## what each change has to pass besides: other tests, sanitizers, Debug, AArch64, models, packages, ABI, documents
	@scripts/test.sh check

stress: setup-test ## all of it for every compiler, sanitizer and option, with the heavy tests; ONLY=regex picks some
	@scripts/test.sh stress '$(ONLY)'

foreign: setup-test ## build and run the test suites of other libraries on Sennit; ONLY=regex picks tests; PARLAY, PBBS: clones
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target src/all
	@scripts/foreign.sh '$(ONLY)'

bench: ## run the benchmarks of SUITE=name; QUICK=1 takes fewer samples
	@test -n '$(SUITE)' || { echo 'bench: say which suite, as in: make bench SUITE=fork QUICK=1' >&2; exit 2; }
	@scripts/setup.sh build bench
	@cmake --preset bench
	@cmake --build --preset bench --parallel $(JOBS) --target bench/all
	bench/run '$(SUITE)' $(if $(QUICK),--quick)

evidence: ## make docs/evidence of the kept numbers; MEASURE=1 measures first (QUICK=1: small), SIMULATE=1 simulates; ONLY=004 or 004/fib: a part
	@scripts/setup.sh evidence $(if $(MEASURE),build bench) $(if $(SIMULATE),build)
ifneq ($(MEASURE),)
	@cmake --preset bench
	@targets=$$(/usr/bin/python3 scripts/evidence/make.py --targets $(addprefix --only ,$(ONLY))); \
		[ -z "$$targets" ] || cmake --build --preset bench --parallel $(JOBS) --target $$targets
endif
ifneq ($(MEASURE)$(SIMULATE),)
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS) --target $(if $(MEASURE),tools/sennit) $(if $(SIMULATE),sennit_evidence)
endif
	@/usr/bin/python3 scripts/evidence/make.py $(if $(MEASURE),--measure) $(if $(SIMULATE),--simulate) $(if $(QUICK),--quick) $(addprefix --only ,$(ONLY))

readme: ## draw README's picture and write its figures anew of kept numbers; MEASURE=1 measures first, SIMULATE=1 simulates
ifneq ($(MEASURE),)
	@$(MAKE) --no-print-directory bench SUITE=overview
endif
ifneq ($(SIMULATE),)
	@$(MAKE) --no-print-directory evidence SIMULATE=1 ONLY=combination
endif
	@bench/overview $(if $(MEASURE),out/bench/overview.json)

docs: ## make the documentation as a site, with the reference of all public names: out/docs/index.html
	@scripts/setup.sh docs
	@/usr/bin/python3 -B scripts/site/make.py out/docs

sources = $(shell find $(wildcard include src sim integrations gallery tools bench tests examples) -name '*.hpp' -o -name '*.cpp')

format: setup-test ## lay out the sources as .clang-format says
	@clang-format-19 -i $(sources)

format-check: setup-test ## fail if `make format` would change something
	@clang-format-19 --dry-run -Werror $(sources)

tidy: setup-test ## run clang-tidy over the sources
	@cmake --preset dev-clang
	@run-clang-tidy-19 -quiet -use-color=0 -extra-arg=-Wno-error -j $(JOBS) -p build/dev-clang

clean: ## remove what was built; results in out/ stay
	rm -rf build
