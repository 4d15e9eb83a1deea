#!/usr/bin/env bash
# Fuzzes what comes from outside: frames, server-sent events, definitions. FUZZTIME is for
# each, 10m by default, or a number of inputs (20000x); a crasher is kept in the package's
# testdata.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS=-buildvcs=false
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in backend/mcpconn:FuzzFrames backend/mcpconn:FuzzEvents backend/mcpconf:FuzzDefinitions; do
	echo "== ${target#*:}"
	code=0
	go test -run '^$' -fuzz "^${target#*:}\$" -fuzztime "${FUZZTIME:-10m}" -fuzzminimizetime 5x -timeout 0 "./${target%:*}" 2>&1 | tee "$log" || code=$?
	# go test may report the end of its own time as a failure (golang/go issue 75804).
	if ((code != 0)) && ! { grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }; then exit $code; fi
done
