# irscope: build, test, measure. `make help` lists the targets.

GO    ?= go
TOOL   = $(GO) tool -modfile=tools.mod
PKGS   = ./...
# How long the parts of make fuzz and make nightly take.
FUZZTIME  ?= 60s
NIGHTFUZZ ?= 30m
KILLS     ?= 1000
FLOWS     ?= 200
CASES     ?= 100000
MUTANTS   ?= 3000
# Tests run through gotestsum, which keeps what happened in bin/test/NAME.json for the account at the end.
# Neither vet, which is of make lint, nor debug information, which nobody reads here.
GOTEST = mkdir -p bin/test && $(TOOL) gotestsum --format pkgname --format-hide-empty-pkg --jsonfile bin/test/$@.json $(RERUN) --packages="$(TESTED)" -- -vet=off -ldflags='-s -w'
NOE2E  = $$($(GO) list ./... | grep -v /e2e/browser)

.PHONY: help run build release man test quick unit race browser summary mutants bench scale fuzz goals nightly vuln lint fmt generate vendor-js fonts check-generated e2e-deps screenshot clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

run: ## serve the page on http://127.0.0.1:8080
	$(GO) run ./cmd/explorer

build: ## build bin/irscope
	$(GO) build -o bin/irscope ./cmd/explorer

release: ## build programs for linux, darwin and windows, and pack them with their licenses into bin/release
	$(GO) run ./cmd/release -o bin/release

man: build ## write the manual pages to bin/man/man1
	bin/irscope man bin/man/man1

test: ## all tests: unit, golden, property, race and browser; ends with what was skipped and why
	@rm -rf bin/test
	@$(MAKE) --no-print-directory unit race browser
	@$(MAKE) --no-print-directory summary

# Neither vet nor debug information, memory instead of collection, the tests of single packages, and of those only what the last change can reach: the rest is cached.
quick: export GOGC := $(or $(GOGC),400)
quick: ## the tests of packages, cut short, in less than a minute after a change in one of them
	@$(TOOL) gotestsum --format pkgname --format-hide-empty-pkg -- -short -vet=off -ldflags='-s -w' -timeout 5m $$($(GO) list ./... | grep -vE '/e2e/(bench|browser|cli|crash|docs|hostile|mutants)$$')

summary: ## how many tests of the last make test passed, failed and were skipped, and why
	@echo "== all tests"
	@$(TOOL) gotestsum --format none --raw-command -- cat bin/test/*.json

# Random tests take their cases from the hash of a tree (see e2e/fixture/seed), this one; make fuzz and make nightly try others.
unit race: export IRSCOPE_SEED := $(or $(IRSCOPE_SEED),976c804e1bdfc76834d8c35ab5453a92674fe22c)

# What depends on the time that a busy machine takes may fail once: up to five tests run again, each on its own, and the summary names
# them. A data race fails at once.
RERUN = --rerun-fails=2 --rerun-fails-max-failures=5 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race

# Memory instead of collection, as in make quick: a tenth of the processor time. Under the race detector memory is dear.
unit browser: export GOGC := $(or $(GOGC),400)

unit: TESTED = $(NOE2E)
unit: export IRSCOPE_PROGRAM := $(CURDIR)/bin/test/irscope
unit: ## unit, golden and property tests, and the command line
	@$(GO) build -ldflags='-s -w' -o $(IRSCOPE_PROGRAM) ./cmd/explorer
	@$(GOTEST) -timeout 60m

# Where nothing starts a goroutine or locks, and no test does so for it or runs beside others, there is nothing to find.
race: TESTED = $$(grep -rlE '^\s*go (func|[a-zA-Z.]+\()|\b(sync|atomic|errgroup)\.|\bt\.Parallel\(' --include=*.go ./runtime ./web ./instruments ./compiler/pass | xargs -n1 dirname | sort -u)
race: ## tests of everything concurrent under the race detector; skipped without a C compiler
	@if command -v $${CC:-cc} >/dev/null 2>&1; then \
	  export CGO_ENABLED=1; $(GOTEST) -race -short -timeout 40m; \
	elif [ -n "$$E2E_REQUIRED" ]; then echo "race: no C compiler found (E2E_REQUIRED is set): apt-get install gcc libc6-dev" >&2; exit 1; \
	else echo "race: skipped as a whole, no C compiler found: apt-get install gcc libc6-dev"; fi

browser: TESTED = ./e2e/browser/...
browser: ## tests in a real browser; skipped without Chromium
	@$(GOTEST) -p 1 -count 1 -timeout 30m

mutants: ## seed MUTANTS faults into the packages where they would make the program lie, and list those that no test finds
	$(GO) run ./e2e/mutants -n $(MUTANTS)

bench: ## print the table of benchmarks that the README quotes
	$(GO) test -run '^$$' -bench 'Compile|OnePass|Kernels|Types|Latency|FirstRow' -benchmem -benchtime 5x -timeout 30m ./e2e/bench/
	$(GO) test -run '^$$' -bench 'Types|LongSums' -benchtime 20x ./compiler/sch/cpu/
	$(GO) test -run '^$$' -bench ServerMemory -benchmem -benchtime 1x -timeout 30m ./e2e/bench/

scale: ## write docs/scale.md: what each pass takes on 1,000 and 100,000 bindings; half an hour
	@mkdir -p bin
	$(GO) test -run '^$$' -bench Passes -benchmem -benchtime 1x -timeout 60m ./e2e/scale/ > bin/scale.txt
	$(GO) run ./e2e/scale/table < bin/scale.txt > docs/scale.md

fuzz: ## check properties on new random cases, then fuzz every target for FUZZTIME (60s)
	IRSCOPE_SEED=random $(GO) test -count 1 $$(grep -rl 'seed\.Check(' --include='*_test.go' . | xargs -n1 dirname | sort -u) -rapid.checks=2000
	@for p in $$(grep -rl 'func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -ho 'func Fuzz[A-Za-z0-9]*' $$p/*_test.go | cut -c6-); do \
	    echo "$$p $$f"; $(GO) test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || exit 1; done; done

goals: ## hold the figures of docs/goals.md as bounds; needs an idle machine
	IRSCOPE_GOALS=1 $(GO) test -p 1 -count 1 -timeout 60m $$(grep -rl fixture/goal --include='*_test.go' . | xargs -n1 dirname | sort -u)
	$(GO) test -run '^$$' -bench 'Layout|TVMScript|Replay|OpenDiff' -benchtime 20x ./web/graph/ ./web/highlight/ ./web/store/sqlite/

nightly: goals ## goals, KILLS kills, FLOWS flows in the browser, CASES random programs, NIGHTFUZZ for each fuzz target: about a day
	CRASH_KILLS=$(KILLS) $(GO) test -count 1 -timeout 240m ./e2e/crash/
	E2E_REPEAT=$(FLOWS) E2E_REQUIRED=1 $(GO) test -count 1 -timeout 120m -run TestCoreFlow ./e2e/browser/
	IRSCOPE_SEED=random IRSCOPE_CASES=$(CASES) $(GO) test -count 1 -timeout 24h -run "TestSeededPipeline|TestBoundsAgainstInterpreter" ./compiler/tirpass/
	IRSCOPE_SEED=random $(GO) test -count 1 -timeout 24h -run TestPassesKeepMeaning ./compiler/transform/ -rapid.checks=$(CASES)
	IRSCOPE_NIGHTLY=1 IRSCOPE_SEED=random $(GO) test -count 1 -timeout 4h -run "TestMutants|TestLongChains|TestOptionalPasses|TestLight" ./compiler/transform/ ./compiler/tirpass/ ./e2e/hostile/ ./e2e/models/
	IRSCOPE_NIGHTLY=1 IRSCOPE_SEED=random $(GO) test -count 1 -timeout 4h -run "TestRandom|TestLateUnrolling" ./compiler/dlight/ ./target/x86/
	IRSCOPE_NIGHTLY=1 E2E_REQUIRED=1 $(GO) test -count 1 -timeout 30m -run TestExportedPage ./e2e/browser/
	IRSCOPE_NIGHTLY=1 $(GO) test -count 1 -timeout 1h -run "TestChangedCodeStaysInside|TestDecode" ./runtime/native/...
	IRSCOPE_RULE_CASES=1000000 IRSCOPE_SEED=random $(GO) test -count 1 -timeout 24h -run TestRulesAlone ./compiler/arith/
	$(MAKE) mutants
	$(MAKE) vuln
	$(MAKE) fuzz FUZZTIME=$(NIGHTFUZZ)

vuln: ## look for known vulnerabilities in what the program calls; passes over where their database cannot be reached
	@$(TOOL) govulncheck $(PKGS); code=$$?; \
	if [ $$code = 1 ] && [ -z "$$VULN_REQUIRED" ]; then echo "vuln: skipped, govulncheck could not run (above)"; else exit $$code; fi

lint: export GOGC := $(or $(GOGC),400)
lint: ## gofumpt, vet, staticcheck, whether go.mod is tidy, and the types of the scripts (skipped without Node.js)
	@out=$$($(TOOL) gofumpt -l $$(git ls-files '*.go' | grep -v '_templ.go$$')); [ -z "$$out" ] || { echo "not formatted:"; echo "$$out"; exit 1; }
	$(GO) vet $(PKGS)
	for os in darwin/amd64 linux/arm64; do GOOS=$${os%/*} GOARCH=$${os#*/} $(GO) vet ./runtime/native/... ./runtime/memory/... || exit 1; done
	$(TOOL) staticcheck $(PKGS)
	$(GO) mod tidy -diff
	@static/check.sh

fmt: ## format all Go files
	$(TOOL) gofumpt -w $$(git ls-files '*.go' | grep -v '_templ.go$$')

generate: ## write generated Go, templates, scripts and models anew
	$(GO) generate ./...

vendor-js: ## make static/vendor/codemirror.js anew, with npm
	static/vendor/make.sh

check-generated: generate ## fail if generated files are not fresh
	@git diff --exit-code || { echo "generated files are stale: commit what make generate wrote" >&2; exit 1; }

fonts: ## make the fonts under static/fonts anew, with npm
	static/fonts/make.sh

e2e-deps: ## install what the browser tests need, on Debian
	apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell

screenshot: ## make the pictures of the README and of docs/tutorial.md anew, the moving one too
	E2E_README=1 E2E_REQUIRED=1 $(GO) test -count 1 -parallel 1 -run 'TestReadme|TestTutorial' ./e2e/browser/

clean: ## remove what was built
	rm -rf bin
