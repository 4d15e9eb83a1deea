#!/usr/bin/env bash
# Fuzzes what comes from outside: frames, server-sent events, definitions. FUZZTIME is for
# each, 10m by default; a crasher is kept in the package's testdata.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS=-buildvcs=false
for target in backend/mcpconn:FuzzFrames backend/mcpconn:FuzzEvents backend/mcpconf:FuzzDefinitions; do
	echo "== ${target#*:}"
	go test -run '^$' -fuzz "^${target#*:}\$" -fuzztime "${FUZZTIME:-10m}" -fuzzminimizetime 5x "./${target%:*}"
done
