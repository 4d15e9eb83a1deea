#!/usr/bin/env bash
# Runs the client scenarios of the MCP conformance suite against a client made of Patchbay's
# own connection layer. With an argument, its counts are written there.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd build/conformance && { [[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --no-audit --no-fund; })
go build -o build/bin/conformance-client ./build/conformance
node build/conformance/run.mjs build/bin/conformance-client "$@"
