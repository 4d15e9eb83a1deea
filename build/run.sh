#!/usr/bin/env bash
# Opens the window. Without a display it runs it under Xvfb, writes a picture of it to
# build/screens/run.png, prints the path and ends.
set -euo pipefail
cd "$(dirname "$0")/.."

picture() {
	mkdir -p build/screens
	build/bin/patchbay-window &
	local window=$!
	trap 'kill "$window" 2>/dev/null || true' EXIT
	sleep 8
	if ! kill -0 "$window" 2>/dev/null; then
		wait "$window" || { echo "The window ended with code $?." >&2; exit 1; }
		echo "The window handed over to one that is open already; no picture." >&2
		exit 1
	fi
	import -window root build/screens/run.png
	kill "$window" && wait "$window" || true
	trap - EXIT
	echo "Picture: $PWD/build/screens/run.png"
}

if [[ "${1:-}" == picture ]]; then
	picture
elif [[ "$(uname -s)" != Linux || -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]]; then
	exec build/bin/patchbay
else
	echo "No display: running the window under Xvfb and taking its picture."
	exec xvfb-run -a -s "-screen 0 1280x800x24" dbus-run-session -- "$0" picture
fi
