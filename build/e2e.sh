#!/usr/bin/env bash
# Runs the tests in the real window, on a display and a session bus of their own. The
# arguments go to go test; make e2e-programs has built what they need.
set -euo pipefail
cd "$(dirname "$0")/.."
export APP_BIN=$PWD/build/bin/patchbay-window CLI_BIN=$PWD/build/bin/patchbay
export PROBE_BIN=$PWD/build/bin/e2e-probe E2E_SHIM=$PWD/build/bin/autoshim.so
export SCREENS=${SCREENS:-$PWD/build/screens}
exec xvfb-run -a -s "-screen 0 1280x820x24" dbus-run-session -- \
	go test -count=1 -timeout 20m "$@" ./app/e2e
