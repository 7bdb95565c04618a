# Counterfoil's habits; `make` lists them. CI runs the same targets (.ci/run).

PREFIX ?= /usr/local
export PREFIX DESTDIR RELEASES
libraries = libsqlite3-dev libcurl4-openssl-dev
# The scripts of Tests/Shell that `make test` runs; `make check` runs the others.
in_test = links adding readme pages judge

.PHONY: help serve build test check coverage fleet tsan interop soak lint format bench docs install uninstall dist check-install image check-image clean static

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: ## build if needed and serve all banks (ARGS="roundup --port 9000": only this bank, with options)
	@.ci/need $(libraries)
	@.ci/build $$(.ci/options) --product counterfoil
	@.build/release/counterfoil serve $(ARGS)

build: ## build the program and its tests, once for serve, test and check
	@.ci/need $(libraries) python3
	@.ci/build $$(.ci/options) --build-tests

test: ## lint, Swift tests, the whole catalogue, all mutants, the documents' commands
	@.ci/need $(libraries) python3 curl
	@.ci/need nginx-light openssl || echo "test: the tests that need a missing server are skipped." >&2
	@.ci/lint
	@$(MAKE) -s --no-print-directory build
	@.ci/unit-tests
	@printf '%s\n' $(in_test) | xargs -P 2 -n 1 .ci/shell-tests

check: build ## every other test: drivers in other languages, other tools, proxies, kills, packaging
	@.ci/need nginx-light haproxy openssl curl || echo "check: the tests that need a missing server are skipped." >&2
	@.ci/need chromium || echo "check: the tests of pages that need a browser are skipped." >&2
	@.ci/check $(in_test)

coverage: ## run the Swift tests in a build that counts lines, and print the counts of each folder of Sources
	@.ci/need $(libraries) python3 curl
	@Tests/coverage

fleet: build ## three nodes behind nginx and HAProxy: routes, kill -9, a rolling restart, which fault arrives (WRITE=1: the table of docs/many-machines.md)
	@.ci/need wrk || echo "fleet: requests/s are not measured without wrk." >&2
	@Tests/Fleet/run .build/release/counterfoil $(if $(WRITE),--write)

interop: build ## check exports and imports with other tools from PyPI (skipped if PyPI does not answer)
	@Tests/Interop/run

soak: build ## the long tests: hostile inputs, kills, a million requests, drivers, mutants (SEED=, FACTOR=, KILLS=, ONLY="http1 …", WRITE=1: the table)
	@.ci/need nginx-light python3
	@Tests/Soak/run .build/release/counterfoil $(ONLY) $(if $(SEED),--seed $(SEED)) $(if $(FACTOR),--factor $(FACTOR)) $(if $(WRITE),--write)

tsan: ## run the client's tests under the thread sanitizer (a build from scratch: about five minutes the first time)
	@.ci/need $(libraries)
	@.ci/tsan/run

lint: ## check format, layers, file lengths and forbidden patterns
	@.ci/need python3
	@.ci/lint

format: ## format every Swift file
	@swift-format format --in-place --recursive --parallel Sources Tests Stubs examples Package.swift

bench: static ## measure the stub beside nginx, the client beside curl in C (installs wrk and nginx-light)
	@.ci/need wrk nginx-light python3
	@benchmarks/bench .build/static/release/counterfoil

docs: ## build the API documentation of the library CounterfoilTesting into .build/docs (DocC)
	@.ci/need $(libraries)
	@.ci/build $$(.ci/options) --target CounterfoilTesting
	@.ci/docs .build/docs

install: static ## install program, banks, contracts, manual and completions (PREFIX=/usr/local, DESTDIR=)
	@.ci/need python3 binutils
	@deploy/package/install .build/static/release/counterfoil

uninstall: ## remove what `make install` put there (the same PREFIX, DESTDIR)
	@deploy/package/install --remove

dist: static ## make .build/dist/counterfoil-VERSION-linux-ARCH.tar.gz, its SBOM, the clients for tests, SHA256SUMS (RELEASES=https://…: the formula too)
	@.ci/need python3 binutils
	@deploy/package/dist .build/static/release/counterfoil .build/dist

check-install: ## run the archive of `make dist` in a bare Debian (root only; SUITE=bookworm, MIRROR=)
	@.ci/need debootstrap curl
	@deploy/package/check-install "$$($(MAKE) -s --no-print-directory dist)" .build/bare

image: static ## make .build/dist/counterfoil-VERSION-ARCH.oci.tar, an image for containers (buildah, no network)
	@.ci/need buildah python3 binutils ca-certificates
	@deploy/package/image .build/static/release/counterfoil .build/dist

check-image: ## run the image of `make image` and let it answer the first curl of the README (root only)
	@.ci/need buildah curl
	@deploy/package/check-image "$$($(MAKE) -s --no-print-directory image)"

clean: ## remove everything that was built
	@rm -rf .build

static: ## build the program that packages and images contain: .build/static/release/counterfoil
	@.ci/static >&2
