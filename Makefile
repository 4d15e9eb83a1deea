# Patchbay. make build, make run, make test, make lint are all a newcomer needs.
SHELL := /bin/bash
# A checkout that belongs to somebody else must build too; the version is set below.
export GOFLAGS := -buildvcs=false
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
WINDOW_TAGS := production,webkit2_41
ifneq ($(shell uname -s),Linux)
WINDOW_TAGS := production
endif
BIN := build/bin

.PHONY: build cli window page servers run test fuzz conformance bench lint check bindings e2e e2e-programs screens clean

## build: both programs, in build/bin
build: cli window

cli:
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/patchbay .

window: page
	go build -tags $(WINDOW_TAGS) -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/patchbay-window .

# npm ci only when the lock changed since the last one.
frontend/node_modules/.package-lock.json: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund

# The npm servers of the main job, for tests.
servers: app/e2e/servers/node_modules/.package-lock.json

app/e2e/servers/node_modules/.package-lock.json: app/e2e/servers/package-lock.json
	cd app/e2e/servers && npm ci --no-audit --no-fund

page: frontend/node_modules/.package-lock.json
	cd frontend && npm run build
	@touch frontend/dist/.gitkeep

## run: install what is missing, build, open the window (or, without a display, picture it)
run:
	build/deps.sh build
	$(MAKE) build
	build/run.sh

## test: everything; installs what the tests need
test:
	build/test.sh

## fuzz: frames, server-sent events and definitions, ten minutes each (FUZZTIME=…)
fuzz:
	build/fuzz.sh

## conformance: the client scenarios of the MCP conformance suite
conformance:
	build/conformance.sh

## bench: the numbers of the README, in build/bench/results.json
bench: e2e-programs
	go build -tags $(WINDOW_TAGS) -trimpath -ldflags '-s -w' -o $(BIN)/bench-bare ./app/bench/bare
	@mkdir -p build/bench && rm -f build/bench/results.json
	BENCH_OUT=$(CURDIR)/build/bench/results.json go test -run '^$$' -bench Runtime -benchtime 1x ./backend/mcphost/bench
	build/bench.sh -bench .

## lint: formatting, vet for three systems, staticcheck, the page's types
lint:
	build/lint.sh

## check: what must pass before a commit
check: lint test

## bindings: write frontend/wailsjs from the bound structs
bindings:
	CGO_ENABLED=0 go build -tags bindings -o $(BIN)/bindgen .
	tsoutputtype=interfaces $(BIN)/bindgen >/dev/null
	node build/sort-bindings.mjs

e2e-programs: build
	go build -tags $(WINDOW_TAGS) -o $(BIN)/e2e-probe ./app/e2e/probe
	gcc -shared -fPIC -Wall -o $(BIN)/autoshim.so app/e2e/shim/autoshim.c $$(pkg-config --cflags webkit2gtk-4.1)

## e2e: the tests in the real window only; E2E=pattern chooses some
e2e: e2e-programs
	build/e2e.sh -v -run '$(or $(E2E),.)'

## screens: pictures in build/screens: every scenario of the page, and the real window
screens: e2e-programs
	build/deps.sh screens
	build/screens.sh
	build/e2e.sh -run 'Opens'

clean:
	rm -rf build/bin build/screens build/bench frontend/dist/assets frontend/dist/index.html
