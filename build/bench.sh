#!/usr/bin/env bash
# Runs the benchmarks of the window, on a display and a session bus of their own. The
# arguments go to go test; make bench has built what they need.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${BENCH_BIN:-$PWD/build/bin}
export APP_BIN=$bin/patchbay-window CLI_BIN=$bin/patchbay BARE_BIN=$bin/bench-bare E2E_SHIM=$bin/autoshim.so
export BENCH_OUT=${BENCH_OUT:-$PWD/build/bench/results.json}
exec xvfb-run -a -s "-screen 0 1280x820x24" dbus-run-session -- \
	go test -run '^$' -benchtime 1x -timeout 60m "$@" ./app/bench
