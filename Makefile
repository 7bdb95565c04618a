# Counterfoil's habits; `make` lists them. CI runs the same targets (.ci/run).

PREFIX ?= /usr/local
share = $(DESTDIR)$(PREFIX)/share/counterfoil
libraries = libsqlite3-dev libcurl4-openssl-dev
# Linked statically Swift's own libraries cost no time at start; on macOS they are part of the system.
static = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)

.PHONY: help serve test soak lint format bench install clean release

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: release ## build if need be and serve all banks (ARGS="roundup --port 9000" for less or else)
	@.build/release/counterfoil serve $(ARGS)

test: ## build and run every test
	@.ci/need $(libraries)
	@.ci/need nginx-light openssl python3 || echo "test: the tests against servers that are not there are skipped." >&2
	@.ci/build --build-tests
	@.ci/shell-tests
	@swift test --skip-build --disable-xctest

soak: release ## kill a server with --state 1,000 times amid payments (some five minutes; KILLS=, SEED= for others), a million requests of the client
	@.ci/need nginx-light python3
	@.ci/crash .build/release/counterfoil --kills $(or $(KILLS),1000) --seconds 3600 $(if $(SEED),--seed $(SEED))
	@python3 .ci/client_bench.py .build/release/counterfoil 1000000
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && root=$$PWD && cd "$$scratch" && \
		ALL=1 ROOT="$$root" COUNTERFOIL="$$root/.build/release/counterfoil" bash -euo pipefail "$$root/Tests/Shell/drivers.sh"
	@COUNTERFOIL_SOAK=1 swift test --disable-xctest --filter 'BankClientTests\.(FuzzTests|CancellingTests)'
	@.build/debug/counterfoil test --repeat 20 --jobs 8 --client ".build/debug/counterfoil client --drive"
	@.build/debug/counterfoil test --jobs 1 --client ".build/debug/counterfoil client --drive"
	@.build/debug/counterfoil mutants --all

lint: ## check format, layers, file lengths and forbidden patterns
	@.ci/need python3
	@.ci/lint

format: ## put every Swift file into the house's format
	@swift-format format --in-place --recursive --parallel Sources Tests Package.swift

bench: release ## measure the stub beside nginx, the client beside curl in C (installs wrk and nginx-light)
	@.ci/need wrk nginx-light python3
	@.ci/bench .build/release/counterfoil

install: release ## install into PREFIX (default /usr/local)
	@install -d "$(DESTDIR)$(PREFIX)/bin" "$(share)"
	@install -m 755 .build/release/counterfoil "$(DESTDIR)$(PREFIX)/bin/counterfoil"
	@rm -rf "$(share)/Stubs" "$(share)/Contracts"
	@cp -R Stubs Contracts "$(share)/"
	@echo "Installed $(DESTDIR)$(PREFIX)/bin/counterfoil and $(share)/{Stubs,Contracts}."

clean: ## remove everything that was built
	@rm -rf .build

release:
	@.ci/need $(libraries)
	@[ -x .build/release/counterfoil ] || echo "The first release build takes about five minutes." >&2
	@.ci/build -c release $(static) --product counterfoil
