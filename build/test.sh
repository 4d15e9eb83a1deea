#!/usr/bin/env bash
# Every test of the project. Each step's result is kept in build/bin/results; the last line
# counts them: Go tests and subtests, conformance scenarios, the page's tests, and one for each other step.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS=-buildvcs=false
results=build/bin/results
rm -rf "$results" && mkdir -p "$results"

step() { # name, command…: runs it, notes whether it passed, goes on
	local name=$1
	shift
	echo "== $name"
	if "$@" </dev/null; then echo pass >"$results/$name.step"; else
		echo fail >"$results/$name.step"
		echo "== $name FAILED" >&2
	fi
}
go_json() { # result file, arguments of go test: prints failures only
	local file=$1 code=0
	shift
	"$@" >"$file" || code=$?
	((code == 0)) || node build/count.mjs --failures "$file" >&2
	return $code
}
cross() {
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -o build/bin/windows/patchbay.exe . &&
		GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -tags production -ldflags '-H windowsgui' -o build/bin/windows/patchbay-window.exe .
}
bindings_fresh() { # compared with a copy: git may be absent or not trust the folder's owner
	local before code=0
	before=$(mktemp -d)
	cp -r frontend/wailsjs "$before"
	make --no-print-directory bindings && diff -r "$before/wailsjs" frontend/wailsjs || code=$?
	rm -rf "$before"
	((code == 0)) || echo "frontend/wailsjs is stale: run make bindings and commit it" >&2
	return $code
}
page_tests() { (cd frontend && npx vitest run --reporter=default --reporter=json --outputFile.json="../$results/page.json"); }

step deps build/deps.sh test
step vet go vet ./...
step servers make --no-print-directory servers
step page make --no-print-directory page
step types bash -c 'cd frontend && npx tsc --noEmit'
step bindings bindings_fresh
step vet-window go vet -tags production,webkit2_41 ./...
step go go_json "$results/go.json" go test -race -json -timeout 15m ./backend/... ./app
step fuzz env FUZZTIME=20000x build/fuzz.sh
step conformance build/conformance.sh "$results/conformance.json"
step page-tests page_tests
step build make --no-print-directory e2e-programs
step window go_json "$results/window.json" build/e2e.sh -json
step windows cross

node build/count.mjs "$results"
