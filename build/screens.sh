#!/usr/bin/env bash
# Pictures of the page in build/screens, without the application: see build/screens.mjs, which
# knows the screens; arguments name some of them. CHROMIUM names another browser of that family.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/screens
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $browser ]] || { echo "No Chromium here: install it, or set CHROMIUM to its path." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
(cd frontend && PATCHBAY_SCENARIO=$work/page npx vite build --logLevel warn)
node build/screens.mjs "$work/page" "$out" "$browser" "$@"
echo "Pictures: $out/page-*.png"
